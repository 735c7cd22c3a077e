import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Ending, JournalLine } from '../../src/bulk/journal.ts'
import { checkJournal, createJournal, readJournal } from '../../src/bulk/journal.ts'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { start } from '../support/process.ts'

function line(item: string, outcome: Ending): JournalLine {
  return {
    time: '2026-11-20T12:00:00Z',
    who: 'me',
    item,
    action: 'copy',
    server: 'http://a',
    target: 'secret to b',
    before: null,
    after: null,
    outcome,
    error: null,
    request_id: null,
  }
}

test.each<[readonly Ending[], Ending]>([
  [['unknown', 'failed'], 'unknown'],
  [['unknown', 'failed', 'failed'], 'unknown'],
  [['unknown', 'done'], 'done'],
  [['failed', 'unchanged'], 'unchanged'],
  [['done', 'unknown'], 'unknown'],
])('an item whose lines say %j is %s', async (outcomes, last) => {
  const cwd = scratchFolder()
  const journal = createJournal(cwd, 'j', false)
  for (const outcome of outcomes) journal.append(line('a', outcome))
  journal.close()
  expect((await readJournal(cwd, 'j'))?.outcomes.get('a')).toBe(last)
})

test('a journal goes on after a line that was cut off, and after it was closed', async () => {
  const cwd = scratchFolder()
  const path = join(cwd, 'j')
  writeFileSync(path, `${JSON.stringify(line('a', 'done'))}\n{"time":"2026`)
  expect(await readJournal(cwd, 'j')).toMatchObject({ torn: true })
  const journal = createJournal(cwd, 'j', true)
  journal.append(line('b', 'done'))
  journal.append(line('c', 'failed'))
  journal.close()
  journal.append(line('d', 'unchanged'))
  journal.close()
  const lines = readFileSync(path, 'utf8').split('\n')
  expect(lines.map((text) => text.slice(0, 14))).toEqual([
    '{"time":"2026-',
    '{"time":"2026',
    '{"time":"2026-',
    '{"time":"2026-',
    '{"time":"2026-',
    '',
  ])
  const past = await readJournal(cwd, 'j')
  expect([...(past?.outcomes ?? [])]).toEqual([
    ['a', 'done'],
    ['b', 'done'],
    ['c', 'failed'],
    ['d', 'unchanged'],
  ])
  expect(past?.torn).toBe(false)
})

test('a journal is private, and there is none before its first line', async () => {
  const cwd = scratchFolder()
  const journal = createJournal(cwd, 'j', false)
  expect(await readJournal(cwd, 'j')).toBeUndefined()
  journal.append(line('a', 'done'))
  journal.close()
  expect(statSync(join(cwd, 'j')).mode & 0o777).toBe(0o600)
})

test.skipIf(process.platform === 'win32')('a journal that is a pipe without a reader ends the run', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  execFileSync('mkfifo', [join(cwd, 'j')])
  const { child, ended } = start(['kv', 'copy', 'app', 'new', '--recursive', '--journal', 'j'], { env, cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { status, stderr } = await ended
  expect([status, stderr]).toEqual([10, expect.stringMatching(/ j: \S/)])
})

test.each(['', '-'])("a journal named '%s' is refused before anything is sent", async (name) => {
  await expect(checkJournal('/nonexistent', name)).rejects.toMatchObject({ code: 'usage' })
})
