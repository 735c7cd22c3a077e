import { expect, test } from 'vitest'
import { isNothingThere, jsonIn, listNames, namesView, sendList, withWrapping } from '../../src/api/secrets.ts'
import type { Context } from '../../src/core/context.ts'
import type { HttpResponse } from '../../src/core/connection.ts'
import { TugError } from '../../src/core/errors.ts'
import { parseJson } from '../../src/core/json.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import { refusalOf } from '../support/refusal.ts'
import { memoryOf } from '../support/target.ts'

const answer = (status: number, body: string) =>
  ({
    status,
    body: Buffer.from(body),
    text: () => body,
    json: () => parseJson(body),
    failure: () => new TugError('not_found', 'failed', { status }),
  }) as unknown as HttpResponse

function contextOf(response: HttpResponse | Error, listMethod: 'get' | 'list' = 'get') {
  const [sent, warned]: [HttpRequest[], string[]] = [[], []]
  const context = {
    settings: { listMethod },
    io: { warn: (line: string) => warned.push(line) },
    http: {
      memory: memoryOf(),
      async send(request: HttpRequest) {
        sent.push(request)
        if (response instanceof Error) throw response
        return response
      },
    },
  } as unknown as Context
  return { context, sent, warned }
}

const asked: HttpRequest = { method: 'LIST', path: '/v1/secret/metadata' }
const keys = '{"data":{"keys":["b/","a",1]},"warnings":["old"]}'

test.each(['get', 'list'] as const)('a list is asked for with the method %s', async (method) => {
  const { context, sent, warned } = contextOf(answer(200, keys), method)
  expect(await listNames(context, asked)).toEqual(['b/', 'a'])
  const query = [['list', 'true']]
  expect(sent).toEqual([
    method === 'get' ? { ...asked, method: 'GET', allow: [404], query } : { ...asked, allow: [404] },
  ])
  expect(warned).toEqual(['old'])
})

/** The answers of a server to both forms, and what comes of one list after another. */
type Answers = { readonly get: HttpResponse | Error; readonly list: HttpResponse | Error }
const refused = (status: number) => new TugError('invalid', 'refused', { status })
const [found, none, nothing] = [answer(200, keys), answer(200, '{"data":{}}'), answer(404, '{"errors":[]}')]

test.each<[dialect: string, Answers, sent: string, outcome: string]>([
  ['auto', { get: found, list: found }, 'get get', 'b/,a'],
  ['neutral', { get: found, list: found }, 'list list', 'b/,a'],
  // No form was answered: the other one is sent, and kept once it was.
  ['auto', { get: none, list: found }, 'get list list', 'b/,a'],
  ['auto', { get: refused(405), list: found }, 'get list list', 'b/,a'],
  ['auto', { get: nothing, list: found }, 'get list list', 'b/,a'],
  ['neutral', { get: found, list: refused(501) }, 'list get get', 'b/,a'],
  ['neutral', { get: found, list: refused(400) }, 'list get get', 'b/,a'],
  // A 404 of the other form counts; both forms are tried only once.
  ['auto', { get: none, list: nothing }, 'get list list', 'nothing'],
  ['auto', { get: nothing, list: nothing }, 'get list get', 'nothing'],
  // Where the other form is refused, the first answer counts.
  ['auto', { get: none, list: refused(405) }, 'get list get list', 'unexpected_response'],
  ['auto', { get: none, list: refused(403) }, 'get list get list', 'unexpected_response'],
  ['auto', { get: nothing, list: refused(400) }, 'get list get', 'nothing'],
  ['auto', { get: refused(400), list: refused(405) }, 'get list get list', 'status 400'],
  // Not allowed is an answer.
  ['auto', { get: refused(403), list: found }, 'get get', 'status 403'],
  ['neutral', { get: found, list: refused(403) }, 'list list', 'status 403'],
  ['auto', { get: refused(500), list: found }, 'get get', 'status 500'],
])(
  'in the dialect %s, two lists of a server that answers %j send %s: %s',
  async (dialect, answers, expected, outcome) => {
    const sent: string[] = []
    const context = {
      settings: { dialect },
      io: { warn: () => undefined },
      http: {
        memory: memoryOf(),
        async send({ method }: HttpRequest) {
          const form = method === 'LIST' ? 'list' : 'get'
          sent.push(form)
          const given = answers[form]
          if (given instanceof Error) throw given
          return given
        },
      },
    } as unknown as Context
    const read = async () => {
      try {
        return (await listNames(context, asked)).join() || 'nothing'
      } catch (error) {
        const { reason, facts } = error as TugError
        return reason ?? `status ${facts.status}`
      }
    }
    expect([await read(), await read(), sent.join(' ')]).toEqual([outcome, outcome, expected])
  },
)

