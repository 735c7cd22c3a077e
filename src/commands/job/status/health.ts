import { at, items, number, text, truth } from '../../../core/answer.ts'
import type { Json } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'
import { newestFirst, shortId } from '../cells.ts'
import { deploymentProgress, promoteLine } from '../deployment-progress.ts'
import { isStarter } from '../jobs.ts'
import { endedBadly, isActive, liveAllocations } from '../live.ts'
import { failureReason } from '../reasons.ts'
import { recentRestart, restartWords } from '../restarts.ts'
import type { PlacementFailure } from '../placement.ts'
import { placementFailures } from '../placement.ts'
import type { Deployment } from '../wait/state.ts'
import { isCanaryReady, isOver, promotesItself } from '../wait/work.ts'
import type { GroupCounts } from './counts.ts'
import { groupCounts, isEmpty, total } from './counts.ts'
import type { Reading } from './one.ts'

/** Whether a job is as it should be. */
export interface Health {
  /** Null if that is not known. */
  readonly healthy: boolean | null
  /** Why not, in one sentence; '' if it is. */
  readonly why: string
  /** What to do about it; '' if there is nothing to do. */
  readonly next: string
}

/** What the checks look at. */
interface Facts {
  readonly job: Json
  readonly id: string
  readonly isBatch: boolean
  readonly groups: readonly GroupCounts[]
  readonly deployment: Json
  readonly live: readonly Json[]
  /** Those of the current version, whatever became of them. */
  readonly own: readonly Json[]
  /** The newest earlier version that is known to have been healthy. */
  readonly lastHealthy: number | undefined
  readonly evaluations: readonly Json[]
  /** A command line about this job. */
  readonly line: CommandLine
  /** How to follow it; '' if it is followed already. */
  readonly follow: string
  readonly now: Date
}

type CommandLine = (words: string, ...args: readonly string[]) => string
type Check = (facts: Facts) => Health | undefined

/** True for a failure that an earlier version left: it was replaced, or isn't wanted any more. */
function isLeftOver(job: Json, one: Json): boolean {
  const version = number(job, 'Version') ?? 0
  return endedBadly(one) && (number(one, 'JobVersion') ?? version) < version
}

interface HealthOptions {
  readonly line: CommandLine
  readonly now: Date
  readonly isWatched?: boolean
}

/** Judges a job. */
export function healthOf(reading: Reading, options: HealthOptions): Health {
  const { healthy, why, next } = diagnose(reading, options)
  return { healthy, why, next }
}

/** What is wrong with a job, and in a few words what kind of trouble it is: '' if nothing is wrong. */
export interface Diagnosis extends Health {
  readonly kind: string
}

/** Judges a job; the first check that finds something decides. */
export function diagnose(
  { job, summary, deployment, allocations, evaluations }: Reading,
  { line, now, isWatched = false }: HealthOptions,
): Diagnosis {
  const id = text(job, 'ID') ?? ''
  const facts: Facts = {
    job,
    id,
    isBatch: (text(job, 'Type') ?? '').endsWith('batch'),
    groups: groupCounts(job, summary),
    deployment,
    live: liveAllocations(items(allocations)).filter((one) => !isLeftOver(job, one)),
    own: items(allocations).filter((one) => number(one, 'JobVersion') === number(job, 'Version')),
    lastHealthy: lastHealthy(items(allocations), number(job, 'Version') ?? 0),
    evaluations: items(evaluations),
    line,
    now,
    follow: isWatched ? '' : `follow it: ${line('job status', id, '--watch')}`,
  }
  for (const [kind, check] of checks) {
    const found = check(facts)
    if (found !== undefined) return { kind, ...found }
  }
  return { kind: '', healthy: true, why: '', next: '' }
}

const checks: readonly (readonly [kind: string, check: Check])[] = [
  ['stopped', stopped],
  ['', parent],
  ['not placed', unplaced],
  ['not placed', nowhere],
  ['failed deployment', failedDeployment],
  ['failed allocation', failedAllocations],
  ['unhealthy allocation', unhealthyAllocations],
  ['recent restart', restarting],
  ['waits for promotion', unpromoted],
  ['rollout in progress', rollingOut],
  ['too few running', tooFew],
  ['unknown', forgotten],
]

function stopped({ job, id, groups, line }: Facts): Health | undefined {
  if (!truth(job, 'Stop')) return undefined
  const running = total(groups, 'running')
  const why = running > 0 ? `it is stopping; ${plural(running, 'allocation')} still running` : 'it was stopped'
  return { healthy: false, why, next: `start it again: ${line('job start', id)}` }
}

