import type { Alloc, Deployment, Evaluation, Job, Model } from './model.ts'
import { addEvaluation, currentDeployment, isActive, isBatch, isTerminal } from './model.ts'

/** How many allocations a deployment replaces at a time. */
const maxParallel = 1

/** Looks at the job once more, as an evaluation asks for: stops what is too much and places what is missing. */
export function processEvaluation(model: Model, evaluation: Evaluation): void {
  model.index += 1
  const { job } = model
  Object.assign(evaluation, { status: 'complete', failures: {}, blocked: '', modifyIndex: model.index })
  if (job === undefined || job.stopped) {
    for (const one of model.allocs) if (one.desired === 'run' && !isTerminal(one)) one.desired = 'stop'
    cancelDeployments(model, 'Cancelled because job is stopped')
    cancelBlocked(model)
    return
  }
  for (const one of model.deployments) {
    if (isActive(one) && (one.version !== job.version || one.life !== job.createIndex)) {
      Object.assign(one, {
        status: 'cancelled',
        description: 'Cancelled due to newer version of job',
        modifyIndex: model.index,
      })
    }
  }
  const run = new Run(model, job, evaluation)
  for (const name of Object.keys(job.spec.groups)) run.group(name)
  stopRemovedGroups(model, job)
  run.finish()
}

function cancelDeployments(model: Model, description: string): void {
  for (const one of model.deployments)
    if (isActive(one)) Object.assign(one, { status: 'cancelled', description, modifyIndex: model.index })
}

function cancelBlocked({ evaluations, index }: Model): void {
  for (const one of evaluations)
    if (one.status === 'blocked') Object.assign(one, { status: 'canceled', modifyIndex: index })
}

function stopRemovedGroups(model: Model, job: Job): void {
  for (const one of model.allocs) if (job.spec.groups[one.group] === undefined && !isTerminal(one)) one.desired = 'stop'
}

/** One pass over the groups of a job. */
class Run {
  readonly #model: Model
  readonly #job: Job
  readonly #evaluation: Evaluation
  #deployment: Deployment | undefined
  readonly #failures: Record<string, number> = {}

  constructor(model: Model, job: Job, evaluation: Evaluation) {
    this.#model = model
    this.#job = job
    this.#evaluation = evaluation
    this.#deployment = currentDeployment(model)
  }

  group(name: string): void {
    const { spec } = this.#job
    const own = this.#model.allocs.filter((one) => one.group === name && one.life === this.#job.createIndex)
    this.#stopExtra(name, own)
    this.#updateInPlace(own)
    const present = [...own, ...this.#replaceLeaving(name, own)]
    if (isBatch(spec)) this.#batchGroup(name, present)
    else this.#serviceGroup(name, present)
  }

  /**
   * What somebody asked to stop is stopped, even if there is no room for what takes its place: the new version, but of one
   * that runs beside canaries its own.
   */
  #replaceLeaving(name: string, own: readonly Alloc[]): Alloc[] {
    const { allocs } = this.#model
    const before = allocs.length
    const live = own.filter((one) => one.desired === 'run' && !isTerminal(one))
    const isTesting = this.#canaryPhase(live.filter((one) => one.version !== this.#job.version)) > 0
    for (const one of live.filter(({ isLeaving }) => isLeaving)) {
      one.desired = 'stop'
      this.#deploy()
      const placed = this.#place(name, one.slot, one, one.canary) ? allocs.at(-1) : undefined
      if (placed === undefined || !isTesting || one.canary) continue
      Object.assign(placed, { version: one.version, deploymentId: one.deploymentId })
    }
    return allocs.slice(before)
  }

