import * as api from '../../api/kv.ts'
import { command } from '../../core/command.ts'
import { folderPath } from './place.ts'
import { listResult } from '../../api/secrets-list.ts'

export const list = command({
  name: 'list',
  summary: 'List the names in a folder',
  description: `One level; folders end with a slash. Deleted secrets are listed too. An empty mount is an empty list; a folder that is not there is exit status 3, for a folder exists only by what is in it. kv tree lists all levels.`,
  endpoint: api.list,
  params: { path: folderPath },
  examples: [
    { line: 'kv list', note: 'the top of the mount' },
    { line: 'kv list app -o name -0', note: 'names for xargs -0' },
  ],
  async run({ path = '' }, context) {
    return listResult(context, api.list({ path }), {
      emptyWhen404: path === '',
      column: 'key',
      empty: 'no secrets',
    })
  },
})
