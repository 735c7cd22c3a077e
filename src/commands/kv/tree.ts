import * as api from '../../api/kv.ts'
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

export const tree = command({
  name: 'tree',
  summary: 'List all secrets below a folder as a tree',
  description: `Reads several folders at once. -o name and -o json list the paths of the secrets, and with a slash those of folders that were not opened (--depth, not allowed). A folder that may not be listed is marked, the rest is listed, and the exit status is 10.`,
  also: [api.list, api.readMount, api.listVersion1],
  params: {
    path: folderPath,
    depth: flag.integer('levels to show', { min: 1, defaultText: 'all' }),
  },
  examples: [
    { line: 'kv tree', note: 'everything in the mount' },
    { line: 'kv tree team --depth 2 -o name', note: 'paths, two levels, for a script' },
  ],
  async run({ path = '', depth }, context) {
    const all: Entry[] = []
    for await (const entry of await walk(bulkContext(context), `${path}/`, { depth, parallel: usualParallel }))
      all.push(entry)
    const secrets = all.filter(({ name }) => !name.endsWith('/')).length
    const folders = all.length - secrets
    const failures = all.flatMap((entry) =>
      entry.failure === undefined ? [] : [{ item: entry.path, error: entry.failure }],
    )
    if (context.io.terminal.stderr)
      context.io.note(`${plural(secrets, 'secret')} in ${plural(folders + 1, 'folder')}`, 'dim')
    reportFailures(context.io, failures, all.length > failures.length)
    const paths = all.filter(({ isOpen }) => isOpen !== true).map((entry) => entry.path)
    const root = `${context.settings.route.mount}/${path === '' ? '' : `${path}/`}`
    return {
      data: paths,
      view: {
        kind: 'document',
        text: (paint) => `${paint('heading', escapeControl(root))}\n${branches(all, paint)}`,
        rows: { view: list<Json>([{ name: 'path', value: (row) => row, whole: true }], (row) => String(row)) },
      },
      ...(failures.length > 0 ? { exitCode: exitCodes.partial } : {}),
    }
  },
})

function branches(entries: readonly Entry[], paint: Paint): string {
  const bars: string[] = []
  return entries
    .map((entry) => {
      const { level, isLast } = entry
      const indent = bars.slice(0, level - 1).join('')
      bars[level - 1] = isLast ? '    ' : '│   '
      return `${paint('dim', `${indent}${isLast ? '└── ' : '├── '}`)}${label(entry, paint)}\n`
    })
    .join('')
}

function label({ name, isOpen, failure }: Entry, paint: Paint): string {
  const shown = escapeControl(name)
  if (failure !== undefined)
    return `${shown}  ${paint('warn', failure.code === 'not_allowed' ? '(not allowed)' : '(failed)')}`
  if (!name.endsWith('/')) return shown
  return isOpen === true ? paint('heading', shown) : `${paint('heading', shown)} …`
}
