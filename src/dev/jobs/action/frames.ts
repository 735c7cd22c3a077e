import { parseJson } from '../../../core/json.ts'
import { shaped } from '../../hcl/shape.ts'
import { block } from '../../hcl/schema.ts'
import { number, object, text } from '../state/documents.ts'
import type { WebSocket } from 'ws'

/** What a client sends in one frame of a running action. A heartbeat has no member. */
export interface ClientFrame {
  readonly input?: Buffer
  readonly closeInput?: boolean
  readonly size?: TerminalSize
}

export interface TerminalSize {
  readonly height: number
  readonly width: number
}

const frame = block({
  one: {
    ':stdin': block({ 'text?': ':data', 'bool?': ':close' }),
    ':tty_size': block({ integer: ':height :width' }),
  },
})

/** Reads a frame of a running action; keys in any case, unknown ones ignored. Throws an Error with the reason. */
export function readFrame(source: string): ClientFrame {
  const read = shaped(parseJson(source), frame)
  const { data, close } = object(read, 'stdin') ?? {}
  const size = object(read, 'tty_size')
  return {
    ...(typeof data === 'string' && { input: decode(data) }),
    ...(typeof close === 'boolean' && { closeInput: close }),
    ...(size !== undefined && { size: { height: number(size, 'height'), width: number(size, 'width') } }),
  }
}

const handshake = block({ integer: ':version', text: ':auth_token' })

/** Reads the frame of `ws_handshake=true`: a missing version is 0, a missing token empty. Throws like {@link readFrame}. */
export function readHandshake(source: string): { readonly version: number; readonly token: string } {
  const read = shaped(parseJson(source), handshake)
  return { version: number(read, 'version'), token: text(read, 'auth_token') }
}

function decode(data: string): Buffer {
  const bytes = Buffer.from(data, 'base64')
  if (bytes.toString('base64') !== data) throw new Error('illegal base64 data')
  return bytes
}

/** Frames in order of arrival, kept until they are wanted. */
export class Inbox {
  readonly #waiting: string[] = []
  #deliver = (content: string): void => void this.#waiting.push(content)

  constructor(webSocket: WebSocket) {
    webSocket.on('message', (data: Buffer) => this.#deliver(data.toString()))
  }

  /** The next frame, or an empty one if none comes within so many milliseconds. */
  next(timeout?: number): Promise<string> {
    const first = this.#waiting.shift()
    if (first !== undefined) return Promise.resolve(first)
    return new Promise((resolve) => {
      const keep = this.#deliver
      const finish = (content = '{}') => {
        clearTimeout(timer)
        this.#deliver = keep
        resolve(content)
      }
      const timer = timeout === undefined ? undefined : setTimeout(finish, timeout)
      this.#deliver = finish
    })
  }

  /** Passes on the frames that wait and all later ones. */
  deliver(to: (content: string) => void): void {
    this.#deliver = to
    for (const content of this.#waiting.splice(0)) to(content)
  }
}
