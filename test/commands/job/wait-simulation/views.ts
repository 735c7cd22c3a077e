import type { Json } from '../../../../src/core/json.ts'
import { readAllocations, readDeployments, readEvaluations, readJob } from '../../../../src/commands/job/wait/facts.ts'
import type { Part, Reading } from '../../../../src/commands/job/wait/observe.ts'
import type { Model } from './model.ts'
import { countsOf } from './moves.ts'

/** What the server answers about a part of the model. */
export function viewOf(model: Model, part: Part): Reading {
  if (part === 'job') return { part, job: model.job === undefined ? 'absent' : readJob(jobBody(model)) }
  if (part === 'evaluations') return { part, list: readEvaluations(evaluationsBody(model)) }
  if (part === 'deployments') return { part, list: readDeployments(deploymentsBody(model)) }
  return { part, list: readAllocations(allocationsBody(model)) }
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
