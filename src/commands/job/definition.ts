import { at, items, number, text, truth } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'
import { isObject } from '../../core/json.ts'
import { spanAt } from './cells.ts'

/** `app 3: srv (docker), log (exec); side 1: queue (exec)`: the groups with their counts, tasks and drivers. */
export function groupsAndTasks(job: Json): string {
  return groupsOf(job)
    .map(([name, group]) => {
      const tasks = items(group, 'Tasks').map((task) => `${text(task, 'Name') ?? ''} (${text(task, 'Driver') ?? ''})`)
      const head = `${name} ${text(group, 'Count') ?? ''}`.trim()
      return tasks.length === 0 ? head : `${head}: ${tasks.join(', ')}`
    })
    .join('; ')
}

/** `${attr.kernel.name} = linux; app: ${node.class} = big; app.srv: …`: the constraints of the job, its groups and tasks. */
export function constraints(job: Json): string {
  return [
    ...constraintsOf('', job),
    ...groupsOf(job).flatMap(([name, group]) => [
      ...constraintsOf(name, group),
      ...items(group, 'Tasks').flatMap((task) => constraintsOf(`${name}.${text(task, 'Name') ?? ''}`, task)),
    ]),
  ].join('; ')
}

function constraintsOf(place: string, holder: Json): string[] {
  return items(holder, 'Constraints').map((one) => {
    const words = ['LTarget', 'Operand', 'RTarget'].map((key) => text(one, key) ?? '').filter((part) => part !== '')
    return `${place === '' ? '' : `${place}: `}${words.join(' ')}`
  })
}

/** `app: 1 at a time, 1 canary, healthy for 10s within 5m, auto-revert`: how each group is updated. */
export function updateStrategy(job: Json): string {
  const own = strategyOf(at(job, 'Update'))
  const groups = groupsOf(job).flatMap(([name, group]) => {
    const words = strategyOf(at(group, 'Update'))
    return words === '' ? [] : [`${name}: ${words}`]
  })
  return groups.length === 0 ? own : groups.join('; ')
}

function strategyOf(update: Json | undefined): string {
  const atOnce = number(update, 'MaxParallel') ?? 0
  if (!isObject(update) || atOnce === 0) return ''
  const canaries = number(update, 'Canary') ?? 0
  const healthy = spanAt(update, 'MinHealthyTime')
  const within = spanAt(update, 'HealthyDeadline')
  const progress = spanAt(update, 'ProgressDeadline')
  return [
    `${atOnce} at a time`,
    ...(canaries === 0 ? [] : [`${canaries} canar${canaries === 1 ? 'y' : 'ies'}`]),
    ...(healthy === '' ? [] : [`healthy for ${healthy}${within === '' ? '' : ` within ${within}`}`]),
    ...(progress === '' ? [] : [`progress within ${progress}`]),
    ...(truth(update, 'AutoRevert') ? ['auto-revert'] : []),
    ...(truth(update, 'AutoPromote') ? ['auto-promote'] : []),
  ].join(', ')
}

function groupsOf(job: Json): [string, Json][] {
  return items(job, 'TaskGroups').map((group) => [text(group, 'Name') ?? '', group])
}
