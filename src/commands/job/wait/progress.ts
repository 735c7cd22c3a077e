import type { DeploymentGroup } from '../../../api/job-shapes.ts'
import type { StepEvent } from '../../../core/command.ts'
import { formatSpan } from '../../../core/duration.ts'
import type { JsonObject } from '../../../core/json.ts'
import { grouped, largest } from '../../../core/lists.ts'
import type { Tone } from '../../../core/output.ts'
import { plural } from '../../../core/words.ts'
import { shortId } from '../cells.ts'
import { placementLine } from '../placement.ts'
import { taskFailures } from '../reasons.ts'
import { versionBack } from '../deployment-progress.ts'
import { endedBadly } from '../live.ts'
import type { WaitInput } from './params.ts'
import type { Allocation, Deployment, Work } from './state.ts'
import { deploymentReason } from './judge.ts'
import { isCanaryReady, isSince, isTerminal, momentsOf, rollbackOf, unplacedBy, versionOf } from './state.ts'

/** Reports what changed from one snapshot to the next, a step for each change worth a line. */
export interface Progress {
  steps(work: Work): StepEvent[]
  /** How far the work has come, in a few words: `app 1/3 placed, 0 healthy`. */
  summary(): string
}

const statuses = ['pending', 'running', 'complete', 'failed', 'lost', 'unknown'] as const

/** The colours of lines by their event; the words say the same. */
const tones: Readonly<Record<string, Tone>> = {
  evaluation: 'bad',
  'placement.failed': 'bad',
  'task.failed': 'bad',
  'allocation.replaced': 'warn',
  'deployment.canary-ready': 'warn',
  'deployment.failed': 'bad',
  'deployment.cancelled': 'warn',
}

interface ProgressOptions {
  /** Stamps the lines. */
  readonly now: () => Date
  readonly until?: WaitInput['until']
}

