import * as api from '../../api/kv.ts'
import { at, text as textAt } from '../../core/answer.ts'
import { command, list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { exitCodes } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import { argument, flag } from '../../core/param.ts'
import type { Failure } from './bulk/bulk.ts'
import { inOrder, warnFailures } from './bulk/bulk.ts'
import { folderPath } from './place.ts'
import { isGone, isMissing, readVersion } from './read.ts'
import { namesIn, subkeysOf } from './subkeys.ts'
import type { Entry } from './walk.ts'
import { entriesOfTree, nameOf, walk } from './walk.ts'

const findView = list<Json>(
  [
    { name: 'path', value: (row) => at(row, 'path'), whole: true },
    { name: 'key', value: (row) => at(row, 'key'), whole: true },
  ],
  (row) => textAt(row, 'path') ?? '',
  { empty: 'nothing found' },
)

export const find = command({
  name: 'find',
  summary: 'Find secrets and folders whose name contains a text',
  description: `Looks at each name below the folder, capitals and small letters apart unless --ignore-case. With --keys the names of the keys in each secret are searched too, never the values. What may not be read is reported, and the exit status is 10.`,
  also: [api.list, api.readSubkeys],
  params: {
    text: argument.of('text that the name contains', readText, { placeholder: 'text', required: true }),
    path: folderPath,
    keys: flag.boolean("search the names of the secrets' keys too"),
    ignoreCase: flag.boolean('ignore case', { short: 'i' }),
  },
  examples: [
    { line: 'kv find gateway', note: 'names in the whole mount' },
    { line: 'kv find password team --keys', note: 'names and key names below a folder' },
  ],
  async run({ text, path = '', keys, ignoreCase }, context) {
    const wanted = ignoreCase === true ? text.toLowerCase() : text
    const contains = (name: string) => (ignoreCase === true ? name.toLowerCase() : name).includes(wanted)
    const failures: Failure[] = []
    const entries = entriesOfTree(await walk(context, path))
    return {
      rows: found(context, entries, { contains, keys: keys === true, failures }),
      view: findView,
      finish: () => {
        warnFailures(context.io, failures)
        return failures.length > 0 ? exitCodes.partial : undefined
      },
    }
  },
})

function readText(text: string): string {
  if (text === '') throw new RangeError('must not be empty')
  return text
}

interface Search {
  readonly contains: (name: string) => boolean
  readonly keys: boolean
  readonly failures: Failure[]
}

async function* found(context: Context, entries: Iterable<Entry>, search: Search): AsyncGenerator<Json> {
  for await (const outcome of inOrder(context.io, 'searching', [...entries], (entry) =>
    matchesOf(context, entry, search),
  )) {
    const { item } = outcome
    if ('error' in outcome) search.failures.push({ what: item.path, error: outcome.error })
    else yield* outcome.value
    if (item.failure !== undefined) search.failures.push({ what: nameOf(item), error: item.failure })
  }
}

/** The entry itself if its name matches, and each of its matching keys. */
async function matchesOf(
  context: Context,
  { name, path, failure }: Entry,
  { contains, keys }: Search,
): Promise<Json[]> {
  const isFolder = name.endsWith('/')
  const own = contains(isFolder ? name.slice(0, -1) : name) ? [rowOf(isFolder ? `${path}/` : path, null)] : []
  if (!keys || isFolder || failure !== undefined) return own
  try {
    const response = await readVersion(context, 'subkeys', path, [])
    const inner = namesIn(subkeysOf(response.json()), []).filter((one) => contains(one.keys.at(-1) ?? ''))
    return [...own, ...inner.map((one) => rowOf(path, one.keys.join('.')))]
  } catch (error) {
    if (isGone(error) || isMissing(error)) return own
    throw error
  }
}

function rowOf(path: string, key: string | null): Json {
  return objectFrom([
    ['path', path],
    ['key', key],
  ])
}
