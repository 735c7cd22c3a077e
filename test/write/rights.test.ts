import { expect, test } from 'vitest'
import { credentials } from '../support/credentials.ts'
import { startDevServer } from '../support/dev.ts'
import type { Machine } from '../support/run.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { stoppedClock } from '../support/stopped-clock.ts'

/** The rights that a plan of several looks at, where the product can be asked. */

const secrets = '{"app/db": {"password": "n"}, "app/new": {"x": "1"}, "app/other": {"y": "2"}}'

interface Row {
  readonly item: string
  readonly action: string
  readonly error: { readonly code: string; readonly message: string; readonly hint: string } | null
}

const rowsOf = (stdout: string) =>
  stdout
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]))
    .map(({ item, action, error }) => ({ item, action, error }))
    .toSorted((one, other) => (one.item < other.item ? -1 : 1))

test.each([
  ['kv import - --update', 4],
  ['kv delete app --recursive', 4],
  ['kv copy app zoo --recursive', 4],
  // What may not be read has no write to ask about.
  ['kv copy app zoo --recursive --versions all', 4, false],
  ['kv move app zoo --recursive --without-deleted', 4, false],
  ['kv destroy app --recursive --keep 1', 10],
  ['kv metadata delete app --recursive', 4],
])('a plan has the refusals of its run: %s', async (line, exit, areAsked = true) => {
  const server = await startDevServer()
  const env = { ...server.env, TUG_SECRETS_TOKEN: credentials.secrets.limitedToken }
  const plan = await tug(`${line} --plan -o ndjson`, { env, stdin: secrets })
  expect(server.writes).toEqual([])
  const run = await tug(`${line} --yes -o ndjson`, { env, stdin: secrets })
  expect(rowsOf(plan.stdout)).toEqual(rowsOf(run.stdout))
  expect([plan.exit, run.exit]).toEqual([exit, exit])
  const document = await tug(`${line} --plan -o json`, { env, stdin: secrets })
  expect(JSON.parse(document.stdout)).toMatchObject({ rights_checked: areAsked })
})

/** A secrets store that answers the question about rights with `answer`, refuses the writes that `refuses` names, and the reads of `hides`. */
async function store(
  answer: (paths: string[]) => readonly [status: number, body: string],
  refuses = /^$/,
  hides = /^$/,
) {
  const server = await startDevServer({ clock: stoppedClock })
  const asked: string[][] = []
  const origin = new URL(server.env['TUG_SECRETS_ADDR'] ?? '').origin
  const proxy = await serve(({ method, url, headers, body }, response) => {
    if (url === '/v1/sys/capabilities-self') {
      const { paths } = JSON.parse(body) as { paths: string[] }
      asked.push(paths)
      const [status, text] = answer(paths)
      return json(response, status, text)
    }
    if (method === 'GET' ? hides.test(url) : refuses.test(`${method} ${url}`))
      return json(response, 403, '{"errors":["1 error occurred:\\n\\t* permission denied\\n\\n"]}')
    const kept = ['x-vault-token', 'content-type'].flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)] as const]
    })
    const sent = { method, headers: Object.fromEntries(kept), ...(body === '' ? {} : { body }) }
    void fetch(origin + url, sent).then(async (got) => json(response, got.status, await got.text()))
  })
  const machine: Machine = {
    env: { ...server.env, TUG_SECRETS_ADDR: proxy.origin, TUG_DIALECT: 'hashicorp', TUG_LIST_METHOD: 'get' },
    stdin: secrets,
  }
  return { machine, asked, writes: server.writes }
}

const allowing = (rule: (path: string) => readonly string[]) => (paths: string[]) =>
  [200, JSON.stringify({ data: Object.fromEntries(paths.map((path) => [path, rule(path)])) })] as const

