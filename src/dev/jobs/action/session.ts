import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { DevReply, DevRequest } from '../../http.ts'
import { Refused, findTarget, type ActionBackend } from './target.ts'
import { Inbox, readFrame, type ClientFrame, type TerminalSize } from './frames.ts'
import { startPiped, type ProcessListener, type RunningProcess } from './process.ts'
import { startInTerminal } from './terminal.ts'
import type { IncomingMessage } from 'node:http'

/** Milliseconds that a terminal waits for the size, which a client sends first. */
const sizeTimeout = 100

/**
 * Runs a session after its upgrade: parameters, handshake and permission, then the command, with frames both ways until it
 * ends. A command outlives a client that leaves; only closing the local server ends it. Never rejects: errors become close
 * frames.
 */
async function runAction(
  request: DevRequest,
  webSocket: WebSocket,
  socket: Duplex,
  backend: ActionBackend,
): Promise<void> {
  const inbox = new Inbox(webSocket)
  try {
    const { command, tty } = await findTarget(request, inbox, backend)
    const first = tty ? await inbox.next(sizeTimeout) : '{}'
    if (backend.closed.aborted) return

    const session = new Session(request, webSocket, socket, tty)
    const running = tty ? startInTerminal(command, sizeIn(first), session) : startPiped(command, session)
    backend.closed.addEventListener('abort', () => running.kill(), { once: true })
    session.begin(running)
    session.receive(first)
    inbox.deliver((text) => session.receive(text))
    if (backend.closed.aborted) running.kill()
  } catch (error) {
    const code = error instanceof Refused ? error.code : 1011
    closeWith(webSocket, socket, code, error instanceof Error ? error.message : String(error))
  }
}

/** Ends a session with a close frame. A reason that is too long for one ends the connection without it. */
function closeWith(webSocket: WebSocket, socket: Duplex, code: number, reason: string): void {
  if (Buffer.byteLength(reason) > 123) socket.end()
  else webSocket.close(code, reason)
}

/** The size in a frame, if it holds one; a frame with faults is for the session to judge. */
function sizeIn(text: string): TerminalSize | undefined {
  try {
    return readFrame(text).size
  } catch {
    return undefined
  }
}

const chunk = 4096

class Session implements ProcessListener {
  readonly #webSocket: WebSocket
  readonly #socket: Duplex
  readonly #tty: boolean
  readonly #neutral: boolean
  /** The specification has none. A terminal takes it from a client of unknown dialect. */
  readonly #takesInput: boolean
  #running: RunningProcess | undefined
  #exitCode: number | undefined
  #inputClosed = false
  /** Ignores further frames, as real servers silently do after one they cannot use. */
  #ignoresFrames = false
  /** Real servers report a bad frame only with the next output. */
  #fault: Error | undefined

  constructor(request: DevRequest, webSocket: WebSocket, socket: Duplex, tty: boolean) {
    this.#neutral = request.dialect === 'neutral'
    this.#takesInput = !this.#neutral || (tty && request.assumed === true)
    this.#webSocket = webSocket
    this.#socket = socket
    this.#tty = tty
  }

  begin(running: RunningProcess): void {
    this.#running = running
    if (this.#neutral) this.#closeInput()
  }

  receive(text: string): void {
    if (this.#ignoresFrames) return
    try {
      this.#obey(readFrame(text))
    } catch (error) {
      this.#ignoresFrames = true
      this.#fault = error instanceof Error ? error : new Error(String(error))
    }
  }

  #obey({ size, input, closeInput }: ClientFrame): void {
    if (size !== undefined && this.#tty) this.#running?.resize(size)
    if (!this.#takesInput) return
    // A size without a terminal wedges a session of a real server too.
    if (size !== undefined && !this.#tty) this.#ignoresFrames = true
    if (this.#ignoresFrames) return
    if (input !== undefined && this.#running?.write(input) === false) this.#webSocket.pause()
    if (closeInput === true) {
      this.#closeInput()
      this.#finish()
    }
  }

  #closeInput(): void {
    this.#running?.closeInput()
    this.#inputClosed = true
  }

  output(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return
    for (let at = 0; at < bytes.length; at += chunk) {
      this.#send({ [stream]: { data: bytes.toString('base64', at, at + chunk) } })
    }
    if (this.#fault !== undefined) closeWith(this.#webSocket, this.#socket, 1011, this.#fault.message)
  }

  drained(): void {
    this.#webSocket.resume()
  }

  exited(code: number): void {
    this.#exitCode = code
    this.#finish()
  }

  failed(reason: string): void {
    const text = `rpc error: code = Unknown desc = failed to start command: ${reason}`
    closeWith(this.#webSocket, this.#socket, 1011, text)
  }

  #send(frame: object): void {
    this.#webSocket.send(JSON.stringify(frame))
  }

  /** Sends the last frames once the command has ended and, without a terminal, the client has closed its input. */
  #finish(): void {
    const waits = !this.#neutral && !this.#tty && !this.#inputClosed
    if (this.#exitCode === undefined || waits || this.#webSocket.readyState !== this.#webSocket.OPEN) return
    if (!this.#tty) this.#send({ stderr: { close: true } })
    this.#send({ stdout: { close: true } })
    this.#send({ exited: true, result: this.#exitCode === 0 ? {} : { exit_code: this.#exitCode } })
    if (this.#neutral) this.#webSocket.close(1000)
    // Real servers end the connection without a close frame.
    else this.#socket.end()
  }
}

const upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false })

/**
 * Answers a WebSocket upgrade of `/v1/job/:job/action`: runs the action's command on this machine. As on real servers almost
 * every error comes after the upgrade, in a close frame, and an upgrade of any other path is accepted and left silent.
 */
export function handleAction(
  request: DevRequest,
  message: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  backend: ActionBackend,
): void {
  upgrades.handleUpgrade(message, socket, head, (webSocket) => {
    const hangUp = () => webSocket.terminate()
    backend.closed.addEventListener('abort', hangUp, { once: true })
    webSocket.on('close', () => backend.closed.removeEventListener('abort', hangUp))
    // `ws` hangs up by itself when a client breaks off or violates the protocol.
    webSocket.on('error', () => {})
    if (request.segments.at(-1) === 'action') void runAction(request, webSocket, socket, backend)
  })
}

/** The answer to a plain request of the action path. */
export const withoutUpgrade: DevReply = {
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'websocket connection not found in context',
}
