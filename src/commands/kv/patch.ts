import * as api from '../../api/kv.ts'
import { command } from '../../core/command.ts'
import type { Context, HttpResponse } from '../../core/context.ts'
import { mergePatch } from '../../core/endpoint.ts'
import type { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { dataArguments, dataDescription, literalFlag, readDocument } from './data/arguments.ts'
import { keyRepeated, nothingTo, nullUnpatchable, patchOfGone, patchRefused } from './messages.ts'
import { failureFor404, goneVersionIn } from './missing.ts'
import { refuseMisplaced, secretPath } from './place.ts'
import { momentOf, stateOf } from './versions.ts'
import { dataParts, isPatchRefused, sendWrite, written, writtenResult } from './write.ts'

export const patch = command({
  name: 'patch',
  summary: 'Change or remove keys of a secret on the server, without reading it',
  description: `Sends a merge patch: keys in the data are written, maps are merged into maps, --remove (or key:=null) removes a key, and all others are kept. It needs the capability patch and an existing secret that is not deleted. kv set does the same with a read and a write.

${dataDescription}`,
  endpoint: api.patchData,
  also: [api.list],
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
  async run({ path, data: words, remove, cas: asked, literal }, context) {
    if (words.length === 0 && remove.length === 0) throw nothingTo('change', 'key=value', '--remove <key>')
    const { data: given, cas } = await readDocument(context, path, words, { literal, cas: asked })
    const twice = remove.find((key, index) => Object.hasOwn(given, key) || remove.indexOf(key) !== index)
    if (twice !== undefined) throw keyRepeated(twice)
    const data = objectFrom([...entriesOf(given), ...remove.map((key): [string, Json] => [key, null])])
    await refuseMisplaced(context, path)
    const parts = dataParts(data, cas)
    const request = api.patchData({ path }, { ...parts, ...mergePatch(parts.body ?? null), allow: [404] })
    const response = await sendWrite(context, path, request, (error) => patchHints(context, path, error))
    if (response.status === 404) throw patchFailure(context, response, path)
    const done = written(context, path, response)
    return writtenResult(done, `${path}: wrote version ${String(done.version)}`)
  },
})

/** What to do instead of a patch that was refused. */
function patchHints(context: Context, path: string, error: TugError): string[] {
  if (isPatchRefused(error)) return [patchRefused(context, path)]
  return /resource does not exist/.test(error.message) ? [nullUnpatchable(context, path)] : []
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
