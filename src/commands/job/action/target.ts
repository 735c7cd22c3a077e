import * as api from '../../../api/jobs.ts'
import type { Action, Allocation } from '../../../api/job-shapes.ts'
import { asJson, isPlaceholder, text } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { didYouMean } from '../../../core/words.ts'
import { shortId } from '../cells.ts'

/** A task of an allocation in which an action can run. */
export interface Target {
  /** The whole ID. */
  readonly allocation: string
  readonly task: string
  /** If it was looked up. */
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
  const { job, alloc, task } = wanted
  if (alloc !== undefined && task !== undefined && wholeId.test(alloc)) return [{ allocation: alloc, task }]
  const definitions = await findDefinitions(context, wanted)
  if (alloc === undefined || !wholeId.test(alloc)) return findRunning(context, wanted, definitions)
  const [definition, ...others] = definitions
  if (definition === undefined || others.length === 0) return [{ allocation: alloc, task: definition?.task ?? '' }]
  throw usageError(
    `several tasks of ${job} have the action '${wanted.action}': ${definitions.map(placeWords).join(', ')}`,
    'choose with --task',
  )
}

interface Definition {
  readonly group: string
  readonly task: string
}

function placeWords({ group, task }: Definition): string {
  return `${group}/${task}`
}

/** The tasks that define the action; with `--dry-run`, a placeholder. */
async function findDefinitions(context: Context, { job, action, group, task }: Wanted): Promise<Definition[]> {
  // A product's session would never end: it waits for a frame that the neutral dialect doesn't have (docs/servers.md, Actions).
  const neutralOnly = 'actions without input'
  const response = await context.http.send({ ...api.actions({ job }), neutralOnly })
  const rows = response.value ?? []
  if (isPlaceholder(rows)) {
    const of = (name: string) => text(asJson(rows), name) ?? ''
    return [{ group: group ?? of('TaskGroupName'), task: task ?? of('TaskName') }]
  }
  const defined = rows
    .filter(({ Name }) => Name === action)
    .map(({ TaskGroupName, TaskName }) => ({ group: TaskGroupName ?? '', task: TaskName ?? '' }))
  if (defined.length === 0) throw unknownAction(job, action, rows)
  const found = defined.filter((one) => (group ?? one.group) === one.group && (task ?? one.task) === one.task)
  if (found.length === 0) {
    throw new TugError(
      'not_found',
      `no ${[group && `group '${group}'`, task && `task '${task}'`].filter(Boolean).join(', ')} of ${job} has the action '${action}'`,
      {
        hints: [`it is in: ${defined.map(placeWords).join(', ')}`],
      },
    )
  }
  return found
}

function unknownAction(job: string, action: string, rows: readonly Action[]): TugError {
  const names = [...new Set(rows.map(({ Name }) => Name))]
  return new TugError('not_found', `${job} has no action '${action}'${didYouMean(action, names)}`, {
    hints: [names.length === 0 ? 'it defines none' : `it has: ${names.join(', ')}`],
  })
}

/** The allocations that run a task that defines the action, ordered by name. */
async function findRunning(context: Context, wanted: Wanted, definitions: readonly Definition[]): Promise<Target[]> {
  const { job, action, alloc = '' } = wanted
  const answer = (await context.http.send(api.allocations({ job }))).value ?? []
  if (isPlaceholder(answer)) {
    const allocation = text(asJson(answer), 'ID') ?? ''
    return definitions.map(({ task }) => ({ allocation, task }))
  }
  const rows = answer.filter(({ ID }) => ID.startsWith(alloc))
  if (rows.length === 0 && alloc !== '') {
    throw new TugError('not_found', `${job} has no allocation with an ID like ${alloc}…`, {
      hints: [`see: ${context.commandLine('job allocs', job)}`],
    })
  }
  const targets = inOrder(rows).flatMap((row) =>
    definitions
      .filter(({ group, task }) => runs(row, group, task))
      .map(({ group, task }) => {
        const { ID, NodeName } = row
        return { allocation: ID, task, group, ...(NodeName ? { node: NodeName } : {}) }
      }),
  )
  if (targets.length > 0) return targets
  const where = definitions.map(placeWords).join(' or ')
  const have = definitions.length === 1 ? 'has' : 'have'
  const which = alloc === '' ? `no allocation of ${job} runs ${where} now` : `allocation ${alloc} does not run ${where}`
  throw new TugError('not_found', `${which}, which ${have} the action '${action}'`, {
    hints: [`see: ${context.commandLine('job allocs', job)}`],
  })
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

/** How many lines of a list are shown if nobody can choose. */
const longestList = 20

/** Chooses among several targets: asks on a terminal; elsewhere a usage error that lists them. `tty`: only one may be chosen. */
export async function chooseTargets(
  context: Context,
  wanted: Wanted,
  targets: readonly Target[],
  tty: boolean,
): Promise<Target[]> {
  const { io } = context
  const lineFor = ({ allocation, task }: Target) =>
    context.commandLine('job action', wanted.job, wanted.action, '--alloc', allocation, '--task', task)
  const several = `${targets.length} running allocations have this action`
  if (!io.interactive) {
    const lines = targets.map((target) => `${lineFor(target)}   (${placeOf(target)})`)
    const more = lines.length - longestList
    throw usageError(
      `${several}; choose one with --alloc${tty ? '' : ', or pass --all'}`,
      ...lines.slice(0, longestList),
      ...(more > 0 ? [`and ${more} more: ${context.commandLine('job allocs', wanted.job)}`] : []),
    )
  }
  const width = String(targets.length).length
  const lines = targets.map((target, index) => {
    const number = String(index + 1).padStart(width)
    return `  ${number}  ${shortId(target.allocation)}  ${placeOf(target)}`
  })
  io.note([`${several}:`, ...lines].join('\n'))
  const orAll = tty ? '' : ', a for all'
  const question = `Which? [1-${targets.length}${orAll}] `
  const answer = (await io.ask(question, { otherwise: 'choose with --alloc <id>' })).trim().toLowerCase()
  if (answer === 'a' && !tty) return [...targets]
  const chosen = /^\d+$/.test(answer) ? targets[Number(answer) - 1] : undefined
  if (answer === '') throw usageError('no choice made; nothing was run')
  if (chosen === undefined)
    throw usageError(`'${answer}' is not a number from 1 to ${targets.length}${tty ? '' : ' or a'}; nothing was run`)
  return [chosen]
}

/** `frontend/server on node-3`. */
export function placeOf({ group, task, node }: Target): string {
  const place = group === undefined ? task : `${group}/${task}`
  return node === undefined ? place : `${place} on ${node}`
}
