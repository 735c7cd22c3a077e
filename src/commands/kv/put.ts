import * as api from '../../api/kv.ts'
import { whenKnown } from '../../core/answer.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { JsonObject } from '../../core/json.ts'
import { keysOf } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { dataArguments, dataDescription, literalFlag, readDocument } from './data/arguments.ts'
import { generateFlags, withGenerated } from './data/generate.ts'
import { keepsOthers, keysLost, keysLostQuestion, nothingTo } from './messages.ts'
import { refuseMisplaced, secretPath } from './place.ts'
import { subkeysIn } from './read.ts'
import { mapOf } from './values.ts'
import { writeSecret, writtenResult } from './write.ts'

export const put = command({
  name: 'put',
  summary: 'Write a secret, replacing its whole value',
  description: `The data becomes the whole value: other keys are not in the new version. It reads the names of the present keys first: on a terminal it asks before any would vanish, in scripts it names them on standard error. If that read is not allowed, with --cas 0 and with --no-verify, it is one request. kv set and kv patch change single keys and keep the others.

${dataDescription}`,
  endpoint: api.writeData,
  also: [api.readSubkeys, api.list],
  params: {
    path: secretPath,
    data: dataArguments,
    ...generateFlags,
    cas: flag.integer("write only if this is the current version (0: only if the secret doesn't exist)", { min: 0 }),
    literal: literalFlag,
    noVerify: flag.boolean('send only the request itself, without reading which keys would vanish'),
  },
  examples: [
    { line: 'kv put app/queue password user=app', note: 'asks for the password without showing it' },
    { line: 'kv put app/queue user=app --generate password=40', note: 'with a random password' },
    { line: 'kv put app/queue @queue.json --cas 0', note: 'a whole map from a file, only if the secret is new' },
    { line: 'kv put app/tls key=@tls.key port:=8443', note: 'the text of a file and a number' },
  ],
  async run({ path, data: words, generate, symbols, cas: asked, literal, noVerify }, context) {
    if (words.length === 0 && generate.length === 0)
      throw nothingTo(
        'write',
        'key=value',
        '@file.json',
        '--generate <key>',
        '- to read JSON from standard input (key=- for one value)',
      )
    const { data: given, cas } = await readDocument(context, path, words, { literal, cas: asked })
    const data = await withGenerated(context, path, given, { generate, symbols })
    await refuseMisplaced(context, path)
    const lost = noVerify === true || cas === 0 ? [] : await lostKeys(context, path, data)
    if (lost.length > 0 && context.io.interactive) {
      context.io.hint(keepsOthers(context, path))
      await context.io.confirm(keysLostQuestion(path, lost))
    }
    const done = await writeSecret(context, path, data, cas)
    if (lost.length > 0 && !context.io.interactive) context.io.note(keysLost(path, lost))
    return writtenResult(done, `${path}: wrote version ${String(done.version)}`)
  },
})

/** The keys of the current version that the data doesn't have; none if they may not be read. */
async function lostKeys(context: Context, path: string, data: JsonObject): Promise<readonly string[]> {
  const response = await context.http.send(
    api.readSubkeys({ path }, { query: [['depth', '1']], allow: [400, 403, 404, 405, 501] }),
  )
  if (response.status !== 200) return []
  return whenKnown(
    subkeysIn(response.value).subkeys,
    (subkeys) => keysOf(mapOf(subkeys)).filter((key) => !Object.hasOwn(data, key)),
    () => [],
  )
}