/** A job that only starts others is as it should be. */
function parent({ job }: Facts): Health | undefined {
  return isStarter(job) ? { healthy: true, why: '', next: '' } : undefined
}

function unplaced({ id, groups, evaluations, line }: Facts): Health | undefined {
  const [last = [], ...earlier] = evaluations
    .toSorted(newestFirst)
    .map((one) => placementFailures(at(one, 'FailedTGAllocs')))
  // A system job that no node can run queues nothing: only the last evaluation knows of it.
  const waiting = groups.filter(
    (one) => one.waiting > 0 || (isEmpty(one) && last.some(({ group }) => group === one.name)),
  )
  if (waiting.length === 0) return undefined
  const reasonFor = (name: string) => [...last, ...earlier.flat()].find(({ group }) => group === name)
  const why = waiting.map(({ name, waiting: count }) => {
    const reason = reasonFor(name)
    if (reason === undefined) return `${plural(count, 'allocation')} of ${name} ${isOrAre(count)} not placed yet`
    return `${name} cannot be placed${reason.reasons.length === 0 ? '' : `: ${reason.reasons.join(', ')}`}`
  })
  const isKnown = waiting.some(({ name }) => reasonFor(name) !== undefined)
  const next = !isKnown
    ? line('job evals', id)
    : lacksNodes(
          evaluations,
          waiting.flatMap(({ name }) => reasonFor(name) ?? []),
        )
      ? nodesLine
      : 'change the job file, then tug job plan <file>'
  return { healthy: false, why: why.join('; '), next }
}

/** A system job that no node can run. A finished one may have run, and its allocations been removed. */
function nowhere({ job, groups, own, live }: Facts): Health | undefined {
  const isSystem = (text(job, 'Type') ?? '').startsWith('sys')
  const wantsNone = items(job, 'TaskGroups').every((group) => number(group, 'Count') === 0)
  if (!isSystem || wantsNone || own.length > 0 || live.some(isActive)) return undefined
  if (text(job, 'Status') === 'dead' && groups.every(isEmpty) && live.length === 0) return undefined
  const healthy = text(job, 'Status') === 'dead' ? null : false
  return { healthy, why: 'nothing was placed: no node is eligible', next: nodesLine }
}

/** The product's command, which is not among the endpoints that `tug` has. */
const nodesLine = 'nomad node status'

/** True if it's not the job file: its nodes are gone, drained or ineligible. */
function lacksNodes(evaluations: readonly Json[], failures: readonly PlacementFailure[]): boolean {
  const own = evaluations.toSorted(newestFirst).map((one) => text(one, 'TriggeredBy') ?? '')
  const cause = own.find((trigger) => trigger !== '' && trigger !== 'queued-allocs')
  return cause === 'node-drain' || cause === 'node-update' || failures.some(({ isNobody }) => isNobody)
}

function failedDeployment(facts: Facts): Health | undefined {
  const { job, deployment, live } = facts
  if (text(deployment, 'Status') !== 'failed' || text(deployment, 'JobVersion') !== text(job, 'Version'))
    return undefined
  const reason = firstReason(live) ?? text(deployment, 'StatusDescription')
  return {
    healthy: false,
    why: `deployment ${shortId(text(deployment, 'ID') ?? '')} failed${reason === undefined ? '' : `: ${reason}`}`,
    next: wayBack(facts),
  }
}

function failedAllocations(facts: Facts): Health | undefined {
  const failed = facts.live.filter(endedBadly)
  const first = failed.find((one) => failureReason(one) !== undefined) ?? failed[0]
  if (first === undefined) return undefined
  const status = text(first, 'ClientStatus') ?? ''
  const reason = failureReason(first) ?? text(first, 'ClientDescription') ?? ''
  const who = `allocation ${shortId(text(first, 'ID') ?? '')}`
  const what = status === 'lost' ? 'was lost' : 'failed'
  const others = failed.length === 1 ? '' : ` (and ${failed.length - 1} more)`
  return {
    healthy: false,
    why: `${who} ${what}${reason === '' ? '' : `: ${reason}`}${others}`,
    next: nextAfter(facts, status),
  }
}

/** A lost allocation is no fault of the version: the scheduler replaces it, of a system job once its node is back. */
function nextAfter(facts: Facts, status: string): string {
  const { job, id, isBatch, line, follow } = facts
  if (status === 'lost') return (text(job, 'Type') ?? '').startsWith('sys') ? nodesLine : follow
  return isBatch ? `details: ${line('job allocs', id)}` : wayBack(facts)
}

