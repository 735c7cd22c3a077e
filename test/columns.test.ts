import { expect, test, vi } from 'vitest'
import type { Column } from '../src/core/output.ts'
import { runHere, workshop } from './support/examples.ts'

/** How each column of each list and record is shown; `vitest -u` writes them. */

const seen = vi.hoisted(() => new Set<string>())

vi.mock('../src/core/command.ts', async (importActual) => {
  const actual = await importActual<typeof import('../src/core/command.ts')>()
  const wordsOf = ({ name, title, align, ...flags }: Column<never>) => {
    const set = Object.entries(flags).flatMap(([flag, value]) => (value === true ? [flag] : []))
    const rest = [...(title === undefined ? [] : [`'${title}'`]), ...(align === undefined ? [] : [align]), ...set]
    return `  ${name}${rest.length === 0 ? '' : `: ${rest.join(', ')}`}`
  }
  const note = (
    kind: string,
    columns: readonly Column<never>[],
    { usual, empty }: { usual?: readonly string[]; empty?: string },
  ) =>
    seen.add(
      [
        kind,
        ...columns.map(wordsOf),
        ...(usual === undefined ? [] : [`  usual: ${usual.join(', ')}`]),
        ...(empty === undefined ? [] : [`  empty: ${empty}`]),
      ].join('\n'),
    )
  const list: typeof actual.list = (columns, name, options) => {
    note('list', columns, options ?? {})
    return actual.list(columns, name, options)
  }
  const record: typeof actual.record = (columns, name) => {
    note('record', columns, {})
    return actual.record(columns, name)
  }
  return { ...actual, list, record }
})

/** Lines whose views are made when they run; the others are made when their command is loaded. */
const lines = [
  'explorer query workspaces',
  'explorer summary workspaces --by project_name --sum resources_drifted',
  'explorer diff workspaces versions.csv --fields workspace_name,workspace_tool_version',
  'kv find db',
  'kv find password --keys',
  'kv find db --older-than 1d',
  'kv find db --older-than 1d --keys',
  'kv diff app team --recursive',
  'kv tree',
  'kv subkeys app/db',
  'kv get app/db',
  'kv import app.json app --plan',
  'kmip cred list storage backup',
  'kmip cred list',
  'job list -n *',
  'job parse web.hcl',
  'job plan web.hcl',
  'job status web',
  'job summary web',
  'job allocs web',
  'job allocs web --all',
  'job versions web',
  'job scale-status web',
  'job stop web --yes',
  'job start web --wait',
  'job action web flush --all',
]

test('columns have the titles, the alignment and the flags of the file', async () => {
  const { cwd, env } = await workshop(lines.join('\n'))
  for (const line of lines) expect((await runHere({ line, cwd, env })).exit, line).toBe(0)
  await expect(`${[...seen].toSorted().join('\n')}\n`).toMatchFileSnapshot('screens/columns.txt')
}, 120_000)
