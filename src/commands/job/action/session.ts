import * as api from '../../../api/jobs.ts'
import { tokenHint } from '../../../api/scheduler-hints.ts'
import type { Context } from '../../../core/context.ts'
import type { Socket, SocketEnd } from '../../../core/connection.ts'
import type { ErrorCode } from '../../../core/errors.ts'
import { exitCodes, interrupted, TugError } from '../../../core/errors.ts'
import type { HttpRequest } from '../../../core/request.ts'
import type { Stream, TerminalSize } from './frames.ts'
import { closeInputFrame, heartbeatFrame, inputFrame, readFrame } from './frames.ts'
import type { ActionTask } from './target.ts'
import { passInput, lendTerminal, watchUnusedInput } from './terminal.ts'

/** One action on one allocation. */
export interface ActionRun {
  readonly job: string
  readonly action: string
  readonly target: ActionTask
  readonly tty: boolean
  /** True if it gets standard input, where the service takes any. */
  readonly takesInput: boolean
}

/** The upgrade request. */
function actionRequest({ job, action, target: { allocation, task }, tty }: ActionRun): HttpRequest {
  return api.action(
    { job },
    {
      query: [
        ['action', action],
        ['task', task],
        ['alloc_id', allocation],
        ['tty', String(tty)],
        ['ws_handshake', 'true'],
      ],
    },
  )
}

/** Milliseconds between heartbeats, like the official client's. */
const interval = 10_000
/** Ctrl-C and Ctrl-D as bytes. */
const endKeys = Uint8Array.of(3, 4)

/** Consumes output and makes the service wait while it is busy. */
export type Write = (stream: Stream, bytes: Uint8Array) => Promise<void>

/**
 * Runs an action and returns its exit status (docs/servers.md, Actions). Throws with the usual exit codes before the action starts,
 * with 125 afterwards. `signal` ends the session, but not the action.
 */
export async function runAction(
  context: Context,
  run: ActionRun,
  write: Write,
  signal: AbortSignal = context.signal,
): Promise<number> {
  // Keys need a terminal that is set up for them before anything else.
  const isTyped = run.tty && context.io.stdin.isTTY === true
  const takesKeys = isTyped && (await context.http.takesInput(signal, 0))
  const token = await context.http.connection.token()
  const leaving = new AbortController()
  const away = AbortSignal.any([signal, leaving.signal])
  const socket = await context.http.openSocket(actionRequest(run), away)
  const cleanups: (() => void)[] = [() => socket.close()]
  const cleanUp = () => {
    for (const call of cleanups.splice(0).toReversed()) call()
  }
  try {
    socket.send(JSON.stringify({ version: 1, auth_token: token ?? '' }))
    if (run.tty) {
      // Without a terminal, the size would block the session (docs/servers.md, Actions).
      const resized = ({ rows, columns }: TerminalSize) =>
        socket.send(JSON.stringify({ tty_size: { height: rows, width: columns } }))
      const typed = takesKeys ? (bytes: Uint8Array) => socket.send(inputFrame(bytes)) : undefined
      cleanups.push(lendTerminal(context, { resized, typed, left: () => leaving.abort() }))
    }
    return await Promise.race([
      follow(context, socket, run, write),
      aborted(away),
      provideInput(context, socket, run, cleanups),
    ])
  } catch (error) {
    if (!away.aborted) throw error
    if (takesKeys) socket.send(inputFrame(endKeys))
    await socket.flushed()
    if (signal.aborted) throw interruption(run.action, [run.target.allocation], takesKeys)
    cleanUp()
    // The cursor may be behind the action's last output.
    context.io.note('')
    context.io.note(`left ${run.action} on ${run.target.allocation}, which may still be running`)
    return exitCodes.interrupted
  } finally {
    cleanUp()
  }
}

/** Passes the output on until the exit status arrives. */
async function follow(context: Context, socket: Socket, run: ActionRun, write: Write): Promise<number> {
  let hasBegun = false
  for await (const message of socket.messages) {
    const { output, exitCode } = readFrame(message)
    if (!hasBegun && (output.length > 0 || exitCode !== undefined)) {
      hasBegun = true
      context.started()
    }
    for (const { stream, bytes } of output) await write(stream, bytes)
    if (exitCode !== undefined) return exitCode
  }
  const { job, action, target } = run
  throw endedEarly(context, await socket.ended, { job, action, allocation: target.allocation }, hasBegun)
}

/** Milliseconds until a service whose dialect is unknown is asked: most actions have ended by then. */
const inputTimeout = 2000

/**
 * Keeps the session alive and passes input, or closes it, if the service takes any: a product doesn't send the exit frame before
 * (docs/servers.md, Actions).
 */
async function provideInput(
  context: Context,
  socket: Socket,
  run: ActionRun,
  cleanups: (() => void)[],
): Promise<never> {
  const over = new AbortController()
  cleanups.push(() => over.abort())
  const isTaken = await context.http.takesInput(over.signal, inputTimeout).catch(() => undefined)
  const isOver = isTaken === undefined || over.signal.aborted
  const isAsked = run.takesInput && !run.tty
  if (!isOver && isTaken) {
    const heartbeats = setInterval(() => socket.send(heartbeatFrame), interval)
    cleanups.push(() => clearInterval(heartbeats))
    if (isAsked) cleanups.push(passInput(context, socket))
    else if (!run.tty) socket.send(closeInputFrame)
  } else if (!isOver && isAsked) cleanups.push(watchUnusedInput(context.io))
  return new Promise<never>(() => {})
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(interrupted())
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

/** The command outlives the client; only keys of its terminal could stop it. */
export function interruption(action: string, allocations: readonly string[], isSentKeys = false): TugError {
  const where = allocations.join(', ')
  const state = isSentKeys
    ? `${action} on ${where} was sent Ctrl-C and Ctrl-D, and may still be running`
    : `${action} was not stopped and may still run on ${where}`
  return new TugError('interrupted', `interrupted; ${state}`)
}

const neededCapability =
  'needed: namespace:alloc-exec, and namespace:alloc-node-exec where the task driver does not isolate the file system'

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
function endedEarly(
  context: Context,
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
  if (refusal?.[1] !== undefined) return failed('not_found', words, `see: ${context.commandLine(refusal[1], job)}`)
  if (refusal !== undefined)
    return failed(
      'not_allowed',
      words,
      neededCapability,
      tokenHint(context.settings.targetFlags, context.http.connection.hasToken),
    )
  const command = /^failed to start command: (.*)/s.exec(words)?.[1]
  if (command !== undefined) return failed('tug_failed', `the action's command could not be started: ${command}`)
  const reason = words === '' ? `close code ${end.code}` : words
  return failed('tug_failed', `the service ended the session before the action's exit status: ${reason}`, unknown)
}

function failed(code: ErrorCode, message: string, ...hints: readonly string[]): TugError {
  return new TugError(code, message, { service: 'scheduler', hints })
}