function unhealthyAllocations({ id, live, line }: Facts): Health | undefined {
  const found = live.find((one) => at(one, 'DeploymentStatus', 'Healthy') === false)
  if (found === undefined) return undefined
  const reason = failureReason(found)
  return {
    healthy: false,
    why: `allocation ${shortId(text(found, 'ID') ?? '')} is not healthy${reason === undefined ? '' : `: ${reason}`}`,
    next: `details: ${line('job allocs', id)}`,
  }
}

/** A task that was restarted lately may run at the moment, and end again in the next one. */
function restarting({ job, id, live, line, now }: Facts): Health | undefined {
  for (const one of live) {
    const found = recentRestart(job, one, now)
    if (found === undefined) continue
    const who = live.length === 1 ? '' : ` (allocation ${shortId(text(one, 'ID') ?? '')})`
    return {
      healthy: false,
      why: `${restartWords(one, found, now)}${who}`,
      next: `details: ${line('job allocs', id)}`,
    }
  }
  return undefined
}

const rolling = new Set(['running', 'pending', 'paused', 'blocked', 'unblocking', 'initializing'])

/** Once all canaries are healthy, nothing but a person can promote them. */
function unpromoted({ job, deployment }: Facts): Health | undefined {
  const facts = deployment as unknown as Deployment | null
  if (facts === null || isOver(facts) || promotesItself(facts) || !isCanaryReady(facts)) return undefined
  return {
    healthy: false,
    why: `deployment ${shortId(facts.ID)} waits until its canaries are promoted: ${deploymentProgress(deployment)}`,
    next: promoteLine(facts.ID, text(job, 'Namespace')),
  }
}

function rollingOut({ deployment, follow }: Facts): Health | undefined {
  const status = text(deployment, 'Status') ?? ''
  if (!rolling.has(status)) return undefined
  const state = status === 'running' ? 'is in progress' : `is ${status}`
  const why = `deployment ${shortId(text(deployment, 'ID') ?? '')} ${state}: ${deploymentProgress(deployment)}`
  return { healthy: false, why, next: follow }
}

/** A service needs all its allocations; what is starting may have failed before. */
function tooFew({ groups, isBatch, live, follow }: Facts): Health | undefined {
  if (isBatch) return undefined
  const short = groups.filter(
    ({ starting, running, wanted }) => starting > 0 || (wanted !== undefined && running < wanted),
  )
  if (short.length === 0) return undefined
  const counts = short.map(({ name, running, wanted, starting }) =>
    wanted === undefined
      ? `${plural(starting, 'allocation')} of ${name} ${isOrAre(starting)} starting`
      : `${running} of ${wanted} allocations of ${name} ${isOrAre(running)} running`,
  )
  const pending = live.filter((one) => text(one, 'ClientStatus') !== 'running')
  const reason = firstReason(pending)
  return {
    healthy: false,
    why: `${counts.join(', ')}${reason === undefined ? '' : `: ${reason}`}`,
    next: follow,
  }
}

/** The scheduler forgets the allocations of finished jobs after a while. */
function forgotten({ job, groups, live }: Facts): Health | undefined {
  if (text(job, 'Status') !== 'dead' || live.length > 0 || total(groups, 'complete') > 0) return undefined
  return { healthy: null, why: 'it has no allocations: none was placed, or the server no longer lists them', next: '' }
}

function firstReason(allocations: readonly Json[]): string | undefined {
  return allocations.map((one) => failureReason(one)).find((reason) => reason !== undefined)
}

/** The allocations prove it, where they are still listed: some were healthy in their deployment, and none was not. */
function lastHealthy(allocations: readonly Json[], current: number): number | undefined {
  const inVersion = (version: number) => allocations.filter((one) => number(one, 'JobVersion') === version)
  const isHealthy = (one: Json) => at(one, 'DeploymentStatus', 'Healthy')
  return allocations
    .flatMap((one) => number(one, 'JobVersion') ?? [])
    .filter((version) => version < current)
    .toSorted((one, other) => other - one)
    .find((version) => {
      const own = inVersion(version)
      return own.some((one) => isHealthy(one) === true) && own.every((one) => isHealthy(one) !== false)
    })
}

function wayBack({ job, id, lastHealthy: version, line }: Facts): string {
  if ((number(job, 'Version') ?? 0) === 0)
    return 'fix the job file, then tug job plan <file>; there is no earlier version'
  if (version !== undefined)
    return `go back to version ${version}, which was healthy: ${line('job revert', id, String(version), '--wait')}`
  return `fix the job file, or find a stable version: ${line('job versions', id)}`
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}
