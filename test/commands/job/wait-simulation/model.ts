/** The state of a scheduler with one job, as plain data, so that a copy of it can be played on. */

export type Quality = 'good' | 'bad' | 'flaky'

export interface Group {
  /** What the job file says; of system jobs it says nothing. */
  count: number
  /** How many allocations are really wanted: of a system job one for each eligible node. */
  wanted: number
  quality: Quality
  /** False if no node has room. */
  fits: boolean
}

export interface Spec {
  type: 'service' | 'batch' | 'system' | 'sysbatch'
  groups: Record<string, Group>
  /** True if changes are rolled out by a deployment. */
  deploys: boolean
  canaries: number
  autoRevert: boolean
  /** How often a failed allocation is replaced. */
  reschedules: number
  /** Replacements come after a pause, by an evaluation of their own. */
  delays: boolean
  /** How the spec differs from the one before it. */
  change: 'in-place' | 'destructive'
}

export interface Job {
  createIndex: number
  modifyIndex: number
  jobModifyIndex: number
  version: number
  stopped: boolean
  spec: Spec
}

export interface Evaluation {
  id: string
  status: 'pending' | 'blocked' | 'complete' | 'failed' | 'canceled'
  trigger: string
  next: string
  blocked: string
  deploymentId: string
  failures: Record<string, number>
  createIndex: number
  modifyIndex: number
}

export interface Deployment {
  id: string
  life: number
  version: number
  specIndex: number
  status: 'running' | 'successful' | 'failed' | 'cancelled'
  description: string
  promoted: boolean
  canaries: number
  wanted: Record<string, number>
  createIndex: number
  modifyIndex: number
}

export interface Alloc {
  id: string
  /** The create index of its job. */
  life: number
  group: string
  slot: number
  version: number
  desired: 'run' | 'stop'
  /** Somebody asked to stop it, and the scheduler has not done so yet. */
  isLeaving: boolean
  client: 'pending' | 'running' | 'complete' | 'failed' | 'lost'
  healthy: boolean | undefined
  deploymentId: string
  canary: boolean
  next: string
  followup: string
  tries: number
  createIndex: number
}

export interface Model {
  index: number
  job: Job | undefined
  /** Specs by version, of the job that there is now. */
  versions: Record<number, { spec: Spec; stable: boolean }>
  evaluations: Evaluation[]
  deployments: Deployment[]
  allocs: Alloc[]
  /** Allocations of purged jobs: they still shut down, and no read shows them. */
  ghosts: Alloc[]
  /** What happened, for the report of a failing seed. */
  log: string[]
}

export function emptyModel(): Model {
  return { index: 100, job: undefined, versions: {}, evaluations: [], deployments: [], allocs: [], ghosts: [], log: [] }
}

export function isTerminal({ client }: Alloc): boolean {
  return client === 'complete' || client === 'failed' || client === 'lost'
}

export function isBatch({ type }: Spec): boolean {
  return type === 'batch' || type === 'sysbatch'
}

export function isSystem({ type }: Spec): boolean {
  return type === 'system' || type === 'sysbatch'
}

export function isActive({ status }: Deployment): boolean {
  return status === 'running'
}

/** The deployment of the job as it is now. */
export function currentDeployment({ job, deployments }: Model): Deployment | undefined {
  return deployments.findLast((one) => one.life === job?.createIndex && one.version === job.version)
}

export function addEvaluation(model: Model, trigger: string, more: Partial<Evaluation> = {}): Evaluation {
  const evaluation: Evaluation = {
    id: `e${model.index}-${model.evaluations.length}`,
    status: 'pending',
    trigger,
    next: '',
    blocked: '',
    deploymentId: '',
    failures: {},
    createIndex: model.index,
    modifyIndex: model.index,
    ...more,
  }
  model.evaluations.push(evaluation)
  return evaluation
}
