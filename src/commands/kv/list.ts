import * as api from '../../api/kv.ts'
import { namesView } from '../../api/secrets.ts'
import { read } from '../../read/read.ts'
import { folderPath } from './data/paths.ts'
import { listFolder } from './mount/list.ts'

export const list = read({
  name: 'list',
  summary: 'List the names in a folder',
  description: `Lists one level; folders end with a slash. Deleted secrets are listed too. An empty mount is an empty list. A missing folder is exit status 3: a folder exists only as long as it contains something. kv tree lists all levels.`,
  endpoint: api.list,
  also: [api.readMount, api.listVersion1],
  params: { path: folderPath },
  examples: [
    { line: 'kv list', note: 'the top of the mount' },
    { line: 'kv list app -o name -0', note: 'names for xargs -0' },
  ],
  send: async (context, _, { path = '' }) => {
    const names = await listFolder(context, path)
    if (names.missing !== undefined && path !== '') throw names.missing
    return names
  },
  view: namesView('key', 'no secrets'),
})
