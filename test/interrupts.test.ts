import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { scratchFolder } from './support/folder.ts'
import { tug } from './support/run.ts'
import { json, serve } from './support/serve.ts'
import { mentions } from './support/told.ts'

test.each([
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
  ['SIGHUP', 129, 'hung_up'],
])('a write in progress at %s is an error in JSON too', async (name, status, code) => {
  const signals = new Map<string, () => void>()
  const { env } = await serve(({ method }, response) =>
    method === 'GET' ? json(response, 200, '{"data":[]}') : signals.get(name)?.(),
  )
  const line = 'explorer views create Drifted --type workspaces -o json'
  const { exit, stdout, stderr } = await tug(line, { env, signals })
  expect({ exit, stdout }).toEqual({ exit: status, stdout: '' })
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code, exit: status, message: expect.stringMatching(mentions('/explorer/views …')) },
  })
})

test('an interrupted read ends silently', async () => {
  const signals = new Map<string, () => void>()
  const { env } = await serve(() => signals.get('SIGINT')?.())
  expect(await tug('explorer views list', { env, signals })).toMatchObject({ exit: 130, stdout: '', stderr: '' })
})

test('an interrupted read ends though nobody reads its output', async () => {
  const signals = new Map<string, () => void>()
  const { env } = await serve((_, response) => response.end('a\n"1"\n'))
  const onWrite = () => void setImmediate(() => signals.get('SIGTERM')?.())
  const { exit, stderr } = await tug('explorer export workspaces', { env, signals, onWrite, unread: true })
  expect([exit, stderr]).toEqual([143, ''])
})

test('a signal ends the wait for standard input', async () => {
  const signals = new Map<string, () => void>()
  const silent = new Readable({ read: () => void setImmediate(() => signals.get('SIGTERM')?.()) })
  const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
  const { exit, stderr } = await tug('kv put app/db -', { env, signals, stdin: silent })
  expect({ exit, stderr }).toEqual({ exit: 143, stderr: '' })
  expect(seen).toEqual([])
})

test('a run that is interrupted while it looks names every file, looked at or not', async () => {
  const signals = new Map<string, () => void>()
  const cwd = scratchFolder()
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const id of ids) writeFileSync(join(cwd, `${id}.json`), JSON.stringify({ ID: id }))
  const { env, seen } = await serve(({ method, url }, response) =>
    url.startsWith('/v1/job/c') ? signals.get('SIGINT')?.() : json(response, method === 'GET' ? 404 : 200, plannedNew),
  )
  const line = ['job', 'apply', '.', '--yes', '-o', 'json']
  const { exit, stdout } = await tug(line, { cwd, env, signals })
  const { items } = JSON.parse(stdout) as { items: { item: string; outcome: string }[] }
  expect(exit).toBe(130)
  expect(items.map(({ item, outcome }) => `${item[0]} ${outcome}`).toSorted()).toEqual(
    ids.map((id) => `${id} not_sent`),
  )
  expect(seen.filter(({ url }) => url === '/v1/jobs')).toEqual([])
})

const plannedNew = '{"JobModifyIndex":0,"Diff":{"Type":"Added"}}'
