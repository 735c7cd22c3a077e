import * as api from '../../api/kv.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { entriesOf, keysOf, objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { Decision, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { dataArguments, dataDescription, generateFlags, literalFlag, readData } from './data/arguments.ts'
import { optionalSecretPath } from './data/paths.ts'
import { keyColumns, mapOf } from './data/values.ts'
import { refuseMisplaced } from './mount/misplaced.ts'
import { fromFlag, workFrom } from './mount/targets.ts'
import { decideData, readForEdit } from './secret/index.ts'

export const set = write({
  name: 'set',
  summary: 'Change keys of a secret and keep the others: read, merge, write',
  description: `The everyday edit. Reads the current version, adds or replaces keys, and writes the result unless there was a concurrent change (check-and-set). A missing secret is created. --from changes every secret in a file, and asks first; one that doesn't exist is not found, and --generate makes a value for each.

${dataDescription}`,
  also: [api.readData, api.writeData, api.list, api.readMount],
  params: {
    path: optionalSecretPath,
    data: dataArguments,
    from: { ...fromFlag, excludes: ['path', 'cas'] },
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
    {
      line: 'kv find --values db.app.internal -o name | tug kv set --from - host=db2.internal --yes',
      note: 'the same change in many secrets',
    },
  ],
  async open({ path, data: words, from, remove, ...flags }, context): Promise<Work> {
    const { generate } = flags
    if (path === undefined && from === undefined)
      throw usageError('<path> is missing', 'give a path, or --from <file> with a path per line')
    const second = from === undefined ? undefined : words.find((word) => /^[^@=:]+\/[^=:]*$/.test(word))
    if (second !== undefined)
      throw usageError(`--from and the path '${second}' cannot be used together`, `as the name of a key: ${second}=-`)
    if (words.length === 0 && remove.length === 0 && generate.length === 0)
      throw usageError('nothing to change', 'give key=value, --generate <key> or --remove <key>')
    const given = await readData(context, path ?? 'each secret', words, flags)
    const dataOf = async (one: string) => {
      if (from === undefined || generate.length === 0) return given.data
      const { data } = await readData(context, one, [], flags)
      return objectFrom(new Map([...entriesOf(given.data), ...entriesOf(data)]))
    }
    const keys = keysOf(given.data)
    const twice = remove.find((key) => keys.includes(key))
    if (twice !== undefined) throw usageError(`the key '${twice}' is both set and removed`)
    const changing = { dataOf, remove, cas: given.cas, generated: generate.map(({ key }) => key) }
    if (from !== undefined)
      return workFrom(context, from, {
        action: 'set',
        progress: 'writing secrets',
        columns: keyColumns,
        decide: (one) => decideSet(context, one, changing, false),
        question: (secrets) => `Change ${[...keys, ...remove].join(', ')} in ${secrets}?`,
      })
    return {
      action: 'set',
      target: 'path',
      noun: 'secret',
      columns: keyColumns,
      ...onlyTarget(path ?? '', { decide: (one) => decideSet(context, one, changing, true) }),
    }
  },
})

interface Changing {
  /** The keys to set, with generated values of the secret's own. */
  readonly dataOf: (path: string) => Promise<JsonObject>
  readonly remove: readonly string[]
  readonly cas: number | undefined
  readonly generated: readonly string[]
}

/** What changing keys of a secret would do; of one that doesn't exist and may not be created, nothing. */
async function decideSet(
  context: Context,
  path: string,
  { dataOf, remove, cas, generated }: Changing,
  creates: boolean,
): Promise<Decision | undefined> {
  const current = await readForEdit(context, path)
  const isMissing = current.state === 'missing'
  if (isMissing && !creates) return undefined
  if (isMissing) await refuseMisplaced(context, path)
  const changes = await dataOf(path)
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
    generated,
  })
}
