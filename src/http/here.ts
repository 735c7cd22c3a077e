import type { Connection } from '../core/connection.ts'
import type { Layer, Memory } from '../core/http.ts'
import type { Limiter } from '../core/limiter.ts'
import type { HttpRequest, RouteSettings } from '../core/request.ts'
import type { Dialect, Service } from '../core/service.ts'
import type { Outage } from './outage.ts'
import type { Trace } from './trace.ts'
import type { Transport } from './transport.ts'

/** The server of a request, namespace and region. */
export interface Server {
  readonly service: Service
  readonly connection: Connection
  readonly dialect: Dialect
  readonly namespace: string | undefined
  readonly region: string | undefined
  /** For hints. */
  readonly targetFlags: readonly string[]
}

/** What the layers of one session's requests share. */
export interface Here extends Server {
  readonly memory: Memory
  /** The values of `{org}` and `{mount}`. */
  readonly route: RouteSettings
  /** What makes the invocation read-only. */
  readonly readOnlyBy: string | undefined
  /** The layer of `--dry-run`. */
  readonly dryRun: Layer<Here> | undefined
  /** Milliseconds. */
  readonly timeout: number
  /** The same for a WebSocket's connection and upgrade. */
  readonly connectTimeout: number
  readonly retries: number
  /** Maximum size of a buffered body, in bytes. */
  readonly maxBody: number
  readonly signal: AbortSignal
  readonly transport: () => Promise<Transport>
  /** Closes idle connections, which also count at the server. */
  readonly retire: () => Promise<void>
  readonly userAgent: string
  /** Waits; throws "interrupted" when the signal is aborted. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Waits until then or until this signal is aborted, which throws. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number
  /** Shared by all sessions with this server, as are the slots of its sockets and its outage. */
  readonly limiter: Limiter
  readonly sockets: Limiter
  readonly outage: Outage
  /** True if the body of a failed response is the result, not only the source of a message. */
  readonly keepsBodies: boolean
  /** A dim line on stderr (`429 from the service, waiting 12s`). */
  readonly note: (line: string) => void
  readonly warn: (line: string) => void
  /** Undefined without `--trace`. */
  readonly trace: Trace | undefined
  /** Shows that a response is awaited, until `end` is called. */
  readonly waiting: () => { end(): void }
  /** Called with a write when it is sent, and with undefined when it is over, so an interrupt can report it. */
  readonly writing: (request: HttpRequest | undefined) => void
  /** Called after a write was carried out. */
  readonly wrote: () => void
}
