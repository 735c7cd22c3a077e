import type { StepEvent } from '../../../core/command.ts'
import { formatSpan } from '../../../core/duration.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { Tone } from '../../../core/output.ts'
import { plural } from '../../../core/words.ts'
import { placementFailures, placementLine } from '../placement.ts'
import type { Allocation, Deployment, DeploymentGroup } from './facts.ts'
import type { Expectation, JobState } from './observe.ts'
import type { WaitInput } from './params.ts'
import { chainEnds, deploymentOf, hasFailed, isCanaryReady, isTerminal, rollbackOf, rollbackVersion } from './work.ts'
import { reasonOf, short } from './verdict.ts'

/** Reports what changed from one snapshot to the next, a step for each change worth a line. */
export interface Narrator {
  steps(state: JobState): StepEvent[]
  /** How far the work has come, in a few words: `app 1/3 placed, 0 healthy`. */
  progress(): string
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

interface NarratorOptions {
  /** Stamps the lines. */
  readonly now: () => Date
  readonly until?: WaitInput['until']
}

/** A narrator for one piece of work; it reports nothing twice. */
export function createNarrator(expected: Expectation, { now, until }: NarratorOptions): Narrator {
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

  function steps(state: JobState): StepEvent[] {
    const told = [
      ...evaluationSteps(state),
      ...placementSteps(state),
      ...(expected.kind === 'stop' ? stopSteps(state) : workSteps(state)),
    ]
    isFirst = false
    return told
  }

  function evaluationSteps({ evaluations }: JobState): StepEvent[] {
    return evaluations
      .filter(({ createIndex }) => createIndex >= expected.evalIndex)
      .flatMap(({ id, status, trigger, description, deploymentId }) => {
        if (!isNews(`evaluation ${id}`, status)) return []
        const data = { evaluation: id, status, triggered_by: trigger, description, deployment: deploymentId || null }
        const line = status === 'failed' ? `evaluation ${short(id)} failed: ${description}` : undefined
        return [step('evaluation', data, line)]
      })
  }

  function placementSteps({ evaluations }: JobState): StepEvent[] {
    const since = evaluations.filter(({ createIndex, failures }) => createIndex >= expected.evalIndex && failures)
    const failures = placementFailures(since.at(-1)?.failures)
    const width = Math.max(0, ...failures.map(({ group }) => group.length))
    return failures.flatMap((failure) => {
      const { group, count, reasons, nodes } = failure
      const line = placementLine(`${group.padEnd(width)}  ${plural(count, 'allocation')} not placed`, failure)
      if (!isNews(`placement ${group}`, line)) return []
      const all = [...reasons, ...(nodes === '' ? [] : [nodes])]
      return [step('placement.failed', { group, count, reasons: all }, line)]
    })
  }

  function workSteps(state: JobState): StepEvent[] {
    const deployment = deploymentOf(expected, state)
    const told = failureSteps(state)
    if (deployment === undefined) return [...told, ...allocationSteps(state)]
    const rollback = rollbackVersion(deployment) === undefined ? undefined : rollbackOf(deployment, state)
    return [
      ...told,
      ...progressSteps(deployment, ''),
      ...endSteps(deployment),
      ...(rollback === undefined ? [] : progressSteps(rollback, 'rollback: ')),
    ]
  }

  function progressSteps(deployment: Deployment, prefix: string): StepEvent[] {
    const { id, version, status, description, groups } = deployment
    const width = Math.max(0, ...[...groups.keys()].map((name) => name.length))
    const lines = [...groups].flatMap(([name, group]) => {
      const line = `${prefix}${name.padEnd(width)}  ${groupWords(group)}`
      progress.set(name, `${name} ${groupWords(group)}`)
      const nothing = group.placed === 0 && (isFirst || group.desired === 0)
      return !nothing && isNews(`group ${id} ${name}`, line) ? [{ name, line, tone: groupTone(group) }] : []
    })
    const data = {
      deployment: id,
      version,
      status,
      description,
      groups: Object.fromEntries([...groups].map(([name, group]) => [name, groupData(group)])),
    }
    return lines.map(({ name, line, tone }) => step('deployment.progress', { ...data, group: name }, line, tone))
  }

  function endSteps(deployment: Deployment): StepEvent[] {
    const { id, version, status, description } = deployment
    const data = { deployment: id, version, status, description }
    if (status === 'running' && isCanaryReady(deployment) && /manual promotion/i.test(description)) {
      if (!isNews(`canary ${id}`, 'ready')) return []
      const rest = until === 'canary-ready' ? '' : '; they wait until somebody promotes them'
      return [step('deployment.canary-ready', data, `canaries are ready${rest}`)]
    }
    if (!isNews(`deployment ${id}`, status) || status === 'running' || status === 'successful') return []
    const target = rollbackVersion(deployment)
    const rolls = target === undefined ? '' : `; rolling back to version ${target}`
    const reason = status === 'failed' || status === 'cancelled' ? `: ${reasonOf(deployment)}${rolls}` : ''
    return [step(`deployment.${status}`, data, `deployment ${short(id)} ${status}${reason}`)]
  }

  /** Allocations by status, if there is no deployment that counts them. */
  function allocationSteps(state: JobState): StepEvent[] {
    const byGroup = groupsOf(chainEnds(state).filter((one) => one.desired === 'run' || isTerminal(one)))
    const width = Math.max(0, ...[...byGroup.keys()].map((name) => name.length))
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

  function stopSteps({ allocations }: JobState): StepEvent[] {
    stopping ??= allocations.filter((one) => !isTerminal(one))
    const left = new Set(allocations.filter((one) => !isTerminal(one)).map(({ id }) => id))
    return [...groupsOf(stopping)].flatMap(([name, all]) => {
      const stopped = all.filter(({ id }) => !left.has(id)).length
      const words = `${stopped}/${all.length} stopped`
      progress.set(name, `${name} ${words}`)
      if (!isNews(`stop ${name}`, words)) return []
      return [step('allocations.stopped', { group: name, stopped, of: all.length }, `${name}  ${words}`)]
    })
  }

  /** What went wrong in tasks since the work began, and what replaced the allocations that failed. */
  function failureSteps({ allocations }: JobState): StepEvent[] {
    return allocations.flatMap((one) => {
      const told: StepEvent[] = []
      for (const failure of one.failures) {
        const { task, type, words, exitCode, signal, time, restart } = failure
        if (!isNews(`failure ${one.id} ${task} ${type} ${time}`, '')) continue
        if (isFirst && one.createIndex < expected.evalIndex) continue
        const data: Record<string, Json> = { allocation: one.id, group: one.group, task, type, message: words }
        Object.assign(data, { exit_code: exitCode, signal })
        const restarted = restart === undefined ? '' : `, restart ${restart} follows`
        told.push(step('task.failed', data, `allocation ${short(one.id)}, task ${task} ${words}${restarted}`))
      }
      if (one.next !== '' && hasFailed(one) && isNews(`next ${one.id}`, one.next) && !isFirst) {
        const line = `allocation ${short(one.id)} ${one.client}: replaced by ${short(one.next)}`
        told.push(step('allocation.replaced', { allocation: one.id, group: one.group, by: one.next }, line))
      }
      return told
    })
  }

  return { steps, progress: () => [...progress.values()].join(', ') }
}

function groupWords({
  desired,
  placed,
  healthy,
  unhealthy,
  desiredCanaries,
  canaries,
  promoted,
}: DeploymentGroup): string {
  const isCanary = desiredCanaries > 0 && !promoted
  const counts = isCanary ? `${canaries}/${desiredCanaries} canaries placed` : `${placed}/${desired} placed`
  return `${counts}, ${healthy} healthy${unhealthy === 0 ? '' : `, ${unhealthy} unhealthy`}`
}

function groupTone({ desired, healthy, unhealthy }: DeploymentGroup): Tone | undefined {
  if (unhealthy > 0) return 'bad'
  return healthy >= desired ? 'good' : undefined
}

function groupData(group: DeploymentGroup): JsonObject {
  const { desired, placed, healthy, unhealthy, desiredCanaries, canaries, promoted } = group
  return { desired, placed, healthy, unhealthy, desired_canaries: desiredCanaries, canaries, promoted }
}

function groupsOf(allocations: readonly Allocation[]): Map<string, Allocation[]> {
  const groups = new Map<string, Allocation[]>()
  for (const one of allocations) groups.set(one.group, [...(groups.get(one.group) ?? []), one])
  return groups
}

function countsBy(allocations: readonly Allocation[]): [string, number][] {
  return statuses.flatMap((status): [string, number][] => {
    const count = allocations.filter(({ client }) => client === status).length
    return count === 0 ? [] : [[status, count]]
  })
}

/** How long it took, once all are done: ` (12m 41s)`. */
function spanOf(allocations: readonly Allocation[]): string {
  if (!allocations.every(isTerminal)) return ''
  const starts = allocations.flatMap(({ started }) => (started === undefined ? [] : [started.getTime()]))
  const ends = allocations.flatMap(({ finished }) => (finished === undefined ? [] : [finished.getTime()]))
  if (starts.length === 0 || ends.length === 0) return ''
  return ` (${formatSpan(Math.max(...ends) - Math.min(...starts))})`
}
