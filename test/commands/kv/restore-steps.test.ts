import { expect, test } from 'vitest'
import type { SecretRecord, VersionRecord } from '../../../src/commands/kv/histories/record.ts'
import { compareSecret } from '../../../src/commands/kv/histories/compare.ts'
import { compareWith } from '../../../src/commands/kv/histories/steps.ts'

const now = new Date('2026-11-20T12:00:00Z')

function version(number: number, state: VersionRecord['state'], more: Partial<VersionRecord> = {}): VersionRecord {
  const data = state === 'live' ? { data: { n: String(number) } } : {}
  return { version: number, state, created_time: '', deletion_time: '', ...data, ...more }
}

function secret(versions: readonly VersionRecord[], more: Partial<SecretRecord> = {}): SecretRecord {
  return {
    path: 'a',
    current_version: versions.at(-1)?.version ?? 0,
    oldest_version: 0,
    created_time: '',
    updated_time: '',
    max_versions: 0,
    cas_required: false,
    delete_version_after: '0s',
    custom_metadata: null,
    versions,
    ...more,
  }
}

/** What a restore that was cut off leaves of a secret with so many versions. */
const underWay = (most: number) => ({ max_versions: most })

test.each<[string, VersionRecord, VersionRecord, 'conflict' | 'continue']>([
  ['live data is never destroyed', version(1, 'destroyed'), version(1, 'live'), 'conflict'],
  ['live data is never deleted', version(1, 'deleted'), version(1, 'live'), 'conflict'],
  ['other live data is never deleted', version(1, 'deleted', { data: { n: 'x' } }), version(1, 'live'), 'conflict'],
  ['what was deleted is not destroyed', version(1, 'destroyed'), version(1, 'deleted'), 'conflict'],
  ['what was destroyed cannot come back', version(1, 'live'), version(1, 'destroyed'), 'conflict'],
  ['other data is not replaced', version(1, 'live', { data: { n: 'x' } }), version(1, 'live'), 'conflict'],
  ['the same data can be deleted', version(1, 'deleted', { data: { n: '1' } }), version(1, 'live'), 'continue'],
])('%s', (_, wanted, here, kind) => {
  expect(compareWith(secret([wanted, version(2, 'live')]), secret([here]), now).kind).toBe(kind)
})

test.each<[string, VersionRecord | undefined, VersionRecord, boolean, 'conflict' | 'identical' | number[]]>([
  ['deleted there', version(1, 'deleted'), version(1, 'live'), true, [1]],
  ['destroyed there', version(1, 'destroyed'), version(1, 'live'), true, [1]],
  ['pruned there', undefined, version(1, 'live'), true, [1]],
  ['deleted there and here', version(1, 'destroyed'), version(1, 'deleted'), true, 'identical'],
  ['deleted there, and nothing may be deleted', version(1, 'deleted'), version(1, 'live'), false, 'identical'],
  ['deleted there, and here what a copy left', version(1, 'deleted'), version(1, 'live', { data: {} }), false, [1]],
  ['deleted here only', version(1, 'live'), version(1, 'deleted'), true, 'conflict'],
  ['other data here', version(1, 'live', { data: { n: 'x' } }), version(1, 'live'), true, 'conflict'],
])('a copy that follows a history finds a version %s', (_, there, here, deletes, result) => {
  const expected = secret([...(there === undefined ? [] : [there]), version(2, 'live')])
  const found = compareWith(expected, secret([here, version(2, 'live')]), now, { follows: { deletes } })
  const changes = 'steps' in found ? found.steps.filter(({ kind }) => kind !== 'settings') : []
  expect(changes.length === 0 ? found.kind : changes).toEqual(
    Array.isArray(result) ? [{ kind: 'delete', versions: result }] : result,
  )
})

test('a copy that follows a history is a conflict where it has a version more', () => {
  const here = secret([version(1, 'live'), version(2, 'live')])
  expect(compareWith(secret([version(1, 'live')]), here, now, { follows: { deletes: true } }).kind).toBe('conflict')
})

