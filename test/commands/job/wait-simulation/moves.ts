import { isDeepStrictEqual } from 'node:util'
import type { Alloc, Deployment, Model, Spec } from './model.ts'
import { addEvaluation, currentDeployment, isActive, isBatch, isSystem, isTerminal } from './model.ts'
import { processEvaluation } from './scheduler.ts'
import { register } from './writes.ts'

/** Something that can happen next. */
export interface Move {
  readonly words: string
  readonly apply: (model: Model) => void
}

/** What the scheduler and the nodes do by themselves. Nothing left means that the job has come to rest. */
export function ownMoves(model: Model): Move[] {
  const pending = model.evaluations.find(({ status }) => status === 'pending')
  const moves = [
    ...(pending === undefined
      ? []
      : [{ words: `process ${pending.id} (${pending.trigger})`, apply: () => processEvaluation(model, pending) }]),
    ...[...model.allocs, ...model.ghosts].flatMap((one) => clientMoves(model, one)),
    ...model.deployments.filter(isActive).flatMap((one) => deploymentMoves(model, one)),
  ]
  return moves.length > 0 ? moves : model.deployments.filter(isActive).flatMap((one) => deadlineMoves(model, one))
}

function clientMoves(model: Model, one: Alloc): Move[] {
  if (isTerminal(one)) return []
  const to = (client: Alloc['client'], then?: () => void): Move => ({
    words: `${one.id} (${one.group}[${one.slot}] v${one.version}) ${client}`,
    apply: () => {
      model.index += 1
      one.client = client
      then?.()
    },
  })
  if (one.desired === 'stop') return [to('complete')]
  const { job } = model
  const quality = job?.spec.groups[one.group]?.quality ?? 'good'
  const willFail = quality === 'bad' || (quality === 'flaky' && one.tries === 0)
  const isRetried = () => addEvaluation(model, 'alloc-failure')
  if (one.client === 'pending') return [to('running')]
  if (willFail) {
    return [
      to('failed', () => {
        if (one.deploymentId !== '') one.healthy = false
        isRetried()
      }),
    ]
  }
  if (job !== undefined && isBatch(job.spec)) return [to('complete')]
  if (one.deploymentId === '' || one.healthy === true) return []
  const healthy = (): void => {
    model.index += 1
    one.healthy = true
    addEvaluation(model, 'deployment-watcher')
  }
  return [{ words: `${one.id} healthy`, apply: healthy }]
}

/** What the counts of a deployment are, from its allocations. */
export function countsOf({ allocs }: Model, { id }: Deployment, group: string) {
  const own = allocs.filter((one) => one.deploymentId === id && one.group === group)
  return {
    placed: own.length,
    healthy: own.filter(({ healthy }) => healthy === true).length,
    unhealthy: own.filter(({ healthy }) => healthy === false).length,
    canaries: own.filter(({ canary }) => canary).map((one) => one.id),
  }
}

function deploymentMoves(model: Model, deployment: Deployment): Move[] {
  const groups = Object.entries(deployment.wanted)
  const counts = groups.map(([name, wanted]) => ({ wanted, ...countsOf(model, deployment, name) }))
  const { job } = model
  const spec = job?.version === deployment.version && job.createIndex === deployment.life ? job.spec : undefined
  const unhealthy = counts.reduce((sum, one) => sum + one.unhealthy, 0)
  // A failed allocation that is replaced makes the deployment wait for the replacement.
  if (unhealthy > (spec?.reschedules ?? 0))
    return [endMove(model, deployment, 'failed', 'Failed due to unhealthy allocations')]
  const isPromoted = deployment.canaries === 0 || deployment.promoted
  if (isPromoted && counts.every((one) => one.healthy >= one.wanted)) {
    return [endMove(model, deployment, 'successful', 'Deployment completed successfully')]
  }
  return []
}

/** A deployment that has placed something must get on; one that has not runs for ever. */
function deadlineMoves(model: Model, deployment: Deployment): Move[] {
  const isPlaced = model.allocs.some((one) => one.deploymentId === deployment.id)
  const isCanary = deployment.canaries > 0 && !deployment.promoted && canariesHealthy(model, deployment)
  return isPlaced && !isCanary ? [endMove(model, deployment, 'failed', 'Failed due to progress deadline')] : []
}

function endMove(model: Model, deployment: Deployment, status: 'successful' | 'failed', description: string): Move {
  return {
    words: `deployment ${deployment.id} ${status}`,
    apply: () => {
      model.index += 1
      Object.assign(deployment, { status, description, modifyIndex: model.index })
      if (status === 'failed') {
        addEvaluation(model, 'deployment-watcher')
        revert(model, deployment)
      } else if (model.job?.createIndex === deployment.life) {
        const version = model.versions[deployment.version]
        if (version !== undefined) version.stable = true
      }
    },
  }
}

