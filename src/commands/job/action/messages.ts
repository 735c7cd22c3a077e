import type { Context, SocketEnd } from '../../../core/context.ts'
import type { ErrorCode } from '../../../core/errors.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { didYouMean } from '../../../core/words.ts'
import type { Target } from './target.ts'

type Lines = Pick<Context, 'commandLine'>
/** A task of a group or of an allocation. */
type Place = Omit<Target, 'allocation'>

/** How an action ended on one of several targets. */
export interface Ended {
  readonly target: Target
  /** The allocation's name in the output. */
  readonly name: string
  /** The exit status, or why the action has none. */
  readonly end: number | TugError
}

const notFound = (message: string, hint: string) => new TugError('not_found', message, { hints: [hint] })
const failed = (code: ErrorCode, message: string, ...hints: readonly string[]) =>
  new TugError(code, message, { service: 'scheduler', hints })
const lineFor = ({ commandLine }: Lines, job: string, action: string, { allocation, task }: Target) =>
  commandLine('job action', job, action, ['--alloc', allocation], ['--task', task])
const see = ({ commandLine }: Lines, words: string, job: string) => `see: ${commandLine(words, job)}`

/** `frontend/server on node-3`. */
export const placeOf = ({ group, task, node }: Place) =>
  `${group === undefined ? '' : `${group}/`}${task}${node === undefined ? '' : ` on ${node}`}`

// Where it runs
export const missingAction = (context: Lines, flag: string, job: string) =>
  usageError(`<action> is required with --${flag}: the name of the action`, see(context, 'job actions', job))
export const unknownAction = (job: string, action: string, names: readonly string[]) =>
  notFound(
    `${job} has no action '${action}'${didYouMean(action, names)}`,
    names.length === 0 ? 'it defines none' : `it has: ${names.join(', ')}`,
  )

type Chosen = string | undefined
export function notThere(job: string, action: string, group: Chosen, task: Chosen, places: readonly Place[]) {
  const chosen = [group && `group '${group}'`, task && `task '${task}'`].filter(Boolean).join(', ')
  return notFound(`no ${chosen} of ${job} has the action '${action}'`, `it is in: ${places.map(placeOf).join(', ')}`)
}
export const severalTasks = (job: string, action: string, places: readonly Place[]) =>
  usageError(
    `several tasks of ${job} have the action '${action}': ${places.map(placeOf).join(', ')}`,
    'choose with --task',
  )
export const unknownAllocation = (context: Lines, job: string, alloc: string) =>
  notFound(`${job} has no allocation with an ID like ${alloc}…`, see(context, 'job allocs', job))
export function notRunning(context: Lines, job: string, alloc: string, action: string, places: readonly Place[]) {
  const tasks = places.map(placeOf).join(' or ')
  const which = alloc === '' ? `no allocation of ${job} runs ${tasks} now` : `allocation ${alloc} does not run ${tasks}`
  const have = places.length === 1 ? 'has' : 'have'
  return notFound(`${which}, which ${have} the action '${action}'`, see(context, 'job allocs', job))
}
export const severalAllocations = (count: number) => `${count} running allocations have this action`

/** How many lines of a list are shown if nobody can choose. */
const longestList = 20
export function choiceNeeded(context: Lines, job: string, action: string, targets: readonly Target[], orAll: boolean) {
  const lines = targets.map((target) => `${lineFor(context, job, action, target)}   (${placeOf(target)})`)
  const more = lines.length - longestList
  return usageError(
    `${severalAllocations(targets.length)}; choose one with --alloc${orAll ? ', or pass --all' : ''}`,
    ...lines.slice(0, longestList),
    ...(more > 0 ? [`and ${more} more: ${context.commandLine('job allocs', job)}`] : []),
  )
}
export const notAChoice = (answer: string, count: number, orAll: boolean) =>
  usageError(
    `${answer === '' ? 'no choice made' : `'${answer}' is not a number from 1 to ${count}${orAll ? ' or a' : ''}`}; nothing was run`,
  )

