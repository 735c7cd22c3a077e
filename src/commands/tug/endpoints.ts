import { asJson } from '../../core/answer.ts'
import { list } from '../../core/command.ts'
import { loadProgram, coverageOf } from '../../cli/catalogue.ts'
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
    const rows = covered.map(({ service, endpoint, command }): EndpointRow => ({
      service: service ?? null,
      method: endpoint.method,
      path: endpoint.path,
      acl: endpoint.acl ?? null,
      blocking: endpoint.blocking ?? false,
      command,
    }))
    return { data: asJson(rows), view }
  },
})

interface EndpointRow {
  readonly service: string | null
  readonly method: string
  readonly path: string
  readonly acl: string | null
  readonly blocking: boolean
  readonly command: string
}

const view = list<EndpointRow>(
  [
    { name: 'service', value: (row) => row.service },
    { name: 'method', value: (row) => row.method },
    { name: 'path', value: (row) => row.path, whole: true },
    { name: 'command', value: (row) => row.command, whole: true },
    {
      name: 'blocking',
      value: (row) => row.blocking,
      show: (row) => (row.blocking ? 'yes' : ''),
    },
    { name: 'acl', value: (row) => row.acl },
  ],
  (row) => `${row.method} ${row.path}`,
)
