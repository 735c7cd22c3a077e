import * as api from '../../api/kv.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, isObject, objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { Decision, ItemRun, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { dataArguments, dataDescription, literalFlag, readDocument } from './data/arguments.ts'
import { secretPath } from './data/paths.ts'
import { changeWords, keyChanges, mapOf, same } from './data/values.ts'
import {
  appliedData,
  checkVersion,
  explainMissing,
  isGone,
  keyColumns,
  keyFacts,
  patchOfGone,
  patchSecret,
  readSecret,
  refuseVersion1,
  refuseMisplaced,
} from './secret/index.ts'

export const patch = write({
  name: 'patch',
  summary: 'Change or remove keys of a secret on the server',
  description: `Sends a merge patch: keys in the data are written, maps are merged into maps, --remove (or key:=null) removes a key, and all others are kept. It needs the capability patch and an existing secret that is not deleted. If the secret may be read, a patch that changes nothing is not sent. kv set does the same with a read and a write.

${dataDescription}`,
  endpoint: api.patchData,
  also: [api.readData, api.list, api.readMount],
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

async function decidePatch(context: Context, { path, data, cas }: Patch): Promise<Decision> {
  const current = await readSecret(context, path).catch(async (error: unknown) => {
    if (error instanceof TugError && error.code === 'not_allowed') return undefined
    if (!isGone(error)) return explainMissing(context, path)(error)
    const state = error.reason === 'version_destroyed' ? 'destroyed' : 'deleted'
    throw patchOfGone(context, path, error, { version: error.facts.version ?? '', state })
  })
  const guarded = cas === undefined ? {} : { guard: cas, enforced: true }
  if (current === undefined) {
    await refuseVersion1(context, `data/${path}`)
    const apply = async ({ context: own }: ItemRun) =>
      appliedData(path, await patchSecret(own, path, data, cas), { from: undefined, changes: [] })
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
  const apply = async ({ context: own }: ItemRun) =>
    appliedData(path, await patchSecret(own, path, data, cas), { from: version, changes })
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
