import * as api from '../../api/kv.ts'
import { namesResult } from '../../api/secrets.ts'
import { command } from '../../core/command.ts'
import { folderPath, listFolder, withoutFolder } from './secret/index.ts'

export const list = command({
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
  async run({ path = '' }, context) {
    try {
      const found = await listFolder(context, path)
      if (found.missing !== undefined && path !== '') throw found.missing
      return namesResult(found, { column: 'key', empty: 'no secrets' })
    } catch (error) {
      throw withoutFolder(context, path, error)
    }
  },
})
