import type { DeploymentGroup } from '../../../api/allocation-shapes.ts'
import type { StepEvent } from '../../../core/command.ts'
import { formatSpan } from '../../../core/duration.ts'
import type { JsonObject } from '../../../core/json.ts'
import { grouped, largest } from '../../../core/lists.ts'
import type { Tone } from '../../../core/output.ts'
import { plural } from '../../../core/words.ts'
import { isSince, shortId } from '../cells.ts'
import { endedBadly, groupOf, isTerminal, momentsOf } from '../facts/allocation.ts'
import { deploymentReason, isCanaryReady, isOver, placedOf, versionBack } from '../facts/deployment.ts'
import type { Goal } from './judgement.ts'
import { placementLine } from '../facts/placement.ts'
import type { PlacementFailure } from '../facts/placement.ts'
import { taskFailures } from '../facts/reasons.ts'
import type { Allocation, Deployment, Evaluation } from './state.ts'
import { rollbackOf, unplacedBy } from './observed.ts'
import type { Work } from './work.ts'

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
  readonly until?: Goal['until']
}

/** Reports the progress of one piece of work: a step for each change worth a line, and nothing twice. */
export function createProgress({ now, until }: ProgressOptions) {
  const reported = new Map<string, string>()
  const progress = new Map<string, string>()
  let stopping: readonly Allocation[] | undefined
  let isFirst = true

  /** A step, if the `value` of what it is about has changed since the last one. */
  function step(
    event: string,
    key: string,
    value: string,
    data: JsonObject,
    line: string,
    tone = tones[event],
  ): StepEvent[] {
    if (reported.get(key) === value) return []
    reported.set(key, value)
    const at = now()
    const shown = line === '' ? {} : { line, at, ...(tone === undefined ? {} : { tone }) }
    return [{ event, data: { time: at.toISOString(), ...data }, ...shown }]
  }

  function steps(work: Work): StepEvent[] {
    const { evaluations, expected, job } = work
    // Without a write, the version in force is followed: earlier evaluations are history.
    const since = work.isCurrent ? Number(job?.JobModifyIndex ?? 0) : expected.evalIndex
    const recent = evaluations.filter((one) => isSince(one, since))
    const all = [
      ...recent.flatMap(evaluationSteps),
      ...placementSteps(recent.map((one) => unplacedBy(one, work)).findLast(({ length }) => length > 0) ?? []),
      ...(expected.kind === 'stop' ? stopSteps(work) : workSteps(work)),
    ]
    isFirst = false
    return all
  }

  function evaluationSteps({ ID, Status, TriggeredBy, StatusDescription, DeploymentID }: Evaluation): StepEvent[] {
    const [status, description] = [Status ?? '', StatusDescription ?? '']
    const facts = { status, triggered_by: TriggeredBy ?? '', description, deployment: DeploymentID || null }
    const line = status === 'failed' ? `evaluation ${shortId(ID)} failed: ${description}` : ''
    return step('evaluation', `evaluation ${ID}`, status, { evaluation: ID, ...facts }, line)
  }

  function placementSteps(failures: readonly PlacementFailure[]): StepEvent[] {
    const width = largest(failures.map(({ group }) => group.length))
    return failures.flatMap((failure) => {
      const { group, count, reasons, nodes } = failure
      const line = placementLine(`${group.padEnd(width)}  ${plural(count, 'allocation')} not placed`, failure)
      const data = { group, count, reasons: [...reasons, ...(nodes === '' ? [] : [nodes])] }
      return step('placement.failed', `placement ${group}`, line, data, line)
    })
  }

  function workSteps(work: Work): StepEvent[] {
    const { deployment, allocations } = work
    const failures = allocations.flatMap((one) =>
      failureSteps(one, !work.isCurrent && isSince(one, work.expected.evalIndex)),
    )
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
    const all = Object.entries(deployment.TaskGroups ?? {})
    const width = largest(all.map(([group]) => group.length))
    const groups = Object.fromEntries(all.map(([group, counts]) => [group, groupData(counts)]))
    return Object.entries(groups).flatMap(([group, counts]) => {
      const words = groupWords(counts)
      progress.set(group, `${group} ${words}`)
      if (counts.placed === 0 && (isFirst || counts.desired === 0)) return []
      const line = `${prefix}${group.padEnd(width)}  ${words}`
      const tone = counts.unhealthy > 0 ? 'bad' : counts.healthy >= counts.desired ? 'good' : undefined
      const data = { ...deploymentData(deployment), groups, group }
      return step('deployment.progress', `group ${deployment.ID} ${group}`, line, data, line, tone)
    })
  }

  function endSteps(deployment: Deployment): StepEvent[] {
    const data = deploymentData(deployment)
    const { deployment: id, status } = data
    if (status === 'running' && isCanaryReady(deployment) && /manual promotion/i.test(data.description)) {
      const rest = until === 'canary-ready' ? '' : '; they wait until somebody promotes them'
      return step('deployment.canary-ready', `canary ${id}`, '', data, `canaries are ready${rest}`)
    }
    if (status === 'running' || status === 'successful') return []
    const target = versionBack(deployment)
    const rolls = target === undefined ? '' : `; rolling back to version ${target}`
    const reason = isOver(deployment) ? `: ${deploymentReason(deployment)}${rolls}` : ''
    const line = `deployment ${shortId(id)} ${status}${reason}`
    return step(`deployment.${status}`, `deployment ${id}`, status, data, line)
  }

  /** Allocations by status, for work without a deployment. */
  function allocationSteps({ unreplaced }: Work): StepEvent[] {
    const byGroup = grouped(
      unreplaced.filter((one) => one.DesiredStatus === 'run' || isTerminal(one)),
      groupOf,
    )
    const width = largest([...byGroup.keys()].map((group) => group.length))
    return [...byGroup].flatMap(([group, allocations]) => {
      const byStatus = grouped(allocations, ({ ClientStatus }) => ClientStatus ?? '')
      const counts = statuses.flatMap((status) => {
        const all = byStatus.get(status)
        return all === undefined ? [] : [[status, all.length] as const]
      })
      const words = counts.map(([status, count]) => `${count} ${status}`).join(', ')
      progress.set(group, `${group} ${words}`)
      const isNothing = counts.every(([status]) => status === 'pending')
      const line = isNothing ? '' : `${group.padEnd(width)}  ${words}${spanOf(allocations)}`
      return step('allocations', `allocations ${group}`, words, { group, counts: Object.fromEntries(counts) }, line)
    })
  }

  function stopSteps({ allocations }: Work): StepEvent[] {
    stopping ??= allocations.filter((one) => !isTerminal(one))
    const left = new Set(allocations.filter((one) => !isTerminal(one)).map(({ ID }) => ID))
    return [...grouped(stopping, groupOf)].flatMap(([group, all]) => {
      const stopped = all.filter(({ ID }) => !left.has(ID)).length
      const words = `${stopped}/${all.length} stopped`
      progress.set(group, `${group} ${words}`)
      const data = { group, stopped, of: all.length }
      return step('allocations.stopped', `stop ${group}`, words, data, `${group}  ${words}`)
    })
  }

  /** What went wrong in the tasks of an allocation since the work began, and what replaced it if it failed. */
  function failureSteps(one: Allocation, isNew: boolean): StepEvent[] {
    const { ID, TaskStates, TaskGroup, NextAllocation } = one
    const [name, data] = [`allocation ${shortId(ID)}`, { allocation: ID, group: TaskGroup ?? '' }]
    const all = Object.entries(TaskStates ?? {}).flatMap(([task, state]) => taskFailures(task, state))
    const failures = all.flatMap(({ task, type, words, exitCode, signal, time, restart }) => {
      const facts = { ...data, task, type, message: words, exit_code: exitCode, signal }
      const restarted = restart === undefined ? '' : `, restart ${restart} follows`
      const line = `${name}, task ${task} ${words}${restarted}`
      const told = step('task.failed', `failure ${ID} ${task} ${type} ${time}`, '', facts, line)
      return isFirst && !isNew ? [] : told
    })
    if (!NextAllocation || !endedBadly(one)) return failures
    const line = `${name} ${one.ClientStatus}: replaced by ${shortId(NextAllocation)}`
    const told = step('allocation.replaced', `next ${ID}`, NextAllocation, { ...data, by: NextAllocation }, line)
    return isFirst ? failures : [...failures, ...told]
  }

  /** How far the work has come, in a few words: `app 1/3 placed, 0 healthy`. */
  const summary = () => [...progress.values()].join(', ')
  return { steps, summary }
}

function groupWords({ desired, placed, healthy, unhealthy, ...canary }: ReturnType<typeof groupData>): string {
  const { desired_canaries, canaries, promoted } = canary
  const isCanary = desired_canaries > 0 && !promoted
  const counts = isCanary
    ? `${placedOf(canaries, desired_canaries)} canaries placed`
    : `${placedOf(placed, desired)} placed`
  return `${counts}, ${healthy} healthy${unhealthy === 0 ? '' : `, ${unhealthy} unhealthy`}`
}

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

function deploymentData({ ID, JobVersion, Status, StatusDescription }: Deployment) {
  return { deployment: ID, version: JobVersion ?? 0, status: Status ?? '', description: StatusDescription ?? '' }
}

/** How long it took, once all are done: ` (12m 41s)`. */
function spanOf(allocations: readonly Allocation[]): string {
  if (!allocations.every(isTerminal)) return ''
  const [begun] = momentsOf(allocations, 'StartedAt')
  const ended = momentsOf(allocations, 'FinishedAt').at(-1)
  return begun === undefined || ended === undefined ? '' : ` (${formatSpan(ended.getTime() - begun.getTime())})`
}