test.each<[string, (path: string) => readonly string[], RegExp, number, string[]]>([
  ['new secrets only', () => ['create', 'read'], /data\/app\/db/, 10, ['app/db']],
  ['existing secrets only', () => ['update'], /data\/app\/(?:new|other)/, 10, ['app/new', 'app/other']],
  ['nothing, in spite of sudo', () => ['sudo'], /data/, 4, ['app/db', 'app/new', 'app/other']],
  ['all but one', (path) => (path.endsWith('new') ? ['deny'] : ['root']), /app\/new/, 10, ['app/new']],
  ['everything', () => ['root'], /^$/, 0, []],
])('%s may be written', async (_, rule, refuses, exit, refused) => {
  const { machine, asked } = await store(allowing(rule), refuses)
  const plan = await tug('kv import - --update --plan -o ndjson', machine)
  const run = await tug('kv import - --update --yes -o ndjson', machine)
  expect(rowsOf(plan.stdout)).toEqual(rowsOf(run.stdout))
  expect(rowsOf(plan.stdout).flatMap(({ item, error }) => (error === null ? [] : [item]))).toEqual(refused)
  expect([plan.exit, run.exit]).toEqual([exit, exit])
  expect(asked).toEqual([['secret/data/app/db', 'secret/data/app/new', 'secret/data/app/other']])
})

