import { describe, expect, it } from 'vitest'
import { demoTokens } from '../../../src/dev/secrets/request.ts'
import { createSecrets } from '../../../src/dev/secrets/service.ts'
import { credentials } from '../../support/credentials.ts'
import { TestClock, caller, secretsRequest, textOf } from '../kv/calls.ts'

/** What the official clients ask of the store besides reading and writing secrets. */

const { token, limitedToken } = credentials.secrets
const tokens = demoTokens(credentials.secrets)

function start() {
  const clock = new TestClock('2026-11-21T08:00:00Z')
  const store = createSecrets({ clock, tokens })
  const send = async (method: string, path: string, headers: Record<string, string> = {}, value?: unknown) => {
    const body = value === undefined ? undefined : JSON.stringify(value)
    const reply = await store.handle(
      secretsRequest(method, `/v1/${path}`, { headers: { 'X-Vault-Token': token, ...headers }, body }),
    )
    return {
      status: reply.status,
      headers: reply.headers,
      body: textOf(reply) === '' ? undefined : JSON.parse(textOf(reply)),
    }
  }
  return { clock, store, send, call: caller(store, token, 'hashicorp') }
}

describe('wrapping', () => {
  const path = 'secret/data/app/db'

  it('hands an answer out once, to whoever has the token', async () => {
    const { send } = start()
    const wrapped = await send('GET', path, { 'X-Vault-Wrap-TTL': '60' })
    expect(wrapped.status).toBe(200)
    expect(wrapped.body).toMatchObject({ data: null, wrap_info: { ttl: 60, creation_path: path } })
    expect(JSON.stringify(wrapped.body)).not.toContain('demo-password')
    const headers = { 'X-Vault-Token': wrapped.body.wrap_info.token }
    const answer = await send('POST', 'sys/wrapping/unwrap', headers)
    expect(answer.body.data.data.password).toBe('demo-password-4')
    expect((await send('POST', 'sys/wrapping/unwrap', headers)).status).toBe(400)
  })

  it('takes the token in the body, from those with a token of their own', async () => {
    const { send } = start()
    const { body } = await send('LIST', 'secret/metadata/app', { 'X-Vault-Wrap-TTL': '2m' })
    const wrapping = { token: body.wrap_info.token }
    expect((await send('PUT', 'sys/wrapping/unwrap', { 'X-Vault-Token': 'unknown' }, wrapping)).status).toBe(403)
    expect((await send('PUT', 'sys/wrapping/unwrap', {}, wrapping)).body.data.keys).toContain('db')
  })

  it('ends with its time to live', async () => {
    const { clock, send } = start()
    const { body } = await send('GET', path, { 'X-Vault-Wrap-TTL': '60' })
    clock.advance(60_001)
    expect((await send('POST', 'sys/wrapping/unwrap', { 'X-Vault-Token': body.wrap_info.token })).status).toBe(400)
  })

  it('leaves errors and answers without a body as they are, and refuses a time that is not one', async () => {
    const { send } = start()
    const header = { 'X-Vault-Wrap-TTL': '60' }
    expect(await send('GET', 'secret/data/none', header)).toMatchObject({ status: 404, body: { errors: [] } })
    expect(await send('DELETE', path, header)).toMatchObject({ status: 204, body: undefined })
    const { status, body } = await send('GET', path, header)
    expect([status, body.data]).toEqual([200, null])
    const answer = await send('POST', 'sys/wrapping/unwrap', { 'X-Vault-Token': body.wrap_info.token })
    expect([answer.status, answer.body.data.data]).toEqual([404, null])
    for (const ttl of ['soon', '-5']) expect((await send('GET', path, { 'X-Vault-Wrap-TTL': ttl })).status).toBe(400)
  })
})

it('mounts engines', async () => {
  const { call, send } = start()
  expect((await send('POST', 'sys/mounts/x', { 'X-Vault-Token': limitedToken }, { type: 'kv-v2' })).status).toBe(403)
  expect((await call('POST', 'sys/mounts/x', { type: 'kv-v2' })).status).toBe(204)
  expect((await call('POST', 'x/data/a', { data: { a: 1 } })).body.data.version).toBe(1)
  expect((await call('POST', 'sys/mounts/x', { type: 'kv' })).status).toBe(400)
})

it('lists in pages', async () => {
  const { call } = start()
  const keys = async (query: string) => (await call('GET', `secret/metadata/app?list=true&${query}`)).body.data?.keys
  expect(await keys('limit=2')).toEqual(['api', 'cache'])
  expect(await keys('after=cache&limit=2')).toEqual(['db', 'features'])
  expect(await keys('after=db')).toEqual(['features'])
  expect((await call('GET', 'secret/metadata/app?list=true&after=z')).status).toBe(404)
  expect((await call('GET', 'secret/metadata/app?list=true&limit=x')).status).toBe(400)
})

