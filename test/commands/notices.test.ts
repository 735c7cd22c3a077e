import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandsOf, loadProgram } from '../../src/cli/catalogue.ts'
import { tree, version } from '../../src/commands/index.ts'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { configured, tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { says, told } from '../support/told.ts'

/** What is printed where nothing is amiss, in full: no hint, warning or notice too many. */
test.each<[line: string, stdout: string, stderr: string, first?: string]>([
  [
    'kv copy team/payments/ new/ --recursive',
    '+ new/gateway/webhook  new: signing_key\n+ new/ledger           new: password, user\n',
    '2 created from team/payments to new\n',
    'team/payments/old-gateway',
  ],
  ['kv put app/fresh a=1', '', 'app/fresh: wrote version 1\n'],
  ['kv set app/db port=5433', '', 'app/db 4 → 5   changed: port   kept: host, password, user\n'],
  ['kmip scope create fresh', '', 'created scope fresh\n'],
])('tug %s', async (line, stdout, stderr, first) => {
  const { env } = await startDevServer()
  if (first !== undefined) await tug(`kv metadata delete ${first} --yes`, { env })
  expect(await tug(line, { env })).toMatchObject({ exit: 0, stdout, stderr })
})

test('an ordinary conflict is a conflict: nothing about an unknown outcome', async () => {
  const { env } = await startDevServer()
  for (const line of ['kv put app/db a=1 --cas 3', 'kv set app/db a=1 --cas 3', 'job run web.json --check-index 1']) {
    const cwd = scratchFolder()
    writeFileSync(join(cwd, 'web.json'), (await tug('job get web -o json', { env })).stdout)
    const { exit, stderr } = await tug(line, { env, cwd })
    expect(exit).toBe(5)
    expect(stderr).not.toMatch(/unknown|may have been|retry/)
  }
})

test('commands that print raw output refuse a format', async () => {
  const { entries } = await loadProgram(tree, version)
  const raw = entries
    .flatMap(commandsOf)
    .flatMap(([words, { rawOutput }]) => (rawOutput === true || rawOutput === 'csv' ? [words] : []))
  expect(raw.toSorted()).toEqual([
    'completion',
    'dev',
    'explorer export',
    'explorer views export',
    'job init',
    'kmip ca',
    'kv exec',
    'profile path',
  ])
  const outcome = await tug('explorer views export sq-1 -o json', { env: configured })
  expect(outcome).toMatchObject({ exit: 2, stdout: '' })
  expect(outcome.stderr).toContain('-o is not supported')
})

test('an unknown profile is answered with those there are', async () => {
  const folder = scratchFolder()
  const env = { TUG_CONFIG_DIR: folder }
  expect((await tug('kv list -p prod', { env })).stderr).toMatch(
    told("tug: … 'prod'\nhint: …: tug profile set prod secrets.address=https://…\n"),
  )
  for (const name of ['one', 'two']) await tug(`profile set ${name} output=json`, { env })
  expect((await tug('kv list -p prod -o table', { env })).stderr).toMatch(
    told("tug: … 'prod'\nhint: profiles: one, two\n"),
  )
})

describe('an import', () => {
  test.each([
    ['a.env', 'PASSWORD=x', 'a.env …\nhint: …: tug kv import <file> <path>\n'],
    ['a.json', '{"a":5}', "a.json: 'a' …\nhint: …: tug kv put <path> @file\n"],
    ['a.json', '{"a//b":{}}', "a.json: 'a//b' …: 'a//b' … (…)\n"],
  ])('%s with %s is refused before anything is sent', async (name, content, words) => {
    const cwd = scratchFolder()
    mkdirSync(cwd, { recursive: true })
    writeFileSync(join(cwd, name), content)
    const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
    const outcome = await tug(`kv import ${name}`, { env, cwd })
    expect(outcome).toMatchObject({ exit: 2, stdout: '', stderr: says(`tug: ${words}`) })
    expect(seen).toHaveLength(0)
  })
})

test.each([
  ['', ''],
  ['7', '7\n'],
  ['{}', '{}\n'],
])('tug api prints the answer %j as %j', async (body, stdout) => {
  const { env } = await serve((_, response) => json(response, 200, body))
  expect(await tug('api secrets GET sys/x -o json', { env })).toMatchObject({ exit: 0, stdout })
})
