import type { Expectation } from '../../../../src/commands/job/state/state.ts'
import type { Model, Spec } from './model.ts'
import { addEvaluation, isTerminal } from './model.ts'

/** What writes do to the model, ours and those of others. Each answers as the server would. */

type Answer = Pick<Expectation, 'evalId' | 'evalIndex' | 'expectedIndex'>

/** Registers a new version, or the job itself if it doesn't exist. */
export function register(model: Model, spec: Spec): Answer {
  model.index += 1
  const { index, job } = model
  if (job === undefined) {
    model.job = { createIndex: index, modifyIndex: index, jobModifyIndex: index, version: 0, stopped: false, spec }
    model.versions = {}
  } else
    Object.assign(job, { modifyIndex: index, jobModifyIndex: index, version: job.version + 1, stopped: false, spec })
  const version = model.job?.version ?? 0
  model.versions[version] = { spec, stable: false }
  return answer(model, addEvaluation(model, 'job-register').id, index)
}

/** Registers what is registered already: a new evaluation, and the job's ModifyIndex as its JobModifyIndex. */
export function evaluate(model: Model): Answer {
  model.index += 1
  return answer(model, addEvaluation(model, 'job-register').id, model.job?.modifyIndex)
}

/** A count makes a new version, in place for those that run; the evaluation comes with the next index. */
export function scale(model: Model, group: string, count: number): Answer {
  const { job } = model
  if (job === undefined) throw new Error('no job to scale')
  const spec = structuredClone(job.spec)
  const scaled = spec.groups[group]
  if (scaled !== undefined) Object.assign(scaled, { count, wanted: count })
  const { stopped } = job
  register(model, { ...spec, change: 'in-place' })
  job.stopped = stopped
  const expectedIndex = job.jobModifyIndex
  model.evaluations.pop()
  model.index += 1
  return answer(model, addEvaluation(model, 'job-scaling').id, expectedIndex)
}

export function stop(model: Model): Answer {
  model.index += 1
  const { job, index } = model
  if (job === undefined) throw new Error('no job to stop')
  Object.assign(job, { modifyIndex: index, jobModifyIndex: index, version: job.version + 1, stopped: true })
  model.versions[job.version] = { spec: job.spec, stable: false }
  return answer(model, addEvaluation(model, 'job-deregister').id, index)
}

/** The job, its deployments and its allocations are out of sight at once; what runs still has to shut down. */
export function purge(model: Model): void {
  model.index += 1
  for (const one of model.allocs) if (!isTerminal(one)) model.ghosts.push({ ...one, desired: 'stop' })
  Object.assign(model, { job: undefined, versions: {}, allocs: [], deployments: [] })
  for (const one of model.evaluations)
    if (one.status === 'blocked') Object.assign(one, { status: 'canceled', modifyIndex: model.index })
  addEvaluation(model, 'job-deregister')
}

function answer(model: Model, evalId: string, expectedIndex: number | undefined): Answer {
  return { evalId, evalIndex: model.index, expectedIndex }
}
