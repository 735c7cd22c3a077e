import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import type { Machine } from '../../support/run.ts'
import { failure, tug } from '../../support/run.ts'
import type { Seen } from '../../support/serve.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions } from '../../support/told.ts'

async function store() {
  const { env } = await startDevServer()
  const states = async (path: string) =>
    JSON.parse((await tug(`kv history ${path} -o json --query [].state`, { env })).stdout) as string[]
  return { env, states, run: (line: string, machine: Machine = {}) => tug(line, { env, ...machine }) }
}

const rows = (stdout: string) => JSON.parse(stdout) as { versions: unknown; confirmed: boolean }

test.each([
  ['kv delete app/db', [{ version: 4, before: 'live', after: 'deleted' }]],
  [
    'kv delete app/db --versions 2..3',
    [
      { version: 2, before: 'deleted', after: 'deleted' },
      { version: 3, before: 'live', after: 'deleted' },
    ],
  ],
  ['kv delete app/db --versions 1', [{ version: 1, before: 'destroyed', after: 'destroyed' }]],
  ['kv undelete app/db', [{ version: 4, before: 'live', after: 'live' }]],
  ['kv undelete app/db --versions 2', [{ version: 2, before: 'deleted', after: 'live' }]],
  [
    'kv destroy app/db --versions 2,4 --yes',
    [
      { version: 2, before: 'deleted', after: 'destroyed' },
      { version: 4, before: 'live', after: 'destroyed' },
    ],
  ],
])('%s reports what happened to each version', async (line, expected) => {
  const { run } = await store()
  const { exit, stdout } = await run(`${line} -o json`)
  expect(exit).toBe(0)
  const changed = (expected as { before: string; after: string }[]).some(({ before, after }) => before !== after)
  const action = changed ? line.split(' ')[1] : 'unchanged'
  const facts = { versions: expected, ...(changed ? { confirmed: true } : {}) }
  expect(rows(stdout)).toEqual({ action, planned: false, path: 'app/db', changed, ...facts })
})

test('the undo is a command line for the versions that were live', async () => {
  const { run, states } = await store()
  const { stderr } = await run('kv delete app/db --versions 1..4')
  const undo = /undo: tug (.*)\n/.exec(stderr)?.[1] ?? ''
  expect(undo).toBe('kv undelete app/db --versions 3,4')
  expect((await run(undo)).exit).toBe(0)
  expect(await states('app/db')).toEqual(['live', 'live', 'deleted', 'destroyed'])
  expect((await run('kv delete app/db --versions 1,2')).stderr).not.toContain('undo')
})

test.each([
  ['kv delete app/absent', 'no_secret'],
  ['kv delete app/db --versions 3,9', 'no_secret'],
  ['kv delete app/empty', 'no_secret'],
  ['kv undelete app/absent', 'no_secret'],
  ['kv undelete app/empty', 'no_secret'],
  ['kv undelete app/db --versions 2,9', 'no_secret'],
  ['kv undelete app/db --versions 1,2', 'version_destroyed'],
  ['kv destroy app/absent --versions 1 --yes', 'no_secret'],
  ['kv destroy app/db --versions 3..5', 'no_secret'],
])('%s changes nothing and asks nothing', async (line, reason) => {
  const { env, run, states } = await store()
  await run('kv metadata put app/empty --custom-metadata a=1')
  expect(await failure(line, { env })).toMatchObject({ exit: 3, code: 'not_found', reason, stdout: '' })
  expect(await states('app/db')).toEqual(['live', 'live', 'deleted', 'destroyed'])
})

test.each([
  ['kv delete a --versions 99', 12, 'no version 99; … 12, 11, 10, 9, 8, 7, 6, 5, 4, 3 (12 versions)'],
  ['kv delete a --versions 99', 10, 'no version 99; … 10, 9, 8, 7, 6, 5, 4, 3, 2, 1; '],
  ['kv undelete a --versions 3,2', 3, 'version 3 was destroyed'],
])('%s of %i versions names %s', async (line, count, named) => {
  const destroyed = { ...live, destroyed: true }
  const versions = Object.fromEntries(Array.from({ length: count }, (_, index) => [index + 1, destroyed]))
  const { env } = await metadataServer(versions)
  const { exit, message } = await failure(line, { env })
  expect([exit, message]).toEqual([3, expect.stringMatching(mentions(named))])
})

const live = { created_time: '2026-11-20T00:00:00Z', deletion_time: '', destroyed: false }
const deleted = { ...live, deletion_time: '2026-11-21T00:00:00Z' }

const methods = (seen: readonly Seen[]) => seen.map(({ method }) => method)

