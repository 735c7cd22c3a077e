import * as api from '../../../api/jobs.ts'
import type { Allocation } from '../../../api/allocation-shapes.ts'
import { compareNames } from '../../../core/lists.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { didYouMean } from '../../../core/words.ts'
import { shortId } from '../cells.ts'

/** A task of an allocation in which an action can run; group and node are known if it was looked up. */
export interface ActionTask {
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
export async function findTargets(context: Context, wanted: Wanted): Promise<ActionTask[]> {
  const { job, action, alloc, task } = wanted
  if (alloc !== undefined && task !== undefined && wholeId.test(alloc)) return [{ allocation: alloc, task }]
  const definitions = await findDefinitions(context, wanted)
  if (alloc === undefined || !wholeId.test(alloc)) return findRunning(context, wanted, definitions)
  if (definitions.length > 1) {
    const places = definitions.map(placeOf).join(', ')
    throw usageError(`several tasks of ${job} have the action '${action}': ${places}`, 'choose with --task')
  }
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
  if (defined.length === 0) {
    const names = new Set(rows.map(({ Name }) => Name))
    const hint = names.size === 0 ? 'it defines none' : `it has: ${[...names].join(', ')}`
    throw notFound(`${job} has no action '${action}'${didYouMean(action, names)}`, hint)
  }
  const found = defined.filter((one) => (group ?? one.group) === one.group && (task ?? one.task) === one.task)
  if (found.length === 0) {
    const chosen = [group && `group '${group}'`, task && `task '${task}'`].filter(Boolean).join(', ')
    const places = defined.map(placeOf).join(', ')
    throw notFound(`no ${chosen} of ${job} has the action '${action}'`, `it is in: ${places}`)
  }
  return found
}

/** The allocations that run a task that defines the action, ordered by name. */
async function findRunning(
  context: Context,
  wanted: Wanted,
  definitions: readonly Definition[],
): Promise<ActionTask[]> {
  const { job, action, alloc = '' } = wanted
  const answer = (await context.http.send(api.allocations({ job }))).value ?? []
  const rows = answer.filter(({ ID }) => ID.startsWith(alloc))
  const see = `see: ${context.commandLine('job allocs', job)}`
  if (rows.length === 0 && alloc !== '') throw notFound(`${job} has no allocation with an ID like ${alloc}…`, see)
  const key = ({ Name, ID }: Allocation) => `${Name ?? ''} ${ID}`
  // The service's order is random.
  const sorted = rows.toSorted((one, other) => compareNames(key(one), key(other)))
  const targets = sorted.flatMap((row) =>
    definitions
      .filter(({ group, task }) => runs(row, group, task))
      .map(({ group, task }) => {
        const { ID, NodeName } = row
        return { allocation: ID, task, group, ...(NodeName ? { node: NodeName } : {}) }
      }),
  )
  if (targets.length > 0) return targets
  const tasks = definitions.map(placeOf).join(' or ')
  const which = alloc === '' ? `no allocation of ${job} runs ${tasks} now` : `allocation ${alloc} does not run ${tasks}`
  throw notFound(`${which}, which ${definitions.length === 1 ? 'has' : 'have'} the action '${action}'`, see)
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

function notFound(message: string, hint: string): TugError {
  return new TugError('not_found', message, { hints: [hint] })
}

/** `frontend/server on node-3`. */
export function placeOf({ group, task, node }: Omit<ActionTask, 'allocation'>): string {
  return `${group === undefined ? '' : `${group}/`}${task}${node === undefined ? '' : ` on ${node}`}`
}

/** The command line that runs the action on one target. */
export function lineFor(
  { commandLine }: Context,
  { job, action }: Pick<Wanted, 'job' | 'action'>,
  { allocation, task }: ActionTask,
): string {
  return commandLine('job action', job, action, ['--alloc', allocation], ['--task', task])
}

/** The number of targets in the error of a choice that nobody can make. */
const longestList = 20

/** Chooses among several targets: asks on a terminal; elsewhere a usage error that lists them. `tty`: only one may be chosen. */
export async function chooseTargets(
  context: Context,
  wanted: Wanted,
  targets: readonly ActionTask[],
  tty: boolean,
): Promise<ActionTask[]> {
  const { io } = context
  const several = `${targets.length} running allocations have this action`
  if (!io.interactive) {
    const lines = targets
      .slice(0, longestList)
      .map((target) => `${lineFor(context, wanted, target)}   (${placeOf(target)})`)
    const more = targets.length - lines.length
    if (more > 0) lines.push(`and ${more} more: ${context.commandLine('job allocs', wanted.job)}`)
    throw usageError(`${several}; choose one with --alloc${tty ? '' : ', or pass --all'}`, ...lines)
  }
  const width = String(targets.length).length
  const lines = targets.map((target, index) => {
    const number = String(index + 1).padStart(width)
    return `  ${number}  ${shortId(target.allocation)}  ${placeOf(target)}`
  })
  for (const line of [`${several}:`, ...lines]) io.note(line)
  const orAll = tty ? '' : ', a for all'
  const question = `Which? [1-${targets.length}${orAll}] `
  const answer = (await io.ask(question, { otherwise: 'choose with --alloc <id>' })).trim().toLowerCase()
  if (answer === 'a' && !tty) return [...targets]
  const chosen = /^\d+$/.test(answer) ? targets[Number(answer) - 1] : undefined
  if (chosen === undefined)
    throw usageError(
      `${answer === '' ? 'no choice made' : `'${answer}' is not a number from 1 to ${targets.length}${!tty ? ' or a' : ''}`}; nothing was run`,
    )
  return [chosen]
}
