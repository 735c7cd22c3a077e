import * as api from '../../api/kv.ts'
import { asJson } from '../../core/answer.ts'
import { command, list } from '../../core/command.ts'
import { exitCodes } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import type { Paint } from '../../core/output.ts'
import { flag } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import { escapeControl } from '../../output/safe.ts'
import { bulkContext, reportFailures, usualParallel } from '../../read/bulk.ts'
import { folderPath } from './data/paths.ts'
import type { Entry } from './mount/walk.ts'
import { walk } from './mount/walk.ts'
import type { CurrentState } from './secret/index.ts'
import { currentStates, deletedFlags, isWithoutData } from './secret/index.ts'

export const tree = command({
  name: 'tree',
  summary: 'List all secrets below a folder as a tree',
  description: `-o name and -o json list the paths of the secrets, and with a slash those of folders that were not opened (--depth, not allowed); with --deleted, -o json has objects with path and state. A folder that may not be listed is marked, and the exit status is 10.`,
  also: [api.list, api.readMetadata, api.readMount, api.listVersion1],
  params: {
    path: folderPath,
    depth: flag.integer('levels to show', { min: 1, defaultText: 'all' }),
    ...deletedFlags,
  },
  examples: [
    { line: 'kv tree', note: 'everything in the mount' },
    { line: 'kv tree team --depth 2 -o name', note: 'paths, two levels, for a script' },
    { line: 'kv tree team --deleted', note: 'with a mark for deleted secrets' },
  ],
  async run({ path = '', depth, deleted, noDeleted }, context) {
    const found: Entry[] = []
    for await (const entry of await walk(bulkContext(context), `${path}/`, { depth, parallel: usualParallel }))
      found.push(entry)
    const readable = found.filter(({ name, failure }) => !name.endsWith('/') && failure === undefined)
    const states =
      deleted === true || noDeleted === true
        ? await currentStates(
            context,
            readable.map((entry) => entry.path),
          )
        : new Map<string, CurrentState>()
    const all = noDeleted === true ? without(found, (entry) => isWithoutData(states.get(entry.path))) : found
    const secrets = all.filter(({ name }) => !name.endsWith('/')).length
    const folders = all.length - secrets
    const failures = all.flatMap((entry) =>
      entry.failure === undefined ? [] : [{ item: entry.path, error: entry.failure }],
    )
    reportFailures(context.io, failures, all.length > failures.length)
    const leaves = all.filter(({ isOpen }) => isOpen !== true)
    const rows = leaves.map((entry) =>
      deleted === true ? asJson({ path: entry.path, state: states.get(entry.path) ?? null }) : entry.path,
    )
    const root = `${context.settings.route.mount}/${path === '' ? '' : `${path}/`}`
    return {
      data: rows,
      view: {
        kind: 'document',
        text: (paint) => `${paint('heading', escapeControl(root))}\n${branches(all, states, paint)}`,
        rows: { view: deleted === true ? markedRows : plainRows },
      },
      finish: () => {
        if (context.io.terminal.stderr)
          context.io.note(`${plural(secrets, 'secret')} in ${plural(folders + 1, 'folder')}`, 'dim')
      },
      ...(failures.length > 0 ? { exitCode: exitCodes.partial } : {}),
    }
  },
})

const plainRows = list<Json>([{ name: 'path', value: (row) => row, whole: true }], (row) => String(row))

const markedRows = list<{ path: string; state: CurrentState | null }>(
  [
    { name: 'path', value: ({ path }) => path, whole: true },
    { name: 'state', value: ({ state }) => state },
  ],
  ({ path }) => path,
)

/** The entries without some secrets, and without the folders that contained nothing else. */
function without(entries: readonly Entry[], isLeftOut: (entry: Entry) => boolean): Entry[] {
  const kept: Entry[] = []
  // From the end, so that the entries of a folder come before it: the last kept one of each level is known.
  const levels = new Set<number>()
  for (const entry of entries.toReversed()) {
    const isEmpty = entry.isOpen === true && !levels.has(entry.level + 1)
    for (const level of levels) if (level > entry.level) levels.delete(level)
    if (isEmpty || isLeftOut(entry)) continue
    kept.push({ ...entry, isLast: !levels.has(entry.level) })
    levels.add(entry.level)
  }
  return kept.toReversed()
}

function branches(entries: readonly Entry[], states: ReadonlyMap<string, CurrentState>, paint: Paint): string {
  const bars: string[] = []
  return entries
    .map((entry) => {
      const { level, isLast } = entry
      const indent = bars.slice(0, level - 1).join('')
      bars[level - 1] = isLast ? '    ' : '│   '
      return `${paint('dim', `${indent}${isLast ? '└── ' : '├── '}`)}${label(entry, states.get(entry.path), paint)}\n`
    })
    .join('')
}

function label({ name, isOpen, failure }: Entry, state: CurrentState | undefined, paint: Paint): string {
  const shown = escapeControl(name)
  if (isWithoutData(state)) return `${shown}  ${paint('warn', `(${state})`)}`
  if (failure !== undefined)
    return `${shown}  ${paint('warn', failure.code === 'not_allowed' ? '(not allowed)' : '(failed)')}`
  if (!name.endsWith('/')) return shown
  return isOpen === true ? paint('heading', shown) : `${paint('heading', shown)} …`
}
