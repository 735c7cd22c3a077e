import type { SecretMetadata, VersionTimes } from '../../../api/kv.ts'
import { asJson, text as textAt } from '../../../core/answer.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import type { Json } from '../../../core/json.ts'
import { plainText } from '../../../core/json.ts'
import type { Column } from '../../../core/output.ts'
import type { Param } from '../../../core/param.ts'
import { flag, readInteger, readLabelled } from '../../../core/param.ts'

/** The data of a `deleted` version can be restored, that of a `destroyed` one cannot. */
export type VersionState = 'live' | 'deleted' | 'destroyed'

/** One version of a secret, from its metadata. */
export interface Version {
  readonly version: number
  readonly state: VersionState
  readonly created_time: string
  /** When it was or will be deleted; may be empty. */
  readonly deletion_time: string
  /** Who wrote and who deleted it, if the server shows that: a map with an `actor`. */
  readonly created_by?: Json
  readonly deleted_by?: Json
}

/** Who did something, in a table: the actor of the server's map. */
export function actorWords(by: Json | undefined): string {
  return textAt(by, 'actor') ?? (by === undefined || by === null ? '' : plainText(by))
}

/** A column with who did something. */
export function actorColumn<Row>(name: string, value: (row: Row) => unknown): Column<Row> {
  const json = (row: Row) => asJson(value(row) ?? null)
  return { name, value: json, show: (row) => actorWords(json(row)) }
}

/**
 * When the server sent a response, by its own clock, which also wrote the times in the response; seconds are rounded up. The local time if
 * the response has no date.
 */
export function momentOf({ now }: Context, { headers }: Pick<HttpResponse, 'headers'>): Date {
  const date = Date.parse(headers['date'] ?? '')
  return Number.isNaN(date) ? now() : new Date(date + 999)
}

/** A version's state at a moment. With a deletion time in the future it is live (docs/servers.md, Reading a version). */
export function stateOf({ destroyed, deletion_time }: VersionTimes, now: Date): VersionState {
  if (destroyed === true) return 'destroyed'
  const deleted = deletion_time ?? ''
  return deleted !== '' && Date.parse(deleted) <= now.getTime() ? 'deleted' : 'live'
}

/** The versions in a secret's metadata, newest first. */
export function versionsOf({ versions }: SecretMetadata, now: Date): Version[] {
  return Object.entries(versions ?? {})
    .map(([number, times]) => ({
      version: Number(number),
      state: stateOf(times, now),
      created_time: times.created_time ?? '',
      deletion_time: times.deletion_time ?? '',
      ...(times.created_by === undefined ? {} : { created_by: asJson(times.created_by) }),
      ...(times.deleted_by === undefined ? {} : { deleted_by: asJson(times.deleted_by) }),
    }))
    .toSorted((a, b) => b.version - a.version)
}

const mostVersions = 10_000

/** `--versions 1,3..7`; `3-7` is the same range. */
export function versionsFlag<const R extends boolean>(summary: string, options: { required: R }) {
  const inner = flag.list(summary, { placeholder: '1,3..7', required: options.required })
  const param: Param<number[] | (R extends true ? never : undefined)> = {
    ...inner,
    read: (texts, label) => {
      const versions = inner.read(texts, label)?.flatMap((item) => readLabelled(readRange, item, label))
      return (versions && [...new Set(versions)]) as number[]
    },
  }
  return param
}

function readRange(item: string): number[] {
  const [, first, last] = /^(\d+)(?:\.\.|-)(\d+)$/.exec(item) ?? []
  if (first === undefined || last === undefined) return [readInteger(item, 1)]
  const [from, to] = [readInteger(first, 1), readInteger(last, 1)]
  if (to < from) throw new RangeError(`'${item}' runs backwards`)
  if (to - from >= mostVersions) throw new RangeError(`'${item}' has more than ${mostVersions} versions`)
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** The flag of commands that read the metadata before and after they change versions. */
export const verifyFlags = {
  noVerify: flag.boolean('change versions without reading the metadata before and after'),
}

/** `version 2`, `versions 1, 2, 5`. */
export function versionWords(versions: readonly (number | string)[]): string {
  return `${versions.length === 1 ? 'version' : 'versions'} ${versions.join(', ')}`
}

/** A hint: `see its versions: …`. */
export function seeVersions({ commandLine }: Context, path: string): string {
  return `see its versions: ${commandLine('kv history', path)}`
}
