import * as api from '../../api/kv.ts'
import { asJson } from '../../core/answer.ts'
import { command, list } from '../../core/command.ts'
import { flag } from '../../core/param.ts'
import { escapeControl } from '../../output/safe.ts'
import { factLines, namesIn } from './data/values.ts'
import { explainMissing, readVersion, secretPath } from './secret/index.ts'

export const subkeys = command({
  name: 'subkeys',
  summary: "Show the names of a secret's keys, without values",
  description: '-o wide adds the metadata of the version.',
  endpoint: api.readSubkeys,
  also: [api.list],
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
    const { value, metadata, response } = await readVersion(context, 'subkeys', path, query).catch(
      explainMissing(context, path),
    )
    const names = namesIn(value.subkeys ?? null, [])
    return {
      data: asJson(value),
      rawBody: response.body,
      view: {
        kind: 'document',
        text: (paint, { wide }) => {
          const tree = names.map(({ keys }) => `${'  '.repeat(keys.length - 1)}${escapeControl(keys.at(-1) ?? '')}\n`)
          return tree.join('') + (wide ? `\n${factLines(asJson(metadata), paint)}` : '')
        },
        rows: {
          view: list<{ key: string }>([{ name: 'key', value: ({ key }) => key, whole: true }], ({ key }) => key),
          data: names.filter(({ leaf }) => leaf).map(({ keys }) => asJson({ key: keys.join('.') })),
        },
      },
    }
  },
})