function revert(model: Model, deployment: Deployment): void {
  const { job } = model
  if (job === undefined || job.stopped || job.version !== deployment.version || !job.spec.autoRevert) return
  const stable = Object.entries(model.versions)
    .filter(([version, one]) => one.stable && Number(version) < job.version)
    .at(-1)
  // A server does not put the same specification in its own place.
  if (stable === undefined || sameSpec(stable[1].spec, job.spec)) return
  deployment.description += ` - rolling back to job version ${stable[0]}`
  model.log.push(`  rolled back to version ${stable[0]}`)
  register(model, { ...structuredClone(stable[1].spec), change: 'destructive' })
}

function sameSpec(one: Spec, other: Spec): boolean {
  return isDeepStrictEqual({ ...one, change: '' }, { ...other, change: '' })
}

/** What others do: each costs a history one of its interferences. */
export function outsideMoves(model: Model): Move[] {
  const { job } = model
  const move = (words: string, apply: (model: Model) => void): Move => ({ words: `other: ${words}`, apply })
  const lost = model.allocs.filter((one) => !isTerminal(one))
  const unfit = Object.values(job?.spec.groups ?? {}).filter(({ fits }) => !fits)
  const deployment = currentDeployment(model)
  return [
    ...lost.slice(0, 2).map((one) =>
      move(`node of ${one.id} is lost`, () => {
        model.index += 1
        one.client = 'lost'
        if (one.deploymentId !== '' && one.healthy === undefined) one.deploymentId = ''
        addEvaluation(model, 'node-update')
      }),
    ),
    ...lost
      .filter(({ desired }) => desired === 'run' && job !== undefined && !isSystem(job.spec))
      .slice(0, 2)
      .map((one) =>
        move(`stop ${one.id}`, () => {
          model.index += 1
          one.isLeaving = true
          addEvaluation(model, 'alloc-stop')
        }),
      ),
    ...(unfit.length === 0
      ? []
      : [
          move('there is room now', () => {
            model.index += 1
            for (const group of unfit) group.fits = true
            for (const one of model.evaluations)
              if (one.status === 'blocked') Object.assign(one, { status: 'pending', modifyIndex: model.index })
          }),
        ]),
    ...(deployment !== undefined &&
    isActive(deployment) &&
    deployment.canaries > 0 &&
    !deployment.promoted &&
    canariesHealthy(model, deployment)
      ? [
          move(`promote ${deployment.id}`, () => {
            model.index += 1
            Object.assign(deployment, { promoted: true, modifyIndex: model.index })
            addEvaluation(model, 'deployment-watcher')
          }),
        ]
      : []),
    ...(deployment !== undefined && isActive(deployment)
      ? [
          move(`fail ${deployment.id}`, () => {
            model.index += 1
            Object.assign(deployment, {
              status: 'failed',
              description: 'Deployment marked as failed',
              modifyIndex: model.index,
            })
            addEvaluation(model, 'deployment-watcher')
          }),
        ]
      : []),
    ...(job === undefined
      ? []
      : [
          move('evaluate', () => {
            model.index += 1
            addEvaluation(model, 'job-register')
          }),
          move('touch the status', () => {
            model.index += 1
            job.modifyIndex = model.index
          }),
        ]),
  ]
}

/** True if each group has its canaries, and they are healthy. */
export function canariesHealthy({ allocs }: Model, { id, wanted, canaries }: Deployment): boolean {
  const ready = allocs.filter((one) => one.deploymentId === id && one.canary && one.healthy === true)
  return Object.keys(wanted).every((name) => ready.filter(({ group }) => group === name).length >= canaries)
}

/** Garbage collection: some of what has ended is no longer listed. */
export function collect(model: Model, isTaken: () => boolean): void {
  model.index += 1
  model.evaluations = model.evaluations.filter(
    ({ status }) => status === 'pending' || status === 'blocked' || !isTaken(),
  )
  const active = new Set(model.deployments.filter(isActive).map(({ id }) => id))
  model.allocs = model.allocs.filter((one) => !isTerminal(one) || active.has(one.deploymentId) || !isTaken())
  const used = new Set(model.allocs.filter((one) => !isTerminal(one)).map(({ deploymentId }) => deploymentId))
  model.deployments = model.deployments.filter((one) => isActive(one) || used.has(one.id) || !isTaken())
}
