import { at, text } from '../../core/answer.ts'
import { list } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { loadProgram } from '../../cli/catalogue.ts'
import { coverageOf } from '../../cli/coverage.ts'
import { tugCommand } from './context.ts'

export const endpoints = tugCommand({
  name: 'endpoints',
  summary: 'List the API endpoints with their commands',
  params: {},
  examples: [
    { line: 'endpoints', note: 'the whole coverage' },
    { line: 'endpoints -o csv', note: 'for a review' },
  ],
  async run(_, { tree, version }) {
    const covered = coverageOf(await loadProgram(tree, version))
    const data = covered.map(({ service, method, path, acl, blocking, command: words }) => ({
      service: service ?? null,
      method,
      path,
      acl: acl ?? null,
      blocking: blocking ?? false,
      command: words,
    }))
    return { data, view }
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
