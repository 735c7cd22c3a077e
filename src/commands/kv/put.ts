import * as api from '../../api/kv.ts'
import { whenKnown } from '../../core/answer.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { keysOf } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { dataArguments, dataDescription, readData } from './data/arguments.ts'
import { generateFlags, withGenerated } from './generate.ts'
import { hintMisplaced, secretPath } from './place.ts'
import { subkeysOf } from './subkey-names.ts'
import { mapOf } from './values.ts'
import { writeSecret, writtenResult } from './write.ts'

export const put = command({
  name: 'put',
  summary: 'Write a secret, replacing its whole value',
  description: `The data becomes the whole value: other keys are not in the new version. On a terminal, kv put compares the names of the keys first and asks before any would be lost. In scripts, and if that read is not allowed, it is one request. kv set and kv patch change single keys and keep the others.

${dataDescription}`,
  endpoint: api.writeData,
  also: [api.readSubkeys],
  params: {
    path: secretPath,
    data: dataArguments(false),
    ...generateFlags,
    cas: flag.integer("write only if this is the current version (0: only if the secret doesn't exist)", { min: 0 }),
  },
  examples: [
    { line: 'kv put app/queue user=app password', note: 'asks for the password without showing it' },
    { line: 'kv put app/queue user=app --generate password=40', note: 'with a random password' },
    { line: 'kv put app/queue @queue.json --cas 0', note: 'a whole map from a file, only if the secret is new' },
    { line: 'kv put app/tls key=@tls.key port:=8443', note: 'the text of a file and a number' },
  ],
  async run({ path, data: words, generate, symbols, cas }, context) {
    if (words.length === 0 && generate.length === 0)
      throw usageError('no data to write', 'give key=value, @file.json, or --generate <key>')
    const data = await withGenerated(context, path, await readData(context, path, words), { generate, symbols })
    hintMisplaced(context, path)
    if (context.io.interactive && cas !== 0) await confirmLoss(context, path, data)
    const done = await writeSecret(context, path, data, cas)
    return writtenResult(done, `${path}: wrote version ${String(done.version)}`)
  },
})

/** Asks before keys of the current version are lost. */
async function confirmLoss(context: Context, path: string, data: JsonObject): Promise<void> {
  const response = await context.http.send(
    api.readSubkeys({ path }, { query: [['depth', '1']], allow: [403, 404, 405] }),
  )
  if (response.status !== 200) return
  const lost = whenKnown(
    subkeysOf(response.json()),
    (subkeys) => keysOf(mapOf(subkeys)).filter((key) => !Object.hasOwn(data, key)),
    () => [],
  )
  if (lost.length === 0) return
  context.io.hint(`to change single keys and keep the rest: ${context.commandLine('kv set', path)} …`)
  await context.io.confirm(
    `${path} also has ${lost.join(', ')}; kv put drops ${lost.length === 1 ? 'it' : 'them'}. Continue?`,
  )
}
