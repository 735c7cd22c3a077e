import type { Condition, Job, TaskGroup, UpdateBlock } from '../../api/job-shapes.ts'
import { spanOf } from './cells.ts'

// A job's definition in the words of its card: `app: …; side: …` for groups, `app.srv: …` for tasks.

/** `app 3: srv (docker), log (exec); side 1: queue (exec)`: the groups with their counts, tasks and drivers. */
export function groupsAndTasks(job: Job): string {
  return (job.TaskGroups ?? [])
    .map(({ Name, Count, Tasks }) => {
      const tasks = (Tasks ?? []).map((task) => `${task.Name ?? ''} (${task.Driver ?? ''})`)
      const head = `${Name ?? ''} ${Count ?? ''}`.trim()
      return tasks.length === 0 ? head : `${head}: ${tasks.join(', ')}`
    })
    .join('; ')
}

type Words<Holder> = (holder: Holder) => readonly string[]

function ofGroups(job: Job, words: Words<TaskGroup>): string[] {
  return (job.TaskGroups ?? []).flatMap((group) => placed(group.Name ?? '', words(group)))
}

function placed(place: string, words: readonly string[]): string[] {
  const found = words.filter((word) => word !== '')
  if (found.length === 0) return []
  return [place === '' ? found.join(', ') : `${place}: ${found.join(', ')}`]
}

/** `${attr.kernel.name} = linux; app: ${node.class} = big; app.srv: …`: the constraints of the job, its groups and tasks. */
export function constraints(job: Job): string {
  return conditions(job, ({ Constraints }) => (Constraints ?? []).map(conditionWords))
}

export function affinities(job: Job): string {
  return conditions(job, ({ Affinities }) =>
    (Affinities ?? []).map((one) => `${conditionWords(one)}${weight(one.Weight)}`),
  )
}

/** Conditions of the job, its groups and tasks, each with its place. */
function conditions(job: Job, words: Words<Pick<Job, 'Constraints' | 'Affinities'>>): string {
  const groups = (job.TaskGroups ?? []).flatMap((group) => [
    ...words(group).map((one) => `${group.Name ?? ''}: ${one}`),
    ...(group.Tasks ?? []).flatMap((task) =>
      words(task).map((one) => `${group.Name ?? ''}.${task.Name ?? ''}: ${one}`),
    ),
  ])
  return [...words(job), ...groups].join('; ')
}

function conditionWords({ LTarget, Operand, RTarget }: Condition): string {
  return [LTarget, Operand, RTarget].filter((part) => (part ?? '') !== '').join(' ')
}

function weight(value: unknown): string {
  return value === undefined || value === null ? '' : ` (weight ${String(value)})`
}

/** `${node.datacenter} (weight 100): dc1 60%, dc2 40%`. */
export function spreads(job: Job): string {
  const words = ({ Spreads }: Pick<Job, 'Spreads'>) =>
    (Spreads ?? []).map(({ Attribute, Weight, SpreadTarget }) => {
      const targets = (SpreadTarget ?? []).map(({ Value, Percent }) => `${Value ?? ''} ${Percent ?? 0}%`)
      return [`${Attribute ?? ''}${weight(Weight)}`, targets.join(' ')].filter((part) => part !== '').join(': ')
    })
  return [...placed('', words(job)), ...ofGroups(job, words)].join('; ')
}

/** `app: 1 at a time, 1 canary, healthy for 10s within 5m, auto-revert`: how each group is updated. */
export function updateStrategy(job: Job): string {
  const own = strategyOf(job.Update)
  const groups = ofGroups(job, ({ Update }) => [strategyOf(Update)])
  return groups.length === 0 ? own : groups.join('; ')
}

function strategyOf(update: UpdateBlock | null | undefined): string {
  const { MaxParallel, Canary, MinHealthyTime, HealthyDeadline, ProgressDeadline } = update ?? {}
  if ((MaxParallel ?? 0) === 0) return ''
  const healthy = spanOf(MinHealthyTime)
  const within = spanOf(HealthyDeadline)
  const progress = spanOf(ProgressDeadline)
  return [
    `${MaxParallel} at a time`,
    ...((Canary ?? 0) === 0 ? [] : [`${Canary} canar${Canary === 1 ? 'y' : 'ies'}`]),
    ...(healthy === '' ? [] : [`healthy for ${healthy}${within === '' ? '' : ` within ${within}`}`]),
    ...(progress === '' ? [] : [`progress within ${progress}`]),
    ...(update?.AutoRevert === true ? ['auto-revert'] : []),
    ...(update?.AutoPromote === true ? ['auto-promote'] : []),
  ].join(', ')
}
