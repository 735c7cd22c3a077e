import { expect, test } from 'vitest'
import { command, list } from '../../src/core/command.ts'
import type { ListView } from '../../src/core/command.ts'
import type { Context } from '../../src/core/context.ts'
import { endpoint, mergePatch, requestOf, requestTo } from '../../src/core/endpoint.ts'
import { isRedrawn, isTableShown } from '../../src/core/environment.ts'
import { TugError } from '../../src/core/errors.ts'
import { group, leaves, loadAll, loadGroup, paramsBelow } from '../../src/core/group.ts'
import { linesOf } from '../../src/commands/kv/backup/file.ts'
import { largest } from '../../src/core/lists.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import { flag, path, query } from '../../src/core/param.ts'
import { any, json } from '../../src/core/shape.ts'
import { read } from '../../src/read/read.ts'

test('the largest of numbers, and of none the least', () => {
  expect([largest([]), largest([], 5), largest([3, 9, 7]), largest([-3, -1]), largest([-3, -1], -9)]).toEqual([
    0, 5, 9, 0, -1,
  ])
})

test.each([
  [['a\nb\n'], ['a', 'b']],
  [
    ['a\n\n', 'b'],
    ['a', '', 'b (cut)'],
  ],
  [
    ['a', 'b', '\nc', '\n'],
    ['ab', 'c'],
  ],
  [['\n'], ['']],
  [[''], []],
  [['a', ''], ['a (cut)']],
])('the lines of %j are %j', async (pieces, lines) => {
  const found: string[] = []
  for await (const { text, isCut } of linesOf(pieces.map((piece) => Buffer.from(piece))))
    found.push(`${text.toString()}${isCut ? ' (cut)' : ''}`)
  expect(found).toEqual(lines)
})

test('a piece is read where it begins in its memory', async () => {
  const whole = Buffer.from('xxa\nb\nxx')
  const found: string[] = []
  for await (const { text } of linesOf([whole.subarray(2, 6)])) found.push(text.toString())
  expect(found).toEqual(['a', 'b'])
})

const services = endpoint('POST /v1/job/{job}/services', { acl: 'read', effect: 'reads', answers: json(any) })

test('an endpoint makes its requests', () => {
  expect({ ...services }).toMatchObject({
    method: 'POST',
    path: '/v1/job/{job}/services',
    acl: 'read',
    effect: 'reads',
  })
  const made = { method: 'POST', path: '/v1/job/a%2Fb/services', answers: json(any), acl: 'read', effect: 'reads' }
  expect(services({ job: 'a/b' })).toEqual(made)
  expect(services({ job: 'a/b' }, { body: 1, acl: 'other' })).toEqual({ ...made, body: 1, acl: 'other' })
  const bare = requestTo({ method: 'GET', path: '/v1/jobs', answers: json(any) }, {})
  expect(Object.keys(bare)).toEqual(['method', 'path', 'answers'])
  const params = { job: path.segment('s'), stale: query.boolean('s') }
  expect(requestOf(services, params, { job: 'web', stale: true })).toMatchObject({
    path: '/v1/job/web/services',
    query: [['stale', 'true']],
  })
  expect(mergePatch({ a: null })).toEqual({ body: { a: null }, contentType: 'application/merge-patch+json' })
})

const nothing = list([], () => '')
const about = { summary: 's', params: {}, examples: [] } as const

test('a read is one request, whose warnings are printed', async () => {
  const also = endpoint('GET /v1/jobs', { answers: json(any) })
  const one = read({
    ...about,
    name: 'services',
    endpoint: services,
    also: [also],
    params: { job: path.segment('s') },
    select: (answer: unknown) => [answer],
    view: nothing,
  })
  expect(one).toMatchObject({ kind: 'command', isRead: true, endpoint: [services], endpoints: [services, also] })
  const [sent, warned]: [HttpRequest[], string[]] = [[], []]
  const warnAlways = (line: string) => warned.push(`${line}, with -q too`)
  const body = new Uint8Array([1])
  const context = {
    io: { warn: (line: string) => warned.push(line), warnAlways },
    http: {
      send: async (request: HttpRequest) => {
        sent.push(request)
        return { value: 'x', json: () => ({ warnings: ['old', 'x was ignored'] }), body }
      },
    },
  } as unknown as Context
  expect(await one.run({ job: 'web' } as never, context)).toEqual({ data: ['x'], view: nothing, rawBody: body })
  expect([sent.map((request) => request.path), warned]).toEqual([
    ['/v1/job/web/services'],
    ['old', 'x was ignored, with -q too'],
  ])
})

test("a read's error may have other words, and its view may depend on the answer", async () => {
  const one = read({
    ...about,
    name: 'services',
    endpoint: services,
    params: { job: path.segment('s') },
    failure: (error, { job }) => error.with({ message: `no ${job}` }),
    view: (_, __, answer) => list([], () => String(answer)),
  })
  const run = async (send: () => Promise<unknown>) =>
    one.run({ job: 'web' } as never, { io: {}, http: { send } } as unknown as Context)
  await expect(run(() => Promise.reject(new TugError('not_found', 'x')))).rejects.toMatchObject({ message: 'no web' })
  const result = await run(() => Promise.resolve({ value: 'x', json: () => null }))
  const { view } = result as { view: ListView }
  expect(view.name({} as never)).toBe('x')
})

test('a read of an endpoint with blocking queries can be watched', () => {
  const blocking = endpoint('GET /v1/jobs', { answers: json(any), blocking: true })
  const paramsOf = (of: typeof blocking) =>
    Object.keys(read({ ...about, name: 'jobs', endpoint: of, view: nothing }).params)
  expect(paramsOf(blocking)).toEqual(['watch', 'stale'])
  expect(paramsOf(endpoint('GET /v1/jobs', { answers: json(any) }))).toEqual([])
})

test('a group loads all that is below it', async () => {
  const run = async () => ({ done: '', data: null })
  const leaf = (name: string, key: string) => command({ ...about, name, params: { [key]: flag.text('s') }, run })
  const inner = group('inner', 's', { b: async () => leaf('b', 'two') })
  const outer = group(
    'outer',
    's',
    { a: async () => leaf('a', 'one'), inner: async () => inner },
    { sections: { Usual: ['a'] } },
  )
  expect(outer).toMatchObject({ kind: 'group', name: 'outer', sections: { Usual: ['a'] } })
  expect(outer.members.map(({ name }) => name)).toEqual(['a', 'inner'])
  const loaded = await loadGroup(outer)
  expect(leaves(loaded).map(([words, { name }]) => [words, name])).toEqual([
    ['a', 'a'],
    ['inner b', 'b'],
  ])
  expect(Object.keys(paramsBelow(loaded))).toEqual(['one', 'two'])
  const alone = leaf('c', 'three')
  expect(await loadAll(alone)).toBe(alone)
  expect(Object.keys(paramsBelow(alone))).toEqual(['three'])
})

test.each([
  ['table', true, {}, true, true],
  ['wide', true, {}, true, true],
  ['box', true, {}, true, true],
  ['json', true, {}, false, false],
  ['table', false, {}, false, false],
  ['table', true, { TERM: 'dumb' }, true, false],
  ['table', true, { TUG_ACCESSIBLE: '1' }, true, false],
] as const)('%s on a terminal (%s) with %j is a table: %s, redrawn: %s', (format, terminal, env, table, redrawn) => {
  expect(isTableShown(format, terminal)).toBe(table)
  expect(isRedrawn(format, terminal, env)).toBe(redrawn)
})
