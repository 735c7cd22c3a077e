import { expect, test } from 'vitest'
import { failure, tug } from '../../support/run.ts'
import type { SecretsAt } from '../../support/secrets-at.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'
import { json, serve } from '../../support/serve.ts'
import { says } from '../../support/told.ts'

const terminals = { stdin: true, stdout: 100, stderr: 100 }

test.each([
  ['{"a":{"b":{"c":1}}}', 'a.b.c', '1'],
  ['{"a.b":{"c":1},"a":{"b":{"c":2}}}', 'a.b.c', '2'],
  ['{"a.b":{"c":1},"a":{"x":2}}', 'a.b.c', '1'],
  ['{"a.b.c":1,"a":{"b.c":2}}', 'a.b.c', '1'],
  ['{"a":{"b.c":2}}', 'a.b.c', '2'],
  ['{"":{"b":1}}', '.b', '1'],
  ['{"a":{"":1}}', 'a.', '1'],
  ['{"a":null}', 'a', 'null'],
  ['{"a.":{"b":1}}', 'a..b', '1'],
  ['{"a":[1]}', 'a.0', undefined],
  ['{"a":1}', 'a.b', undefined],
  ['{"a":1}', 'toString', undefined],
  ['{"a":{"b":1}}', 'b', undefined],
  ['null', 'a', undefined],
])('of %s the field %s is %s', async (data, field, value) => {
  const { env } = await serveSecretsAt({ s: [{ data: JSON.parse(data) as unknown }] })
  for (const line of [`kv get s ${field}`, `kv get s --field ${field}`, `kv get s ${field} --field ${field}`]) {
    const { exit, stdout } = await tug(line, { env })
    expect({ line, exit, stdout }).toEqual({ line, exit: value === undefined ? 3 : 0, stdout: value ?? '' })
  }
})

const expiring: SecretsAt = {
  s: { versions: [{ written: ago(5) }, { written: ago(2), deleted: ago(-1) }], custom_metadata: { owner: 'amy' } },
}
const expires = 'expires 2026-11-22 07:30:01 UTC (in 1d)'
const written = 'written 2026-11-19 07:30:01 UTC (2d)'
const custom = 'custom metadata owner=amy\n'

test.each([
  ['kv get s', false, `version 2 ${expires}\n`],
  ['kv get s', true, `version 2 ${written}, ${expires}\n${custom}`],
  ['kv get s -o box', true, `version 2 ${written}, ${expires}\n${custom}`],
  ['kv get s -o wide', true, `version 2 ${expires}\n`],
  ['kv get s -o json', true, `version 2 ${expires}\n`],
  ['kv get s k', true, `version 2 ${expires}\n`],
  ['kv get s --version 1', false, ''],
  ['kv get s --version 1', true, `version 1 written 2026-11-16 07:30:01 UTC (5d)\n${custom}`],
  ['kv get s --version 0', false, `version 2 ${expires}\n`],
])('%s on a terminal (%s) says %j', async (line, isTerminal, words) => {
  const { env } = await serveSecretsAt(expiring)
  const machine = { env, now: new Date(ago(0)), ...(isTerminal ? { terminals } : {}) }
  expect((await tug(`${line} --color never`, machine)).stderr).toBe(words)
})

test('a secret without times or custom metadata has no note', async () => {
  const { env } = await serveSecretsAt({
    s: [{ written: '' }],
    t: { versions: [{ written: '' }], custom_metadata: { a: 'b' } },
  })
  expect((await tug('kv get s', { env, terminals })).stderr).toBe('')
  expect((await tug('kv get t --color never', { env, terminals })).stderr).toBe('custom metadata a=b\n')
})

/** A service that wraps every answer; `metadata` is its answer about the secret. */
function wrapping(metadata: object, status = 200) {
  const wrap_info = {
    token: 'wrap-token',
    ttl: 60,
    creation_time: '2026-11-21T07:30:00Z',
    creation_path: 'secret/data/s',
  }
  return serve(({ url }, response) => {
    if (!url.includes('/metadata/')) return json(response, 200, JSON.stringify({ data: null, wrap_info }))
    if (status === 0) return void response.destroy()
    return json(response, status, JSON.stringify(status === 200 ? { data: metadata } : { errors: ['no'] }))
  })
}

const times = { created_time: '2026-11-01T00:00:00Z', deletion_time: '', destroyed: false }
const deleted = { ...times, deletion_time: '2026-11-02T00:00:00Z' }
const half = { current_version: 2, versions: { 1: times, 2: deleted } }

