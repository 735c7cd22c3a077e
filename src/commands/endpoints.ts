import { at, text } from '../core/answer.ts'
import { command, list } from '../core/command.ts'
import type { Json } from '../core/json.ts'
import { allCommands } from '../cli/catalogue.ts'
import { tree } from '../program.ts'

export const endpoints = command({
  name: 'endpoints',
  summary: 'List every endpoint that is covered: method, path, capability, blocking, the command',
  endpoints: [],
  params: {},
  examples: [
    { line: 'endpoints', note: 'the whole coverage' },
    { line: 'endpoints -o csv', note: 'for a review' },
  ],
  async run() {
    return { data: await coverage(), view }
  },
})

const view = list<Json>(
  [
    { name: 'service', value: (row) => at(row, 'service') },
    { name: 'method', value: (row) => at(row, 'method') },
    { name: 'path', value: (row) => at(row, 'path'), whole: true },
    { name: 'command', value: (row) => at(row, 'command'), whole: true },
    {
      name: 'blocking',
      value: (row) => at(row, 'blocking'),
      show: (row) => (at(row, 'blocking') === true ? 'yes' : ''),
    },
    { name: 'acl', value: (row) => at(row, 'acl') },
  ],
  (row) => `${text(row, 'method')} ${text(row, 'path')}`,
)

/** One row for each endpoint; of the commands that call it, the one that is for it: the one that calls the fewest. */
export async function coverage(): Promise<Json[]> {
  const rows = new Map<string, { row: Json; calls: number }>()
  for (const { words, entry, command: one } of await allCommands(tree)) {
    for (const endpoint of one.endpoints) {
      const key = `${entry.name} ${endpoint.method} ${endpoint.path.replace(/\{\w+\}/g, '{}')}`
      const known = rows.get(key)
      if (known !== undefined && known.calls <= one.endpoints.length) continue
      const row = {
        service: entry.service ?? null,
        method: endpoint.method,
        path: endpoint.path,
        acl: endpoint.acl ?? null,
        blocking: endpoint.blocking ?? false,
        command: words.join(' '),
      }
      rows.set(key, { row, calls: one.endpoints.length })
    }
  }
  return [...rows.values()].map(({ row }) => row)
}
