import { expect, test } from 'vitest'
import { startDevServer } from '../support/dev.ts'
import { tug } from '../support/run.ts'

test.each([
  ['--columns nope', "there is no column 'nope'"],
  ["-o json --query 'abs(id)'", '--query'],
])('a write that cannot be shown as asked is done, and shown: %s', async (flags, words) => {
  const { env } = await startDevServer()
  const { exit, stdout, stderr } = await tug(`explorer views create New --type workspaces ${flags}`, { env })
  expect(exit).toBe(0)
  expect(stdout).toContain('New')
  expect(stderr).toContain('warning: it is done, but cannot be shown as asked: ')
  expect(stderr).toContain(words)
  expect((await tug('explorer views list', { env })).stdout).toContain('New')
})

test('a read that cannot be shown as asked is a mistake', async () => {
  const { env } = await startDevServer()
  const { exit, stdout, stderr } = await tug('explorer views list --columns nope', { env })
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr).toContain("--columns: there is no column 'nope'")
})
