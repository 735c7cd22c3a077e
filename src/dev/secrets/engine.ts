import type { Json, JsonObject } from '../../core/json.ts'
import type { DevReply, Dialect } from '../http.ts'

/** What the front passes to an engine. Tokens, mounts and envelopes are the front's own business. */
export interface EngineRequest {
  /** Upper case; LIST also for `GET …?list=true`. */
  readonly method: string
  /** The path below the mount, each segment decoded. */
  readonly segments: readonly string[]
  /** The path ended with a slash (which is not a segment). */
  readonly trailingSlash: boolean
  readonly query: URLSearchParams
  /** The JSON object sent; empty if there was none. */
  readonly body: JsonObject
  readonly dialect: Dialect
}

/** What becomes an envelope (`data`, `warnings`), an error body (`errors`) or is passed on unchanged (`raw`). */
export interface EngineReply {
  /** A 204 with warnings becomes a 200. */
  readonly status: number
  readonly data?: Json
  readonly warnings?: readonly string[]
  /** Even empty, makes the body `{"errors": […]}`. */
  readonly errors?: readonly string[]
  readonly raw?: DevReply
  /** Seconds, for `lease_duration`. */
  readonly lease?: number
}

export interface SecretsEngine {
  /** May throw a Refusal. */
  handle(request: EngineRequest): Promise<EngineReply> | EngineReply
}
