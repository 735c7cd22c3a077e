import type { Json, JsonObject } from '../../core/json.ts'
import type { DevReply, DevRequest, Dialect } from '../http.ts'

/** What an engine of the demo secrets store is asked and answers; the front keeps tokens, mounts and envelopes to itself. */

export interface EngineRequest {
  /** Upper case. A list request is told by {@link list}, not by this. */
  readonly method: string
  /** The path below the mount, each segment decoded. */
  readonly segments: readonly string[]
  /** The path ended with a slash (which is no segment). */
  readonly trailingSlash: boolean
  /** Method LIST, or `GET …?list=true`. */
  readonly list: boolean
  readonly query: URLSearchParams
  /** The JSON object sent, if any. */
  readonly body: JsonObject | undefined
  /** The media type of the body, without parameters, in lower case. */
  readonly contentType: string | undefined
  readonly dialect: Dialect
  readonly rawRequest: DevRequest
}

/** What becomes an envelope (`data`, `warnings`), an error body (`errors`) or is passed on as it is (`raw`). */
export interface EngineReply {
  /** A 204 that has warnings becomes a 200. */
  readonly status: number
  readonly data?: Json
  readonly warnings?: readonly string[]
  /** Present, even empty, makes the body `{"errors": […]}`. */
  readonly errors?: readonly string[]
  readonly raw?: DevReply
  /** Seconds, for `lease_duration`; 0 when absent. */
  readonly lease?: number
}

export interface SecretsEngine {
  handle(request: EngineRequest): Promise<EngineReply> | EngineReply
  /** Whether a POST to this path is an update; if not, it needs the capability `create`. Absent: always an update. */
  exists?(segments: readonly string[]): boolean
}
