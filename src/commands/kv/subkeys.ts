import * as api from '../../api/kv.ts'
import { asJson } from '../../core/answer.ts'
import { list } from '../../core/command.ts'
import { query } from '../../core/param.ts'
import { escapeControl } from '../../output/safe.ts'
import { read } from '../../read/read.ts'
import { secretPath } from './data/paths.ts'
import { factLines, namesIn } from './data/values.ts'
import { findSubkeys } from './secret/index.ts'

export const subkeys = read({
  name: 'subkeys',
  summary: "Show the names of a secret's keys, without values",
  description: '-o wide adds the metadata of the version.',
  endpoint: api.readSubkeys,
  also: [api.list],
  params: {
    path: secretPath,
    version: query.integer('version to read', { min: 0, defaultText: '0, the latest' }),
    depth: query.integer('levels of maps to show (0: all)', { min: 0, defaultText: '0' }),
  },
  examples: [
    { line: 'kv subkeys app/db', note: 'the names of its keys' },
    { line: 'kv subkeys app/features --depth 1 -o name', note: 'only the top level, for a script' },
  ],
  send: async (context, _, { path, version, depth }) => {
    const found = await findSubkeys(context, path, { version, depth })
    if (found.state === 'missing') throw await found.explain()
    if (found.state !== 'live') throw found.error
    return { value: found, body: found.response.body }
  },
  select: ({ value }) => value,
  view: (_, _context, found) => {
    const names = namesIn(found?.subkeys ?? null, [])
    return {
      kind: 'document',
      text: (paint, { wide, now }) => {
        const tree = names.map(({ keys }) => `${'  '.repeat(keys.length - 1)}${escapeControl(keys.at(-1) ?? '')}\n`)
        return tree.join('') + (wide ? `\n${factLines(asJson(found?.metadata), now, paint)}` : '')
      },
      rows: {
        view: list<{ key: string }>([{ name: 'key', value: ({ key }) => key, whole: true }], ({ key }) => key),
        data: names.filter(({ leaf }) => leaf).map(({ keys }) => asJson({ key: keys.join('.') })),
      },
    }
  },
})