test('a copy that follows a pruned history adds to it, prunes nothing meanwhile, and deletes last', () => {
  const expected = secret([version(3, 'live'), version(4, 'destroyed'), version(5, 'live')], { oldest_version: 3 })
  const found = compareWith(expected, secret([version(1, 'live'), version(3, 'live')]), now, {
    follows: { deletes: true },
  })
  expect('steps' in found && found.steps.map((step) => ({ ...step, settings: undefined }))).toMatchObject([
    { kind: 'settings' },
    { kind: 'write', version: 4 },
    { kind: 'write', version: 5 },
    { kind: 'destroy', versions: [4] },
    { kind: 'settings' },
    { kind: 'delete', versions: [1] },
  ])
  expect('steps' in found && found.steps[0]).toMatchObject({ settings: { max_versions: 6 } })
})

test.each<[string, VersionRecord, VersionRecord]>([
  ['destroyed', version(1, 'destroyed'), version(1, 'live', { data: {} })],
  ['deleted', version(1, 'deleted'), version(1, 'live', { data: {} })],
  ['destroyed, deleted so far', version(1, 'destroyed'), version(1, 'deleted')],
])('a placeholder of a restore that was cut off becomes %s', (_, wanted, here) => {
  const expected = secret([wanted, version(2, 'live')])
  const found = compareWith(expected, secret([here], underWay(3)), now)
  expect(found).toMatchObject({ kind: 'continue' })
  // The temporary settings are there already.
  expect('steps' in found && found.steps[0]).toMatchObject({ kind: 'write', version: 2 })
})

test('an expiry that was left behind is taken away before anything is written', () => {
  const here = secret([version(1, 'live')], { ...underWay(3), delete_version_after: '1h0m0s' })
  const found = compareWith(secret([version(1, 'live'), version(2, 'live')]), here, now)
  expect('steps' in found && found.steps[0]).toMatchObject({
    kind: 'settings',
    settings: { max_versions: 3, delete_version_after: '0s' },
  })
})

test.each([
  [0, 6],
  [1, 6],
  [3, 3],
])('a history whose oldest version is %i is written with max_versions %i', (oldest, most) => {
  const versions = [3, 4, 5].map((number) => version(number, 'live'))
  const found = compareWith(secret(versions, { oldest_version: oldest }), undefined, now)
  expect('steps' in found && found.steps[0]).toMatchObject({ kind: 'settings', settings: { max_versions: most } })
})

test.each([
  ['2026-11-20T12:00:00.400Z', '0h0m1s'],
  ['2026-11-20T13:01:02Z', '1h1m2s'],
])('a version that is to be deleted at %s is written with what is left, %s', (deletion_time, left) => {
  const found = compareWith(secret([version(1, 'live', { deletion_time })]), undefined, now)
  const settings = 'steps' in found ? found.steps.filter((step) => step.kind === 'settings') : []
  expect(settings[1]?.settings).toEqual({ delete_version_after: left })
})

test('the same versions get the settings of the backup, and lose custom metadata that it does not have', () => {
  const wanted = secret([version(1, 'live')], { max_versions: 5 })
  const found = compareWith(wanted, secret([version(1, 'live')], { custom_metadata: { owner: 'x' } }), now)
  expect('steps' in found && found.steps).toEqual([
    expect.objectContaining({ settings: expect.objectContaining({ max_versions: 5, custom_metadata: {} }) }),
  ])
})

test('a destroyed version is not the same as a deleted one, though both have a deletion time', () => {
  const deletion_time = '2026-11-19T12:00:00Z'
  const wanted = secret([version(1, 'destroyed', { deletion_time }), version(2, 'live')])
  const here = secret([version(1, 'deleted', { deletion_time }), version(2, 'live')])
  expect(compareSecret(wanted, here, now).differences).toHaveLength(1)
  expect(compareSecret(wanted, wanted, now).differences).toEqual([])
})

test.each<[Partial<SecretRecord>, string]>([
  [{}, 'restore'],
  [{ max_versions: 2 }, 'restore'],
  [{ max_versions: 9 }, 'conflict'],
  [{ cas_required: true }, 'conflict'],
  [{ delete_version_after: '1h0m0s' }, 'conflict'],
  [{ custom_metadata: { owner: 'amy' } }, 'conflict'],
])('a secret without versions that has the settings %j: %s', (settings, kind) => {
  const expected = secret([version(1, 'live')])
  expect(compareWith(expected, secret([], settings), now).kind).toBe(kind)
})
