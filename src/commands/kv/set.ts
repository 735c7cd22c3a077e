import * as api from '../../api/kv.ts'
import { command } from '../../core/command.ts'
import type { Result } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { shellQuote } from '../../core/shell.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { isAwaited } from '../../core/answer.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, isObject, keysOf, objectFrom, stringifyJson } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { escapeControl } from '../../output/safe.ts'
import { dataArguments, dataDescription, readData } from './data/arguments.ts'
import { secretPath } from './place.ts'
import { needData } from './put.ts'
import type { Secret } from './read.ts'
import { mapOf, readIfThere } from './read.ts'
import { writeSecret, writtenResult } from './write.ts'

export const set = command({
  name: 'set',
  summary: 'Change keys of a secret and keep the others',
  description: `The everyday edit. Reads the current version, replaces or adds the keys that are given, and writes the result only if nobody wrote in between (check-and-set). Says which keys changed and which were kept. With --cas, nothing is written unless that is the current version. A secret that is not there yet is made.

${dataDescription}`,
  also: [api.readData, api.writeData],
  params: {
    path: secretPath,
    data: dataArguments(false),
    remove: flag.texts('remove this key', { placeholder: 'key' }),
    cas: flag.integer('write only if this is the current version (0: only if there is none)', { min: 0 }),
  },
  examples: [
    { line: 'kv set app/db password=- --cas 4', note: 'a new password from a pipe, only on version 4' },
    { line: 'kv set app/db host=db2.internal --remove port', note: 'one key changed, one removed' },
  ],
  async run({ path, data: words, remove, cas }, context) {
    needData(words, remove)
    const changes = await readData(context, path, words)
    const twice = remove.find((key) => Object.hasOwn(changes, key))
    if (twice !== undefined) throw usageError(`the key '${twice}' is both set and removed`)
    const current = await readIfThere(context, path)
    checkVersion(path, current, cas)
    return writeChange(context, path, current, merged(current?.data ?? null, changes, remove), cas)
  },
})

function checkVersion(path: string, current: Secret | undefined, cas: number | undefined): void {
  if (cas === undefined || isAwaited(current?.version) || Number(current?.version ?? 0) === cas) return
  if (current === undefined) {
    throw new TugError('conflict', `${path} does not exist, so it is not at version ${cas}; nothing was written`)
  }
  const version = String(current.version)
  throw new TugError('conflict', `${path} is at version ${version}, not ${cas}; nothing was written`, {
    hints:
      cas === 0
        ? []
        : [`see what changed, without values: tug kv diff ${shellQuote(path)} --from ${cas} --to ${version}`],
  })
}

/** The keys in order, changed ones in place, new ones last. */
function merged(present: Json, changes: JsonObject, removed: readonly string[]): JsonObject {
  if (isAwaited(present)) return objectFrom([['…', present], ...entriesOf(changes)])
  const kept = entriesOf(mapOf(present)).filter(([key]) => !removed.includes(key))
  return objectFrom(new Map([...kept, ...entriesOf(changes)]))
}

/**
 * Writes the new value on top of the version that was read, with check-and-set, and reports what changed. Writes nothing
 * if nothing changed.
 */
export async function writeChange(
  context: Context,
  path: string,
  current: Secret | undefined,
  data: JsonObject,
  cas?: number,
): Promise<Result | undefined> {
  const { io } = context
  const before = mapOf(current?.data ?? null)
  const from = current?.version ?? 0
  if (current !== undefined && current.data !== null && same(before, data)) {
    io.note(`${path} is unchanged at version ${String(from)}; nothing was written`)
    return undefined
  }
  const done = await writeSecret(context, path, data, cas ?? from)
  const keys = keysOf(data)
  const parts = [
    part(
      'added',
      keys.filter((key) => !Object.hasOwn(before, key)),
    ),
    part(
      'changed',
      keys.filter((key) => Object.hasOwn(before, key) && !same(before[key], data[key])),
    ),
    part(
      'removed',
      keysOf(before).filter((key) => !Object.hasOwn(data, key)),
    ),
    part(
      'kept',
      keys.filter((key) => Object.hasOwn(before, key) && same(before[key], data[key])),
    ),
  ]
  io.note([`${path} ${String(from)} → ${String(done.version)}`, ...parts.filter((one) => one !== '')].join('   '))
  return writtenResult(done)
}

function part(what: string, keys: readonly string[]): string {
  return keys.length === 0 ? '' : `${what}: ${keys.map((key) => escapeControl(key)).join(', ')}`
}

/** Equal as JSON values; digits of numbers matter, key order doesn't. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return stringifyJson(sorted(a)) === stringifyJson(sorted(b))
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value) || isAwaited(value)) return value
  const entries = entriesOf(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return objectFrom(entries.map(([key, item]): [string, Json] => [key, sorted(item)]))
}
