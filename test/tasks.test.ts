import { expect, test } from 'vitest'
import { otherLines, tasks } from '../src/cli/tasks.ts'
import { exampleServer, examples, runHere, runInShell, workshop } from './support/examples.ts'

/** The lines of the first tables in docs/reference.md that examples.test.ts doesn't run. */

const examined = new Set(examples.map(({ line }) => line))
const lines = [...new Set([...tasks, ...otherLines].map(([, line]) => line))]

test('most lines are examples of commands', () => {
  expect(lines.filter((line) => examined.has(line)).length).toBeGreaterThan(lines.length / 2)
})

test.each(lines.filter((line) => !examined.has(line)))('tug %s', async (line) => {
  for (const dialect of ['neutral', 'hashicorp'] as const) {
    const place = await workshop(line, await exampleServer(dialect))
    const { exit, stdout, stderr } = await (/[|&]/.test(line) ? runInShell(place) : runHere(place))
    expect(exit, `${stdout}\n${stderr}`).toBe(0)
  }
})