/** The progress of one piece of work; nothing is reported twice. */
export function createProgress({ now, until }: ProgressOptions): Progress {
  const reported = new Map<string, string>()
  const progress = new Map<string, string>()
  let stopping: readonly Allocation[] | undefined
  let isFirst = true

  const isNews = (key: string, value: string) => {
    if (reported.get(key) === value) return false
    reported.set(key, value)
    return true
  }

  const step = (event: string, data: JsonObject, line?: string, tone = tones[event]): StepEvent => ({
    event,
    data: { time: now().toISOString(), ...data },
    ...(line === undefined ? {} : { line: `${now().toISOString().slice(11, 19)}  ${line}` }),
    ...(tone === undefined ? {} : { tone }),
  })

  function steps(work: Work): StepEvent[] {
    const all = [
      ...evaluationSteps(work),
      ...placementSteps(work),
      ...(work.expected.kind === 'stop' ? stopSteps(work) : workSteps(work)),
    ]
    isFirst = false
    return all
  }

  function evaluationSteps({ evaluations, expected }: Work): StepEvent[] {
    return evaluations
      .filter((one) => isSince(one, expected.evalIndex))
      .flatMap(({ ID, Status, TriggeredBy, StatusDescription, DeploymentID }) => {
        const [status, description] = [Status ?? '', StatusDescription ?? '']
        if (!isNews(`evaluation ${ID}`, status)) return []
        const facts = { status, triggered_by: TriggeredBy ?? '', description, deployment: DeploymentID || null }
        const data = { evaluation: ID, ...facts }
        const line = status === 'failed' ? `evaluation ${shortId(ID)} failed: ${description}` : undefined
        return [step('evaluation', data, line)]
      })
  }

  function placementSteps({ evaluations, expected }: Work): StepEvent[] {
    const unplaced = evaluations.filter((one) => isSince(one, expected.evalIndex)).map(unplacedBy)
    const failures = unplaced.findLast(({ length }) => length > 0) ?? []
    const width = largest(failures.map(({ group }) => group.length))
    return failures.flatMap((failure) => {
      const { group, count, reasons, nodes } = failure
      const line = placementLine(`${group.padEnd(width)}  ${plural(count, 'allocation')} not placed`, failure)
      if (!isNews(`placement ${group}`, line)) return []
      const all = [...reasons, ...(nodes === '' ? [] : [nodes])]
      return [step('placement.failed', { group, count, reasons: all }, line)]
    })
  }

  function workSteps(work: Work): StepEvent[] {
    const { deployment } = work
    const failures = failureSteps(work)
    if (deployment === undefined) return [...failures, ...allocationSteps(work)]
    const rollback = versionBack(deployment) === undefined ? undefined : rollbackOf(deployment, work)
    return [
      ...failures,
      ...progressSteps(deployment, ''),
      ...endSteps(deployment),
      ...(rollback === undefined ? [] : progressSteps(rollback, 'rollback: ')),
    ]
  }

  function progressSteps(deployment: Deployment, prefix: string): StepEvent[] {
    const { ID, TaskGroups } = deployment
    const groups = Object.entries(TaskGroups ?? {})
    const width = largest(groups.map(([name]) => name.length))
    const lines = groups.flatMap(([name, group]) => {
      const line = `${prefix}${name.padEnd(width)}  ${groupWords(group)}`
      progress.set(name, `${name} ${groupWords(group)}`)
      const nothing = !group.PlacedAllocs && (isFirst || !group.DesiredTotal)
      return !nothing && isNews(`group ${ID} ${name}`, line) ? [{ name, line, tone: groupTone(group) }] : []
    })
    const data = {
      ...deploymentData(deployment),
      groups: Object.fromEntries(groups.map(([name, group]) => [name, groupData(group)])),
    }
    return lines.map(({ name, line, tone }) => step('deployment.progress', { ...data, group: name }, line, tone))
  }

  function endSteps(deployment: Deployment): StepEvent[] {
    const data = deploymentData(deployment)
    const { deployment: id, status } = data
    if (status === 'running' && isCanaryReady(deployment) && /manual promotion/i.test(data.description)) {
      if (!isNews(`canary ${id}`, 'ready')) return []
      const rest = until === 'canary-ready' ? '' : '; they wait until somebody promotes them'
      return [step('deployment.canary-ready', data, `canaries are ready${rest}`)]
    }
    if (!isNews(`deployment ${id}`, status) || status === 'running' || status === 'successful') return []
    const target = versionBack(deployment)
    const rolls = target === undefined ? '' : `; rolling back to version ${target}`
    const reason = status === 'failed' || status === 'cancelled' ? `: ${deploymentReason(deployment)}${rolls}` : ''
    return [step(`deployment.${status}`, data, `deployment ${shortId(id)} ${status}${reason}`)]
  }

  /** Allocations by status, if there is no deployment that counts them. */
  function allocationSteps({ ends }: Work): StepEvent[] {
    const byGroup = groupsOf(ends.filter((one) => one.DesiredStatus === 'run' || isTerminal(one)))
    const width = largest([...byGroup.keys()].map((name) => name.length))
    return [...byGroup].flatMap(([name, allocations]) => {
      const counts = countsBy(allocations)
      const words = counts.map(([status, count]) => `${count} ${status}`).join(', ')
      progress.set(name, `${name} ${words}`)
      if (!isNews(`allocations ${name}`, words)) return []
      const line = `${name.padEnd(width)}  ${words}${spanOf(allocations)}`
      const onlyPending = counts.every(([status]) => status === 'pending')
      return [step('allocations', { group: name, counts: Object.fromEntries(counts) }, onlyPending ? undefined : line)]
    })
  }

  function stopSteps({ allocations }: Work): StepEvent[] {
    stopping ??= allocations.filter((one) => !isTerminal(one))
    const left = new Set(allocations.filter((one) => !isTerminal(one)).map(({ ID }) => ID))
    return [...groupsOf(stopping)].flatMap(([name, all]) => {
      const stopped = all.filter(({ ID }) => !left.has(ID)).length
      const words = `${stopped}/${all.length} stopped`
      progress.set(name, `${name} ${words}`)
      if (!isNews(`stop ${name}`, words)) return []
      return [step('allocations.stopped', { group: name, stopped, of: all.length }, `${name}  ${words}`)]
    })
  }

  /** What went wrong in tasks since the work began, and what replaced the allocations that failed. */
  function failureSteps({ allocations, expected }: Work): StepEvent[] {
    return allocations.flatMap((one) => {
      const found: StepEvent[] = []
      const { ID, TaskStates, TaskGroup, NextAllocation } = one
      const allocation = { allocation: ID, group: TaskGroup ?? '' }
      const failures = Object.entries(TaskStates ?? {}).flatMap(([task, state]) => taskFailures(task, state))
      for (const { task, type, words, exitCode, signal, time, restart } of failures) {
        if (!isNews(`failure ${ID} ${task} ${type} ${time}`, '')) continue
        if (isFirst && !isSince(one, expected.evalIndex)) continue
        const data = { ...allocation, task, type, message: words, exit_code: exitCode, signal }
        const restarted = restart === undefined ? '' : `, restart ${restart} follows`
        found.push(step('task.failed', data, `allocation ${shortId(ID)}, task ${task} ${words}${restarted}`))
      }
      if (NextAllocation && endedBadly(one) && isNews(`next ${ID}`, NextAllocation) && !isFirst) {
        const line = `allocation ${shortId(ID)} ${one.ClientStatus}: replaced by ${shortId(NextAllocation)}`
        found.push(step('allocation.replaced', { ...allocation, by: NextAllocation }, line))
      }
      return found
    })
  }

  return { steps, summary: () => [...progress.values()].join(', ') }
}

