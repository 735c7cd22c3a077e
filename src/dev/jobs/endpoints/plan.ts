import { randomUUID } from 'node:crypto'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { DevReply } from '../../http.ts'
import { annotateDiff, diffJobs } from '../diff/diff.ts'
import { answerWrite, Refusal } from '../api/answers.ts'
import { number, text, flag, object } from '../state/documents.ts'
import { nextLaunchOf } from '../scheduler/launcher.ts'
import { warningsOf, prepareJob, sentJob } from './validate.ts'
import { desiredUpdates } from '../scheduler/reconcile.ts'
import { bodyOf, type JobWrite } from '../api/write.ts'
import { dryRun } from '../scheduler/situation.ts'
import { specChanged } from '../state/versions.ts'
import { HclError } from '../../hcl/syntax.ts'
import { parseJobHcl } from '../../hcl/parse-job.ts'
import { spokenJob } from './reads.ts'

/** POST /v1/job/:id/plan: what registering would do. Nothing is changed. */
export function planJob(write: JobWrite): DevReply {
  const body = bodyOf(write, 'plan')
  const sent = sentJob(body)
  if (text(sent, 'ID') === '') throw new Refusal(400, 'Job must have a valid ID')
  if (sent['ID'] !== write.id) throw new Refusal(400, 'Job ID does not match')
  const job = prepareJob(write, body, sent)
  const record = write.store.job(text(job, 'Namespace'), text(job, 'ID'))
  const old = record === undefined ? null : record.current
  // Allocations of a registered job with the same specification count as up to date, except those of a service whose
  // registration had a token: a plan has none, which real servers take for a change in place.
  const differs = write.access.enabled && text(job, 'Type') === 'service'
  const unchanged = old !== null && !differs && !specChanged(old, job)
  job['Version'] = old === null ? 0 : number(old, 'Version') + (unchanged ? 0 : 1)
  job['JobModifyIndex'] = unchanged ? number(old, 'JobModifyIndex') : -1
  const { plans, failures, waits } = dryRun(write.store, record, job)
  const updates = Object.fromEntries(plans.map((plan) => [plan.group, desiredUpdates(plan)]))
  const index = old === null ? 0 : number(old, 'JobModifyIndex')
  const answer = {
    Annotations: { DesiredTGUpdates: updates, PreemptedAllocs: null },
    CreatedEvals: failures === null || !waits ? null : [blockedEvaluation(write, job, failures)],
    Diff: body['Diff'] === true ? annotateDiff(diffJobs(old, job), updates) : null,
    FailedTGAllocs: failures,
    Index: index,
    JobModifyIndex: index,
    NextPeriodicLaunch: nextLaunchOf(job, write.store.clock.now())?.toISOString().replace('.000Z', 'Z') ?? null,
    Warnings: warningsOf(job),
  }
  return answerWrite(write.request, answer, index)
}

function blockedEvaluation(write: JobWrite, job: JsonObject, failures: JsonObject): JsonObject {
  const time = write.store.nanoseconds() as Json
  return {
    ClassEligibility: { 'v1:15906852432685180942': true },
    CreateTime: time,
    FailedTGAllocs: failures,
    ID: randomUUID(),
    JobID: job['ID'] ?? '',
    ModifyTime: time,
    Namespace: job['Namespace'] ?? '',
    PreviousEval: randomUUID(),
    Priority: job['Priority'] ?? 0,
    Status: 'blocked',
    StatusDescription: 'created to place remaining allocations',
    TriggeredBy: 'queued-allocs',
    Type: job['Type'] ?? '',
  }
}

/** POST /v1/jobs/parse. Only the neutral dialect has VariableFlags and HCLv1; products ignore them. */
export function parseJob(write: JobWrite): DevReply {
  const body = bodyOf(write, 'parse')
  const source = text(body, 'JobHCL')
  if (source === '') throw new Refusal(400, 'Job spec is empty')
  const flags = write.request.dialect === 'neutral' ? Object.entries(object(body, 'VariableFlags') ?? {}) : []
  try {
    const job = parseJobHcl(source, {
      variables: text(body, 'Variables'),
      variableFlags: Object.fromEntries(flags.map(([name, value]) => [name, String(value)])),
      canonicalize: flag(body, 'Canonicalize'),
      legacy: write.request.dialect === 'neutral' && flag(body, 'HCLv1'),
    })
    return answerWrite(write.request, spokenJob(job, write.request.dialect))
  } catch (error) {
    throw error instanceof HclError ? new Refusal(400, `Failed to parse job: ${error.message}`) : error
  }
}
