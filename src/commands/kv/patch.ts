import * as api from '../../api/kv.ts'
import type { Context } from '../../core/context.ts'
import type { HttpResponse } from '../../core/connection.ts'
import { mergePatch } from '../../core/endpoint.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, isObject, objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { Applied, Decision, ItemRun, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { dataArguments, dataDescription, literalFlag, readDocument } from './data/arguments.ts'
import { changeWords, keyChanges, mapOf, same } from './data/values.ts'
import {
  appliedData,
  checkVersion,
  dataParts,
  explainMissing,
  failureFor404,
  goneVersionIn,
  isGone,
  isPatchRefused,
  keyColumns,
  keyFacts,
  momentOf,
  readSecret,
  refuseMisplaced,
  secretPath,
  sendWrite,
  stateOf,
  written,
} from './secret/index.ts'

export const patch = write({
  name: 'patch',
  summary: 'Change or remove keys of a secret on the server',
  description: `Sends a merge patch: keys in the data are written, maps are merged into maps, --remove (or key:=null) removes a key, and all others are kept. It needs the capability patch and an existing secret that is not deleted. If the secret may be read, a patch that changes nothing is not sent. kv set does the same with a read and a write.

${dataDescription}`,
  endpoint: api.patchData,
  also: [api.readData, api.list],
  params: {
    path: secretPath,
    data: dataArguments,
    remove: flag.texts('remove this key', { placeholder: 'key' }),
    cas: flag.integer('write only if this is the current version', { min: 1 }),
    literal: literalFlag,
  },
  examples: [
    { line: 'kv patch app/db password', note: 'asks for the new password' },
    {
      line: 'kv patch app/db host=db2.internal --remove port --cas 4',
      note: 'change one key and remove another, only on version 4',
    },
  ],
  async open({ path, data: words, remove, cas: typed, literal }, context): Promise<Work> {
    if (words.length === 0 && remove.length === 0)
      throw usageError('nothing to change', 'give key=value or --remove <key>')
    const { data: given, cas } = await readDocument(context, path, words, { literal, cas: typed })
    const twice = remove.find((key, index) => Object.hasOwn(given, key) || remove.indexOf(key) !== index)
    if (twice !== undefined) throw usageError(`the key '${twice}' is repeated`)
    const data = objectFrom([...entriesOf(given), ...remove.map((key): [string, Json] => [key, null])])
    await refuseMisplaced(context, path)
    return {
      action: 'patch',
      target: 'path',
      noun: 'secret',
      columns: keyColumns,
      ...onlyTarget(path, { decide: () => decidePatch(context, { path, data, cas }) }),
    }
  },
})

interface Patch {
  readonly path: string
  readonly data: JsonObject
  readonly cas: number | undefined
}

async function decidePatch(context: Context, patched: Patch): Promise<Decision> {
  const { path, data, cas } = patched
  const current = await readSecret(context, path).catch(async (error: unknown) => {
    if (error instanceof TugError && error.code === 'not_allowed') return undefined
    if (!isGone(error)) return explainMissing(context, path)(error)
    const state = error.reason === 'version_destroyed' ? 'destroyed' : 'deleted'
    throw patchOfGone(context, path, error, { version: error.facts.version ?? '', state })
  })
  const guarded = cas === undefined ? {} : { guard: cas, enforced: true }
  if (current === undefined) {
    const apply = ({ context: own }: ItemRun) => sendPatch(own, patched, { from: undefined, changes: [] })
    return { action: 'write', words: 'not looked at', ...guarded, apply }
  }
  const { version } = current
  checkVersion(context, path, version, cas)
  const before = mapOf(current.data)
  const after = mergedMaps(before, data)
  const keys = keyChanges(before, after)
  const facts = keyFacts(keys)
  const expires = (current.metadata.deletion_time ?? '') !== ''
  if (same(before, after) && !expires)
    return { action: 'unchanged', words: `unchanged at version ${version}`, facts, guard: version }
  const changes = changeWords(keys)
  const apply = ({ context: own }: ItemRun) => sendPatch(own, patched, { from: version, changes })
  return { action: 'change', words: changes.join('   '), facts, guard: version, ...guarded, apply }
}

/** What a merge patch makes of a map (RFC 7396). */
function mergedMaps(before: JsonObject, changes: JsonObject): JsonObject {
  const merged = new Map(entriesOf(before))
  for (const [key, value] of entriesOf(changes)) {
    if (value === null) merged.delete(key)
    else merged.set(key, isObject(value) ? mergedMaps(mapOf(merged.get(key)), value) : value)
  }
  return objectFrom(merged)
}

async function sendPatch(
  context: Context,
  { path, data, cas }: Patch,
  done: { readonly from: number | undefined; readonly changes: readonly string[] },
): Promise<Applied> {
  const parts = dataParts(data, cas)
  const request = api.patchData({ path }, { ...parts, ...mergePatch(parts.body ?? null), allow: [404] })
  const response = await sendWrite(context, path, request, (error) => patchHints(context, path, error))
  if (response.status === 404) throw patchFailure(context, response, path)
  return appliedData(path, written(context, path, response), done)
}

/** What to do about a patch that was refused. */
function patchHints(context: Context, path: string, error: TugError): string[] {
  const line = (words: string) => `${context.commandLine(words, path)} key=value`
  if (isPatchRefused(error))
    return [`kv set reads and writes instead, which needs read and update on ${path}: ${line('kv set')}`]
  return /resource does not exist/.test(error.message)
    ? [`its value is null, which cannot be patched; write a new one: ${line('kv put')}`]
    : []
}

/** The error for a 404: a deleted version if the answer has its metadata, else a missing secret (docs/servers.md, Patching). */
function patchFailure(context: Context, response: HttpResponse, path: string): TugError {
  const data = goneVersionIn(response)
  // Servers put the metadata directly into `data`; one level deeper is read too.
  const metadata = data?.metadata ?? data
  const version = metadata?.version ?? undefined
  if (metadata === undefined || version === undefined) return failureFor404(context, response, path, undefined)
  const state = stateOf(metadata, momentOf(context, response)) === 'destroyed' ? 'destroyed' : 'deleted'
  return patchOfGone(context, path, response.failure(), { version: String(version), state })
}

/** The conflict of a patch with a deleted or destroyed version. */
export function patchOfGone(
  { commandLine }: Context,
  path: string,
  failure: TugError,
  { version, state }: { readonly version: string; readonly state: 'deleted' | 'destroyed' },
): TugError {
  return failure.with({
    code: 'conflict',
    message: `the latest version (${version}) is ${state}, and only a live one can be patched`,
    reason: `version_${state}`,
    hints: [
      ...(state === 'deleted' ? [`undelete it first: ${commandLine('kv undelete', path)}`] : []),
      `write a new value: ${commandLine('kv put', path, ['--cas', version])} key=value`,
    ],
  })
}
