import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { ClientOptions } from 'ws'
import type { Dialect, DevRequest } from '../../../src/dev/http.ts'
import { devRequest } from '../request.ts'
import { handleAction, withoutUpgrade } from '../../../src/dev/jobs/action/session.ts'
import { Access } from '../../../src/dev/jobs/api/tokens.ts'
import type { Token } from '../../../src/dev/jobs/api/tokens.ts'
import type { Allocation } from '../../../src/dev/jobs/state/model.ts'

/** A loopback server that runs actions, and the means to close it as the scheduler would. */
export interface ActionServer {
  readonly port: number
  /** The server's ends of the connections. */
  readonly sockets: readonly Duplex[]
  /** What the service's own close does to sessions and commands. */
  close(): void
}

export interface ServerOptions {
  readonly dialect?: Dialect
  readonly assumed?: boolean
  readonly allocations: readonly ActionAllocation[]
  /** With them ACLs are on. */
  readonly tokens?: ReadonlyMap<string, Token>
}

/** What actions read of an allocation. */
export interface ActionAllocation {
  readonly id: string
  readonly jobId: string
  readonly namespace: string
  readonly taskGroup: string
  readonly tasks: readonly {
    readonly name: string
    readonly running: boolean
    readonly actions: readonly { readonly name: string; readonly command: string; readonly args: readonly string[] }[]
  }[]
}

function allocationOf({ taskGroup, tasks, ...rest }: ActionAllocation): Allocation {
  const documents = tasks.map(({ name, actions }) => ({
    Name: name,
    Actions: actions.map(({ name: action, command, args }) => ({ Name: action, Command: command, Args: [...args] })),
  }))
  const states = tasks.map(({ name, running }) => [name, { state: running ? 'running' : 'dead' }] as const)
  const made = {
    ...rest,
    group: taskGroup,
    name: `${rest.jobId}.${taskGroup}[0]`,
    job: { TaskGroups: [{ Name: taskGroup, Tasks: documents }] },
    tasks: new Map(states),
  }
  return made as unknown as Allocation
}

/** Listens on a free port until the test ends. */
export async function serveActions({
  dialect = 'hashicorp',
  assumed = false,
  allocations,
  tokens,
}: ServerOptions): Promise<ActionServer> {
  const closing = new AbortController()
  const backend = {
    allocations: new Map(allocations.map((one) => [one.id, allocationOf(one)])),
    access: new Access(tokens),
    closed: closing.signal,
  }
  const server = createServer((_, response) => {
    response.writeHead(withoutUpgrade.status, { ...withoutUpgrade.headers }).end(withoutUpgrade.body)
  })
  const sockets: Duplex[] = []
  server.on('upgrade', (message, socket, head) => {
    sockets.push(socket)
    handleAction({ ...requestOf(message, dialect), assumed }, message, socket, head, backend)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    closing.abort()
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets, close: () => closing.abort() }
}

function requestOf({ method = '', url = '', headers }: IncomingMessage, dialect: Dialect): DevRequest {
  return devRequest(method, url, { headers, dialect, origin: `http://${headers.host ?? ''}` })
}

/** What a session has seen so far, and ways to wait for more. */
export class Session {
  readonly socket: WebSocket
  readonly #output: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] }
  /** Frames other than data, in order. */
  readonly control: unknown[] = []
  readonly pongs: string[] = []
  /** Sizes of the pieces that the output came in. */
  readonly pieces: number[] = []
  end: { code: number; reason: string } | undefined
  readonly #waiting = new Set<() => void>()

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => this.#take(data.toString()))
    socket.on('pong', (data) => {
      this.pongs.push(data.toString())
      this.#changed()
    })
    socket.on('close', (code, reason) => {
      this.end = { code, reason: reason.toString() }
      this.#changed()
    })
    socket.on('error', () => {})
  }

  #take(text: string): void {
    const frame = JSON.parse(text) as { stdout?: { data?: string }; stderr?: { data?: string } }
    for (const stream of ['stdout', 'stderr'] as const) {
      const data = frame[stream]?.data
      if (data === undefined) continue
      const bytes = Buffer.from(data, 'base64')
      this.pieces.push(bytes.length)
      this.#output[stream].push(bytes)
      this.#changed()
      return
    }
    this.control.push(frame)
    this.#changed()
  }

  #changed(): void {
    for (const check of this.#waiting) check()
  }

  /** Resolves when the condition holds; rejects when the session ends before. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (!condition() && this.end === undefined) return
        this.#waiting.delete(check)
        if (condition()) resolve()
        else reject(new Error(`ended with ${JSON.stringify(this.end)} after ${JSON.stringify(this.control)}`))
      }
      this.#waiting.add(check)
      check()
    })
  }

  ended(): Promise<void> {
    return this.until(() => this.end !== undefined)
  }

  /** Resolves when the server has read all that was sent before. */
  async roundTrip(): Promise<void> {
    const word = `round trip ${this.pongs.length}`
    this.socket.ping(word)
    await this.until(() => this.pongs.includes(word))
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame))
  }

  type(text: string): void {
    this.send({ stdin: { data: Buffer.from(text).toString('base64') } })
  }

  output(stream: 'stdout' | 'stderr' = 'stdout'): Buffer {
    return Buffer.concat(this.#output[stream])
  }

  text(stream: 'stdout' | 'stderr' = 'stdout'): string {
    return this.output(stream).toString()
  }
}

/** Connects; resolves once the server has upgraded the connection. */
export async function connect(port: number, path: string, options: ClientOptions = {}): Promise<Session> {
  const session = new Session(new WebSocket(`ws://127.0.0.1:${port}${path}`, options))
  await new Promise<void>((resolve, reject) => {
    session.socket.once('open', resolve).once('error', reject)
  })
  return session
}
