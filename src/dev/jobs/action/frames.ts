import { firstJsonValue } from './json.ts'

/** What a client says in one frame of a running action (contract d, "Client frames"). A heartbeat has no member. */
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

/**
 * A frame whose JSON has the wrong shape. The service's own words for it are longer than a close frame may carry, so that its
 * client sees the connection end and nothing else.
 */
export class FrameShapeError extends Error {}

/** Thrown for input that is no base64; the message is the one of the service's decoder. */
class FrameDataError extends Error {}

/**
 * Reads a frame of a running action; keys in any case, unknown ones ignored.
 * Throws GoJsonError, {@link FrameShapeError} or {@link FrameDataError}.
 */
export function readFrame(text: string): ClientFrame {
  const frame = members(JSON.parse(firstJsonValue(text)))
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

/** Reads the frame of `ws_handshake=true`: a missing version is 0, a missing token empty. Throws as {@link readFrame}. */
export function readHandshake(text: string): { readonly version: number; readonly token: string } {
  const frame = members(JSON.parse(firstJsonValue(text)))
  return {
    version: expect('number', frame.get('version')) ?? 0,
    token: expect('string', frame.get('auth_token')) ?? '',
  }
}

function members(value: unknown): Map<string, unknown> {
  if (typeof value !== 'object' || Array.isArray(value)) throw new FrameShapeError('not an object')
  return new Map(Object.entries(value ?? {}).map(([key, member]) => [key.toLowerCase(), member]))
}

interface Kinds {
  readonly string: string
  readonly boolean: boolean
  readonly number: number
}

function expect<Kind extends keyof Kinds>(kind: Kind, value: unknown): Kinds[Kind] | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== kind) throw new FrameShapeError(`not a ${kind}`)
  return value as Kinds[Kind]
}

function readSize(size: Map<string, unknown>): TerminalSize {
  return { height: expect('number', size.get('height')) ?? 0, width: expect('number', size.get('width')) ?? 0 }
}

function decode(data: string): Buffer {
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data)) return Buffer.from(data, 'base64')
  const wrong = data.search(/[^A-Za-z0-9+/]/)
  throw new FrameDataError(`illegal base64 data at input byte ${wrong === -1 ? data.length : wrong}`)
}
