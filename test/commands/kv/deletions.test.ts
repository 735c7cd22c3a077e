import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../support/folder.ts'
import { failure, tug } from '../../support/run.ts'
import type { SecretsAt } from '../../support/secrets-at.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'
import { json, serve } from '../../support/serve.ts'
import { mentions, says } from '../../support/told.ts'

const secrets: SecretsAt = {
  'f/deleted': [{}, { deleted: ago(2) }],
  'f/destroyed': [{ destroyed: true }],
  'f/empty': [],
  'f/expires': [{ deleted: ago(-1) }],
  'f/live': [{ deleted: ago(3) }, {}],
  'f/older': [{ deleted: ago(2, 1) }],
}

test.each([
  [
    'delete f',
    '2 to delete, 4 unchanged; nothing was written',
    [
      ['deleted', 2, 'unchanged', 'deleted already'],
      ['destroyed', 1, 'unchanged', 'destroyed already'],
      ['empty', undefined, 'unchanged', 'has no version'],
      ['expires', 1, 'delete', 'delete version 1'],
      ['live', 2, 'delete', 'delete version 2'],
      ['older', 1, 'unchanged', 'deleted already'],
    ],
  ],
  [
    'undelete f --deleted-within 2d',
    '1 to undelete, 5 unchanged; nothing was written',
    [
      ['deleted', 2, 'undelete', 'undelete version 2'],
      ['destroyed', 1, 'unchanged', 'destroyed'],
      ['empty', undefined, 'unchanged', 'has no version'],
      ['expires', 1, 'unchanged', 'live'],
      ['live', 2, 'unchanged', 'live'],
      ['older', 1, 'unchanged', `deleted longer ago: ${ago(2, 1)}`],
    ],
  ],
  [
    'undelete f',
    '2 to undelete, 4 unchanged; nothing was written',
    [
      ['deleted', 2, 'undelete', 'undelete version 2'],
      ['destroyed', 1, 'unchanged', 'destroyed'],
      ['empty', undefined, 'unchanged', 'has no version'],
      ['expires', 1, 'unchanged', 'live'],
      ['live', 2, 'unchanged', 'live'],
      ['older', 1, 'undelete', 'undelete version 1'],
    ],
  ],
] as const)('the plan of kv %s: %s', async (line, counts, rows) => {
  const { env } = await serveSecretsAt(secrets)
  const { stdout, stderr } = await tug(`kv ${line} --recursive --plan -o json`, { env })
  expect(stderr).toBe(`${counts}\n`)
  expect(JSON.parse(stdout)).toEqual(
    rows.map(([name, version, action, detail]) => ({
      path: `f/${name}`,
      action,
      detail,
      ...(version === undefined ? {} : { version }),
    })),
  )
  const csv = await tug(`kv ${line} --recursive --plan -o csv`, { env })
  expect(csv.stdout.split('\n')[0]).toBe('path,detail,action,version')
})

test.each([
  ['undelete f', ['f/deleted', 'f/older'], ['f/destroyed'], '2 secrets below f; 4 left alone'],
  ['undelete f --deleted-within 2d', ['f/deleted'], ['f/destroyed', 'f/older'], '1 secret below f; 5 left alone'],
  ['undelete /', ['f/deleted', 'f/older'], ['f/destroyed'], '2 secrets below the root; 4 left alone'],
])('kv %s restores %j', async (line, done, left_out, words) => {
  const { env, seen } = await serveSecretsAt(secrets)
  const { stdout, stderr } = await tug(`kv ${line} --recursive -o json`, { env })
  expect(stderr).toBe('')
  const unchanged = ['f/empty', 'f/expires', 'f/live']
  expect(JSON.parse(stdout)).toMatchObject({ action: 'undelete', done, left_out, unchanged, failed: [] })
  const sent = seen.filter(({ method }) => method !== 'GET').map(({ url, body }) => `${url.slice(11)} ${body}`)
  const versions = new Map([
    ['f/deleted', 2],
    ['f/older', 1],
  ])
  expect(sent.toSorted()).toEqual(done.map((path) => `undelete/${path} {"versions":[${versions.get(path)}]}`))
  expect((await tug(`kv ${line} --recursive`, { env })).stderr).toEqual(says(`… ${words}\n`))
})

