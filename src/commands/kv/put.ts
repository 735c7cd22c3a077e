import * as api from '../../api/kv.ts'
import { items } from '../../core/answer.ts'
import { usageError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { Shown, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { dataArguments, dataDescription, generateFlags, literalFlag, readData } from './data/arguments.ts'
import { secretPath } from './data/paths.ts'
import { keyColumns } from './data/values.ts'
import { refuseMisplaced } from './mount/misplaced.ts'
import { decidePut } from './secret/index.ts'

export const put = write({
  name: 'put',
  summary: 'Write a secret, replacing its whole value',
  description: `Every run writes a new version. On a terminal it reads the names of the present keys first, and asks before dropping any; in scripts it is one write. kv set and kv patch keep the other keys.

${dataDescription}`,
  repeats: 'each run writes a new version',
  endpoint: api.writeData,
  also: [api.readSubkeys, api.readData, api.readMetadata, api.readConfig, api.list, api.readMount],
  params: {
    path: secretPath,
    data: dataArguments,
    ...generateFlags,
    cas: flag.integer("write only if this is the current version (0: only if the secret doesn't exist)", { min: 0 }),
    literal: literalFlag,
    noVerify: flag.boolean('send only the request itself, without checking which keys it would drop'),
  },
  examples: [
    { line: 'kv put app/queue password user=app', note: 'asks for the password without showing it' },
    { line: 'kv put app/queue user=app --generate password=40', note: 'with a random password' },
    { line: 'kv put app/queue @queue.json --cas 0', note: 'a whole map from a file, only if the secret is new' },
    { line: 'kv put app/tls key=@tls.key port:=8443', note: 'the text of a file and a number' },
  ],
  async open({ path, data: words, noVerify, plan, ...flags }, context): Promise<Work> {
    const { generate } = flags
    if (words.length === 0 && generate.length === 0)
      throw usageError(
        'nothing to write',
        'give key=value, @file.json, --generate <key> or - to read JSON from standard input (key=- for one value)',
      )
    const { data, cas } = await readData(context, path, words, flags)
    await refuseMisplaced(context, path)
    const asks = context.io.asks && context.io.interactive && noVerify !== true && cas !== 0
    const reads = noVerify === true ? 'nothing' : plan === true ? 'value' : asks ? 'keys' : 'mount'
    const lossQuestion = (lost: readonly Json[]) => {
      if (lost.length === 0) return undefined
      context.io.hint(`to change single keys and keep the rest: ${context.commandLine('kv set', path)} …`)
      return `${path} also has ${lost.map(String).join(', ')}; kv put drops ${lost.length === 1 ? 'it' : 'them'}. Continue?`
    }
    const wanted = { path, data, cas, generated: generate.map(({ key }) => key), isGuarded: asks }
    return {
      action: 'put',
      target: 'path',
      noun: 'secret',
      columns: keyColumns,
      ...onlyTarget(path, {
        decide: () => decidePut(context, wanted, reads),
        ...(asks
          ? { ask: ([shown]: readonly Shown[]) => lossQuestion(items(shown?.facts['keys_removed'])), keeps: true }
          : {}),
      }),
    }
  },
})
