import { expect, test } from 'vitest'
import { secretsService } from '../../src/api/secrets-service.ts'
import { TugError } from '../../src/core/errors.ts'
import type { Send } from '../../src/core/http.ts'
import type { Json } from '../../src/core/json.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import type { Dialect, Service, SpokenDialect } from '../../src/core/service.ts'
import { any, json } from '../../src/core/shape.ts'
import { spoken } from '../../src/http/dialect.ts'
import { refusalOf } from '../support/refusal.ts'
import { hereOf, memoryOf, targetOf } from '../support/target.ts'

type Answered = { shown?: SpokenDialect; in?: SpokenDialect; status?: number; answer?: Json } | Error

/** A service whose requests name their dialect in the path, and those that differ from `auto` in the query. */
const service: Service = {
  ...secretsService,
  shown: (headers) => headers['shown'] as SpokenDialect | undefined,
  shownIn: (answer) => (answer as { in?: SpokenDialect }).in,
  translate: (request, dialect) => ({
    ...request,
    path: `/${dialect}`,
    ...(dialect === 'neutral' && request.acl === 'only' ? { neutralOnly: 'the token' } : {}),
  }),
  otherDialects: ({ query = [] }) => query.map(([name]) => name as SpokenDialect),
}

/** A translator whose server answers each dialect like this; what was sent and discarded. */
function translatorOf(answers: Partial<Record<Dialect, Answered>>, dialect: Dialect = 'auto') {
  const [sent, dropped, warned]: [string[], string[], string[]] = [[], [], []]
  const answerTo = (path: string) => {
    const named = path.slice(1) as Dialect
    sent.push(named)
    const answered = answers[named] ?? {}
    if (answered instanceof Error) throw answered
    const headers: Record<string, string> = answered.shown === undefined ? {} : { shown: answered.shown }
    return {
      spoken: named,
      status: answered.status ?? 200,
      headers,
      answer: answered.answer ?? (answered.in === undefined ? {} : { in: answered.in }),
    }
  }
  const memory = memoryOf(dialect)
  const send = async ({ path }: HttpRequest) => {
    const { spoken: value, status, headers, answer } = answerTo(path)
    return { status, headers, value, body: Buffer.of(), json: () => answer }
  }
  const stream = async ({ path }: HttpRequest) => {
    const { spoken: value, status, headers } = answerTo(path)
    const end = { done: true, value: undefined } as const
    const pieces = { next: async () => end, return: async () => (dropped.push(value), end) }
    return { status, headers, body: { [Symbol.asyncIterator]: () => pieces } }
  }
  const here = hereOf({ ...targetOf(service, {}, undefined), dialect }, () => Promise.reject(new Error('not used')), {
    memory,
    warn: (line) => void warned.push(line),
  })
  const [toWhole, toStream] = [send, stream].map((next) => spoken(next as unknown as Send, here)) as [Send, Send]
  const translator = { send: toWhole, stream: toStream }
  return { translator, memory, sent, dropped, warned }
}

const read = (...others: SpokenDialect[]): HttpRequest => ({
  method: 'GET',
  path: '/',
  answers: json(any),
  query: others.map((name) => [name, ''] as const),
})
const write = (...others: SpokenDialect[]): HttpRequest => ({ ...read(...others), method: 'POST' })
const error = (status: number | undefined, dialect?: SpokenDialect, code: 'invalid' | 'usage' = 'invalid') =>
  new TugError(code, `${status} ${dialect}`, { ...(status === undefined ? {} : { status }), dialect })

