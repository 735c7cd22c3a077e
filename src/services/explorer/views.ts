import { endpoint, list } from '../../core/command.ts'
import { items, text } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'

export const viewsList = endpoint({
  name: 'list',
  route: 'GET /api/v2/organizations/{org}/explorer/views',
  summary: 'List the saved views of the organization',
  params: {},
  select: (body) => items(body, 'data'),
  output: list<Json>([{ name: 'id', value: (view) => text(view, 'id') }], (view) => text(view, 'id') ?? ''),
  examples: [{ line: 'explorer views list', note: 'every saved view' }],
})
