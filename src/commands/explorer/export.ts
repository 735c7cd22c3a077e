import type { RequestParts } from '../../core/endpoint.ts'
import * as api from '../../api/explorer.ts'
import { command } from '../../core/command.ts'
import { destinationFlags } from '../../output/destination.ts'
import { csvResult, exportQuery } from './csv-result.ts'
import { queryParams, readQuery } from './query-params.ts'

export const exportRows = command({
  name: 'export',
  summary: 'Export all rows of a query as CSV',
  description: `The service's CSV is passed through byte for byte, to standard output or with -O to a file that is written beside its place and renamed when it is whole. --csv-safe and --csv-bom change it for spreadsheets.

Queries end after 60 seconds. When the CSV endpoint runs into that, the rows are read page by page and the same CSV is made of them.`,
  endpoint: api.exportCsv,
  also: [api.query],
  params: { ...queryParams, ...destinationFlags },
  rawOutput: true,
  examples: [
    {
      line: "explorer export workspaces --filter 'drifted is true' --sort=-resources_drifted -O drift.csv",
      note: 'a drift report into a file',
    },
    {
      line: 'explorer export workspaces --fields workspace_name,project_name,workspace_tool_version > versions.csv',
      note: 'three columns',
    },
    { line: 'explorer export providers -O providers.csv --force --csv-safe', note: 'for a spreadsheet' },
  ],
  async run(input, context) {
    const source = { ...readQuery(context, input), request: (parts: RequestParts) => api.query({}, parts) }
    return csvResult(context, input, () => exportQuery(context, source))
  },
})
