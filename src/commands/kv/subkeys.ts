import * as api from '../../api/kv.ts'
import { at, known, text } from '../../core/answer.ts'
import { command, list } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { escapeControl } from '../../output/safe.ts'
import { factLines } from './lines.ts'
import { secretPath } from './place.ts'
import { readVersion } from './read.ts'
import { namesIn, subkeysOf } from './subkey-names.ts'

/** Its metadata, likewise. */
function metadataOf(body: Json): Json {
  return at(body, 'data', 'metadata') ?? at(body, 'metadata') ?? null
}

export const subkeys = command({
  name: 'subkeys',
  summary: "Show the names of a secret's keys, without values",
  description: '-o wide adds the metadata of the version.',
  endpoint: api.readSubkeys,
  params: {
    path: secretPath,
    version: flag.integer('the version to read (0: the latest)', { min: 0, defaultText: 'the latest' }),
    depth: flag.integer('levels of maps to show (0: all)', { min: 0, defaultText: '0' }),
  },
  examples: [
    { line: 'kv subkeys app/db', note: 'the names of its keys' },
    { line: 'kv subkeys app/features --depth 1 -o name', note: 'only the top level, for a script' },
  ],
  async run({ path, version, depth }, context) {
    const query: [string, string][] = []
    if (version !== undefined) query.push(['version', String(version)])
    if (depth !== undefined) query.push(['depth', String(depth)])
    const response = await readVersion(context, 'subkeys', path, query)
    const body = response.json()
    const names = namesIn(known(subkeysOf(body)), [])
    return {
      data: at(body, 'data') ?? body,
      rawBody: response.body,
      view: {
        kind: 'document',
        text: (paint, { wide }) => {
          const tree = names.map(({ keys }) => `${'  '.repeat(keys.length - 1)}${escapeControl(keys.at(-1) ?? '')}\n`)
          return tree.join('') + (wide ? `\n${factLines(metadataOf(body), paint)}` : '')
        },
        rows: {
          view: list<Json>(
            [{ name: 'key', value: (row) => at(row, 'key'), whole: true }],
            (row) => text(row, 'key') ?? '',
          ),
          data: names.filter(({ leaf }) => leaf).map(({ keys }) => objectFrom([['key', keys.join('.')]])),
        },
      },
    }
  },
})