it('shows all that is known of a token', async () => {
  const { call, send } = start()
  expect((await call('GET', 'auth/token/lookup-self')).body.data).toMatchObject({
    id: token,
    policies: ['root'],
    creation_time: 1_795_248_000,
    ttl: 0,
    type: 'service',
  })
  const { data } = (await send('GET', 'auth/token/lookup-self', { 'X-Vault-Token': limitedToken })).body
  expect([data.id, data.policies]).toEqual([limitedToken, ['reader']])
})

describe('settings of a secret', () => {
  it('may demand check-and-set for metadata', async () => {
    const { call } = start()
    await call('POST', 'secret/metadata/m', { metadata_cas_required: true })
    const { data } = (await call('GET', 'secret/metadata/m')).body
    expect(data).toMatchObject({ metadata_cas_required: true, current_metadata_version: 1 })
    for (const method of ['POST', 'PATCH']) {
      const refused = await call(method, 'secret/metadata/m', { max_versions: 3 })
      expect([refused.status, refused.body.errors[0]]).toEqual([400, expect.stringContaining('required for this call')])
      expect((await call(method, 'secret/metadata/m', { max_versions: 3, metadata_cas: 99 })).status).toBe(400)
    }
    expect((await call('PATCH', 'secret/metadata/m', { max_versions: 3, metadata_cas: 1 })).status).toBe(204)
    expect((await call('GET', 'secret/metadata/m')).body.data.current_metadata_version).toBe(2)
  })

  it('may be demanded of the whole engine', async () => {
    const { call } = start()
    await call('POST', 'secret/config', { metadata_cas_required: true })
    expect((await call('GET', 'secret/config')).body.data.metadata_cas_required).toBe(true)
    expect((await call('POST', 'secret/metadata/m', { max_versions: 3 })).status).toBe(400)
    expect((await call('POST', 'secret/metadata/m', { max_versions: 3, metadata_cas: 0 })).status).toBe(204)
  })

  it('lose delete_version_after by a write, not by a patch', async () => {
    const { call } = start()
    const expiry = async () => (await call('GET', 'secret/metadata/m')).body.data.delete_version_after
    await call('POST', 'secret/metadata/m', { delete_version_after: '1h' })
    for (const value of ['0s', 0, null]) {
      expect((await call('PATCH', 'secret/metadata/m', { delete_version_after: value })).status).toBe(204)
      expect(await expiry()).toBe('1h0m0s')
    }
    await call('POST', 'secret/metadata/m', { delete_version_after: '0s' })
    expect(await expiry()).toBe('0s')
  })

  it('may demand check-and-set for a patch', async () => {
    const { call } = start()
    await call('PATCH', 'secret/metadata/app/db', { cas_required: true })
    expect((await call('PATCH', 'secret/data/app/db', { data: { a: 1 } })).status).toBe(400)
    const patch = { data: { a: 1 }, options: { cas: 4 } }
    expect((await call('PATCH', 'secret/data/app/db', patch)).body.data.version).toBe(5)
  })
})

it('names no product in the neutral dialect', async () => {
  const neutralClock = new TestClock('2026-11-21T08:00:00Z')
  const store = createSecrets({ clock: neutralClock, tokens })
  const headers = { 'X-Secrets-Token': token, 'X-Secrets-Namespace': 'team-a' }
  for (const path of [
    'secret/nosuch',
    'secret/data',
    'secret/config',
    'sys/mounts',
    'sys/health',
    'nosuch/x',
    'sys/x',
  ]) {
    const reply = await store.handle(secretsRequest('GET', `/v1/${path}`, { headers, dialect: 'neutral' }))
    expect(`${JSON.stringify(reply.headers)}${textOf(reply)}`).not.toMatch(/vault|bao|nomad|hashicorp/i)
  }
})

it.each([['strings', `{"data":{"a":[${Array(1000).fill('"x"').join()}]}}`]])(
  'refuses a body with too much %s',
  async (_, body) => {
    const { store } = start()
    const headers = { 'X-Vault-Token': token }
    const reply = await store.handle(secretsRequest('POST', '/v1/secret/data/a', { headers, body }))
    expect([reply.status, JSON.parse(textOf(reply)).errors]).toEqual([400, [expect.stringMatching(/JSON input/)]])
  },
)
