import { describe, expect, it } from 'vitest'
import { credentials } from '../../support/credentials.ts'
import type { EngineReply, EngineRequest } from '../../../src/dev/secrets/reply.ts'
import { demoTokens } from '../../../src/dev/secrets/request.ts'
import { createSecrets } from '../../../src/dev/secrets/service.ts'
import { TestClock, caller, secretsRequest, textOf } from '../kv/calls.ts'

const { token, limitedToken } = credentials.secrets
const tokens = demoTokens(credentials.secrets)
const clock = new TestClock('2026-11-21T08:00:00Z')
const store = createSecrets({ tokens, clock })
const path = '/v1/secret/data/app/db'

async function status(headers: Record<string, string>, target = path): Promise<number> {
  return (await store.handle(secretsRequest('GET', target, { headers }))).status
}

it.each([{}, { 'X-Secrets-Token': token }])('no answer may be kept by a cache (%j)', async (headers) => {
  const reply = await store.handle(secretsRequest('GET', path, { headers }))
  expect(reply.headers?.['cache-control']).toBe('no-store')
})

describe('tokens', () => {
  it('are taken from the header of either dialect or as a bearer', async () => {
    expect(await status({ 'X-Secrets-Token': token })).toBe(200)
    expect(await status({ 'X-Vault-Token': token })).toBe(200)
    expect(await status({ Authorization: `Bearer ${token}` })).toBe(200)
    expect(await status({ Authorization: `bearer ${token}` })).toBe(403)
  })

  it('that are missing or unknown are refused with the same text', async () => {
    for (const headers of [{}, { 'X-Secrets-Token': 'constructor' }]) {
      const reply = await store.handle(secretsRequest('GET', path, { headers }))
      expect([reply.status, textOf(reply)]).toEqual([403, '{"errors":["permission denied"]}\n'])
    }
  })

  it('that are limited read and list below secret/app/, nothing else', async () => {
    const call = caller(store, limitedToken)
    expect((await call('GET', 'secret/data/app/db')).status).toBe(200)
    expect((await call('GET', 'secret/subkeys/app/db')).status).toBe(200)
    expect((await call('GET', 'secret/metadata/app/db')).status).toBe(200)
    expect((await call('GET', 'secret/metadata/app?list=true')).status).toBe(200)
    expect((await call('GET', 'sys/internal/ui/mounts/secret/app/db')).body.data.path).toBe('secret/')

    const refusal = { status: 403, body: { errors: ['1 error occurred:\n\t* permission denied\n\n'] } }
    expect(await call('GET', 'secret/data/team/payments/ledger')).toEqual(refusal)
    expect(await call('GET', 'secret/metadata?list=true')).toEqual(refusal)
    expect(await call('POST', 'secret/data/app/db', { data: {} })).toEqual(refusal)
    expect(await call('PATCH', 'secret/data/app/db', { data: {} })).toEqual(refusal)
    expect(await call('DELETE', 'secret/data/app/db')).toEqual(refusal)
    expect(await call('PUT', 'secret/destroy/app/db', { versions: [1] })).toEqual(refusal)
    expect(await call('GET', 'secret/config')).toEqual(refusal)
    expect(await call('GET', 'sys/mounts')).toEqual(refusal)
    expect(await call('GET', 'nosuch/x')).toEqual(refusal)
    expect((await call('GET', 'sys/internal/ui/mounts/kv1/x')).status).toBe(403)
  })
})

describe('namespaces', () => {
  const inNamespace = (name: string) => status({ 'X-Secrets-Token': token, 'X-Secrets-Namespace': name })

  it('that are empty or root mean the root, and unknown ones are not found', async () => {
    expect(await inNamespace('')).toBe(200)
    expect(await inNamespace('root')).toBe(200)
    const headers = { 'X-Vault-Token': token, 'X-Vault-Namespace': 'nope' }
    const reply = await store.handle(secretsRequest('GET', path, { headers }))
    expect([reply.status, textOf(reply)]).toEqual([404, '{"errors":["namespace not found"]}\n'])
  })

  it('have their own mounts, by header and by path', async () => {
    expect(await inNamespace('team-a')).toBe(404)
    const call = caller(store, token)
    await call('POST', 'team-a/secret/data/only/here', { data: { a: 1 } })
    const headers = { 'X-Secrets-Token': token, 'X-Secrets-Namespace': '/team-a/' }
    expect(await status(headers, '/v1/secret/data/only/here')).toBe(200)
    expect((await call('GET', 'secret/data/only/here')).status).toBe(404)
  })
})

describe('engines passed in', () => {
  const asked: EngineRequest[] = []
  const answers: EngineReply[] = [
    { status: 204, warnings: ['mind this'] },
    { status: 200, data: { b: '<x>', a: 1 } },
    { status: 404, errors: [] },
    { status: 400, errors: ['no'] },
  ]
  const engine = {
    handle(request: EngineRequest): EngineReply {
      asked.push(request)
      return answers[asked.length - 1] ?? { status: 500 }
    },
  }
  const service = createSecrets({ tokens, clock, kmip: engine })
  const headers = { 'X-Secrets-Token': token, 'Content-Type': 'application/json; charset=utf-8' }

  it('are asked with the decoded path below their mount, and their answers put into envelopes', async () => {
    const send = (method: string, target: string, body?: string) =>
      service.handle(secretsRequest(method, target, { headers, body }))
    const warned = await send('POST', '/v1/kmip/scope/a%20b', '{"x":1}')
    expect(asked[0]).toMatchObject({ method: 'POST', segments: ['scope', 'a b'], body: { x: 1 } })
    expect(warned.status).toBe(200)
    expect(JSON.parse(textOf(warned))).toMatchObject({ data: null, warnings: ['mind this'] })

    const listed = await send('GET', '/v1/kmip/scope/?list=true')
    expect(asked[1]).toMatchObject({ method: 'LIST', segments: ['scope'], trailingSlash: true, body: {} })
    expect(textOf(listed)).toContain('"data":{"a":1,"b":"<x>"}')

    expect(textOf(await send('GET', '/v1/kmip/scope/a'))).toBe('{"errors":[]}\n')
    expect(textOf(await send('GET', '/v1/kmip/scope/a'))).toBe('{"errors":["no"]}\n')
  })
})

describe('routes of the store itself', () => {
  it('show health without a token', async () => {
    const reply = await store.handle(secretsRequest('GET', '/v1/sys/health'))
    expect(reply.status).toBe(200)
    expect(JSON.parse(textOf(reply))).toMatchObject({
      initialized: true,
      sealed: false,
      server_time_utc: 1_795_248_000,
    })
  })

  it('show whose token it is', async () => {
    expect((await caller(store, token)('GET', 'auth/token/lookup-self')).body.data.policies).toEqual(['root'])
    expect((await caller(store, limitedToken)('GET', 'auth/token/lookup-self')).body.data.policies).toEqual(['reader'])
  })

  it('refuse unknown routes', async () => {
    const call = caller(store, token)
    expect((await call('GET', 'sys/nothing')).status).toBe(404)
    expect((await call('POST', 'sys/mounts/x', { type: 'pki' })).status).toBe(400)
    expect((await call('GET', 'sys/mounts/nosuch')).status).toBe(404)
  })
})
