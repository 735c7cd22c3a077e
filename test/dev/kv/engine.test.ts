import { describe, expect, it, test } from 'vitest'
import { credentials } from '../../support/credentials.ts'
import type { Dialect } from '../../../src/dev/http.ts'
import { demoTokens } from '../../../src/dev/secrets/request.ts'
import { createSecrets } from '../../../src/dev/secrets/service.ts'
import { TestClock, caller } from './calls.ts'

const { token } = credentials.secrets
const tokens = demoTokens(credentials.secrets)
const clock = new TestClock('2026-11-21T08:00:00Z')

function empty(dialect: Dialect = 'neutral') {
  return caller(createSecrets({ tokens, clock, seed: false }), token, dialect)
}

describe('the demo data', () => {
  const call = caller(createSecrets({ tokens, clock }), token)

  it('is in folders', async () => {
    expect((await call('GET', 'secret/metadata/?list=true')).body.data).toEqual({ keys: ['app/', 'team/'] })
    expect((await call('LIST', 'secret/metadata/app')).body.data.keys).toEqual(['api', 'cache', 'db', 'features'])
    expect((await call('GET', 'secret/metadata/team/payments?list=true')).body.data.keys).toEqual([
      'gateway/',
      'ledger',
      'old-gateway',
    ])
  })

  it('has a secret with a version in every state', async () => {
    const { data } = (await call('GET', 'secret/metadata/app/db')).body
    expect(data.current_version).toBe(4)
    expect(data.versions['1'].destroyed).toBe(true)
    expect(data.versions['2'].deletion_time).not.toBe('')
    expect(data.versions['3']).toMatchObject({ deletion_time: '', destroyed: false })
    expect((await call('GET', 'secret/data/app/db')).body.data.data).toEqual({
      host: 'db.app.internal',
      password: 'demo-password-4',
      port: 5432,
      user: 'app',
    })
  })

  it('has a deleted secret, custom metadata, and a number too long for a double', async () => {
    const deleted = await call('GET', 'secret/data/team/payments/old-gateway')
    expect(deleted.status).toBe(404)
    expect(deleted.body.data).toMatchObject({ data: null, metadata: { version: 1, destroyed: false } })
    const api = (await call('GET', 'secret/data/app/api')).body.data.metadata
    expect(api.custom_metadata).toEqual({ owner: 'platform', rotation: '90d' })
    const features = (await call('GET', 'secret/data/app/features')).body.data.data
    expect(features.build).toBe(9_007_199_254_740_992)
    expect(features.flags.checkout).toEqual({ enabled: true, share: 0.25 })
  })
})

describe('the neutral dialect', () => {
  it('shows the documented fields of configuration and metadata and no others', async () => {
    const call = empty()
    await call('POST', 'secret/data/a', { data: { x: 1 } })
    expect((await call('GET', 'secret/config')).body.data).toEqual({
      cas_required: false,
      delete_version_after: '0s',
      max_versions: 0,
    })
    expect(Object.keys((await call('GET', 'secret/metadata/a')).body.data)).toEqual([
      'cas_required',
      'created_time',
      'current_version',
      'custom_metadata',
      'delete_version_after',
      'max_versions',
      'oldest_version',
      'updated_time',
      'versions',
    ])
  })

  it.each([
    ['neutral', 2],
    ['hashicorp', 4],
  ] as const)('%s: with 4 for the engine and 2 for the key, %i versions are kept', async (dialect, kept) => {
    const call = empty(dialect)
    await call('POST', 'secret/config', { max_versions: 4 })
    await call('POST', 'secret/metadata/a', { max_versions: 2 })
    for (let n = 1; n <= 6; n += 1) await call('POST', 'secret/data/a', { data: { n } })
    const { data } = (await call('GET', 'secret/metadata/a')).body
    expect(Object.keys(data.versions)).toHaveLength(kept)
    expect(data.oldest_version).toBe(7 - kept)
  })
})

test('a null in place of data is refused in the neutral dialect, and stored as real servers do in the other', async () => {
  for (const [dialect, status] of [
    ['neutral', 400],
    ['hashicorp', 200],
  ] as const) {
    expect((await empty(dialect)('POST', 'secret/data/app/new', { data: null })).status).toBe(status)
  }
})

