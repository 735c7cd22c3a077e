import * as api from '../../api/kv.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { entriesOf, objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { Decision, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { dataArguments, dataDescription, generateFlags, literalFlag, readData } from './data/arguments.ts'
import { secretPath } from './data/paths.ts'
import { keyColumns, mapOf } from './data/values.ts'
import { refuseMisplaced } from './mount/misplaced.ts'
import { decideData, readForEdit } from './secret/index.ts'

export const set = write({
  name: 'set',
  summary: 'Change keys of a secret and keep the others: read, merge, write',
  description: `The everyday edit. Reads the current version, adds or replaces the keys in the data, and writes the result unless there was a concurrent change (check-and-set). Reports which keys changed and which were kept. With --cas it writes only if that is the current version. A missing secret is created.

${dataDescription}`,
  also: [api.readData, api.writeData, api.list, api.readMount],
  params: {
    path: secretPath,
    data: dataArguments,
    remove: flag.texts('remove this key', { placeholder: 'key' }),
    ...generateFlags,
    cas: flag.integer("write only if this is the current version (0: only if the secret doesn't exist)", { min: 0 }),
    literal: literalFlag,
  },
  examples: [
    { line: 'kv set app/db --generate password=32', note: 'a new random password, never shown' },
    { line: 'kv set app/db password=- --cas 4', note: 'a new password from a pipe, only on version 4' },
    { line: 'kv set app/db host=db2.internal --remove port', note: 'change one key and remove another' },
    { line: 'kv set app/db host=db2.internal --plan', note: 'which keys would change?' },
  ],
  async open({ path, data: words, remove, ...flags }, context): Promise<Work> {
    const { generate } = flags
    if (words.length === 0 && remove.length === 0 && generate.length === 0)
      throw usageError('nothing to change', 'give key=value, --generate <key> or --remove <key>')
    const { data: changes, cas } = await readData(context, path, words, flags)
    const twice = remove.find((key) => Object.hasOwn(changes, key))
    if (twice !== undefined) throw usageError(`the key '${twice}' is both set and removed`)
    return {
      action: 'set',
      target: 'path',
      noun: 'secret',
      columns: keyColumns,
      ...onlyTarget(path, {
        decide: async (): Promise<Decision> => {
          const current = await readForEdit(context, path)
          const isMissing = current.state === 'missing'
          if (isMissing) await refuseMisplaced(context, path)
          // With --cas, it is a conflict.
          if (isMissing && entriesOf(changes).length === 0 && (cas ?? 0) === 0)
            throw new TugError('not_found', `no secret ${path}, so no key can be removed; nothing was written`, {
              reason: 'no_secret',
            })
          const kept = isMissing ? [] : entriesOf(mapOf(current.data)).filter(([key]) => !remove.includes(key))
          return decideData(context, {
            path,
            present: current,
            cas,
            // The keys in their order, changed ones in their places, new ones last.
            data: objectFrom(new Map([...kept, ...entriesOf(changes)])),
            mayReplace: true,
            generated: generate.map(({ key }) => key),
          })
        },
      }),
    }
  },
})
