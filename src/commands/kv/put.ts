import * as api from '../../api/kv.ts'
import type { Context } from '../../core/context.ts'
import { command } from '../../core/command.ts'
import { shellQuote } from '../../core/shell.ts'
import { usageError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { keysOf } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { dataArguments, dataDescription, readData } from './data/arguments.ts'
import { secretPath } from './place.ts'
import { mapOf } from './read.ts'
import { subkeysOf } from './subkeys.ts'
import { writeSecret, writtenResult } from './write.ts'

export const put = command({
  name: 'put',
  summary: 'Write a secret, replacing its whole value',
  description: `The data given becomes the whole value: keys that are not given are gone from the new version. On a terminal the names of the present keys are compared first, and it asks before any would vanish; in scripts, and where that read is not allowed, it is one request. kv set and kv patch change single keys and keep the others.

${dataDescription}`,
  endpoint: api.writeData,
  also: [api.readSubkeys],
  params: {
    path: secretPath,
    data: dataArguments(true),
    cas: flag.integer('write only if this is the current version (0: only if there is none)', { min: 0 }),
  },
  examples: [
    { line: 'kv put app/queue user=app password', note: 'asks for the password without echo' },
    { line: 'kv put app/queue @queue.json --cas 0', note: 'a whole map from a file, only if the secret is new' },
    { line: 'kv put app/tls key=@tls.key port:=8443', note: "a file's text and a number" },
  ],
  async run({ path, data: words, cas }, context) {
    const data = await readData(context, path, words)
    if (context.io.interactive && cas !== 0) await confirmLoss(context, path, data)
    const done = await writeSecret(context, path, data, cas)
    context.io.note(`${path}: version ${String(done.version)} written`)
    return writtenResult(done)
  },
})

/** Asks before keys of the current version are lost. */
async function confirmLoss(context: Context, path: string, data: JsonObject): Promise<void> {
  const response = await context.http.send(
    api.readSubkeys({ path }, { query: [['depth', '1']], allow: [403, 404, 405] }),
  )
  if (response.status !== 200) return
  const lost = keysOf(mapOf(subkeysOf(response.json()))).filter((key) => !Object.hasOwn(data, key))
  if (lost.length === 0) return
  context.io.hint(`tug kv set ${shellQuote(path)} … changes the given keys and keeps the others`)
  await context.io.confirm(
    `${path} also has ${lost.join(', ')}; a put removes ${lost.length === 1 ? 'it' : 'them'}. Continue?`,
  )
}

/** Throws if there is nothing to write. */
export function needData(words: readonly string[], removed: readonly string[]): void {
  if (words.length === 0 && removed.length === 0)
    throw usageError('nothing to change', 'give key=value, or --remove <key>')
}
