import { parseJson } from '../../../core/json.ts'
import { shaped } from '../../hcl/canonical/shape.ts'
import { block } from '../../hcl/schema/schema.ts'
import { number, object, text } from '../state/documents.ts'

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

const frame = block({
  one: {
    ':stdin': block({ 'text?': ':data', 'bool?': ':close' }),
    ':tty_size': block({ integer: ':height :width' }),
  },
})

/** Reads a frame of a running action; keys in any case, unknown ones ignored. Throws an Error that says what is wrong. */
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