  finish(): void {
    const model = this.#model
    const { type, groups } = this.#job.spec
    // A system job without an eligible node has a deployment that succeeds at once.
    if (type === 'system' && Object.values(groups).every(({ wanted }) => wanted === 0)) this.#deploy()
    cancelBlocked(model)
    if (Object.keys(this.#failures).length > 0) {
      this.#evaluation.failures = this.#failures
      const blocked = addEvaluation(model, 'queued-allocs', { status: 'blocked', failures: this.#failures })
      this.#evaluation.blocked = blocked.id
    }
    if (this.#deployment !== undefined) this.#evaluation.deploymentId = this.#deployment.id
  }

  /** What a lower count leaves over is stopped first, and stays of its version. */
  #stopExtra(name: string, own: readonly Alloc[]): void {
    const wanted = this.#job.spec.groups[name]?.wanted ?? 0
    const live = own.filter((one) => one.desired === 'run' && !isTerminal(one) && !one.canary)
    const extra = isBatch(this.#job.spec)
      ? live.filter(({ slot }) => slot >= wanted)
      : live.toSorted((a, b) => b.slot - a.slot).slice(0, Math.max(0, live.length - wanted))
    for (const one of extra) one.desired = 'stop'
  }

  #updateInPlace(own: readonly Alloc[]): void {
    const { version, spec } = this.#job
    for (const one of own) {
      if (isTerminal(one) || one.desired !== 'run' || one.version !== version - 1 || spec.change !== 'in-place')
        continue
      one.version = version
      if (!isBatch(spec)) {
        this.#deploy()
        one.deploymentId = this.#deployment?.id ?? ''
        one.healthy = undefined
      }
    }
  }

  #batchGroup(name: string, own: readonly Alloc[]): void {
    const { version, spec } = this.#job
    const group = spec.groups[name]
    for (let slot = 0; slot < (group?.wanted ?? 0); slot += 1) {
      const last = own.findLast((one) => one.slot === slot)
      if (last === undefined || (last.version !== version && isTerminal(last))) this.#place(name, slot)
      else if (last.version !== version) {
        last.desired = 'stop'
        this.#place(name, slot, last)
      } else this.#rescheduleIfFailed(last)
    }
  }

  #serviceGroup(name: string, own: readonly Alloc[]): void {
    const { version, spec } = this.#job
    const wanted = spec.groups[name]?.wanted ?? 0
    for (const one of own) if (one.version === version) this.#rescheduleIfFailed(one)
    const live = own.filter((one) => one.desired === 'run' && !isTerminal(one))
    const old = live.filter((one) => one.version !== version)
    const failed = this.#deployment?.status === 'failed'
    const canaries = this.#canaryPhase(old)
    if (canaries > 0) {
      this.#deploy()
      const placed = live.filter((one) => one.version === version).length
      if (!failed) for (let more = placed; more < canaries; more += 1) this.#place(name, wanted + more, undefined, true)
      return
    }
    for (const one of this.#replaceable(old, live)) {
      if (failed) break
      this.#deploy()
      if (this.#place(name, one.slot, one)) one.desired = 'stop'
    }
    const held = own.filter(
      (one) => one.desired === 'run' && (!isTerminal(one) || one.followup !== '' || this.#isSpent(one)),
    )
    const current = this.#model.allocs.filter(
      (one) => one.group === name && one.life === this.#job.createIndex && one.desired === 'run' && !isTerminal(one),
    )
    const extra = current.length - wanted
    for (const one of current.toSorted((a, b) => a.version - b.version).slice(0, Math.max(0, extra)))
      one.desired = 'stop'
    const missing = wanted - current.length - held.filter((one) => isTerminal(one)).length
    if (failed) return
    if (missing > 0) this.#deploy()
    for (let more = 0; more < missing; more += 1) this.#place(name, freeSlot(this.#model, name, this.#job, wanted))
  }

  /** How many canaries there must be before anything else is replaced; 0 once they are promoted. */
  #canaryPhase(old: readonly Alloc[]): number {
    const { canaries, deploys, change } = this.#job.spec
    if (!deploys || change === 'in-place' || canaries === 0 || old.length === 0) return 0
    return this.#deployment?.promoted === true ? 0 : canaries
  }

  #replaceable(old: readonly Alloc[], live: readonly Alloc[]): readonly Alloc[] {
    if (!this.#job.spec.deploys) return old
    const unsettled = live.filter((one) => one.version === this.#job.version && one.healthy !== true).length
    return old.slice(0, Math.max(0, maxParallel - unsettled))
  }

  /** A failed allocation that is not replaced any more keeps its place. */
  #isSpent(one: Alloc): boolean {
    return one.version === this.#job.version && one.client === 'failed' && one.next === ''
  }

  #rescheduleIfFailed(one: Alloc): void {
    if (one.desired !== 'run' || one.next !== '' || (one.client !== 'failed' && one.client !== 'lost')) return
    const isFree = one.client === 'lost' || one.tries < this.#job.spec.reschedules
    if (!isFree || (this.#deployment !== undefined && this.#deployment.status === 'failed')) return
    if (this.#job.spec.delays && one.client === 'failed') {
      if (one.followup === '') {
        one.followup = addEvaluation(this.#model, 'alloc-reschedule').id
        return
      }
      // It is due once that evaluation is processed, and stays due if there is no room.
      if (this.#model.evaluations.some(({ id, status }) => id === one.followup && status === 'pending')) return
    }
    if (this.#place(one.group, one.slot, one)) one.desired = 'stop'
  }

  #deploy(): void {
    const { spec, version, createIndex, jobModifyIndex } = this.#job
    if (!spec.deploys || isBatch(spec) || this.#deployment !== undefined) return
    const model = this.#model
    const wanted = Object.fromEntries(Object.entries(spec.groups).map(([name, group]) => [name, group.wanted]))
    const isUpdate = model.allocs.some((one) => one.life === createIndex && one.version !== version && !isTerminal(one))
    this.#deployment = {
      id: `d${model.index}`,
      life: createIndex,
      version,
      specIndex: jobModifyIndex,
      status: 'running',
      description: 'Deployment is running',
      promoted: false,
      canaries: isUpdate && spec.change === 'destructive' ? spec.canaries : 0,
      wanted,
      createIndex: model.index,
      modifyIndex: model.index,
    }
    model.deployments.push(this.#deployment)
  }

  #place(name: string, slot: number, before?: Alloc, canary = false): boolean {
    const model = this.#model
    const group = this.#job.spec.groups[name]
    if (group === undefined || !group.fits) {
      this.#failures[name] = (this.#failures[name] ?? 0) + 1
      return false
    }
    const isRetry = before !== undefined && (before.client === 'failed' || before.client === 'lost')
    const placed: Alloc = {
      id: `a${model.index}-${model.allocs.length + model.ghosts.length}`,
      life: this.#job.createIndex,
      group: name,
      slot,
      version: this.#job.version,
      desired: 'run',
      isLeaving: false,
      client: 'pending',
      healthy: undefined,
      deploymentId: this.#deployment !== undefined && isActive(this.#deployment) ? this.#deployment.id : '',
      canary: canary || (isRetry && before.canary),
      next: '',
      followup: '',
      tries: isRetry ? (before?.tries ?? 0) + (before?.client === 'failed' ? 1 : 0) : 0,
      createIndex: model.index,
    }
    if (before !== undefined) before.next = placed.id
    model.allocs.push(placed)
    return true
  }
}

function freeSlot({ allocs }: Model, group: string, job: Job, wanted: number): number {
  for (let slot = 0; slot < wanted; slot += 1) {
    const taken = allocs.some(
      (one) =>
        one.group === group &&
        one.life === job.createIndex &&
        one.slot === slot &&
        one.desired === 'run' &&
        !isTerminal(one),
    )
    if (!taken) return slot
  }
  return wanted
}
