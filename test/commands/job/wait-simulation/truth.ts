import type { Expectation } from '../../../../src/commands/job/state/state.ts'
import type { WaitInput } from '../../../../src/commands/job/wait/params.ts'
import type { Alloc, Model, Spec } from './model.ts'
import { currentDeployment, isActive, isBatch, isTerminal } from './model.ts'
import { canariesHealthy } from './moves.ts'

/** What really became of our work, known to nobody but the model. */
export interface Truth {
  readonly kind: Expectation['kind']
  readonly evalIndex: number
  readonly until: WaitInput['until']
  /** The create index and version of the job that our work is about. */
  readonly life: number
  readonly firstVersion: number
  version: number
  jobModifyIndex: number
  /** True once our work was successful, whatever came later. */
  succeeded: boolean
  /** True as long as it is. */
  isSuccess: boolean
  /** The batch slots that are done: version, group and slot. */
  readonly done: Set<string>
  wasPurged: boolean
  /** True once somebody else has changed or stopped the job. */
  wasChanged: boolean
  wasStopped: boolean
  wasCollected: boolean
  wasRestored: boolean
}

/** Takes note of what a move has changed. */
export function update(truth: Truth, model: Model): void {
  const { job } = model
  if (job?.createIndex !== truth.life) truth.wasPurged = true
  else if (job.jobModifyIndex > truth.jobModifyIndex) {
    truth.wasChanged = true
    truth.wasStopped ||= job.stopped
  }
  if (job !== undefined && follows(truth, model))
    Object.assign(truth, { version: job.version, jobModifyIndex: job.jobModifyIndex })
  for (const one of model.allocs) {
    if (one.client === 'complete' && one.desired === 'run')
      truth.done.add(`${one.life} ${one.version} ${one.group} ${one.slot}`)
  }
  truth.isSuccess = isSuccess(truth, model)
  truth.succeeded ||= truth.isSuccess
}

/** A child is followed to its newest version; a stop stays one. */
function follows({ kind, life }: Truth, { job }: Model): boolean {
  if (job?.createIndex !== life) return false
  return kind === 'stop' ? job.stopped : (kind === 'dispatch' || kind === 'periodic') && !job.stopped
}

function isSuccess(truth: Truth, model: Model): boolean {
  const { job, deployments } = model
  const { life, version, kind, evalIndex } = truth
  if (kind === 'stop') {
    const all = [...model.allocs, ...model.ghosts].filter((one) => one.life === life)
    const left = all.filter((one) => !isTerminal(one) || mayRun(one, all))
    return left.length === 0 && (job === undefined || job.createIndex !== life || job.stopped)
  }
  const spec = model.versions[version]?.spec
  if (spec !== undefined && isEarlySuccess(truth, model, spec)) return true
  const deployed = deployments.some(
    (one) =>
      one.life === life && one.version === version && one.status === 'successful' && one.modifyIndex >= evalIndex,
  )
  const isOurs =
    job !== undefined &&
    job.createIndex === life &&
    job.version === version &&
    job.jobModifyIndex === truth.jobModifyIndex
  if (deployed)
    return (
      spec === undefined ||
      spec.type !== 'system' ||
      Object.values(spec.groups).every(({ count }) => count === 0) ||
      model.allocs.some((one) => one.life === life && one.version === version)
    )
  if (spec === undefined) return false
  const groups = Object.entries(spec.groups)
  const isWanted = groups.some(([, { wanted }]) => wanted > 0)
  if (isBatch(spec) && isWanted) {
    const isDone = (of: number) =>
      groups.every(([name, { wanted }]) =>
        Array.from({ length: wanted }, (_, slot) => slot).every((slot) =>
          truth.done.has(`${life} ${of} ${name} ${slot}`),
        ),
      )
    // What a child was started for is done, whatever its later versions do.
    return isDone(version) || isDone(truth.firstVersion)
  }
  if (!isOurs || job.stopped || isNowhere(spec)) return false
  const deployment = currentDeployment(model)
  if (deployment !== undefined && (isActive(deployment) || deployment.modifyIndex >= evalIndex)) return false
  const own = model.allocs.filter((one) => one.life === life)
  if (own.some((one) => one.client === 'pending')) return false
  if (!isWanted && own.some((one) => !isTerminal(one) || mayRun(one, own))) return false
  return groups.every(([name, { wanted }]) => {
    const running = own.filter(
      (one) => one.group === name && one.version === version && one.desired === 'run' && one.client === 'running',
    )
    return running.length >= wanted
  })
}

/** What is lost with its node may still run there, unless something has taken its place. */
function mayRun(one: Alloc, all: readonly Alloc[]): boolean {
  const isTaken = all.some(
    ({ group, slot, createIndex }) => group === one.group && slot === one.slot && createIndex > one.createIndex,
  )
  return one.client === 'lost' && one.next === '' && !isTaken
}

/** True for a system job that no node can run. */
function isNowhere({ type, groups }: Spec): boolean {
  const all = Object.values(groups)
  const isSystem = type === 'system' || type === 'sysbatch'
  return isSystem && all.some(({ count }) => count > 0) && all.every(({ wanted }) => wanted === 0)
}

/** What `--until` is content with. */
function isEarlySuccess({ life, version, until }: Truth, model: Model, spec: Spec): boolean {
  const own = model.allocs.filter((one) => one.life === life && one.version === version)
  const groups = Object.entries(spec.groups).filter(([, { wanted }]) => wanted > 0)
  if (until === 'placed') {
    return !isNowhere(spec) && groups.every(([name]) => own.some((one) => one.group === name))
  }
  if (until === 'healthy' && isBatch(spec) && groups.length > 0) {
    const isUp = (name: string, slot: number) =>
      own.some(
        (one) =>
          one.group === name &&
          one.slot === slot &&
          (one.client === 'running' || one.client === 'complete') &&
          one.desired === 'run',
      )
    return groups.every(([name, { wanted }]) =>
      Array.from({ length: wanted }, (_, slot) => slot).every((slot) => isUp(name, slot)),
    )
  }
  const deployment = model.deployments.find((one) => one.life === life && one.version === version && isActive(one))
  return (
    (until === 'canary-ready' || until === undefined) &&
    deployment !== undefined &&
    deployment.canaries > 0 &&
    canariesHealthy(model, deployment)
  )
}
