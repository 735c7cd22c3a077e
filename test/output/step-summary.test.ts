import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { root } from '../support/process.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'

/** A step of a GitHub job with the local server, whose summary is `text()`. */
async function step() {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const file = join(cwd, 'summary.md')
  writeFileSync(join(cwd, 'secrets.json'), '{"app/new": {"password": "planted-Zx81Qw"}, "app/db": {"user": "x"}}')
  const github = { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file }
  const run = (line: string, changes: Record<string, string> = {}, from = cwd) =>
    tug(line, { env: { ...github, ...changes }, cwd: from })
  return { run, file, text: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') }
}

test('a plan and a run are tables, then the last line and the exit status', async () => {
  const { run, text } = await step()
  const plain = await run('kv import secrets.json --plan')
  const plan = await run('kv import secrets.json --plan --summary')
  expect(plan).toEqual(plain)
  const [heading, ...parts] = text().split('\n\n')
  expect(heading).toBe('## tug kv import')
  expect(parts[0]).toMatch(/\| app\/new \|/)
  expect(text()).toMatch(/\n\n\*\*Exit status \d+\*\*\n\n```text\n/)
  expect(text()).not.toContain('planted')
})

test('a run that fails has its message and hints, without markup of its own', async () => {
  const { env } = await serve((_, response) => json(response, 400, '{"errors":["bad ``` <script> **x**"]}'))
  const file = join(scratchFolder(), 'summary.md')
  const run = await tug('kv metadata put app/db --max-versions 3 --summary', {
    env: { ...env, GITHUB_STEP_SUMMARY: file },
  })
  expect(run.exit).toBe(6)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('**Exit status 6**\n\n````text\n')
  expect(text).toContain('bad ``` <script> **x**')
})

test.each([
  ['job status', /\| stuck \|/],
  ['job status web', /web/],
  ['job plan examples/web.hcl', /web/],
  ['job stop web --yes', /stopped/i],
])('%s is in the summary', async (line, content) => {
  const { run, text } = await step()
  const { exit } = await run(`${line} --summary`, {}, root)
  expect([0, 9]).toContain(exit)
  expect(text()).toMatch(content)
  expect(text()).toMatch(/\n\nExit status \d\n\n$/)
})

test('several commands add to one summary', async () => {
  const { run, text } = await step()
  await run('job status --summary')
  await run('kv set app/db user=other --summary')
  expect(text().match(/^## tug .*$/gm)).toEqual(['## tug job status', '## tug kv set'])
  expect(text()).not.toContain('other')
})

test.each([
  ['kv get app/db', {}],
  ['kv export app --format json', {}],
  ['job status', { GITHUB_STEP_SUMMARY: '' }],
])('%s %j cannot be in a summary, and nothing is sent', async (line, env) => {
  const { run, text } = await step()
  const { exit, stdout } = await run(`${line} --summary`, env)
  expect({ exit, stdout, text: text() }).toEqual({ exit: 2, stdout: '', text: '' })
})
