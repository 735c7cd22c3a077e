import * as api from '../../api/kv.ts'
import { namesView } from '../../api/secrets.ts'
import { asJson } from '../../core/answer.ts'
import { list as listView } from '../../core/command.ts'
import { read } from '../../read/read.ts'
import { below, folderPath } from './data/paths.ts'
import { listFolder } from './mount/list.ts'
import type { CurrentState } from './secret/index.ts'
import { currentStates, deletedFlags, isWithoutData } from './secret/index.ts'

/** A name with the state of its current version: null for a folder, and where it could not be read. */
interface Marked {
  readonly key: string
  readonly state: CurrentState | null
}

const markedView = listView<Marked>(
  [
    { name: 'key', value: ({ key }) => key, whole: true },
    {
      name: 'state',
      value: ({ state }) => state,
      show: ({ state }) => (isWithoutData(state ?? undefined) ? String(state) : ''),
    },
  ],
  ({ key }) => key,
  { empty: 'no secrets' },
)

export const list = read({
  name: 'list',
  summary: 'List the names in a folder',
  description: `Folders end with a slash. Deleted secrets are listed too. A missing folder is exit status 3: a folder exists only as long as it contains something; an empty mount is an empty list. kv tree lists all levels.`,
  endpoint: api.list,
  also: [api.readMetadata, api.readMount, api.listVersion1],
  params: { path: folderPath, ...deletedFlags },
  examples: [
    { line: 'kv list', note: 'the top of the mount' },
    { line: 'kv list app -o name -0', note: 'names for xargs -0' },
    { line: 'kv list team/payments --no-deleted', note: 'without deleted secrets' },
  ],
  send: async (context, _, { path = '', deleted, noDeleted }) => {
    const names = await listFolder(context, path)
    if (names.missing !== undefined && path !== '') throw names.missing
    if (deleted !== true && noDeleted !== true) return names
    const secrets = names.value.filter((name) => !name.endsWith('/'))
    const states = await currentStates(
      context,
      secrets.map((name) => below(path, name)),
    )
    const stateOf = (name: string) => states.get(below(path, name))
    if (noDeleted === true) return { value: names.value.filter((name) => !isWithoutData(stateOf(name))) }
    return { value: names.value.map((key): Marked => ({ key, state: stateOf(key) ?? null })) }
  },
  select: (value: readonly (string | Marked)[]) => value.map(asJson),
  view: ({ deleted }) => (deleted === true ? markedView : namesView('key', 'no secrets')),
})