function groupWords(group: DeploymentGroup): string {
  const { desired, placed, healthy, unhealthy, desired_canaries, canaries, promoted } = groupData(group)
  const isCanary = desired_canaries > 0 && !promoted
  const counts = isCanary ? `${canaries}/${desired_canaries} canaries placed` : `${placed}/${desired} placed`
  return `${counts}, ${healthy} healthy${unhealthy === 0 ? '' : `, ${unhealthy} unhealthy`}`
}

function groupTone({ DesiredTotal, HealthyAllocs, UnhealthyAllocs }: DeploymentGroup): Tone | undefined {
  if (UnhealthyAllocs) return 'bad'
  return (HealthyAllocs ?? 0) >= (DesiredTotal ?? 0) ? 'good' : undefined
}

/** The counts of a group as events have them. */
function groupData(group: DeploymentGroup) {
  return {
    desired: group.DesiredTotal ?? 0,
    placed: group.PlacedAllocs ?? 0,
    healthy: group.HealthyAllocs ?? 0,
    unhealthy: group.UnhealthyAllocs ?? 0,
    desired_canaries: group.DesiredCanaries ?? 0,
    canaries: group.PlacedCanaries?.length ?? 0,
    promoted: group.Promoted === true,
  }
}

function deploymentData(deployment: Deployment) {
  const { ID, Status, StatusDescription } = deployment
  return {
    deployment: ID,
    version: versionOf(deployment),
    status: Status ?? '',
    description: StatusDescription ?? '',
  }
}

function groupsOf(allocations: readonly Allocation[]): Map<string, Allocation[]> {
  return grouped(allocations, ({ TaskGroup }) => TaskGroup ?? '')
}

function countsBy(allocations: readonly Allocation[]): [string, number][] {
  return statuses.flatMap((status): [string, number][] => {
    const count = allocations.filter(({ ClientStatus }) => ClientStatus === status).length
    return count === 0 ? [] : [[status, count]]
  })
}

/** How long it took, once all are done: ` (12m 41s)`. */
function spanOf(allocations: readonly Allocation[]): string {
  if (!allocations.every(isTerminal)) return ''
  const starts = allocations.flatMap((one) => momentsOf(one, 'StartedAt').map(Number))
  const ends = allocations.flatMap((one) => momentsOf(one, 'FinishedAt').map(Number))
  if (starts.length === 0 || ends.length === 0) return ''
  const first = starts.reduce((earliest, start) => Math.min(earliest, start))
  return ` (${formatSpan(largest(ends) - first)})`
}