test.each<[string, object, number, number]>([
  ['', { current_version: 1, versions: { 1: times } }, 200, 0],
  ['', half, 200, 3],
  ['--version 0', half, 200, 3],
  ['--version 2', half, 200, 3],
  ['--version 1', half, 200, 0],
  ['--version 3', half, 200, 0],
  ['', { current_version: 1, versions: { 1: { ...times, destroyed: true } } }, 200, 3],
  ['', half, 403, 0],
  ['', half, 500, 0],
  ['', half, 0, 7],
])('a token is printed for a live version: %s, of %j (%i): exit %i', async (flags, metadata, status, exit) => {
  const { env } = await wrapping(metadata, status)
  const result = await tug(`kv get s --wrap-ttl 1m --retries 0 ${flags}`, { env })
  expect([result.exit, result.stdout]).toEqual([exit, exit === 0 ? 'wrap-token\n' : ''])
})

test('a terminal, and every format that is asked for, shows what is known of the token', async () => {
  const { env } = await wrapping({ current_version: 1, versions: { 1: times } })
  const line = 'kv get s --wrap-ttl 1m'
  const facts = ['token', 'ttl', 'creation_time', 'creation_path']
  const shown = says(
    'token … wrap-token\nttl … 60\ncreation_time … 2026-11-21 07:30:00 UTC\ncreation_path … secret/data/s\n',
  )
  expect((await tug(`${line} --color never`, { env, terminals })).stdout).toEqual(shown)
  expect((await tug(`${line} -o table`, { env })).stdout).toEqual(shown)
  expect((await tug(`${line} -o name`, { env })).stdout).toBe('wrap-token\n')
  expect((await tug(`${line} -o csv`, { env })).stdout.split('\n')[0]).toBe(facts.join(','))
  expect((await tug(`${line} --query ttl`, { env })).stdout).toContain('60')
})

test.each([
  ['kv get app/', ['tug kv get app', 'tug kv list app']],
  ['kv get /', ['tug kv list', 'tug kv export /']],
])('%s names the lines that were probably meant: %j', async (line, lines) => {
  const { hint } = await failure(line)
  expect(
    String(hint)
      .split('\n')
      .map((one) => one.replace(/^.*: /, '')),
  ).toEqual(lines)
})

const [past, future] = ['2026-11-20T07:30:00Z', '2126-11-20T07:30:00Z']

test.each<[string, number, object, string | null, string?]>([
  [
    'get s',
    200,
    { data: null, metadata: { version: 2, deletion_time: past } },
    'version_deleted',
    'the latest version (2)',
  ],
  [
    'get s',
    200,
    { data: null, metadata: { version: 2, destroyed: true } },
    'version_destroyed',
    'the latest version (2)',
  ],
  [
    'get s --version 2',
    200,
    { data: null, metadata: { version: 2, destroyed: true } },
    'version_destroyed',
    'version 2 ',
  ],
  ['get s --version 0', 404, { data: null, metadata: { version: 2, destroyed: true } }, 'version_destroyed', '(2)'],
  ['get s', 404, { data: null, metadata: { version: 2, deletion_time: '' } }, 'version_deleted', '(2)'],
  ['get s --version 3', 404, { data: null, metadata: { deletion_time: past } }, 'version_deleted', 'version 3 '],
  ['subkeys s', 200, { subkeys: null, metadata: { version: 2, deletion_time: past } }, 'version_deleted', '(2)'],
  ['get s', 200, { data: null, metadata: { version: 2, deletion_time: '' } }, null],
  ['get s', 200, { data: null, metadata: { version: 2, deletion_time: future } }, null],
  ['get s', 200, { data: {}, metadata: { version: 2, deletion_time: past } }, null],
  ['subkeys s', 200, { subkeys: {}, metadata: { version: 2, destroyed: true } }, null],
])('kv %s, answered with %i and %j, is of a version that is gone: %s', async (line, status, data, reason, words) => {
  const { env } = await serve((_, response) => json(response, status, JSON.stringify({ data })))
  if (reason === null) return expect((await tug(`kv ${line}`, { env })).exit).toBe(0)
  const { message, ...found } = await failure(`kv ${line}`, { env })
  expect(found).toMatchObject({ exit: 3, code: 'not_found', reason, stdout: '' })
  expect(message).toContain(words)
})

test('a list in a secret is JSON in csv, so that its items can be told apart', async () => {
  const { env } = await serveSecretsAt({ s: [{ data: { l: ['a, b'] } }, { data: { l: ['a', 'b'] } }] })
  const quoted = (text: string) => `"${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '""')}"`
  const [older, newer] = [quoted('["a, b"]'), quoted('["a","b"]')]
  const shown = async (line: string) => (await tug(`${line} -o csv`, { env })).stdout
  expect(await shown('kv get s')).toBe(`key,value\nl,${newer}\n`)
  expect(await shown('kv diff s --show-values')).toBe(`change,key,from,to\nchanged,l,${older},${newer}\n`)
  expect(await shown('kv find --values b --show-values')).toBe(`path,key,value\ns,l,${newer}\n`)
})
