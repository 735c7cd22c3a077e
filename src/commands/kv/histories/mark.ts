import { randomBytes } from 'node:crypto'
import type { Context } from '../../../core/context.ts'
import type { JsonObject } from '../../../core/json.ts'
import { isObject, lookUp, objectFrom } from '../../../core/json.ts'
import { encodeSegments } from '../../../core/request.ts'
import type { SecretRecord, VersionRecord } from './record.ts'
import { stateBy } from './record.ts'

/**
 * The key of the mark in the custom metadata of a secret whose history is being written, and the only key of the data of a placeholder. Its
 * value is `<created_time of the source> run <id> copy of <path>`.
 */
export const markKey = 'tug-unfinished'

/** Custom metadata has at most 512 bytes a value. */
const longest = 500

/** Identifies a run in its marks. */
export function newRun(): string {
  return randomBytes(6).toString('hex')
}

/** The mark of a history that a run is writing; `from` is where it comes from. */
export function markOf({ created_time }: SecretRecord, run: string, from: string): string {
  return `${created_time} run ${run} copy of ${encodeSegments(from)}`.slice(0, longest)
}

/** The mark in custom metadata or data, whoever has written it. */
export function markIn(map: JsonObject | null | undefined): string | undefined {
  const mark = isObject(map) ? lookUp(map, markKey) : undefined
  return typeof mark === 'string' ? mark : undefined
}

/** True if the mark is of a copy of this very secret, by any run. */
export function isMarkOf({ created_time }: SecretRecord, mark: string | undefined): boolean {
  return mark?.startsWith(`${created_time} run `) === true
}

/** The data of a version that is destroyed in the end. */
export function placeholderOf(mark: string): JsonObject {
  return objectFrom([[markKey, mark]])
}

/** True for a version that an unfinished copy of this secret has written, and that will be destroyed. */
export function isPlaceholder(source: SecretRecord, version: VersionRecord | undefined, now: Date): boolean {
  return version !== undefined && stateBy(now, version) === 'live' && isMarkOf(source, markIn(version.data))
}

/** Says that a secret has a mark, and how it goes. */
export function markWords({ commandLine }: Context, path: string, mark: string): string {
  const removal = commandLine('kv metadata patch', path, ['--remove-custom-metadata', markKey])
  return `unfinished: ${mark}; run that copy again, or if it is whole, remove the mark: ${removal}`
}
