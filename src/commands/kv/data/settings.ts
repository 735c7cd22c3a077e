import type { SecretMetadata } from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { formatSpan, parseDuration } from '../../../core/duration.ts'
import { toGoDuration } from './times.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, keysOf, sameJson } from '../../../core/json.ts'
import type { Param } from '../../../core/param.ts'
import { flag } from '../../../core/param.ts'

/** Servers store 32 unsigned bits and silently truncate larger numbers (docs/servers.md, Metadata and settings). */
const mostVersions = 4_294_967_295

const maxVersions = flag.integer('versions to keep (0: the default)', { min: 0, max: mostVersions })
const casRequired = flag.boolean('require check-and-set (--cas-required=false: no longer)')

/** What the settings of an engine and of a secret have in common. */
type Settings = Pick<SecretMetadata, 'max_versions' | 'delete_version_after'>

/** The column of `max_versions`; `meaning` is that of 0. */
export function maxVersionsColumn(meaning: string) {
  return {
    name: 'max_versions',
    value: ({ max_versions }: Settings) => max_versions,
    show: ({ max_versions }: Settings) => (max_versions === 0 ? `0 (${meaning})` : String(max_versions ?? '')),
  }
}

/** The column of `delete_version_after`, which servers write as `3h0m0s`; `meaning` is that of 0. */
export function deleteAfterColumn(meaning: string) {
  return {
    name: 'delete_version_after',
    value: ({ delete_version_after }: Settings) => delete_version_after,
    show: ({ delete_version_after: span }: Settings) => (span === '0s' ? `0s (${meaning})` : exactSpan(span ?? '')),
  }
}

/** `3h0m0s` → `3h`; any other text is unchanged. */
function exactSpan(text: string): string {
  if (text.startsWith('-')) return `-${exactSpan(text.slice(1))}`
  try {
    return formatSpan(parseDuration(text), 5)
  } catch {
    return text
  }
}

/** A duration, sent in hours, minutes and seconds; servers have no fractions of a second. */
function readDeletion(text: string): string {
  const duration = toGoDuration(text)
  if (duration !== '0s' && /^0\.\d+s$/.test(duration))
    throw new RangeError(`${text} is less than a second, which servers treat as 0`)
  return duration
}

/** The settings that `config set` and a secret's metadata share. */
export const engineSettings = {
  maxVersions,
  casRequired,
  deleteVersionAfter: flag.of(
    'delete each version after this time (0: never; negative: never, for all secrets)',
    (text) => (text.startsWith('-') ? `-${readDeletion(text.slice(1))}` : readDeletion(text)),
    { placeholder: 'duration' },
  ),
}

export const secretSettings = {
  maxVersions,
  casRequired,
  deleteVersionAfter: flag.of("delete each version after this time (0: the engine's setting)", readDeletion, {
    placeholder: 'duration',
  }),
}

/** The given settings, by their names in the API. */
export function settingEntries(input: {
  readonly maxVersions: number | undefined
  readonly casRequired: boolean | undefined
  readonly deleteVersionAfter: string | undefined
}): [string, Json][] {
  const all: [string, Json | undefined][] = [
    ['max_versions', input.maxVersions],
    ['cas_required', input.casRequired],
    ['delete_version_after', input.deleteVersionAfter],
  ]
  return all.filter((entry): entry is [string, Json] => entry[1] !== undefined)
}

/** True for equal durations in different forms too, and for a missing and an empty map. */
export function isSameSetting(_: string, before: Json, after: Json): boolean {
  if (before === after) return true
  if (typeof before === 'string' && typeof after === 'string') return exactSpan(before) === exactSpan(after)
  const isEmpty = (value: Json) => value === null || (isObject(value) && keysOf(value).length === 0)
  return (isEmpty(before) && isEmpty(after)) || sameJson(before, after)
}

/** Limits of custom metadata, in bytes. */
export const mostCustomKeys = 64
const longestKey = 128
const longestValue = 512

/** `--custom-metadata k=v`, repeatable. */
export function customMetadataFlag(summary: string): Param<[string, string][]> {
  const inner = flag.each(summary, readPair, { placeholder: 'k=v' })
  return {
    ...inner,
    read(texts, label) {
      const pairs = inner.read(texts, label)
      const twice = pairs.find(([key], index) => pairs.findIndex(([other]) => other === key) < index)
      if (twice !== undefined) throw usageError(`${label}: the key '${twice[0]}' is repeated`)
      return pairs
    },
  }
}

/** Refuses custom metadata beyond the limits of products; the specification has none. */
export function checkCustomMetadata({ settings }: Context, pairs: readonly (readonly [string, string])[]): void {
  if (settings.dialect === 'neutral') return
  if (pairs.length > mostCustomKeys)
    throw usageError(`--custom-metadata: ${pairs.length} keys; a secret has at most ${mostCustomKeys}`)
  for (const [key, value] of pairs) {
    checkLength(key, `the key '${key}'`, longestKey)
    checkLength(value, `the value of '${key}'`, longestValue)
  }
}

function readPair(text: string): [string, string] {
  const equals = text.indexOf('=')
  if (equals < 1) throw new RangeError(`'${text}' is not of the form key=value`)
  return [text.slice(0, equals), text.slice(equals + 1)]
}

function checkLength(text: string, what: string, most: number): void {
  const bytes = Buffer.byteLength(text)
  if (bytes === 0) throw usageError(`--custom-metadata: ${what} must not be empty`)
  if (bytes > most) throw usageError(`--custom-metadata: ${what} has ${bytes} bytes; at most ${most} are allowed`)
  if (/\p{Cc}/u.test(text)) throw usageError(`--custom-metadata: ${what} contains a control character`)
}
