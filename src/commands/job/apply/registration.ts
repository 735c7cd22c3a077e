import * as api from '../../../api/jobs.ts'
import type { Done } from '../../../bulk/engine.ts'
import { asJson } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import type { JsonObject } from '../../../core/json.ts'
import { objectFrom, withEntries } from '../../../core/json.ts'
import { idOf } from '../cells.ts'
import { inNamespace, namespaceFlag, namespaceOf } from '../job-file.ts'
import { registration } from '../register.ts'
import type { BodyInput } from '../register.ts'
import { registrationSecrets } from '../secrets.ts'
import type { StartedWork } from '../wait/params.ts'
import { warningsOf } from '../jobs.ts'
import { sendWork } from '../writes.ts'
import type { Action, FilePlan } from './plan-files.ts'

/** What is sent for one job, or why nothing is. */
export interface Registration {
  readonly name: string
  readonly namespace: string
  /** The namespace, if the file names it. */
  readonly named: string | undefined
  readonly id: string
  readonly path: string
  readonly action: Action
  readonly fate: 'register' | 'unchanged' | 'left_out'
  /** The body of the request: the planned document, and the index at which it was planned. */
  readonly body: JsonObject
  /** Warnings of the server that the plan had. */
  readonly warned: readonly string[]
}

/** The registration of exactly what was planned, if the job is still the one that was planned. */
export function pinned(input: BodyInput, plan: FilePlan, isApplied: boolean): Registration {
  const { planned, name, namespace, path, action } = plan
  const { file, job, answer } = planned
  const fate = action === 'none' ? 'unchanged' : 'left_out'
  return {
    name,
    namespace,
    named: namespaceOf(file, job),
    id: idOf(job),
    path,
    action,
    fate: isApplied ? 'register' : fate,
    body: registration(input, file, job, asJson(answer.JobModifyIndex ?? 0)).body,
    warned: typeof answer === 'function' ? [] : warningsOf(answer),
  }
}

/** Sends a registration; returns what to follow, or that there is nothing to do. */
export async function register(context: Context, item: Registration): Promise<StartedWork | Done> {
  const { fate, body, named, id, namespace, warned } = item
  if (fate !== 'register') return { outcome: fate }
  const checkCommand = context.commandLine('job get', id, ...namespaceFlag(context, namespace))
  return sendWork(context, {
    kind: 'register',
    request: api.register(
      {},
      {
        ...inNamespace(context, named),
        policy: { guarded: true, bulk: true },
        body,
        ...(body['Submission'] === undefined ? { productBody: withEntries(body, { Submission: objectFrom([]) }) } : {}),
        secretBody: registrationSecrets,
        checkCommand,
      },
    ),
    jobId: () => id,
    namespace,
    warned,
    message: () => `registered ${id}`,
  })
}
