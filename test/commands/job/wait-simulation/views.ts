import type { Json, JsonObject } from '../../../../src/core/json.ts'
import type { Part, Reading } from '../../../../src/commands/job/state/state.ts'
import type { Model } from './model.ts'
import { countsOf } from './moves.ts'

/** What the server answers about a part of the model, as a wait reads it. */
export function viewOf(model: Model, part: Part): Reading {
  return { part, value: bodyOf(model, part) } as unknown as Reading
}

/** The body of that answer. */
export function bodyOf(model: Model, part: Part): Json {
  if (part === 'job') return jobBody(model)
  if (part === 'evaluations') return evaluationsBody(model)
  return part === 'deployments' ? deploymentsBody(model) : allocationsBody(model)
}

/** The counts of the allocations by group, as the server sums them up. */
export function summaryOf({ job, allocs, evaluations }: Model): JsonObject {
  const blocked = evaluations.findLast((one) => one.status === 'blocked')
  const count = (client: string, group: string) =>
    allocs.filter((one) => one.life === job?.createIndex && one.group === group && one.client === client).length
  const groups = Object.keys(job?.spec.groups ?? {}).map((name) => [
    name,
    {
      Queued: blocked?.failures[name] ?? 0,
      Starting: count('pending', name),
      Running: count('running', name),
      Failed: count('failed', name),
      Lost: count('lost', name),
      Complete: count('complete', name),
    },
  ])
  return Object.fromEntries(groups) as JsonObject
}

/** The job in a list; undefined if there is none. */
export function stubOf(model: Model, id: string): Json | undefined {
  const { job } = model
  if (job === undefined) return undefined
  const { modifyIndex, jobModifyIndex, stopped } = job
  const summary = { JobID: id, Summary: summaryOf(model) }
  return { ID: id, Stop: stopped, ModifyIndex: modifyIndex, JobModifyIndex: jobModifyIndex, JobSummary: summary }
}

function jobBody({ job }: Model): Json {
  if (job === undefined) return null
  const { createIndex, modifyIndex, jobModifyIndex, version, stopped, spec } = job
  return {
    Type: spec.type,
    Stop: stopped,
    Version: version,
    CreateIndex: createIndex,
    ModifyIndex: modifyIndex,
    JobModifyIndex: jobModifyIndex,
    TaskGroups: Object.entries(spec.groups).map(([Name, { count }]) => ({ Name, Count: count })),
  }
}

function evaluationsBody({ evaluations }: Model): Json {
  return evaluations.map((one) => ({
    ID: one.id,
    Status: one.status,
    TriggeredBy: one.trigger,
    NextEval: one.next,
    BlockedEval: one.blocked,
    DeploymentID: one.deploymentId,
    FailedTGAllocs: Object.fromEntries(
      Object.entries(one.failures).map(([group, count]) => [group, { CoalescedFailures: count - 1 }]),
    ),
    CreateIndex: one.createIndex,
    ModifyIndex: one.modifyIndex,
  }))
}

function deploymentsBody(model: Model): Json {
  return model.deployments.map((one) => ({
    ID: one.id,
    JobVersion: one.version,
    JobCreateIndex: one.life,
    JobSpecModifyIndex: one.specIndex,
    Status: one.status,
    StatusDescription: one.description,
    CreateIndex: one.createIndex,
    ModifyIndex: one.modifyIndex,
    TaskGroups: Object.fromEntries(
      Object.entries(one.wanted).map(([name, wanted]) => {
        const { placed, healthy, unhealthy, canaries } = countsOf(model, one, name)
        const counts = {
          DesiredTotal: wanted,
          PlacedAllocs: placed,
          HealthyAllocs: healthy,
          UnhealthyAllocs: unhealthy,
        }
        return [name, { ...counts, DesiredCanaries: one.canaries, PlacedCanaries: canaries, Promoted: one.promoted }]
      }),
    ),
  }))
}

/** Allocations of an earlier job of the same ID are not listed once there is a new one. */
function allocationsBody({ allocs, job }: Model): Json {
  return allocs
    .filter(({ life }) => job === undefined || life === job.createIndex)
    .map((one) => ({
      ID: one.id,
      Name: `web.${one.group}[${one.slot}]`,
      TaskGroup: one.group,
      JobVersion: one.version,
      DesiredStatus: one.desired,
      ClientStatus: one.client,
      NextAllocation: one.next,
      FollowupEvalID: one.followup,
      DeploymentStatus: one.healthy === undefined ? null : { Healthy: one.healthy, Canary: one.canary },
      CreateIndex: one.createIndex,
    }))
}
