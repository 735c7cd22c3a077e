import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualPages, roffProse, roffText } from '../../src/cli/manual.ts'
import { settingFacts } from '../../src/config/profile-keys.ts'
import { smallProgram } from './small-program.ts'

const pages = manualPages(smallProgram, settingFacts())
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tug-manual-'))
  for (const { file, text } of pages) writeFileSync(join(folder, file), text)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('there is a page for tug, for each group and for each command', () => {
  expect(pages.map(({ file }) => file)).toEqual([
    'tug.1',
    'tug-explorer.1',
    'tug-explorer-query.1',
    'tug-kv.1',
    'tug-kv-get.1',
    'tug-kv-put.1',
    'tug-kv-exec.1',
    'tug-kv-config.1',
    'tug-kv-config-get.1',
    'tug-job.1',
    'tug-job-get.1',
    'tug-job-run.1',
    'tug-completion.1',
    'tug-dev.1',
  ])
})

test('the pages are reproducible and ASCII', () => {
  const again = manualPages(smallProgram, settingFacts())
  expect(again).toEqual(pages)
  for (const { text } of pages) expect(text).toMatch(/^[\x20-\x7e\n]+$/)
})

test.each([
  ['-', String.raw`\-`],
  ['a\\b', String.raw`a\eb`],
  ['.SH', String.raw`\&.SH`],
  ["'x'", String.raw`\(aqx\(aq`],
  ['a\n.b', 'a\n\\&.b'],
  ['…', String.raw`\[u2026]`],
  ['😀', String.raw`\[u1F600]`],
  ['~^`"', String.raw`\(ti\(ha\(ga\(dq`],
])('%s is escaped', (text, expected) => {
  expect(roffText(text)).toBe(expected)
})

test('words in back quotes are bold', () => {
  expect(roffProse('write `-o x` or `.y`')).toBe(String.raw`write \fB\-o x\fR or \fB\&.y\fR`)
})

test('a page contains what the command tree has', () => {
  const pageOf = (name: string) => pages.find(({ file }) => file === `${name}.1`)?.text ?? ''
  expect(pageOf('tug-kv')).toContain(String.raw`\fBtug kv config get\fR`)
  expect(pageOf('tug-kv')).toContain(String.raw`\fBtug\-kv\-config\-get\fR(1)`)
  expect(pageOf('tug-kv-get')).toContain(String.raw`\fB\-a\fR, \fB\-\-all\fR`)
  expect(pageOf('tug-kv-get')).toContain('.SH "ALIASES"\ncat, show, inspect\n')
  expect(pageOf('tug-kv-config-get')).toContain(String.raw`\fB\-\-type\fR <\fIrsa|ec|ed25519\fR>`)
  expect(pageOf('tug-kv-get')).toContain(String.raw`GET /v1/{mount}/data/{path}   needs read`)
  expect(pageOf('tug-kv-get')).toContain(String.raw`tug kv get app/db \-\-field \(aqpass word\(aq`)
  const root = pages[0]?.text ?? ''
  expect(root).toContain(String.raw`\fBtug\-kv\fR(1)`)
  expect(root).toContain('TUG_EXPLORER_ADDR')
  expect(root).toContain('VAULT_ADDR')
  expect(root).toContain('.SH "EXIT STATUS"')
})

test('man reads every page without a warning', () => {
  for (const { file } of pages) expect(checkPage('man', ['--warnings', '-l', join(folder, file)])).toBe('')
})

test('mandoc has no warnings', () => {
  for (const { file } of pages) {
    expect(checkPage('mandoc', ['-T', 'lint', '-W', 'warning', join(folder, file)])).toBe('')
  }
})

test('a reader sees the text as it was written', () => {
  if (!isThere('man')) return expect(isThere('man'), 'man is not installed: nothing was rendered').toBe(false)
  const shown = execFileSync('man', ['-l', join(folder, 'tug-kv-get.1')], {
    encoding: 'utf8',
    env: { ...process.env, MANWIDTH: '100', MAN_KEEP_FORMATTING: '', LC_ALL: 'C.UTF-8', GROFF_NO_SGR: '1' },
  }).replace(/.\x08/g, '')
  expect(shown).toContain(String.raw`.dots, 'quotes' and back\slashes - all of them stay.`)
  expect(shown).toContain('indented   lines -- stay')
  expect(shown).toContain("tug kv get app/db --field 'pass word'")
  expect(shown).toContain('one value — raw:')
  return undefined
})

function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
}

/** A checker's complaints; none if it isn't installed. */
function checkPage(program: string, args: string[]): string {
  if (!isThere(program)) return ''
  const { stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '100' },
  })
  return program === 'man' ? stderr : stdout + stderr
}
