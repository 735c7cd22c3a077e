import { isObject } from '../../../core/json.ts'

/** What a client sends in one frame of a running action. A heartbeat has no member. */
export interface ClientFrame {
  readonly input?: Buffer
  readonly closeInput?: boolean
  readonly size?: TerminalSize
}

/** In character cells. */
export interface TerminalSize {
  readonly height: number
  readonly width: number
}

/** Reads a frame of a running action; keys in any case, unknown ones ignored. Throws an Error that says what is wrong. */
export function readFrame(text: string): ClientFrame {
  const frame = members(JSON.parse(text))
  const input = members(frame.get('stdin') ?? {})
  const size = frame.get('tty_size') ?? undefined
  const data = expect('string', input.get('data'))
  const close = expect('boolean', input.get('close'))
  return {
    ...(data !== undefined && { input: decode(data) }),
    ...(close !== undefined && { closeInput: close }),
    ...(size !== undefined && { size: readSize(members(size)) }),
  }
}

/** Reads the frame of `ws_handshake=true`: a missing version is 0, a missing token empty. Throws like {@link readFrame}. */
export function readHandshake(text: string): { readonly version: number; readonly token: string } {
  const frame = members(JSON.parse(text))
  return {
    version: expect('number', frame.get('version')) ?? 0,
    token: expect('string', frame.get('auth_token')) ?? '',
  }
}

function members(value: unknown): Map<string, unknown> {
  if (!isObject(value)) throw new Error('not an object')
  return new Map(Object.entries(value).map(([key, member]) => [key.toLowerCase(), member]))
}

interface Kinds {
  readonly string: string
  readonly boolean: boolean
  readonly number: number
}

function expect<Kind extends keyof Kinds>(kind: Kind, value: unknown): Kinds[Kind] | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== kind) throw new Error(`not a ${kind}`)
  return value as Kinds[Kind]
}

function readSize(size: Map<string, unknown>): TerminalSize {
  return { height: expect('number', size.get('height')) ?? 0, width: expect('number', size.get('width')) ?? 0 }
}

function decode(data: string): Buffer {
  const bytes = Buffer.from(data, 'base64')
  if (bytes.toString('base64') !== data) throw new Error('illegal base64 data')
  return bytes
}
