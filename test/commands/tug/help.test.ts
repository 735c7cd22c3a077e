import { expect, test } from 'vitest'
import { topics } from '../../../src/commands/tug/topics.ts'
import { tug } from '../../support/run.ts'
import { specification } from '../../support/spec.ts'

test.each([
  ['', 'tug <command> --help'],
  ['kv', 'tug kv <command> [flags]'],
])('tug and a group alone show help and exit with 0: tug %s', async (line, usage) => {
  const { exit, stdout, stderr } = await tug(line)
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(stdout).toContain(usage)
})

test.each(['--help', 'kv --help', 'kv get --help', '-h', 'kv -h get', 'help', 'help kv get'])(
  '%s is help on stdout, exit 0',
  async (line) => {
    const { exit, stdout, stderr } = await tug(line)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage|\nUsage/)
  },
)

test.each(Object.keys(topics))('help %s explains', async (topic) => {
  const { exit, stdout } = await tug(`help ${topic}`)
  expect(exit).toBe(0)
  expect(stdout.length).toBeGreaterThan(200)
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(170)
})

test('help on an unknown topic is a usage error with the nearest name', async () => {
  const { exit, stderr } = await tug('help exit-code')
  expect(exit).toBe(2)
  expect(stderr).toContain("Did you mean 'exit-codes'")
})

test("--version is the program's version only before a command", async () => {
  expect(await tug('--version')).toMatchObject({ exit: 0 })
  expect(await tug('-V')).toMatchObject({ exit: 0 })
  const { stdout } = await tug('kv get app/db --version 3 --dry-run')
  expect(stdout).toContain('?version=3')
})

test('endpoints lists all of them', async () => {
  const { stdout } = await tug('endpoints -o json')
  expect(JSON.parse(stdout)).toHaveLength(specification.length)
})

test.each(['bash', 'zsh', 'fish'])('completion %s prints a script, refuses -o', async (shell) => {
  const { exit, stdout } = await tug(`completion ${shell}`)
  expect({ exit, asks: stdout.includes(`__complete ${shell}`) }).toEqual({ exit: 0, asks: true })
  expect((await tug(`completion ${shell} -o json`)).exit).toBe(2)
})
