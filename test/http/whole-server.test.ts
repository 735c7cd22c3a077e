import { expect, test } from 'vitest'
import { secretsService } from '../../src/api/secrets-service.ts'
import { TugError } from '../../src/core/errors.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import { openPipe } from '../../src/http/pipe.ts'
import type { Answer, Exchange } from '../../src/http/transport.ts'
import { failure as withCode } from '../../src/http/transport.ts'
import { hereOf, targetOf } from '../support/target.ts'
import { says } from '../support/told.ts'

/** A client of a server that answers the first requests like this, and then with success. */
function clientOf(first: (exchange: Exchange) => { status: number; body: string }, failures: number, retries = 4) {
  let now = 0
  let sent = 0
  let greets = false
  const notes: string[] = []
  const sleep = async (milliseconds: number) => void (now += milliseconds)
  const exchange = async (exchanged: Exchange): Promise<Answer> => {
    if (greets) return { status: 200, headers: {}, hasEnd: true, body: pieces('{}') }
    sent += 1
    const { status, body } = sent > failures ? { status: 200, body: '{}' } : first(exchanged)
    return { status, headers: {}, hasEnd: true, body: pieces(body) }
  }
  const target = targetOf(secretsService, {}, 'token')
  const client = openPipe(
    hereOf(target, exchange, {
      retries,
      maxBody: 1000,
      sleep,
      monotonic: () => now,
      note: (line) => void notes.push(line),
    }),
  )
  /** A request that the server answers. */
  const hello = async () => {
    greets = true
    await client.send(read)
    greets = false
  }
  return { client, sent: () => sent, now: () => now, hello, notes }
}

async function* pieces(body: string) {
  yield Buffer.from(body)
}

async function refusalOf(send: () => Promise<unknown>): Promise<TugError | undefined> {
  return send().then(
    () => undefined,
    (error: unknown) => (error instanceof TugError ? error : Promise.reject(error as Error)),
  )
}

const read: HttpRequest = { method: 'GET', path: '/v1/secret/data/a' }
const guarded: HttpRequest = { ...read, method: 'POST', policy: { guarded: true } }
const unguarded: HttpRequest = { ...read, method: 'DELETE' }
const ofMany = (request: HttpRequest): HttpRequest => ({ ...request, policy: { ...request.policy, bulk: true } })

const refused = (status: number, text: string) => () => ({ status, body: JSON.stringify({ errors: [text] }) })
const refusing = () => {
  throw withCode('ECONNREFUSED')
}

/** A server that is down after it has answered: a few tries for one request, as long as --timeout in a run of many. */
test.each([
  ['a sealed store', refused(503, 'Vault is sealed'), 'surely', [5, 5, 1]],
  ['no active server', refused(500, 'local node not active but active cluster node not found'), 'surely', [5, 5, 1]],
  ['an exceeded quota', refused(429, 'rate limit quota exceeded'), 'surely', [5, 5, 5]],
  ['a refused connection', refusing, 'surely', [5, 5, 5]],
  ['an unexplained 500', refused(500, ''), 'perhaps', [5, 5, 1]],
] as const)('%s', async (_, answer, isDown, tries) => {
  for (const [index, request] of [read, guarded, unguarded].entries()) {
    const one = clientOf(answer, Infinity)
    await one.hello()
    const error = await refusalOf(() => one.client.send(request))
    expect([error?.facts.isDown, error?.facts.endsRun, one.sent()]).toEqual([undefined, undefined, tries[index]])
    expect(error?.reason === 'in_doubt').toBe(isDown === 'perhaps' && request !== read)
    const many = clientOf(answer, Infinity)
    await many.hello()
    const errors = await Promise.all(
      Array.from({ length: 4 }, () => refusalOf(() => many.client.send(ofMany({ ...request })))),
    )
    if (tries[index] === 1) {
      // The fourth failure in a row shows the outage.
      expect(errors.map((failure) => failure?.facts.isDown)).toEqual([isDown, isDown, isDown, 'surely'])
      expect(many.sent()).toBe(4)
    } else {
      expect(errors.map((failure) => failure?.facts.endsRun)).toEqual([true, true, true, true])
      expect(many.now()).toBe(60_000)
      // What comes later is not sent.
      const sent = many.sent()
      expect((await refusalOf(() => many.client.send(ofMany(request))))?.facts).toMatchObject({ unsent: true })
      expect(many.sent()).toBe(sent)
      const back = clientOf(answer, 8)
      await back.hello()
      const statuses = Array.from({ length: 4 }, async () => (await back.client.send(ofMany({ ...request }))).status)
      expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200])
    }
  }
})

test('a store that was sealed before the run is not waited for', async () => {
  const { client, sent } = clientOf(refused(503, 'Vault is sealed'), Infinity)
  const error = await refusalOf(() => client.send(ofMany(read)))
  expect([error?.facts.endsRun, error?.facts.isDown, sent()]).toEqual([true, undefined, 5])
})