test('where every secret is restored, none was left alone', async () => {
  const { env } = await serveSecretsAt({ 'f/a': [{ deleted: ago(2) }] })
  expect((await tug('kv undelete f --recursive', { env })).stderr).toEqual(says('… 1 secret below f\n'))
})

test('a journal has what each secret was before and after an undelete', async () => {
  const { env } = await serveSecretsAt(secrets)
  const cwd = scratchFolder()
  await tug('kv undelete f --recursive --journal j', { env, cwd })
  const lines = readFileSync(join(cwd, 'j'), 'utf8').trim().split('\n')
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(entries.map(({ item, before, after }) => [item, before, after])).toEqual([
    ['f/deleted', 'deleted', 2],
    ['f/empty', 0, null],
    ['f/expires', 1, null],
    ['f/live', 2, null],
    ['f/older', 'deleted', 1],
  ])
})

test.each([
  [0, 10],
  [1, 11],
  [60_000, 11],
  [60_001, 12],
])('the line that undoes a delete of %i ms reaches back %i minutes', async (elapsed, minutes) => {
  let isDeleting = false
  const { env } = await serve(({ method, url }, response) => {
    isDeleting ||= method === 'DELETE'
    if (url.includes('list=true')) json(response, 200, '{"data":{"keys":["a"]}}')
    else response.writeHead(204).end()
  })
  const { stderr } = await tug('kv delete f --recursive --yes', {
    env,
    get now() {
      return new Date(Date.parse(ago(0)) + (isDeleting ? elapsed : 0))
    },
  })
  expect(stderr).toMatch(mentions(`hint: …: tug kv undelete f/ --recursive --deleted-within ${minutes}m\n`))
})

test.each([
  ['refused', 403, false],
  ['not answered', 0, true],
  ['done', 204, true],
])('a delete that is %s can be undone: %s, %s', async (_, status, isUndone) => {
  const { env } = await serve(({ url }, response) => {
    if (url.includes('list=true')) json(response, 200, '{"data":{"keys":["a"]}}')
    else if (status === 0) response.destroy()
    else json(response, status, '')
  })
  const { stderr } = await tug('kv delete f --recursive --yes --retries 0', { env })
  expect(stderr.includes('tug kv undelete f/ --recursive')).toBe(isUndone)
})

test.each(['kv delete a --plan', 'kv delete a --journal j', 'kv undelete a --plan', 'kv undelete a --journal j'])(
  '%s is refused',
  async (line) => {
    expect(await failure(line)).toMatchObject({ exit: 2, code: 'usage' })
  },
)

test('an undelete that goes on later reaches back as far as the first run; a clock that was set back changes nothing', async () => {
  const { env } = await serveSecretsAt(secrets)
  const cwd = scratchFolder()
  const done = async (time: string | undefined) => {
    const entry = { ...(time === undefined ? {} : { time }), item: 'f/x', action: 'undelete', outcome: 'done' }
    writeFileSync(join(cwd, 'j'), `${JSON.stringify(entry)}\n`)
    const line = 'kv undelete f --recursive --deleted-within 47h --resume j -o json'
    const { stdout } = await tug(line, { env, cwd, now: new Date(ago(0)) })
    return (JSON.parse(stdout) as { done: string[] }).done.filter((path) => path !== 'f/x')
  }
  const hour = 1 / 24
  expect(await done(ago(hour))).toEqual(['f/deleted'])
  expect(await done(ago(hour, 1))).toEqual(['f/deleted', 'f/older'])
  expect(await done(ago(hour, -1))).toEqual([])
  expect(await done(ago(-3))).toEqual([])
  expect(await done(undefined)).toEqual([])
})
