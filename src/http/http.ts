import type { Connection, Socket } from '../core/connection.ts'
import { TugError, DryRunEnd } from '../core/errors.ts'
import type { Http, Memory } from '../core/http.ts'
import type { HttpRequest, RouteSettings } from '../core/request.ts'
import { bindSettings, isWrite } from '../core/request.ts'
import type { Service } from '../core/service.ts'
import type { Translator } from './dialect.ts'
import type { Rights } from './rights.ts'

/** What a service's HTTP client gets from its invocation. */
export interface HttpOptions {
  readonly connection: Connection
  readonly service: () => Promise<Service>
  /** The values of `{org}` and `{mount}`. */
  readonly route: () => RouteSettings
  /** What makes the invocation read-only. */
  readonly readOnlyBy: string | undefined
  readonly dryRun: boolean
  readonly signal: AbortSignal
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly memory: Memory
  /** Opens the client on first use: a command that needs no service needs no address. */
  readonly open: () => Promise<Translator>
  readonly openSocket: (request: HttpRequest, signal: AbortSignal, client: Translator) => Promise<Socket>
  /** Shows that a response is awaited, until `end` is called. */
  readonly waiting: () => { end(): void }
  /** Called after a write was carried out. */
  readonly wrote: () => void
}

export function createHttp(options: HttpOptions): Http {
  const { connection, memory, dryRun } = options
  let opened: Promise<Translator> | undefined
  let rights: Rights | undefined
  const client = () => (opened ??= options.open())

  /** The request with the settings in its path filled in. Throws for a write if the invocation is read-only. */
  function bound<T>(request: HttpRequest<T>): HttpRequest<T> {
    const full = bindSettings(request, options.route())
    if (
      options.readOnlyBy !== undefined &&
      !dryRun &&
      (isWrite(full) || Object.keys(full.headers ?? {}).some((name) => wrapHeader.test(name)))
    )
      throw readOnlyError(options.readOnlyBy, `${full.method} ${full.path}`)
    return full
  }

  return {
    connection,
    memory,
    async send(request) {
      const activity = options.waiting()
      try {
        const full = bound(request)
        const response = await (await client()).send(full)
        if (isWrite(request) && response.status < 300) options.wrote()
        return response
      } finally {
        activity.end()
      }
    },
    async stream(request) {
      const activity = options.waiting()
      try {
        const full = bound(request)
        return await (await client()).stream(full)
      } finally {
        activity.end()
      }
    },
    async openSocket(request, signal) {
      const full = bound(request)
      if (!dryRun) return options.openSocket(full, signal, await client())
      const { upgradeOf } = await import('./dry-run.ts')
      await (await client()).send(upgradeOf(full))
      throw new DryRunEnd()
    },
    async refusals(writes) {
      const service = await options.service()
      if (service.rights === undefined) return undefined
      const { createRights } = await import('./rights.ts')
      rights ??= createRights(service, { client: await client(), memory }, await service.rights())
      return rights.refusals(writes.map((request) => bindSettings(request, options.route())))
    },
    async takesInput(signal, timeout) {
      const { dialectQuestion } = await options.service()
      const translator = await client()
      if (memory.dialect === 'auto' && dialectQuestion !== undefined) {
        await options.sleep(timeout, signal)
        await translator.send(dialectQuestion).catch(() => undefined)
      }
      return memory.dialect === 'hashicorp'
    },
    async certificateEnd() {
      if (dryRun) return null
      const { certificateEnd } = await import('./tls.ts')
      return certificateEnd(connection, options.signal)
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
