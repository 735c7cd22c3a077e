import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { serveSockets } from '../../http/socket-server.ts'

/** A session from the test scheduler's side. */
export interface Visit {
  readonly message: IncomingMessage
  readonly query: URLSearchParams
  /** The client's parsed frames; the first is the handshake. */
  readonly received: unknown[]
  readonly webSocket: WebSocket
  readonly socket: Duplex
  /** Sends frames. */
  say(...frames: object[]): void
  /** Ends like the scheduler: the exit frame, then the connection without a close frame. */
  exit(code?: number): void
  /** Resolves with the received frames once there are this many. */
  frames(count: number): Promise<unknown[]>
}

/** A test scheduler with the job `web`, its actions and allocations, and sessions handled by `play`; `connections` counts those that are open. */
export async function serveScheduler(
  play: (visit: Visit) => void,
  answers: { actions?: unknown; allocations?: unknown } = {},
): Promise<{ origin: string; env: Record<string, string>; visits: Visit[]; asked: string[]; connections(): number }> {
  const visits: Visit[] = []
  const asked: string[] = []
  const server = createServer((message, response) => {
    asked.push(message.url ?? '')
    const body = message.url?.endsWith('/actions') === true ? answers.actions : answers.allocations
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? []))
  })
  let connections = 0
  server.on('connection', (socket) => {
    connections += 1
    socket.on('close', () => (connections -= 1))
  })
  const origin = await serveSockets((webSocket, message, socket) => {
    const received: unknown[] = []
    const waiting: { count: number; go: (frames: unknown[]) => void }[] = []
    const say = (...frames: object[]) => {
      for (const frame of frames) webSocket.send(JSON.stringify(frame))
    }
    const visit: Visit = {
      message,
      query: new URL(message.url ?? '', 'http://localhost').searchParams,
      received,
      webSocket,
      socket,
      say,
      exit(code) {
        say({ exited: true, result: code === undefined ? {} : { exit_code: code } })
        socket.end()
      },
      frames: (count) =>
        new Promise((resolve) => {
          waiting.push({ count, go: resolve })
          wake()
        }),
    }
    const wake = () => {
      for (const { count, go } of waiting) if (received.length >= count) go(received)
    }
    webSocket.on('error', () => {})
    webSocket.on('message', (data: Buffer) => {
      received.push(JSON.parse(data.toString()))
      wake()
      // Nothing starts before the handshake.
      if (received.length === 1) play(visit)
    })
    visits.push(visit)
  }, server)
  return {
    origin,
    visits,
    asked,
    connections: () => connections,
    env: { TUG_SCHEDULER_ADDR: origin, TUG_SCHEDULER_TOKEN: 'scheduler-token' },
  }
}

/** A frame of output. */
export function out(stream: 'stdout' | 'stderr', data: string | Uint8Array): object {
  return { [stream]: { data: Buffer.from(data).toString('base64') } }
}

/** An ID with these first eight digits. */
export function idOf(start: string): string {
  return `${start}-0000-4000-8000-000000000000`
}

/** A listed allocation of the group `frontend` with the running task `server`. */
export function allocation(start: string, index: number, changes: object = {}): object {
  return {
    ID: idOf(start),
    Name: `web.frontend[${index}]`,
    NodeName: `node-${index}`,
    TaskGroup: 'frontend',
    ClientStatus: 'running',
    DesiredStatus: 'run',
    TaskStates: { server: { State: 'running' } },
    ...changes,
  }
}

/** A listed action. */
export function definition(name: string, group = 'frontend', task = 'server'): object {
  return { Name: name, Command: '/bin/true', Args: [], TaskGroupName: group, TaskName: task }
}

/** A command line without lookups. */
export const direct = `job action web migrate --alloc ${idOf('9c0f11aa')} --task server`
