import * as api from '../../../api/jobs.ts'
import type { Allocation } from '../../../api/job-shapes.ts'
import type { Context } from '../../../core/context.ts'
import { shortId } from '../cells.ts'
import {
  choiceNeeded,
  notAChoice,
  notRunning,
  notThere,
  placeOf,
  severalAllocations,
  severalTasks,
  unknownAction,
  unknownAllocation,
} from './messages.ts'

/** A task of an allocation in which an action can run; group and node are known if it was looked up. */
export interface Target {
  /** The whole ID. */
  readonly allocation: string
  readonly task: string
  readonly group?: string
  readonly node?: string
}

/** The requested target. */
interface Wanted {
  readonly job: string
  readonly action: string
  /** A whole ID, or its start. */
  readonly alloc: string | undefined
  readonly group: string | undefined
  readonly task: string | undefined
}

const wholeId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Reads `--alloc`. Throws RangeError. */
export function readAllocation(typed: string): string {
  const pattern = '00000000-0000-0000-0000-000000000000'
  const isStart = typed !== '' && wholeId.test(typed + pattern.slice(typed.length))
  if (!isStart) throw new RangeError(`'${typed}' is not an allocation ID or a prefix of one`)
  return typed.toLowerCase()
}

/**
 * Where the action can run: the running allocations of the groups that define it. With allocation and task no request is made;
 * an allocation alone needs only the definitions. Throws not found (3) if no allocation can run it.
 */
export async function findTargets(context: Context, wanted: Wanted): Promise<Target[]> {
  const { job, action, alloc, task } = wanted
  if (alloc !== undefined && task !== undefined && wholeId.test(alloc)) return [{ allocation: alloc, task }]
  const definitions = await findDefinitions(context, wanted)
  if (alloc === undefined || !wholeId.test(alloc)) return findRunning(context, wanted, definitions)
  if (definitions.length > 1) throw severalTasks(job, action, definitions)
  return definitions.map((one) => ({ allocation: alloc, task: one.task }))
}

/** A task that defines the action. */
interface Definition {
  readonly group: string
  readonly task: string
}

/** The tasks that define the action. */
async function findDefinitions(context: Context, wanted: Wanted): Promise<Definition[]> {
  const { job, action, group, task } = wanted
  // A product's session would never end: it waits for a frame that the neutral dialect doesn't have (docs/servers.md, Actions).
  const neutralOnly = 'actions without input'
  const response = await context.http.send({ ...api.actions({ job }), neutralOnly })
  const rows = response.value ?? []
  const defined = rows
    .filter(({ Name }) => Name === action)
    .map(({ TaskGroupName, TaskName }) => ({ group: TaskGroupName ?? '', task: TaskName ?? '' }))
  if (defined.length === 0) throw unknownAction(job, action, [...new Set(rows.map(({ Name }) => Name))])
  const found = defined.filter((one) => (group ?? one.group) === one.group && (task ?? one.task) === one.task)
  if (found.length === 0) throw notThere(job, action, group, task, defined)
  return found
}

/** The allocations that run a task that defines the action, ordered by name. */
async function findRunning(context: Context, wanted: Wanted, definitions: readonly Definition[]): Promise<Target[]> {
  const { job, action, alloc = '' } = wanted
  const answer = (await context.http.send(api.allocations({ job }))).value ?? []
  const rows = answer.filter(({ ID }) => ID.startsWith(alloc))
  if (rows.length === 0 && alloc !== '') throw unknownAllocation(context, job, alloc)
  const targets = inOrder(rows).flatMap((row) =>
    definitions
      .filter(({ group, task }) => runs(row, group, task))
      .map(({ group, task }) => {
        const { ID, NodeName } = row
        return { allocation: ID, task, group, ...(NodeName ? { node: NodeName } : {}) }
      }),
  )
  if (targets.length > 0) return targets
  throw notRunning(context, job, alloc, action, definitions)
}

/** True for an allocation that isn't stopping and whose task is running. */
function runs(
  { TaskGroup, ClientStatus, DesiredStatus, TaskStates }: Allocation,
  group: string,
  task: string,
): boolean {
  const state = TaskStates?.[task]
  return (
    TaskGroup === group &&
    ClientStatus === 'running' &&
    (DesiredStatus ?? 'run') === 'run' &&
    (state === undefined || state.State === 'running')
  )
}

/** `web.frontend[2]` before `web.frontend[10]`; the service's order is random. */
function inOrder(rows: readonly Allocation[]): Allocation[] {
  // Made here: it takes as long as loading the whole command.
  const { compare } = new Intl.Collator('en', { numeric: true })
  const key = ({ Name, ID }: Allocation) => `${Name ?? ''} ${ID}`
  return rows.toSorted((one, other) => compare(key(one), key(other)))
}

/** Chooses among several targets: asks on a terminal; elsewhere a usage error that lists them. `tty`: only one may be chosen. */
export async function chooseTargets(
  context: Context,
  wanted: Wanted,
  targets: readonly Target[],
  tty: boolean,
): Promise<Target[]> {
  const { io } = context
  if (!io.interactive) throw choiceNeeded(context, wanted.job, wanted.action, targets, !tty)
  const width = String(targets.length).length
  const lines = targets.map((target, index) => {
    const number = String(index + 1).padStart(width)
    return `  ${number}  ${shortId(target.allocation)}  ${placeOf(target)}`
  })
  io.note([`${severalAllocations(targets.length)}:`, ...lines].join('\n'))
  const orAll = tty ? '' : ', a for all'
  const question = `Which? [1-${targets.length}${orAll}] `
  const answer = (await io.ask(question, { otherwise: 'choose with --alloc <id>' })).trim().toLowerCase()
  if (answer === 'a' && !tty) return [...targets]
  const chosen = /^\d+$/.test(answer) ? targets[Number(answer) - 1] : undefined
  if (chosen === undefined) throw notAChoice(answer, targets.length, !tty)
  return [chosen]
}
