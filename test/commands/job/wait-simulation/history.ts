import type { Expectation } from '../../../../src/commands/job/state/state.ts'
import type { Group, Model, Quality, Spec } from './model.ts'
import { emptyModel } from './model.ts'
import type { Move } from './moves.ts'
import { canariesHealthy, collect, outsideMoves, ownMoves } from './moves.ts'
import { Random } from '../../../support/random.ts'
import type { Truth } from './truth.ts'
import { update } from './truth.ts'
import { evaluate, purge, register, scale, stop } from './writes.ts'

/** One history: a scheduler, our write, and what may happen while we wait. */
export interface History {
  readonly random: Random
  readonly model: Model
  readonly expected: Expectation
  readonly truth: Truth
  /** How often others still interfere. */
  interferences: number
  readonly isUndisturbed: boolean
}

type Kind = Expectation['kind'] | 'unchanged'

const kinds: readonly Kind[] = [
  'register',
  'register',
  'register',
  'unchanged',
  'revert',
  'scale',
  'evaluate',
  'stop',
  'dispatch',
  'periodic',
]

/** The history of a seed, up to our write. */
export function begin(seed: number): History {
  const random = new Random(seed)
  const model = emptyModel()
  const kind = random.pick(kinds)
  const interferences = random.chance(0.4) ? 0 : 1 + random.below(3)
  const type =
    kind === 'dispatch' || kind === 'periodic'
      ? 'batch'
      : random.pick(['service', 'service', 'service', 'batch', 'system', 'sysbatch'] as const)
  const isNew = kind === 'dispatch' || kind === 'periodic' || (kind === 'register' && random.chance(0.5))
  if (!isNew) {
    register(model, specOf(random, type, 'good'))
    settle(model, random, random.chance(0.7) ? 200 : random.below(12))
    // What is registered unchanged is meant to be stopped, if it is.
    if (kind !== 'unchanged' && random.chance(0.15)) stop(model)
  }
  model.log.push(`index ${model.index}: ${kind} of a ${type} job, ${interferences} interferences`)
  const until = random.chance(0.7) ? undefined : random.pick(['placed', 'healthy', 'canary-ready', 'complete'] as const)
  if (until !== undefined) model.log.push(`        waits until ${until}`)
  const expected = write(model, random, kind, type)
  const { job } = model
  if (job === undefined) throw new Error('our write left no job')
  const truth: Truth = {
    kind: expected.kind,
    evalIndex: expected.evalIndex,
    until,
    life: job.createIndex,
    firstVersion: job.version,
    version: job.version,
    jobModifyIndex: job.jobModifyIndex,
    succeeded: false,
    isSuccess: false,
    done: new Set(),
    wasPurged: false,
    wasChanged: false,
    wasStopped: job.stopped,
    wasCollected: false,
    wasRestored: false,
  }
  update(truth, model)
  return { random, model, expected, truth, interferences, isUndisturbed: interferences === 0 }
}

function write(model: Model, random: Random, kind: Kind, type: Spec['type']): Expectation {
  const none = { isExact: false }
  if (kind === 'unchanged') return { ...none, ...evaluate(model), kind: 'register' }
  if (kind === 'evaluate') return { ...none, ...evaluate(model), kind }
  if (kind === 'stop') return { ...none, ...stop(model), kind }
  if (kind === 'scale') {
    const group = random.pick(Object.keys(model.job?.spec.groups ?? {}))
    return { ...none, ...scale(model, group, random.below(4)), isExact: true, kind }
  }
  const spec = specOf(random, type, random.pick<Quality>(['good', 'good', 'bad', 'flaky']))
  const answer = register(model, spec)
  if (kind === 'dispatch' || kind === 'periodic') return { ...none, ...answer, kind }
  return { ...none, ...answer, isExact: true, kind }
}

