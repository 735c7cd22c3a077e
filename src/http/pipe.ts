import type { Socket } from '../core/connection.ts'
import { TugError } from '../core/errors.ts'
import type { Http, Layer, Send } from '../core/http.ts'
import { bindSettings, isUpgrade, isWrite } from '../core/request.ts'
import { spoken } from './dialect.ts'
import { streamEnd, wholeEnd } from './ends.ts'
import { ignoredByProduct } from './failure.ts'
import type { Here } from './here.ts'
import { repeated } from './repeat.ts'
import type { Rights } from './rights.ts'

/**
 * What every request of a session passes on its way to the server, outermost first; the layers of commands come before these. A stream
 * and a WebSocket pass the same layers as a whole response.
 */
const layers: readonly Layer<Here>[] = [
  /** Shows that a response is awaited. */
  (next, { waiting }) =>
    async (request) => {
      const activity = isUpgrade(request) ? undefined : waiting()
      try {
        return await next(request)
      } finally {
        activity?.end()
      }
    },
  /** Fills in `{org}` and `{mount}`; a read-only run refuses a write. */
  (next, { route, readOnlyBy, dryRun }) =>
    (request) => {
      const full = bindSettings(request, route)
      const { method, path, headers = {} } = full
      const changes = () => isWrite(full) || Object.keys(headers).some((name) => wrapHeader.test(name))
      if (readOnlyBy !== undefined && dryRun === undefined && changes())
        throw readOnlyError(readOnlyBy, `${method} ${path}`)
      return next(full)
    },
  spoken,
  /** Adds the namespace and the region. */
  (next, here) => (request) => next(here.service.place(request, here)),
  (next, here) => here.dryRun?.(next, here) ?? next,
  /** Opens a socket when fewer than the limit are open. */
  (next, here) => (request) =>
    isUpgrade(request)
      ? import('./open-socket.ts').then(({ holdSocket }) => holdSocket(here, request, next))
      : next(request),
  /** Prepares a request that needs it. A missing address is the more useful error. */
  (next, { connection }) =>
    (request) => {
      connection.address()
      const prepared = request.ready?.()
      return prepared instanceof Promise ? prepared.then(() => next(request)) : next(request)
    },
  repeated,
  /** Refuses what the server is known to ignore. */
  (next, { memory, service, targetFlags }) =>
    (request) => {
      if (memory.isProduct && request.neutralOnly !== undefined)
        throw ignoredByProduct(service, request.neutralOnly, targetFlags)
      return next(request)
    },
  /** Names the write that is under way, and notes one that was carried out. */
  (next, { writing, wrote }) => {
    const written: Send = async (request) => {
      writing(request)
      try {
        const answer = await next(request)
        if (answer.status < 300) wrote()
        return answer
      } finally {
        writing(undefined)
      }
    }
    return (request) => (isWrite(request) ? written(request) : next(request))
  },
]

/** The ways to a server, each with the same layers: to a whole response, to a stream, to a WebSocket. */
export type Pipe = ReturnType<typeof openPipe>

/** Puts the layers before what sends. */
export function openPipe(here: Here) {
  const to = <S>(end: S): S =>
    layers.reduceRight<Send>((next, layer) => layer(next, here), end as unknown as Send) as unknown as S
  const openSocket = (signal: AbortSignal) =>
    to(async (request: Parameters<Send>[0]): Promise<Socket> => {
      const { socketEnd } = await import('./open-socket.ts')
      return socketEnd(here, request, signal)
    })
  return { here, send: to(wholeEnd(here)), stream: to(streamEnd(here)), openSocket }
}

/** The HTTP client of a session. `open` is called on first use: a command that needs no service needs no address. */
export function createHttp(
  { connection, memory }: Pick<Http, 'connection' | 'memory'>,
  open: () => Promise<Here>,
): Http {
  let opening: Promise<Pipe> | undefined
  let opened: Pipe | undefined
  let rights: Rights | undefined
  const pipe = () => (opening ??= open().then((here) => (opened = openPipe(here))))
  // What is open is not awaited: there are thousands of requests.
  const send: Send = (request) => opened?.send(request) ?? pipe().then((first) => first.send(request))
  return {
    connection,
    memory,
    send,
    stream: async (request) => (await pipe()).stream(request),
    openSocket: async (request, signal) => (await pipe()).openSocket(signal)(request),
    async rights(writes) {
      const { here } = await pipe()
      if (here.service.rights === undefined) return undefined
      const { createRights } = await import('./rights.ts')
      rights ??= createRights(here, send, await here.service.rights())
      return rights.ask(writes)
    },
    async takesInput(signal, timeout) {
      const { service, pause } = (await pipe()).here
      const { dialectQuestion } = service
      if (memory.dialect === 'auto' && dialectQuestion !== undefined) {
        await pause(timeout, signal)
        await send(dialectQuestion).catch(() => undefined)
      }
      return memory.dialect === 'hashicorp'
    },
    async certificateEnd() {
      const { dryRun, signal } = (await pipe()).here
      if (dryRun !== undefined) return null
      const { certificateEnd } = await import('./tls.ts')
      return certificateEnd(connection, signal)
    },
    through(layer) {
      return Object.assign(Object.create(this) as Http, { send: layer(this.send, this) })
    },
  }
}

/** Requests a wrapped response, which the server stores with a token for it: a change. */
const wrapHeader = /^x-(?:secrets|vault)-wrap-ttl$/i

/** The error for a request that was not sent because the invocation is read-only; `by` is what makes it so. */
export function readOnlyError(by: string, what: string): TugError {
  const message = `${by} makes this run read-only; ${what} was not sent`
  const hints = by.startsWith('profile ') ? [] : ['run it without --read-only and TUG_READ_ONLY to allow writes']
  return new TugError('usage', message, { reason: 'read_only', hints })
}