test.each([
  ['neutral', 'PATCH', null, '0s'],
  ['neutral', 'PATCH', '0s', '0s'],
  ['neutral', 'POST', null, '0s'],
  ['hashicorp', 'PATCH', null, '1h0m0s'],
] as const)('%s: a %s of metadata with delete_version_after %j leaves %s', async (dialect, method, value, expected) => {
  const call = empty(dialect)
  await call('POST', 'secret/metadata/a', { delete_version_after: '1h' })
  expect((await call(method, 'secret/metadata/a', { delete_version_after: value })).status).toBe(204)
  expect((await call('GET', 'secret/metadata/a')).body.data.delete_version_after).toBe(expected)
})

test.each([
  ['POST', 'data/a', { data: [] }, 200],
  ['POST', 'data/a', { data: {}, options: [] }, 200],
  ['POST', 'metadata/a', { custom_metadata: [] }, 204],
  ['PATCH', 'metadata/a', { custom_metadata: { n: 1 } }, 500],
  ['PATCH', 'metadata/a', { custom_metadata: { n: true } }, 500],
] as const)('as a real server, %s %s of %j answers %i', async (method, path, body, status) => {
  const call = empty('hashicorp')
  await call('POST', 'secret/data/a', { data: {} })
  expect((await call(method, `secret/${path}`, body)).status).toBe(status)
})

test('a null in the configuration resets all but delete_version_after, and that only in the neutral dialect', async () => {
  for (const [dialect, expiry] of [
    ['neutral', '0s'],
    ['hashicorp', '1h0m0s'],
  ] as const) {
    const call = empty(dialect)
    await call('POST', 'secret/config', { max_versions: 3, delete_version_after: '1h' })
    await call('POST', 'secret/config', { max_versions: null, delete_version_after: null })
    const { data } = (await call('GET', 'secret/config')).body
    expect([data.max_versions, data.delete_version_after]).toEqual([0, expiry])
  }
})

test.each([
  [{ max_versions: '3' }, { max_versions: 3 }],
  [{ cas_required: 'true' }, { cas_required: true }],
  [{ delete_version_after: 3600 }, { delete_version_after: '1h0m0s' }],
  [{ custom_metadata: { a: 1, b: true } }, { custom_metadata: { a: '1', b: '1' } }],
])('metadata with %j are refused in the neutral dialect, and read as %j in the other', async (sent, read) => {
  for (const dialect of ['neutral', 'hashicorp'] as const) {
    const call = empty(dialect)
    await call('POST', 'secret/data/a', { data: {} })
    expect((await call('POST', 'secret/metadata/a', sent)).status).toBe(dialect === 'neutral' ? 400 : 204)
    if (dialect === 'neutral') expect((await call('PATCH', 'secret/metadata/a', sent)).status).toBe(400)
    else expect((await call('GET', 'secret/metadata/a')).body.data).toMatchObject(read)
  }
})

describe('time', () => {
  it('deletes a version when its time has come, and an undelete starts the time again', async () => {
    const ticking = new TestClock('2026-11-21T08:00:00Z')
    const call = caller(createSecrets({ tokens, clock: ticking, seed: false }), token)
    await call('POST', 'secret/metadata/a', { delete_version_after: '1h' })
    const written = (await call('POST', 'secret/data/a', { data: {} })).body.data
    expect(written.deletion_time).toBe('2026-11-21T09:00:00Z')
    ticking.advance(3_599_000)
    expect((await call('GET', 'secret/data/a')).status).toBe(200)
    ticking.advance(1000)
    expect((await call('GET', 'secret/data/a')).status).toBe(404)
    await call('POST', 'secret/undelete/a', { versions: [1] })
    expect((await call('GET', 'secret/data/a')).body.data.metadata.deletion_time).toBe('2026-11-21T10:00:00Z')
  })
})

describe('the mount without versions', () => {
  it('has nothing at a path with a slash at its end', async () => {
    const call = empty()
    await call('POST', 'kv1/a', { x: 1 })
    expect((await call('GET', 'kv1/a/')).status).toBe(404)
    expect((await call('DELETE', 'kv1/a/')).status).toBe(204)
    expect((await call('GET', 'kv1/a')).body.data).toEqual({ x: 1 })
  })

  it('stores a versioned write as a plain key', async () => {
    const call = empty()
    expect((await call('POST', 'kv1/data/a', { data: { x: 1 } })).status).toBe(204)
    expect((await call('GET', 'kv1/?list=true')).body.data.keys).toEqual(['data/'])
    expect((await call('GET', 'kv1/data/a')).body.data).toEqual({ data: { x: 1 } })
  })
})
