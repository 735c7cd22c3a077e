import { expect, test } from 'vitest'
import { compareSecret } from '../../../src/commands/kv/histories/compare.ts'
import type { SecretRecord, VersionRecord } from '../../../src/commands/kv/histories/record.ts'
import { compareWith } from '../../../src/commands/kv/histories/steps.ts'

const now = new Date('2026-11-20T12:00:00Z')
const [past, future] = ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00.001Z']

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

const live = version(1, 'live')

test.each<[VersionRecord | undefined, VersionRecord | undefined, string | undefined]>([
  [live, live, undefined],
  [live, undefined, 'version 1 is live in the backup and missing here'],
  [version(1, 'deleted'), undefined, 'version 1 is deleted in the backup and missing here'],
  [live, version(1, 'deleted'), 'version 1 is live in the backup and deleted here'],
  [version(1, 'live', { deletion_time: past }), live, 'version 1 is deleted in the backup and live here'],
  [version(1, 'live', { deletion_time: future }), live, undefined],
  [live, version(1, 'live', { deletion_time: past }), 'version 1 is live in the backup and deleted here'],
  [version(1, 'destroyed', { deletion_time: past }), version(1, 'destroyed'), undefined],
  [version(1, 'deleted', { data: { n: 'x' } }), version(1, 'deleted'), undefined],
  [version(1, 'deleted'), version(1, 'destroyed'), undefined],
  [version(1, 'destroyed'), version(1, 'deleted'), 'version 1 is destroyed in the backup and deleted here'],
  [version(1, 'deleted'), version(1, 'deleted', { data: { n: 'x' } }), undefined],
  [version(1, 'live', { data: null }), live, 'version 1 has other data: null in the backup'],
  [live, version(1, 'live', { data: null }), 'version 1 has other data: a map in the backup'],
  [version(1, 'live', { data: null }), version(1, 'live', { data: null }), undefined],
  [
    version(1, 'live', { data: { a: 1, b: 1, c: 1, d: 1, same: 1 } }),
    version(1, 'live', { data: { a: 2, b: 2, e: 1, f: 1, same: 1 } }),
    'version 1 has other data: changed a, b; only in the backup c, d; only here e, f',
  ],
  [
    version(1, 'live', { data: { a: 1 } }),
    version(1, 'live', { data: { a: 1, b: 1 } }),
    'version 1 has other data: only here b',
  ],
  [undefined, live, 'version 1 is live here and not in the backup'],
  [undefined, version(1, 'deleted'), 'version 1 is deleted here and not in the backup'],
])('a version that is %j in a backup and %j here: %s', (wanted, here, difference) => {
  const only = (one: VersionRecord | undefined) => secret(one === undefined ? [] : [one], { current_version: 1 })
  const { differences, prunedVersions } = compareSecret(only(wanted), only(here), now)
  expect([differences, prunedVersions]).toEqual([difference === undefined ? [] : [difference], []])
})

test('a version that was pruned in the backup may be destroyed here, but not beyond the current one', () => {
  const here = secret([version(1, 'destroyed'), version(2, 'live'), version(3, 'destroyed')], { current_version: 2 })
  expect(compareSecret(secret([version(2, 'live')]), here, now)).toEqual({
    differences: ['version 3 is destroyed here and not in the backup'],
    prunedVersions: [1],
  })
})

test('another current version is a difference of its own', () => {
  const { differences } = compareSecret(secret([live], { current_version: 3 }), secret([live]), now)
  expect(differences).toEqual(['current version 3 is 1 here'])
})

