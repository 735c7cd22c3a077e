import { expect, test } from 'vitest'
import { serveBetween } from '../../support/between.ts'
import { startDevServer } from '../../support/dev.ts'
import { tug } from '../../support/run.ts'
import type { SecretsAt } from '../../support/secrets-at.ts'
import { ago, serveSecretsAt } from '../../support/secrets-at.ts'
import { json, serve } from '../../support/serve.ts'

const secrets: SecretsAt = {
  'f/deleted': [{}, { deleted: ago(2) }],
  'f/destroyed': [{ destroyed: true }],
  'f/empty': [],
  'f/expires': [{ deleted: ago(-1) }],
  'f/live': [{ deleted: ago(3) }, {}],
  'f/older': [{ deleted: ago(2, 1) }],
}

interface Row {
  readonly item: string
  readonly action: string
}

test.each([
  [
    'delete f',
    { unchanged: 4, delete: 2 },
    [
      ['deleted', 'unchanged'],
      ['destroyed', 'unchanged'],
      ['empty', 'unchanged'],
      ['expires', 'delete'],
      ['live', 'delete'],
      ['older', 'unchanged'],
    ],
    ['delete/f/expires {"versions":[1]}', 'delete/f/live {"versions":[2]}'],
  ],
  [
    'undelete f --deleted-within 2d',
    { undelete: 1, unchanged: 5 },
    [
      ['deleted', 'undelete'],
      ['destroyed', 'unchanged'],
      ['empty', 'unchanged'],
      ['expires', 'unchanged'],
      ['live', 'unchanged'],
      ['older', 'unchanged'],
    ],
    ['undelete/f/deleted {"versions":[2]}'],
  ],
  [
    'undelete /',
    { undelete: 2, unchanged: 4 },
    [
      ['deleted', 'undelete'],
      ['destroyed', 'unchanged'],
      ['empty', 'unchanged'],
      ['expires', 'unchanged'],
      ['live', 'unchanged'],
      ['older', 'undelete'],
    ],
    ['undelete/f/deleted {"versions":[2]}', 'undelete/f/older {"versions":[1]}'],
  ],
] as const)('the plan and the run of kv %s --recursive are the same', async (line, counts, rows, requests) => {
  const { env, seen } = await serveSecretsAt(secrets)
  const run = async (flag: string) => JSON.parse((await tug(`kv ${line} --recursive ${flag} -o json`, { env })).stdout)
  const shown = (items: readonly Row[]) => items.map(({ item, action }) => [item.slice(2), action])
  const plan = await run('--plan')
  expect(plan).toMatchObject({ planned: true, changed: true, counts })
  expect(shown(plan.items)).toEqual(rows)
  expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
  const result = await run('--yes')
  expect(result).toMatchObject({ planned: false, changed: true, counts: { ...counts, done: requests.length } })
  expect(shown(result.items)).toEqual(rows)
  const sent = seen.filter(({ method }) => method !== 'GET').map(({ url, body }) => `${url.slice(11)} ${body}`)
  expect(sent.toSorted()).toEqual(requests)
})

const metadata = '{"data":{"current_version":1,"versions":{"1":{"created_time":"","deletion_time":""}}}}'

test.each([
  ['refused', 403, false],
  ['not answered', 0, true],
  ['done', 204, true],
])('a delete that is %s can be undone: %s, %s', async (_, status, isUndone) => {
  const { env } = await serve(({ method, url }, response) => {
    if (url.includes('list=true')) json(response, 200, '{"data":{"keys":["a"]}}')
    else if (method === 'GET') json(response, 200, metadata)
    else if (status === 0) response.destroy()
    else json(response, status, '')
  })
  const { stderr } = await tug('kv delete f --recursive --yes --retries 0', { env })
  expect(stderr.includes('tug kv undelete f/ --recursive --deleted-within')).toBe(isUndone)
})

test('where versions may not be named, the latest is deleted as it is, and a read shows which that was', async () => {
  let deleted = ''
  const { env, seen } = await serve(({ method, url }, response) => {
    if (url.includes('list=true')) json(response, 200, '{"data":{"keys":["a"]}}')
    else if (method === 'GET')
      json(response, 200, metadata.replace('"deletion_time":""', `"deletion_time":"${deleted}"`))
    else if (method === 'POST') json(response, 403, '{"errors":["permission denied"]}')
    else {
      deleted = '2026-11-20T10:00:00Z'
      response.writeHead(204).end()
    }
  })
  const { exit, stdout } = await tug('kv delete f/ --recursive --yes -o json', { env })
  const [row] = (JSON.parse(stdout) as { items: object[] }).items
  expect(exit).toBe(0)
  expect(row).toMatchObject({ confirmed: true, versions: [{ version: 1, before: 'live', after: 'deleted' }] })
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'DELETE', 'GET'])
})

/** What another client does between the look and the undelete, whose response is a success all the same. */
test.each([
  ['destroys the version', 'kv destroy app/b --versions 1 --yes', 'app --recursive'],
  ['removes the secret', 'kv metadata delete app/b --yes', 'app --recursive'],
  ['destroys the version', 'kv destroy app/b --versions 1 --yes', 'app/b'],
])('an undelete is a conflict if somebody %s meanwhile: %s, kv undelete %s', async (_, other, line) => {
  const { env } = await startDevServer()
  await tug('kv import - app', { env, stdin: '{"a":{"k":"1"},"b":{"k":"1"}}' })
  await tug('kv delete app/a app/b', { env })
  const between = await serveBetween(env, {
    before: async ({ url, method }) => {
      if (method === 'POST' && url.endsWith('/undelete/app/b')) await tug(other, { env })
    },
  })
  const { exit, stderr } = await tug(`kv undelete ${line} -o json`, { env: between })
  const { error } = JSON.parse(stderr) as { error: { applied?: boolean } }
  expect(exit).toBe(line === 'app/b' ? 5 : 10)
  expect(stderr).toMatch(/app\/b: (destroyed|removed) meanwhile/)
  // Of one secret, nothing was restored.
  expect(error.applied).toBe(line === 'app/b' ? undefined : true)
})

test.each(['delete', 'destroy'])(
  'a %s of a version of a secret that is removed meanwhile offers no undo',
  async (verb) => {
    const { env } = await startDevServer()
    await tug('kv put app/b k=1', { env })
    const between = await serveBetween(env, {
      before: async ({ url }) => {
        if (url.endsWith(`/${verb}/app/b`)) await tug('kv metadata delete app/b --yes', { env })
      },
    })
    const { exit, stdout, stderr } = await tug(`kv ${verb} app/b --versions 1 --yes -o json`, { env: between })
    expect(exit).toBe(0)
    expect(stderr).toContain('removed meanwhile')
    expect(stdout + stderr).not.toContain('undelete')
    expect(JSON.parse(stdout)).toMatchObject({ confirmed: false, versions: [{ version: 1, after: null }] })
  },
)