test('a plan looks at what a run does after a refusal', async () => {
  const rule = (path: string) => (path.startsWith('secret/delete/') ? ['deny'] : ['delete'])
  const { machine, asked } = await store(allowing(rule), /\/delete\//)
  const plan = await tug('kv delete app --recursive --plan -o ndjson', machine)
  expect(asked.map(([first = '']) => first.split('/')[1])).toEqual(['delete', 'data'])
  const run = await tug('kv delete app --recursive --yes -o ndjson', machine)
  expect(rowsOf(plan.stdout)).toEqual(rowsOf(run.stdout))
  expect([plan.exit, run.exit]).toEqual([0, 0])
})

test.each([['kv move app zoo --recursive --versions current', 'secret/metadata/app/']])(
  'a plan that asks about the first write of each secret only does not claim more: %s without %s',
  async (line, refused) => {
    const rule = (path: string) => [path.startsWith(refused) ? 'read' : 'root']
    const { machine } = await store(allowing(rule), new RegExp(refused, 'u'))
    const plan = await tug(`${line} --plan -o json`, machine)
    expect([plan.exit, JSON.parse(plan.stdout)]).toMatchObject([0, { rights_checked: false, counts: { failed: 0 } }])
    expect((await tug(`${line} --yes`, machine)).exit).not.toBe(0)
  },
)

test.each([
  ['kv move app zoo --recursive --without-deleted', 'secret/metadata/app/'],
  ['kv move app zoo --recursive --without-deleted', 'secret/data/zoo/'],
  ['kv move app zoo --recursive --without-deleted', 'secret/destroy/zoo/db'],
  ['kv copy app zoo --recursive --versions all', 'secret/destroy/zoo/db'],
  ['kv copy app zoo --recursive --versions all', 'secret/metadata/zoo/'],
])('the rights to all writes of a history are asked before the first: %s without %s', async (line, refused) => {
  const rule = (path: string) => [path.startsWith(refused) ? 'read' : 'root']
  const { machine, writes } = await store(allowing(rule), new RegExp(refused, 'u'))
  const { stdout, exit } = await tug(`${line} --plan -o ndjson`, machine)
  const refusedRows = rowsOf(stdout).filter(({ error }) => error)
  expect(refusedRows).toContainEqual(expect.objectContaining({ item: 'zoo/db', action: 'refused' }))
  const document = await tug(`${line} --plan -o json`, machine)
  expect(JSON.parse(document.stdout)).toMatchObject({ rights_checked: true })
  expect(writes).toEqual([])
  const run = await tug(`${line} --yes -o ndjson`, machine)
  expect(rowsOf(run.stdout).filter(({ error }) => error)).toEqual(refusedRows)
  expect(run.exit).toBe(exit)
  // What may not be finished was not begun.
  for (const { item } of refusedRows) expect(writes.filter((one) => one.includes(item))).toEqual([])
})

test('a plan shows the refusal of a removal that ends a move', async () => {
  const source = 'secret/metadata/app/'
  const { machine } = await store(
    allowing((path) => [path.startsWith(source) ? 'read' : 'root']),
    new RegExp(source, 'u'),
  )
  const line = 'kv move app zoo --recursive --versions current'
  await tug(`${line} --yes`, machine)
  const plan = await tug(`${line} --plan -o ndjson`, machine)
  const run = await tug(`${line} --yes -o ndjson`, machine)
  expect(rowsOf(plan.stdout)).toEqual(rowsOf(run.stdout))
  expect([plan.exit, run.exit]).toEqual([4, 4])
})

test('a secret with metadata only takes the right to update it', async () => {
  const { machine, asked } = await store(allowing((path) => (path.endsWith('bare') ? ['update'] : ['create'])))
  await tug('kv metadata put app/bare --max-versions 3', machine)
  const stdin = '{"app/bare": {"x": "1"}, "app/new": {"x": "1"}}'
  const plan = await tug('kv import - --plan -o json', { ...machine, stdin })
  expect([plan.exit, JSON.parse(plan.stdout)]).toMatchObject([0, { rights_checked: true, counts: { create: 2 } }])
  expect(asked).toEqual([['secret/data/app/bare', 'secret/data/app/new']])
})

test('a plan that could not read everything claims no whole check of rights', async () => {
  const { machine } = await store(
    allowing(() => ['root']),
    /^$/,
    /metadata\/app\/(?:db|api)$/,
  )
  const plan = await tug('kv destroy app --recursive --keep 1 --plan -o json', machine)
  expect(JSON.parse(plan.stdout)).toMatchObject({ rights_checked: false })
})

test.each(['kv destroy app --recursive --keep 9 --plan -o json', 'job restart --filter Name=="none" --plan -o json'])(
  'a plan without a write claims no check of rights: %s',
  async (line) => {
    const { machine, asked } = await store(allowing(() => ['root']))
    expect(JSON.parse((await tug(line, machine)).stdout)).toMatchObject({ changed: false, rights_checked: false })
    expect(asked).toEqual([])
  },
)

test.each<[string, () => readonly [number, string]]>([
  ['may not be asked', () => [403, '{"errors":["permission denied"]}']],
  ['has no such path', () => [404, '{"errors":[]}']],
  ['answers with a page', () => [200, '<html></html>']],
  ['answers about other paths', () => [200, '{"data":{"x":["deny"]}}']],
])('a server that %s leaves the plan as it is', async (_, answer) => {
  const { machine, writes } = await store(answer)
  const { exit, stdout } = await tug('kv import - --update --plan -o json', machine)
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { rights_checked: false, counts: { create: 2, failed: 0 } }])
  expect(writes).toEqual([])
})

test.each([
  ['kv import - --update --plan --dialect neutral', 0],
  ['kv delete app/db --plan', 0],
  ['kv import - --update --yes', 0],
])('nothing is asked by %s', async (line, exit) => {
  const { machine, asked } = await store(allowing(() => ['deny']))
  expect((await tug(line, machine)).exit).toBe(exit)
  expect(asked).toEqual([])
})

test('a long plan asks in batches', async () => {
  const { machine, asked } = await store(allowing((path) => (path.endsWith('/299') ? ['deny'] : ['root'])))
  const many = Object.fromEntries(Array.from({ length: 450 }, (_, index) => [`many/${index}`, { a: '1' }]))
  const { exit, stdout } = await tug('kv import - --plan -o ndjson', { ...machine, stdin: JSON.stringify(many) })
  expect(exit).toBe(10)
  expect(asked.map(({ length }) => length)).toEqual([200, 200, 50])
  const items = stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as Row).item]))
  expect(items).toEqual(Object.keys(many))
})