test('without retries nothing is waited for, in a run of many either', async () => {
  const { client, sent, hello, now } = clientOf(refused(503, 'Vault is sealed'), Infinity, 0)
  await hello()
  const errors = [1, 2, 3, 4].map(() => refusalOf(() => client.send(ofMany(read))))
  const ends = (await Promise.all(errors)).map((error) => error?.facts.endsRun)
  expect(ends.at(-1)).toBe(true)
  expect(
    (await refusalOf(() => clientOf(refused(503, 'Vault is sealed'), Infinity, 0).client.send(ofMany(read))))?.facts
      .endsRun,
  ).toBe(true)
  expect([sent(), now()]).toEqual([4, 0])
})

test('one request that always fails is no outage: others are answered meanwhile', async () => {
  const { client, hello } = clientOf(
    ({ target }) => ({ status: target.endsWith('/bad') ? 500 : 200, body: '{}' }),
    Infinity,
  )
  await hello()
  const bad = ofMany({ ...read, path: '/v1/secret/data/bad' })
  const errors = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const error = await refusalOf(() => client.send(index % 5 === 0 ? { ...bad } : ofMany({ ...read })))
      return error?.facts.endsRun ?? error?.facts.isDown
    }),
  )
  expect(errors.filter((one) => one !== undefined)).toEqual(['perhaps', 'perhaps', 'perhaps', 'perhaps'])
})

test('a server that cannot be reached is a failure of the whole server, at once if it never answered', async () => {
  const never = clientOf(refusing, Infinity)
  expect((await refusalOf(() => never.client.send(ofMany(unguarded))))?.facts.endsRun).toBe(true)
  expect(never.sent()).toBe(1)
})

/** 412: of a standby that is behind any request is repeated, of a wrong version none. */
test.each([
  ['required index state not present', guarded, 'failed', 5],
  ['check-and-set parameter did not match', guarded, 'conflict', 1],
  ['', { ...read, method: 'POST', body: { options: { cas: 3 }, data: {} } }, 'conflict', 1],
  ['', unguarded, 'failed', 5],
  ['', read, 'failed', 5],
] as const)('412 with %j', async (text, request, code, times) => {
  const { client, sent } = clientOf(refused(412, text), Infinity)
  expect((await refusalOf(() => client.send(request)))?.code).toBe(code)
  expect(sent()).toBe(times)
})

test('many requests together wait for a server no longer than one does', async () => {
  const sealed = refused(503, 'Vault is sealed')
  const alone = clientOf(sealed, Infinity)
  await alone.hello()
  await refusalOf(() => alone.client.send(ofMany(read)))
  const many = clientOf(sealed, Infinity)
  await many.hello()
  const errors = await Promise.all(Array.from({ length: 16 }, () => refusalOf(() => many.client.send(ofMany(read)))))
  expect(errors.every((error) => error?.facts.endsRun === true)).toBe(true)
  expect(many.now()).toBeLessThan(1.5 * alone.now())
})

const ofWait = (persists: number, deadline?: number): HttpRequest => ({
  ...read,
  policy: { bulk: true, persists, ...(deadline === undefined ? {} : { deadline }) },
})

test('a wait asks until the server answers, longer than --timeout, and says so once', async () => {
  for (const answer of [refusing, refused(503, 'Vault is sealed'), refused(502, ''), refused(500, '')]) {
    const { client, hello, sent, now, notes } = clientOf(answer, 40)
    await hello()
    expect((await client.send(ofWait(Infinity))).status).toBe(200)
    expect([sent(), now() > 120_000]).toEqual([41, true])
    expect(notes).toEqual([says('…; asking again until it answers'), says('… answers again, after …')])
  }
})

test('a wait gives up after so many failures in a row, and at once if the server never answered', async () => {
  const { client, hello, sent } = clientOf(refusing, Infinity)
  await refusalOf(() => client.send(ofWait(7)))
  expect(sent()).toBe(1)
  await hello()
  expect((await refusalOf(() => client.send(ofWait(7))))?.code).toBe('unreachable')
  expect(sent()).toBe(1 + 8)
})

test('a wait ends when its time is over', async () => {
  const { client, hello, now } = clientOf(refusing, Infinity)
  await hello()
  expect((await refusalOf(() => client.send(ofWait(Infinity, 5000))))?.facts.isLate).toBe(true)
  expect(now()).toBe(5000)
})

test('a token that is refused right after an outage is tried again by a wait, five times', async () => {
  const states = (refusals: number, failures: number) => {
    let asked = 0
    return clientOf(() => {
      asked += 1
      if (asked <= failures) return refusing()
      return { status: asked <= failures + refusals ? 403 : 200, body: '{}' }
    }, Infinity)
  }
  for (const [refusals, failures, expected] of [
    [5, 1, undefined],
    [6, 1, 'not_allowed'],
    [1, 0, 'not_allowed'],
  ] as const) {
    const { client, hello, notes } = states(refusals, failures)
    await hello()
    expect((await refusalOf(() => client.send(ofWait(Infinity))))?.code).toBe(expected)
    expect(notes).toHaveLength(failures)
  }
})