// One session
export const unusedInput = "standard input has data, which the action doesn't get"
export const leftRunning = (action: string, allocation: string) =>
  `\nleft ${action} on ${allocation}, which may still be running`

/** The command outlives the client; only keys of its terminal could stop it. */
export function interruption(action: string, allocations: readonly string[], isSentKeys = false): TugError {
  const where = allocations.join(', ')
  const state = isSentKeys
    ? `${action} on ${where} was sent Ctrl-C and Ctrl-D, and may still be running`
    : `${action} was not stopped and may still run on ${where}`
  return new TugError('interrupted', `interrupted; ${state}`)
}
export const unreadable = (what: string, text: string) =>
  failed(
    'tug_failed',
    `the service sent ${what}: ${text.slice(0, 60)}`,
    'the remaining output and the exit status are lost; the action may still be running',
  )

const neededCapability =
  'needed: namespace:alloc-exec, and namespace:alloc-node-exec where the task driver does not isolate the file system'
const weakToken = 'a missing, unknown or too weak token gives the same answer: tug status shows which token is used'

/** Reasons of a close frame. The service upgrades first and reports every error this way (docs/servers.md, Actions). */
const refusals = [
  [/Permission denied|failed to parse signed token|ACL token not found/i],
  [/^(?:action .* not found in task|command is not present|task .* not found in allocation)/i, 'job actions'],
  [/Unknown allocation|does not have allocation|is not running/i, 'job allocs'],
] as const

/**
 * The error of a session that ended before its exit frame. Before any output, a
 * reason from the service has its usual exit code; otherwise it is 125.
 */
export function endedEarly(
  context: Lines,
  end: SocketEnd,
  { job, action, allocation }: { readonly job: string; readonly action: string; readonly allocation: string },
  started: boolean,
): TugError {
  const unknown = `${action} may still be running on ${allocation}; its outcome is unknown`
  if (end.kind === 'dropped') {
    const cause = end.cause === undefined ? '' : `: ${end.cause.message}`
    const check = `some errors are too long for the service to send; check the action: ${context.commandLine('job actions', job)}`
    const message = `the connection ended before the action's exit status${cause}`
    return failed('tug_failed', message, unknown, ...(started ? [] : [check]))
  }
  const words = end.reason.replace(/^rpc error: (?:code = \w+ desc = )?/, '')
  const refusal = started ? undefined : refusals.find(([pattern]) => pattern.test(words))
  if (refusal?.[1] !== undefined) return failed('not_found', words, see(context, refusal[1], job))
  if (refusal !== undefined) return failed('not_allowed', words, neededCapability, weakToken)
  const command = /^failed to start command: (.*)/s.exec(words)?.[1]
  if (command !== undefined) return failed('tug_failed', `the action's command could not be started: ${command}`)
  const reason = words === '' ? `close code ${end.code}` : words
  return failed('tug_failed', `the service ended the session before the action's exit status: ${reason}`, unknown)
}

// Sessions on all of them
export const notStarted = new TugError('failed', 'not started: too many failures (--max-failures)')

/** Failures that an error names. */
const mostNamed = 20
export function someFailed(
  context: Lines,
  { job, action }: { readonly job: string; readonly action: string },
  summary: string,
  failures: readonly Ended[],
): TugError {
  const lines = failures.slice(0, mostNamed).map(({ name, end }) => `${name} ${endWords(end)}`)
  if (failures.length > mostNamed) lines.push(`and ${failures.length - mostNamed} more`)
  const hints = new Set(failures.flatMap(({ end }) => (typeof end === 'number' ? [] : end.hints)))
  const first = failures.find(({ end }) => typeof end === 'number')
  if (first !== undefined) hints.add(`run it again on one: ${lineFor(context, job, action, first.target)}`)
  return new TugError('partial', [summary, ...lines].join('\n  '), { hints: [...hints] })
}

const endWords = (end: Ended['end']) =>
  typeof end === 'number'
    ? `exited with status ${end}`
    : end === notStarted
      ? 'was not started'
      : `failed: ${end.message}`
