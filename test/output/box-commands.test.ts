import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { commandsOf, loadProgram } from '../../src/cli/catalogue.ts'
import { tree, version } from '../../src/commands/index.ts'
import { cells } from '../../src/output/width.ts'
import { exampleServer, runHere, workshop } from '../support/examples.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { now, story } from '../support/story.ts'

/** Commands that print raw output, a tree, a plan, or one line about a write. */
const withoutTable = new Set(
  `explorer export, explorer views delete, explorer views export, explorer views update, explorer views apply, kv set, kv put, kv patch, kv edit, kv tree, kv subkeys,
  kv rollback, kv delete, kv undelete, kv destroy, kv copy, kv move, kv export, kv import, kv backup, kv restore, kv exec,
  kv metadata put, kv metadata patch, kv metadata delete, kv config set, kmip config set, kmip ca, kmip scope create,
  kmip scope delete, kmip role set, kmip role delete, kmip cred revoke, job plan, job apply, job run, job update,
  job parse, job init, job diff, job wait, job dispatch, job periodic force, job revert, job stable, job evaluate, job scale, job stop,
  job start, job restart, job export, profile use, profile set, profile delete, profile path, login, logout, completion,
  help, dev, api`.split(/,\s+/),
)

/** The line for a command whose first example shows no table. */
const lines: Readonly<Record<string, string>> = {
  'kv audit': 'kv audit --older-than 1s',
  'kv verify': 'kv verify team.tugkv app',
  'kmip cred renew': 'kmip cred renew storage backup --certificate client.pem --out-dir ./netapp-a1 --force',
  'job status': "job status -n '*'",
  'job action': 'job action web',
  'profile show': 'profile show --effective',
}

/** Their second run differs from the first, or fails. */
const writes = new Set(['explorer views create', 'kmip cred generate', 'kmip cred sign', 'kmip cred renew'])

const { entries } = await loadProgram(tree, version)
const commands = entries.flatMap(commandsOf).filter(([name]) => !withoutTable.has(name))

test.each(commands)('tug %s -o box', async (name, { examples }) => {
  const example = lines[name] ?? examples[0]?.line ?? name
  const shared = await workshop(example, await exampleServer('neutral', stoppedClock))
  const before = name === 'profile list' ? 'profile set default output=json' : undefined
  if (before !== undefined) await runHere({ ...shared, line: before })
  const draw = async (columns: number, colour: 'always' | 'never') => {
    const place = writes.has(name) ? await workshop(example, await exampleServer('neutral', stoppedClock)) : shared
    const line = `${place.line} -o box --color ${colour}`
    const { stdout, stderr } = await runHere({ ...place, line }, { now, terminals: { stdout: columns } })
    const found = boxes(stdout)
    expect(found.length, `${stdout}${stderr}`).toBeGreaterThan(0)
    expect(stdout).not.toContain('…')
    return found
  }
  const whole = await draw(1000, 'never')
  const fitted = await draw(80, 'never')
  for (const box of fitted) {
    const [top = ''] = box
    expect(cells(top)).toBeLessThanOrEqual(80)
    for (const line of box) expect(edges(line), `${line}\n${top}`).toEqual(edges(top))
  }
  const coloured = await draw(80, 'always')
  if (!writes.has(name)) {
    expect(fitted.map(texts)).toEqual(whole.map(texts))
    expect(coloured.map((box) => box.map(stripVTControlCharacters))).toEqual(fitted)
  }
  // No colour runs on into the next cell.
  const parts = coloured.flat().flatMap((line) => line.split('│'))
  expect(parts.filter((part) => opens(part) !== closes(part))).toEqual([])
})

function boxes(text: string): string[][] {
  return (text.match(/^┌[^└]*└.*$/gm) ?? []).map((box) => box.split('\n'))
}

/** The cells in which the borders are. */
function edges(line: string): number[] {
  const parts = line.split(/[┌┬┐│├┼┤└┴┘]/)
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).reduce((sum, part) => sum + cells(part) + 1, 0))
}

/** The text of each column, without the blanks that wrapping moves. */
function texts(box: readonly string[]): string[] {
  const rows = box.filter((line) => line.startsWith('│')).map((line) => line.split('│').slice(1, -1))
  return (rows[0] ?? []).map((_, column) =>
    rows
      .map((row) => row[column])
      .join('')
      .replaceAll(' ', ''),
  )
}

function opens(text: string): number {
  return text.match(/\u001b\[(?:1|2|3[0-7]|9\d)m/g)?.length ?? 0
}

function closes(text: string): number {
  return text.match(/\u001b\[(?:22|39)m/g)?.length ?? 0
}

test('boxes with wide characters, lists, long text and a whole screen', () =>
  story(
    'box',
    [
      "explorer query workspaces -f 'project_name contains 東京' --limit 2 -o box",
      "explorer query workspaces -f 'workspace_name is payments-prod' --fields workspace_name,module_count,providers -o box",
      'kmip role get storage backup -o box',
      'job get stuck -o box',
      "job status -n '*' -o box",
      'job status stuck -o box',
      'kv get app/features -o box',
    ],
    { machine: { terminals: { stdout: 80 } } },
  ))
