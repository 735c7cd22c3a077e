import { expect, test } from 'vitest'
import { credentials } from '../../support/credentials.ts'
import { demoTokens } from '../../../src/dev/secrets/request.ts'
import { createSecrets } from '../../../src/dev/secrets/service.ts'
import { TestClock, caller } from './calls.ts'

/** What a restore of histories relies on. */

const tokens = demoTokens(credentials.secrets)

function empty() {
  const clock = new TestClock('2026-11-21T08:00:00Z')
  const store = createSecrets({ tokens, clock, seed: false })
  const call = caller(store, credentials.secrets.token, 'hashicorp')
  const metadata = async () => (await call('GET', 'secret/metadata/a')).body?.data
  return { call, metadata }
}

test('destroying keeps a deletion time, and deleting a destroyed version sets none', async () => {
  const { call, metadata } = empty()
  for (const n of [1, 2]) await call('POST', 'secret/data/a', { data: { n } })
  await call('POST', 'secret/delete/a', { versions: [1] })
  await call('PUT', 'secret/destroy/a', { versions: [1, 2] })
  await call('POST', 'secret/delete/a', { versions: [2] })
  const { versions } = await metadata()
  expect(versions['1']).toMatchObject({ destroyed: true, deletion_time: '2026-11-21T08:00:00Z' })
  expect(versions['2']).toMatchObject({ destroyed: true, deletion_time: '' })
})

test('an empty body creates no secret, and settings one without versions', async () => {
  const { call, metadata } = empty()
  await call('POST', 'secret/metadata/a', {})
  expect(await metadata()).toBeUndefined()
  await call('POST', 'secret/metadata/a', { max_versions: 0 })
  expect(await metadata()).toMatchObject({ current_version: 0, oldest_version: 0, versions: {} })
  expect((await call('GET', 'secret/data/a')).status).toBe(404)
})

test('the smaller expiry counts, and a deletion time may be in the future', async () => {
  const { call } = empty()
  await call('POST', 'secret/config', { delete_version_after: '2h' })
  await call('POST', 'secret/metadata/a', { delete_version_after: '1h' })
  const { data } = (await call('POST', 'secret/data/a', { data: {} })).body
  expect(data.deletion_time).toBe('2026-11-21T09:00:00Z')
  expect((await call('GET', 'secret/data/a')).status).toBe(200)
})

test('a lower limit prunes at the next write, and check-and-set is required by either setting', async () => {
  const { call, metadata } = empty()
  for (const n of [1, 2, 3, 4]) await call('POST', 'secret/data/a', { data: { n } })
  await call('POST', 'secret/metadata/a', { max_versions: 2, cas_required: true })
  expect(Object.keys((await metadata()).versions)).toHaveLength(4)
  expect((await call('POST', 'secret/data/a', { data: {} })).status).toBe(400)
  await call('POST', 'secret/data/a', { data: {}, options: { cas: 4 } })
  expect(await metadata()).toMatchObject({ current_version: 5, oldest_version: 4 })
})
