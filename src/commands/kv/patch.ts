import { mergePatch } from '../../core/endpoint.ts'
import * as api from '../../api/kv.ts'
import { command } from '../../core/command.ts'
import { shellQuote } from '../../core/shell.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Context, HttpResponse } from '../../core/context.ts'
import { at } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, objectFrom, parseJson } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { dataArguments, dataDescription, readData } from './data/arguments.ts'
import { secretPath } from './place.ts'
import { failureFor404 } from './read.ts'
import { needData } from './put.ts'
import { momentOf, stateOf } from './versions.ts'
import { dataParts, sendWrite, written, writtenResult } from './write.ts'

export const patch = command({
  name: 'patch',
  summary: 'Change or remove keys of a secret on the server, without reading it',
  description: `Sends a merge patch: given keys are written, maps are merged into maps, --remove (or key:=null) takes a key away, all others stay. It needs the capability patch and a secret that is there and not deleted. It never turns into a read and a write by itself; kv set does that.

${dataDescription}`,
  endpoint: api.patchData,
  params: {
    path: secretPath,
    data: dataArguments(false),
    remove: flag.texts('remove this key', { placeholder: 'key' }),
    cas: flag.integer('write only if this is the current version', { min: 1 }),
  },
  examples: [
    { line: 'kv patch app/db password', note: 'asks for the new password' },
    {
      line: 'kv patch app/db host=db2.internal --remove port --cas 4',
      note: 'one changed, one removed, only on version 4',
    },
  ],
  async run({ path, data: words, remove, cas }, context) {
    needData(words, remove)
    const given = await readData(context, path, words)
    const twice = remove.find((key, index) => Object.hasOwn(given, key) || remove.indexOf(key) !== index)
    if (twice !== undefined) throw usageError(`the key '${twice}' is repeated`)
    const data = objectFrom([...entriesOf(given), ...remove.map((key): [string, Json] => [key, null])])
    const parts = dataParts(context, path, data, cas)
    const request = api.patchData({ path }, { ...parts, ...mergePatch(parts.body ?? null), allow: [404] })
    const response = await sendWrite(context, path, request)
    if (response.status === 404) throw patchFailure(context, response, path)
    const done = written(context, path, response)
    context.io.note(`${path}: version ${String(done.version)} written`)
    return writtenResult(done)
  },
})

/** A 404 of a patch has a deleted version's metadata, or nothing for a missing secret (docs/servers.md, Patching). */
function patchFailure(context: Context, response: HttpResponse, path: string): TugError {
  const metadata = metadataIn(response.text())
  const version = at(metadata, 'version')
  if (version === undefined) return failureFor404(context, response, path, undefined)
  const state = stateOf(metadata, momentOf(context, response)) === 'destroyed' ? 'destroyed' : 'deleted'
  return new TugError(
    'conflict',
    `the latest version (${String(version)}) is ${state}, and only a live one can be patched`,
    {
      status: 404,
      service: 'secrets',
      hints: [
        ...(state === 'deleted' ? [`undelete it first: tug kv undelete ${shellQuote(path)}`] : []),
        `or write the whole value: tug kv put ${shellQuote(path)} … --cas ${String(version)}`,
      ],
    },
  )
}

/** Servers put the metadata flat into `data`; one level deeper is accepted too. */
function metadataIn(body: string): Json {
  try {
    const data = at(parseJson(body), 'data')
    return at(data, 'metadata') ?? data ?? null
  } catch {
    return null
  }
}
