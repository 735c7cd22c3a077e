import * as api from '../../api/explorer.ts'
import { command } from '../../core/command.ts'
import { pagedRows, pagingParams } from './paging.ts'
import { queryParams, readQuery } from './query-params.ts'

export const query = command({
  name: 'query',
  summary: 'Query workspaces, tool versions, providers or modules',
  description: `Reads one page unless --all or --limit asks for more. A line on stderr says if there are more rows.

A filter is '<field> <operator> [<value>]': 'drifted is true', 'module_count gteq 5', 'vcs_repo_identifier is_empty', 'workspace_updated_at is_before 30d'. tug explorer fields lists the fields of each view and their operators, tug help filters explains the whole language. Everything is checked before anything is sent.`,
  endpoint: api.query,
  params: { ...queryParams, ...pagingParams },
  examples: [
    {
      line: "explorer query workspaces --filter 'drifted is true' --sort=-resources_drifted",
      note: 'what has drifted, the worst first',
    },
    {
      line: "explorer query workspaces -f 'current_run_status = errored' -f 'project_name ~ Pay' --fields workspace_name,vcs_repo_identifier",
      note: 'two conditions, two columns',
    },
    {
      line: "explorer query workspaces --filter 'workspace_updated_at is_before 90d' --all -o csv",
      note: 'every workspace unchanged for 90 days, as CSV',
    },
    { line: 'explorer query tf_versions --sort=-workspace_count --limit 5', note: 'the five most used versions' },
    { line: "explorer query workspaces -f 'drifted is true' --all -o name", note: 'the IDs, for a loop' },
  ],
  run: async (input, context) =>
    pagedRows(context, { ...readQuery(context, input), request: (parts) => api.query({}, parts) }, input),
})
