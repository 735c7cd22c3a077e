import { expect, test } from 'vitest'
import { helpOf } from '../../src/cli/help.ts'
import { commandsOf, loadProgram } from '../../src/cli/catalogue.ts'
import { findRoute } from '../../src/cli/route.ts'
import { tree } from '../../src/commands/index.ts'
import type { Paint } from '../../src/core/output.ts'
import { configured, tug } from '../support/run.ts'
import { smallTree } from './small-program.ts'

/** Whole pages: a flag, a default or a blank line that is lost is noticed. `vitest -u` writes them; read what changed. */

test.each(['--help', 'profile --help', 'profile set --help', 'login --help', 'status --help', 'api --help'])(
  'tug %s',
  async (line) => {
    const { exit, stdout, stderr } = await tug(line, { env: configured })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    await expect(stdout).toMatchFileSnapshot(`help/${line.replace(/ ?--help/, '').replaceAll(' ', '-') || 'tug'}.txt`)
  },
)

test.each(['kv', 'kv get', 'kv exec', 'kv config get', 'explorer query', 'job get'])(
  'a small program: %s --help',
  async (words) => {
    const paint: Paint = (tone, text) => (tone === 'heading' ? `[${text}]` : text)
    const text = helpOf(await findRoute(words.split(' '), smallTree), smallTree, { paint, width: 80 })
    await expect(text).toMatchFileSnapshot(`help/small/${words.replaceAll(' ', '-')}.txt`)
  },
)

test('help is as wide as the terminal, and at most 120 columns', async () => {
  const widest = async (columns: number) => {
    const { stdout } = await tug('kv put --help', { env: configured, terminals: { stdout: columns } })
    return Math.max(...stdout.split('\n').map((line) => line.length))
  }
  expect(await widest(80)).toBeLessThanOrEqual(80)
  expect(await widest(80)).toBeGreaterThan(70)
  expect(await widest(300)).toBeLessThanOrEqual(120)
  expect(await widest(300)).toBeGreaterThan(100)
})

const commands = (await loadProgram(tree, '')).entries.flatMap(commandsOf)

/** The lines of a command's help in 80 columns. */
async function helpLines(words: string): Promise<string[]> {
  const route = await findRoute(words.split(' '), tree)
  return helpOf(route, tree, { paint: (_, text) => text, width: 80 }).split('\n')
}

test('all help but command lines fits 80 columns', async () => {
  const long: string[] = []
  for (const [words, { examples }] of commands) {
    const exampleLines = examples.map(({ line }) => `  tug ${line}`)
    const isWhole = (line: string) => exampleLines.includes(line) || line.startsWith('Usage')
    long.push(...(await helpLines(words)).filter((line) => line.length > 80 && !isWhole(line)))
  }
  expect(long).toEqual([])
})

test('the first screen of a small terminal shows what a command does, two examples and its first flags', async () => {
  for (const [words, { examples }] of commands) {
    const lines = await helpLines(words)
    const screen = lines.slice(0, 24)
    for (const { line } of examples.slice(0, 2)) expect(screen, words).toContain(`  tug ${line}`)
    if (lines.includes('Flags')) expect(screen.slice(0, -1), words).toContain('Flags')
  }
})

test('tug --help fits 24 lines of 80 columns', async () => {
  const { stdout } = await tug('--help', { env: { ...configured, NO_COLOR: '1' }, terminals: { stdout: 80 } })
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
})

test('a topic fits a narrow terminal: paragraphs and the last column are wrapped', async () => {
  const shown = async (columns: number) =>
    (await tug('help exit-codes', { terminals: { stdout: columns } })).stdout.split('\n')
  const usual = await shown(100)
  expect((await tug('help exit-codes')).stdout.split('\n')).toEqual(usual)
  const narrow = await shown(60)
  expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(60)
  const words = (lines: string[]) => lines.join(' ').split(/\s+/)
  expect(words(narrow)).toEqual(words(usual))
  expect(narrow).toContain('  3                   not found, including a secret version')
  expect(narrow).toContain('                      that is deleted or destroyed, and a')
})
