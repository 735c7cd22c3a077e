import { expect, test } from 'vitest'
import { list } from '../../src/core/command.ts'
import type { ListView } from '../../src/core/command.ts'
import type { Context } from '../../src/core/context.ts'
import { endpoint } from '../../src/core/endpoint.ts'
import { isRedrawn, isTableShown } from '../../src/core/environment.ts'
import { TugError } from '../../src/core/errors.ts'
import { linesOf } from '../../src/commands/kv/backup/file.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import { path } from '../../src/core/param.ts'
import { any, json } from '../../src/core/shape.ts'
import { read } from '../../src/read/read.ts'

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
