import { at, number, text } from '../../../core/answer.ts'
import type { Json } from '../../../core/json.ts'
import { TugError } from '../../../core/errors.ts'
import { isObject, jsonOrNothing, keysOf, plainText } from '../../../core/json.ts'

/** An action's output stream. */
export type Stream = 'stdout' | 'stderr'

/** One frame of a running action, from the server; a heartbeat has no members (docs/servers.md, Actions). */
export interface ServerFrame {
  readonly output: readonly { readonly stream: Stream; readonly bytes: Uint8Array }[]
  /** In the last frame only. */
  readonly exitCode?: number
}

/** In character cells. */
export interface TerminalSize {
  readonly rows: number
  readonly columns: number
}

/**
 * Reads a frame. Throws a TugError (125) if it isn't a JSON object or its output isn't base64. What the specification doesn't show
 * of standard error is passed on as it came.
 */
export function readFrame(frame: string): ServerFrame {
  const value = jsonOrNothing(frame)
  if (!isObject(value)) throw unreadable("a frame that isn't a JSON object", frame)
  const output = (['stdout', 'stderr'] as const).flatMap((stream) => {
    const member = at(value, stream) ?? null
    if (member === null) return []
    if (isObject(member)) {
      const { data = null, close } = member
      if (data !== null) {
        const base64 = text(data) ?? '!'
        if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64))
          throw unreadable(`${stream} that isn't base64`, base64)
        return [{ stream, bytes: Buffer.from(base64, 'base64') }]
      }
      if (close === true) return []
    }
    if (stream === 'stderr') return [{ stream, bytes: Buffer.from(`${plainText(member)}\n`) }]
    throw unreadable('output of an unknown form', frame)
  })
  const exited = at(value, 'exited') ?? false
  return exited === false ? { output } : { output, exitCode: exitCodeOf(value, frame) }
}

/**
 * Status 0 is an empty result. A status that a process here cannot have becomes 255. Throws (125) for anything but `true` and a
 * result that is empty or has a whole number.
 */
function exitCodeOf(value: Json, frame: string): number {
  const result = at(value, 'result')
  const isWellFormed = at(value, 'exited') === true && isObject(result)
  const isEmpty = isObject(result) && keysOf(result).length === 0
  const code = isEmpty ? 0 : number(result, 'exit_code')
  if (!isWellFormed || code === undefined || !Number.isInteger(code))
    throw unreadable('an exit frame without an exit status', frame)
  return code >= 0 && code <= 255 ? code : 255
}

export const closeInputFrame = JSON.stringify({ stdin: { close: true } })
export const heartbeatFrame = '{}'

/** Typed keys. */
export function inputFrame(bytes: Uint8Array): string {
  return JSON.stringify({ stdin: { data: Buffer.from(bytes).toString('base64') } })
}

function unreadable(what: string, frame: string): TugError {
  return new TugError('tug_failed', `the service sent ${what}: ${frame.slice(0, 60)}`, {
    service: 'scheduler',
    hints: ['the remaining output and the exit status are lost; the action may still be running'],
  })
}