test.each<[string, HttpRequest, Partial<Record<Dialect, Answered>>, Dialect, string[], Dialect]>([
  ['that shows nothing', read('hashicorp'), {}, 'auto', ['auto'], 'auto'],
  ['of the dialect', read('hashicorp'), { auto: { shown: 'neutral' } }, 'auto', ['auto'], 'neutral'],
  ['of another', read('hashicorp'), { auto: { shown: 'hashicorp' } }, 'auto', ['auto', 'hashicorp'], 'hashicorp'],
  ['by its content', read('hashicorp'), { auto: { in: 'hashicorp' } }, 'auto', ['auto', 'hashicorp'], 'hashicorp'],
  ['whose header wins', read(), { auto: { shown: 'neutral', in: 'hashicorp' } }, 'auto', ['auto'], 'neutral'],
  ['of a failure', read('hashicorp'), { auto: { in: 'hashicorp', status: 404 } }, 'auto', ['auto'], 'auto'],
  ['of a success in another range', read(), { auto: { in: 'hashicorp', status: 299 } }, 'auto', ['auto'], 'hashicorp'],
  ['that is no success any more', read(), { auto: { in: 'hashicorp', status: 300 } }, 'auto', ['auto'], 'auto'],
  ['to its own words', read('neutral'), {}, 'neutral', ['neutral'], 'neutral'],
  ['to the same words', read(), { auto: { shown: 'hashicorp' } }, 'auto', ['auto'], 'hashicorp'],
  [
    'to the words of two',
    read('neutral', 'hashicorp'),
    { auto: { in: 'neutral' } },
    'auto',
    ['auto', 'neutral'],
    'neutral',
  ],
  ['to a write', write('hashicorp'), { auto: { shown: 'hashicorp' } }, 'auto', ['auto'], 'hashicorp'],
  [
    'to a dialect that was set',
    read('hashicorp'),
    { neutral: { shown: 'hashicorp' } },
    'neutral',
    ['neutral'],
    'neutral',
  ],
  ['to a product', read('neutral'), { hashicorp: { shown: 'neutral' } }, 'hashicorp', ['hashicorp'], 'hashicorp'],
  // After a refusal nothing was done, so a write is sent again, too.
  ['after a refusal', write('hashicorp'), { auto: error(400) }, 'auto', ['auto', 'hashicorp'], 'hashicorp'],
  ['after one of another kind', write('neutral'), { auto: error(422) }, 'auto', ['auto', 'neutral'], 'neutral'],
  [
    'after a refusal that shows it',
    write('neutral', 'hashicorp'),
    { auto: error(400, 'hashicorp') },
    'auto',
    ['auto', 'hashicorp'],
    'hashicorp',
  ],
  [
    'after two',
    write('neutral', 'hashicorp'),
    { auto: error(400), neutral: error(400) },
    'auto',
    ['auto', 'neutral', 'hashicorp'],
    'hashicorp',
  ],
  [
    'after one that the dialect cannot express',
    write('neutral', 'hashicorp'),
    { auto: error(400), neutral: error(undefined, undefined, 'usage') },
    'auto',
    ['auto', 'neutral', 'hashicorp'],
    'hashicorp',
  ],
])('an answer %s', async (_, request, answers, dialect, asked, learned) => {
  const { translator, memory, sent } = translatorOf(answers, dialect)
  expect((await translator.send(request)).value).toBe(asked.at(-1))
  expect([sent, memory.dialect]).toEqual([asked, learned])
  await translator.send(read())
  expect(sent.at(-1)).toBe(learned)
})

test.each<[string, HttpRequest, Partial<Record<Dialect, Answered>>, Dialect, string[], string]>([
  ['that may be done', write('hashicorp'), { auto: error(500) }, 'auto', ['auto'], '500 undefined'],
  ['without a status', read('hashicorp'), { auto: error(undefined) }, 'auto', ['auto'], 'undefined undefined'],
  ['of the dialect', read('hashicorp'), { auto: error(400, 'neutral') }, 'auto', ['auto'], '400 neutral'],
  ['of the same words', read(), { auto: error(400) }, 'auto', ['auto'], '400 undefined'],
  ['of what was set', read('hashicorp'), { neutral: error(400) }, 'neutral', ['neutral'], '400 undefined'],
  [
    'of all, which is that of the first',
    read('neutral', 'hashicorp'),
    { auto: error(400), neutral: error(422), hashicorp: error(422) },
    'auto',
    ['auto', 'neutral', 'hashicorp'],
    '400 undefined',
  ],
  [
    'of the second that may be done',
    write('neutral', 'hashicorp'),
    { auto: error(400), neutral: error(500) },
    'auto',
    ['auto', 'neutral'],
    '500 undefined',
  ],
  [
    'of the dialect that was shown',
    write('hashicorp'),
    { auto: error(400, 'hashicorp'), hashicorp: error(422) },
    'auto',
    ['auto', 'hashicorp'],
    '422 undefined',
  ],
  ['that is a bug', read('hashicorp'), { auto: new TypeError('a bug') }, 'auto', ['auto'], 'a bug'],
])('a refusal %s', async (_, request, answers, dialect, asked, message) => {
  const { translator, sent } = translatorOf(answers, dialect)
  await expect(translator.send(request)).rejects.toThrow(new RegExp(`^${message}$`))
  expect(sent).toEqual(asked)
})

test('a stream in the wrong dialect is discarded, and asked for again', async () => {
  const { translator, memory, sent, dropped } = translatorOf({ auto: { shown: 'hashicorp' } })
  await translator.stream(read('hashicorp'))
  expect([sent, dropped, memory.dialect]).toEqual([['auto', 'hashicorp'], ['auto'], 'hashicorp'])
})

test('a request without a form of its answer is sent as it is', async () => {
  const { translator, memory, sent } = translatorOf({ auto: { shown: 'hashicorp' } })
  await translator.send({ method: 'GET', path: '/as-it-is' })
  expect([sent, memory.dialect]).toEqual([['as-it-is'], 'auto'])
})

test('what a product ignores of the neutral dialect is an error of a read, and a warning of a write', async () => {
  const only = { acl: 'only' }
  const product = translatorOf({ neutral: { in: 'hashicorp' } }, 'neutral')
  expect(await refusalOf(() => product.translator.send({ ...read(), ...only }))).toMatchObject({
    code: 'usage',
    message: expect.stringContaining('the token'),
  })
  expect(product.warned).toEqual([])
  await product.translator.send({ ...write(), ...only })
  expect(product.warned).toEqual([expect.stringMatching(/the token.*--dialect auto/)])
  await product.translator.send(write())
  expect(product.warned).toHaveLength(1)
  for (const answer of [{}, { shown: 'neutral' }] as const) {
    const { translator, warned } = translatorOf({ neutral: answer }, 'neutral')
    await translator.send({ ...read(), ...only })
    await translator.send({ ...write(), ...only })
    expect(warned).toEqual([])
  }
})