function specOf(random: Random, type: Spec['type'], quality: Quality): Spec {
  const isSystem = type === 'system' || type === 'sysbatch'
  const group = (): Group => {
    const count = random.chance(0.1) ? 0 : 1 + random.below(3)
    return {
      count: isSystem ? 1 : count,
      wanted: isSystem ? random.below(3) : count,
      quality: random.chance(0.7) ? quality : 'good',
      fits: quality === 'good' || random.chance(0.85),
    }
  }
  const groups: Record<string, Group> = { app: group(), ...(random.chance(0.25) ? { db: group() } : {}) }
  const deploys = (type === 'service' && random.chance(0.7)) || (type === 'system' && random.chance(0.5))
  return {
    type,
    groups,
    deploys,
    canaries: type === 'service' && deploys && random.chance(0.6) ? 1 : 0,
    autoRevert: random.chance(0.5),
    reschedules: random.below(3),
    delays: random.chance(0.4),
    change: random.chance(0.4) ? 'in-place' : 'destructive',
  }
}

/** Lets the scheduler work for at most so many moves, and promotes what waits for it. */
function settle(model: Model, random: Random, most: number): void {
  for (let moves = 0; moves < most; moves += 1) {
    const own = ownMoves(model)
    const waiting = model.deployments.find(
      (one) => one.status === 'running' && !one.promoted && one.canaries > 0 && canariesHealthy(model, one),
    )
    if (own.length > 0) random.pick(own).apply(model)
    else if (waiting !== undefined) waiting.promoted = true
    else return
  }
}

/** A model that goes on for longer is wrong itself. */
const mostMoves = 2000

/** One move, of the scheduler or of others. False if nothing can happen any more. */
export function advance(history: History): boolean {
  const { random, model } = history
  const own = ownMoves(model)
  const isOther = history.interferences > 0 && (own.length === 0 || random.chance(0.15))
  if (!isOther && own.length === 0) return false
  if (isOther) history.interferences -= 1
  const move = isOther ? random.pick(interferencesOf(history)) : random.pick(own)
  model.log.push(`index ${model.index + 1}: ${move.words}`)
  if (model.log.length > mostMoves) throw new Error(`seed does not come to rest:\n${model.log.slice(-60).join('\n')}`)
  move.apply(model)
  update(history.truth, model)
  return true
}

function interferencesOf({ random, model, truth, expected }: History): Move[] {
  const { job } = model
  const other = (words: string, apply: () => void): Move => ({ words: `other: ${words}`, apply })
  const spec = () => ({
    ...structuredClone(job?.spec ?? specOf(random, 'service', 'good')),
    change: random.pick(['in-place', 'destructive'] as const),
  })
  const anew = () => {
    if (model.job !== undefined) purge(model)
    register(model, specOf(random, job?.spec.type ?? 'service', random.pick<Quality>(['good', 'bad'])))
  }
  return [
    ...outsideMoves(model),
    other('collects garbage', () => {
      truth.wasCollected = true
      collect(model, () => random.chance(0.6))
    }),
    other('registers it anew', anew),
    ...(job === undefined
      ? []
      : [
          other('changes the job', () => void register(model, spec())),
          other('scales the job', () => void scale(model, random.pick(Object.keys(job.spec.groups)), random.below(4))),
          other('stops the job', () => void stop(model)),
          other('purges the job', () => purge(model)),
          // An evaluation changes nothing in the job, so that nobody could tell.
          ...(expected.isExact || expected.kind === 'stop'
            ? [other('restores a snapshot from before our write', () => restore(model, truth))]
            : []),
        ]),
  ]
}

/** The server forgets our write: the job is as it was before, or not there. */
function restore(model: Model, truth: Truth): void {
  model.index += 1
  truth.wasRestored = true
  const { job } = model
  if (job === undefined) return
  if (job.version === 0)
    Object.assign(model, { job: undefined, versions: {}, allocs: [], deployments: [], evaluations: [] })
  else {
    const index = truth.evalIndex - 5
    Object.assign(job, { version: job.version - 1, jobModifyIndex: index, modifyIndex: index, stopped: false })
    model.deployments = model.deployments.filter((one) => one.version <= job.version)
    model.allocs = model.allocs.filter((one) => one.version <= job.version)
    model.evaluations = []
  }
}
