import { expect, test } from 'vitest'
import { secretsService } from '../../src/api/secrets-service.ts'
import { TugError } from '../../src/core/errors.ts'
import { createLimiter } from '../../src/core/limiter.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import { createClient } from '../../src/http/client.ts'
import { failure as withCode } from '../../src/http/transport.ts'
import { targetOf } from '../support/target.ts'

/** A client of a server that answers the first requests like this, and then with success. */
function clientOf(first: () => { status: number; body: string }, failures: number, retries = 4) {
  let now = 0
  let sent = 0
  const sleep = async (milliseconds: number) => void (now += milliseconds)
  const clock = { monotonic: () => now, sleep }
  const client = createClient({
    ...targetOf(secretsService, {}, 'token'),
    timeout: 60_000,
    retries,
    maxBody: 1000,
    signal: new AbortController().signal,
    transport: async () => ({
      async exchange() {
        sent += 1
        const { status, body } = sent > failures ? { status: 200, body: '{}' } : first()
        return { status, headers: {}, hasEnd: true, body: pieces(body) }
      },
      close: async () => undefined,
    }),
    userAgent: 'tug/test',
    sleep,
    random: () => 0.5,
    now: () => new Date(0),
    monotonic: () => now,
    limiter: createLimiter({ most: 16, clock }),
    keepsBodies: false,
    note: () => undefined,
    trace: undefined,
    writing: () => undefined,
  })
  return { client, sent: () => sent, now: () => now }
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

/** Failures of a server as a whole: a few tries for one request, as long as --timeout in a run of many. */
test.each([
  ['a sealed store', refused(503, 'Vault is sealed'), [5, 5, 1]],
  ['no active server', refused(500, 'local node not active but active cluster node not found'), [5, 5, 1]],
  ['an exceeded quota', refused(429, 'rate limit quota exceeded'), [5, 5, 5]],
] as const)('%s', async (_, answer, tries) => {
  for (const [index, request] of [read, guarded, unguarded].entries()) {
    const one = clientOf(answer, Infinity)
    const error = await refusalOf(() => one.client.send(request))
    expect([error?.facts.serverWide, one.sent()]).toEqual([true, tries[index]])
    expect(error?.reason).not.toBe('in_doubt')
    const many = clientOf(answer, Infinity)
    expect((await refusalOf(() => many.client.send(ofMany(request))))?.facts.serverWide).toBe(true)
    if (tries[index] === 1) expect(many.sent()).toBe(1)
    else expect(many.now()).toBeGreaterThanOrEqual(60_000)
    if (tries[index] !== 1) expect((await clientOf(answer, 8).client.send(ofMany(request))).status).toBe(200)
  }
})

test('without retries nothing is waited for, in a run of many either', async () => {
  const { client, sent } = clientOf(refused(503, 'Vault is sealed'), Infinity, 0)
  expect((await refusalOf(() => client.send(ofMany(read))))?.facts.serverWide).toBe(true)
  expect(sent()).toBe(1)
})

test('a server that cannot be reached is a failure of the whole server, at once if it never answered', async () => {
  const never = clientOf(refusing, Infinity)
  expect((await refusalOf(() => never.client.send(ofMany(unguarded))))?.facts.serverWide).toBe(true)
  expect(never.sent()).toBe(1)
  const restarted = clientOf(refusing, 0)
  await restarted.client.send(read)
  expect(restarted.sent()).toBe(1)
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
  await refusalOf(() => alone.client.send(ofMany(read)))
  const many = clientOf(sealed, Infinity)
  const errors = await Promise.all(Array.from({ length: 16 }, () => refusalOf(() => many.client.send(ofMany(read)))))
  expect(errors.every((error) => error?.facts.serverWide === true)).toBe(true)
  expect(many.now()).toBeLessThan(1.5 * alone.now())
})
