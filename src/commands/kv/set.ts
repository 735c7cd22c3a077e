import * as api from '../../api/kv.ts'
import { ifKnown, whenKnown } from '../../core/answer.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { dataArguments, dataDescription, literalFlag, readDocument } from './data/arguments.ts'
import { generateFlags, withGenerated } from './data/generate.ts'
import { ifThere } from './latest.ts'
import { nothingTo } from './messages.ts'
import { nothingRemovable, notAtVersion, setAndRemoved } from './change-messages.ts'
import { refuseMisplaced, secretPath } from './place.ts'
import type { Secret } from './read.ts'
import { readSecret } from './read.ts'
import { mapOf } from './values.ts'
import { writeChange } from './write-change.ts'

export const set = command({
  name: 'set',
  summary: 'Change keys of a secret and keep the others: read, merge, write',
  description: `The everyday edit. Reads the current version, adds or replaces the keys in the data, and writes the result unless there was a concurrent change (check-and-set). Reports which keys changed and which were kept. With --cas it writes only if that is the current version. A missing secret is created.

${dataDescription}`,
  also: [api.readData, api.writeData, api.list],
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
  ],
  async run({ path, data: words, remove, generate, symbols, cas: asked, literal }, context) {
    if (words.length === 0 && remove.length === 0 && generate.length === 0)
      throw nothingTo('change', 'key=value', '--generate <key>', '--remove <key>')
    const { data: given, cas } = await readDocument(context, path, words, { literal, cas: asked })
    const changes = await withGenerated(context, path, given, { generate, symbols })
    const twice = remove.find((key) => Object.hasOwn(changes, key))
    if (twice !== undefined) throw setAndRemoved(twice)
    const current = await ifThere(readSecret(context, path))
    if (current === undefined) await refuseMisplaced(context, path)
    checkVersion(context, path, current, cas)
    if (current === undefined && entriesOf(changes).length === 0) throw nothingRemovable(path)
    const data = merged(current?.data ?? null, changes, remove)
    const generated = generate.map(({ key }) => key)
    return writeChange(context, path, { current, data, generated, ...(cas === undefined ? {} : { cas }) })
  },
})

function checkVersion(context: Context, path: string, current: Secret | undefined, cas: number | undefined): void {
  if (cas === undefined) return
  ifKnown(current?.version ?? 0, (known) => {
    if (known !== cas) throw notAtVersion(context, path, cas, current === undefined ? undefined : known)
  })
}

/** The keys in their order, changed ones in their places, new ones last. */
function merged(present: Json, changes: JsonObject, removed: readonly string[]): JsonObject {
  return whenKnown(
    present,
    (known) => {
      const kept = entriesOf(mapOf(known)).filter(([key]) => !removed.includes(key))
      return objectFrom(new Map([...kept, ...entriesOf(changes)]))
    },
    (placeholder) => objectFrom([['…', placeholder], ...entriesOf(changes)]),
  )
}