test.each<[Partial<SecretRecord>, Partial<SecretRecord>, readonly string[]]>([
  [{}, {}, []],
  [{ max_versions: 1 }, {}, ['max_versions 1 is 0 here']],
  [{ cas_required: true }, {}, ['cas_required true is false here']],
  [{}, { delete_version_after: '1h0m0s' }, ['delete_version_after 0s is 1h0m0s here']],
  [{ metadata_cas_required: true }, {}, ['metadata_cas_required differs']],
  [{}, { metadata_cas_required: true }, ['metadata_cas_required differs']],
  [{ metadata_cas_required: false }, {}, []],
  [{ metadata_cas_required: true }, { metadata_cas_required: true }, []],
  [{ custom_metadata: { a: '1', b: '2' } }, { custom_metadata: { b: '2', a: '1' } }, []],
  [{ custom_metadata: { a: '1', b: '2' } }, {}, ['custom metadata differs: a, b']],
  [{}, { custom_metadata: { a: '1' } }, ['custom metadata differs: a']],
  [{}, { custom_metadata: { constructor: '1' } }, ['custom metadata differs: constructor']],
  [
    { custom_metadata: { a: '1', b: '2' } },
    { custom_metadata: { a: '1', b: '3', c: '4' } },
    ['custom metadata differs: b, c'],
  ],
])('a secret with the settings %j in a backup and %j here', (expected, actual, differences) => {
  expect(compareSecret(secret([live], expected), secret([live], actual), now).differences).toEqual(differences)
})

/** What a restore that was cut off leaves of a secret with so many versions. */
const underWay = (most: number) => ({ max_versions: most })

test.each<[string, VersionRecord, VersionRecord, 'conflict' | 'continue']>([
  ['live data is never destroyed', version(1, 'destroyed'), version(1, 'live'), 'conflict'],
  ['live data is never deleted', version(1, 'deleted'), version(1, 'live'), 'conflict'],
  ['other live data is never deleted', version(1, 'deleted', { data: { n: 'x' } }), version(1, 'live'), 'conflict'],
  ['what was deleted is not destroyed', version(1, 'destroyed'), version(1, 'deleted'), 'conflict'],
  ['what was destroyed cannot come back', version(1, 'live'), version(1, 'destroyed'), 'conflict'],
  ['other data is not replaced', version(1, 'live', { data: { n: 'x' } }), version(1, 'live'), 'conflict'],
  ['not even the same data', version(1, 'deleted', { data: { n: '1' } }), version(1, 'live'), 'conflict'],
  ['what is deleted there is destroyed in a copy', version(1, 'deleted'), version(1, 'destroyed'), 'continue'],
])('%s', (_, wanted, here, kind) => {
  expect(compareWith(secret([wanted, version(2, 'live')]), secret([here]), now).kind).toBe(kind)
})

test.each<[string, VersionRecord | undefined, VersionRecord | undefined, boolean, 'conflict' | 'identical' | number[]]>(
  [
    ['deleted there', version(1, 'deleted'), version(1, 'live'), true, [1]],
    ['destroyed there', version(1, 'destroyed'), version(1, 'live'), true, [1]],
    ['pruned there', undefined, version(1, 'live'), true, [1]],
    ['deleted there and here', version(1, 'destroyed'), version(1, 'deleted'), true, 'identical'],
    ['deleted there, and nothing may be deleted', version(1, 'deleted'), version(1, 'live'), false, 'identical'],
    ['deleted there, and here what a copy left', version(1, 'deleted'), version(1, 'live', { data: {} }), false, [1]],
    ['expired there', version(1, 'live', { deletion_time: past }), live, true, [1]],
    ['to expire there', version(1, 'live', { deletion_time: future }), live, true, 'identical'],
    ['pruned there, and here what a copy left', undefined, version(1, 'live', { data: {} }), false, [1]],
    ['missing here', live, undefined, true, 'conflict'],
    ['deleted here only', version(1, 'live'), version(1, 'deleted'), true, 'conflict'],
    ['expired here only', live, version(1, 'live', { deletion_time: past }), true, 'conflict'],
    ['of which no data was read', version(1, 'live', { data: undefined as never }), live, true, 'identical'],
    ['of which no data was read here', live, version(1, 'live', { data: undefined as never }), true, 'identical'],
    ['other data here', version(1, 'live', { data: { n: 'x' } }), version(1, 'live'), true, 'conflict'],
  ],
)('a copy that follows a history finds a version %s', (_, there, here, deletes, result) => {
  const expected = secret([...(there === undefined ? [] : [there]), version(2, 'live')])
  const found = compareWith(expected, secret([...(here === undefined ? [] : [here]), version(2, 'live')]), now, {
    follows: { deletes },
  })
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
