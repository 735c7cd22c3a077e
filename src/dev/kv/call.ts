import type { JsonObject } from '../../core/json.ts'
import type { EngineReply, EngineRequest } from '../secrets/engine.ts'
import type { KvStore } from './store.ts'

/** One call below a route of the engine. */
export interface KvCall {
  readonly store: KvStore
  /** The secret's path, without a slash at its end. */
  readonly path: string
  readonly request: EngineRequest
}

export type Handlers = Readonly<Record<string, (call: KvCall) => EngineReply>>

/** `data` with what only real servers show. */
export function withExtras(data: JsonObject, extras: JsonObject, { dialect }: EngineRequest): JsonObject {
  return dialect === 'hashicorp' ? { ...data, ...extras } : data
}