test('a list whose first response comes after another list has found the form that works sends both forms too', async () => {
  const respond: ((response: HttpResponse) => void)[] = []
  const context = {
    settings: { dialect: 'auto' },
    io: { warn: () => undefined },
    http: {
      memory: memoryOf(),
      send: async ({ method }: HttpRequest) =>
        method === 'LIST' ? found : new Promise((resolve) => respond.push(resolve)),
    },
  } as unknown as Context
  const lists = [listNames(context, asked), listNames(context, asked)]
  for (const [index, list] of lists.entries()) {
    respond[index]?.(nothing)
    expect(await list).toEqual(['b/', 'a'])
  }
})

test('a list that is read has its names, and one column of whole names', async () => {
  const { value, body } = await sendList(contextOf(answer(200, keys)).context, asked)
  expect(value).toEqual(['b/', 'a'])
  expect(Buffer.from(body).toString()).toBe(keys)
  expect(namesView('key', 'none')).toMatchObject({ empty: 'none', columns: [{ name: 'key', whole: true }] })
})

test('a 404 without a text is an empty list, or no such folder; any other is a failure', async () => {
  const list = (body: string) => sendList(contextOf(answer(404, body)).context, asked)
  expect(await list('{"errors":[]}')).toMatchObject({
    value: [],
    missing: { code: 'not_found', reason: 'nothing_there' },
  })
  for (const body of ['{"errors":["no handler"]}', '{"warnings":["x"]}', 'x'])
    await expect(list(body)).rejects.toMatchObject({ message: 'failed' })
})

test.each([
  ['list', 400, 1],
  ['list', 405, 1],
  ['list', 501, 1],
  ['list', 403, 0],
  ['get', 405, 0],
] as const)('asked with %s, a failure with %i has %i hints at the other method', async (method, status, count) => {
  const { context } = contextOf(new TugError('failed', 'x', { status, hints: ['own'] }), method)
  const refusal = await refusalOf(() => listNames(context, asked))
  expect(refusal?.hints).toHaveLength(1 + count)
  expect(refusal?.hints.slice(1).every((hint) => hint.includes('TUG_LIST_METHOD=get'))).toBe(true)
})

test('a body is JSON, or null where it is something else', () => {
  expect([jsonIn(answer(200, '{"a":1}')), jsonIn(answer(404, '{"a":1}'))]).toEqual([{ a: 1 }, { a: 1 }])
  expect([jsonIn(answer(400, 'x')), jsonIn(answer(500, ''))]).toEqual([null, null])
  expect(jsonIn(answer(200, 'x'))).toBeNull()
  expect(
    ['{"errors":[]}', '{}', '[]', '{"errors":["x"]}', '{"warnings":["x"]}'].map((body) =>
      isNothingThere(answer(404, body)),
    ),
  ).toEqual([true, true, false, false, false])
})

test('an answer can be wrapped', () => {
  expect(withWrapping({ ...asked, headers: { A: 'b' } }, '5m').headers).toEqual({ A: 'b', 'X-Secrets-Wrap-TTL': '5m' })
})