/** A server whose reads show each of these metadata in turn, the last one for good; numbers are statuses. */
function metadataServer(...answers: readonly (object | number)[]) {
  let reads = 0
  return serve(({ method }, response) => {
    if (method !== 'GET') return void response.writeHead(204).end()
    const answer = answers[Math.min(reads, answers.length - 1)]
    reads += 1
    if (typeof answer === 'number') return json(response, answer, '{"errors":["refused"]}')
    const versions = Object.keys(answer ?? {})
    return json(response, 200, JSON.stringify({ data: { current_version: versions.length, versions: answer } }))
  })
}

test('a standby that lags is asked again before anything is concluded', async () => {
  const { env, seen } = await metadataServer({ 1: live }, { 1: live }, { 1: live }, { 1: deleted })
  const waits: number[] = []
  const { exit, stdout, stderr } = await tug('kv delete a -o json', { env, waits })
  expect(exit).toBe(0)
  expect(stderr).toBe('')
  expect(rows(stdout)).toMatchObject({ versions: [{ version: 1, before: 'live', after: 'deleted' }], confirmed: true })
  expect(methods(seen)).toEqual(['GET', 'DELETE', 'GET', 'GET', 'GET'])
  expect(waits).toHaveLength(2)
})

test.each([
  ['never shows it', [{ 1: live }]],
  ['may no longer be read', [{ 1: live }, 403]],
  ['is gone', [{ 1: live }, 404]],
])('a change that was accepted while its metadata %s is a success with a warning', async (_, answers) => {
  const { env, seen } = await metadataServer(...answers)
  const waits: number[] = []
  const { exit, stdout, stderr } = await tug('kv delete a -o json --retries 0', { env, waits })
  expect(exit).toBe(0)
  expect(rows(stdout).confirmed).toBe(false)
  expect(stderr).toContain('warning: accepted, not confirmed')
  expect(methods(seen).filter((method) => method === 'DELETE')).toHaveLength(1)
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(answers.length === 1 ? 2000 : 0)
})

test('an interrupt while a change is confirmed ends with 130', async () => {
  const signals = new Map<string, () => void>()
  let reads = 0
  const { env } = await serve(({ method }, response) => {
    if (method !== 'GET') return void response.writeHead(204).end()
    reads += 1
    if (reads > 1) signals.get('SIGINT')?.()
    return json(response, 200, JSON.stringify({ data: { current_version: 1, versions: { 1: live } } }))
  })
  const { exit, stdout } = await tug('kv delete a -o json', { env, signals })
  expect([exit, stdout]).toEqual([130, ''])
})

test('the version that the server deleted is named, although another one was the latest before', async () => {
  const { env } = await metadataServer({ 1: live }, { 1: live, 2: deleted })
  const { stdout } = await tug('kv delete a -o json', { env })
  expect(rows(stdout)).toMatchObject({ versions: [{ version: 2, after: 'deleted' }], confirmed: true })
})

test('the version that was deleted is named, although another one was written right after', async () => {
  const { env } = await metadataServer({ 1: live }, { 1: deleted, 2: live })
  const { stdout } = await tug('kv delete a -o json', { env })
  expect(rows(stdout)).toMatchObject({ versions: [{ version: 1, before: 'live', after: 'deleted' }], confirmed: true })
})

test.each([
  ['kv delete a', 0],
  ['kv delete a --versions 1', 0],
  ['kv undelete a --versions 1', 0],
  ['kv destroy a --versions 1 --yes', 0],
  ['kv undelete a', 4],
])(
  'where metadata may not be read, %s is a look at the mount and a request without a claim, or refused',
  async (line, expected) => {
    const { env, seen } = await metadataServer(403)
    const { exit, stdout } = await tug(`${line} -o json`, { env })
    expect(exit).toBe(expected)
    expect(seen).toHaveLength(expected === 0 ? 3 : 2)
    expect(stdout === '' ? false : rows(stdout).confirmed).toBe(false)
  },
)

test('a refused undelete names the way without the metadata', async () => {
  const { env } = await metadataServer(403)
  const { stderr } = await tug('kv undelete a', { env })
  expect(stderr).toMatch(mentions('hint: …: tug kv undelete a --versions <n>\n'))
  const { stderr: elsewhere } = await tug('kv undelete a -n team', { env })
  expect(elsewhere).toMatch(mentions('hint: …: tug kv undelete a -n team --versions <n>\n'))
})

test('--no-verify sends the request alone, after a look at the mount', async () => {
  const { env, seen } = await metadataServer({ 1: live })
  const { exit, stderr } = await tug('kv delete a --versions 7 --no-verify', { env })
  expect(exit).toBe(0)
  expect(methods(seen)).toEqual(['GET', 'POST'])
  expect(stderr).toContain('not verified')
  expect(stderr).not.toContain('version 1 engine')
  expect((await tug('kv undelete a --no-verify', { env })).exit).toBe(2)
  expect(seen).toHaveLength(2)
})
