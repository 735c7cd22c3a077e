import { command, list as listView } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { folderPath, kvRoute } from './kv-place.ts'
import { listNames } from './list.ts'

export const list = command({
  name: 'list',
  summary: 'List the names in a folder',
  description: `One level; folders end with a slash. Deleted secrets are listed too. An empty mount is an empty list; a folder that is not there is exit status 3, for a folder exists only by what is in it. kv tree lists all levels.`,
  endpoints: [{ route: 'LIST /v1/{mount}/metadata/{path}', acl: 'list' }],
  params: { path: folderPath },
  examples: [
    { line: 'kv list', note: 'the top of the mount' },
    { line: 'kv list app -o name -0', note: 'names for xargs -0' },
  ],
  async run({ path = '' }, context) {
    const names = await listNames(context, kvRoute(context, 'metadata', path), { emptyWhen404: path === '' })
    return {
      data: names,
      view: listView<Json>([{ name: 'key', value: (name) => name, whole: true }], (name) => String(name), {
        empty: 'no secrets there',
      }),
    }
  },
})
