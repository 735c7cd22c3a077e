import { expect, test } from 'vitest'
import type { SecretRecord, VersionRecord } from '../../../src/commands/kv/histories/record.ts'
import {
  cannotFollow,
  compareSecret,
  differencesFrom,
  settingDifferences,
  surplusVersions,
} from '../../../src/commands/kv/histories/compare.ts'

const now = new Date('2026-11-20T12:00:00Z')
const [past, future] = ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00.001Z']

function version(number: number, state: VersionRecord['state'], more: Partial<VersionRecord> = {}): VersionRecord {
  const data = state === 'live' ? { data: { n: String(number) } } : {}
  return { version: number, state, created_time: '', deletion_time: '', ...data, ...more }
}

function secret(versions: readonly VersionRecord[], more: Partial<SecretRecord> = {}): SecretRecord {
  const settings = { max_versions: 0, cas_required: false, delete_version_after: '0s', custom_metadata: null }
  const current_version = versions.at(-1)?.version ?? 0
  return {
    path: 'a',
    current_version,
    oldest_version: 0,
    created_time: '',
    updated_time: '',
    ...settings,
    versions,
    ...more,
  }
}

const live = version(1, 'live')
const isLiveHere = 'version 1 is live here'

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
  const { differences, destroyedInstead } = compareSecret(only(wanted), only(here), now)
  expect([differences, destroyedInstead]).toEqual([difference === undefined ? [] : [difference], []])
})

test('a version that was pruned in the backup may be destroyed here, but not beyond the current one', () => {
  const here = secret([version(1, 'destroyed'), version(2, 'live'), version(3, 'destroyed')], { current_version: 2 })
  expect(compareSecret(secret([version(2, 'live')]), here, now)).toEqual({
    differences: ['version 3 is destroyed here and not in the backup'],
    destroyedInstead: [1],
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
  expect(differencesFrom(secret([live], expected), secret([live], actual), now)).toEqual(differences)
  expect(differencesFrom(secret([live], expected), secret([live], actual), now, { deletes: true })).toEqual(differences)
})

test('the settings of an engine are compared one by one', () => {
  const settings = { max_versions: 1, cas_required: true, delete_version_after: '1h' }
  expect(settingDifferences(settings, settings)).toEqual([])
  expect(settingDifferences(settings, { max_versions: 2, cas_required: false, delete_version_after: '2h' })).toEqual([
    'max_versions 1 is 2 here',
    'cas_required true is false here',
    'delete_version_after 1h is 2h here',
  ])
})

test.each<[string, VersionRecord | undefined, VersionRecord | undefined, readonly string[], string | undefined]>([
  ['the same', live, live, [], undefined],
  ['missing here', live, undefined, ['version 1 is missing here'], 'version 1 is missing here'],
  [
    'deleted here',
    live,
    version(1, 'deleted'),
    ['version 1 is deleted here and live there'],
    'version 1 is deleted here and live there',
  ],
  [
    'expired here',
    live,
    version(1, 'live', { deletion_time: past }),
    ['version 1 is deleted here and live there'],
    'version 1 is deleted here and live there',
  ],
  ['other data', live, version(1, 'live', { data: { n: 'x' } }), ['version 1 differs'], 'version 1 differs'],
  ['data not read', version(1, 'live', { data: undefined as never }), live, [], undefined],
  ['data not read here', live, version(1, 'live', { data: undefined as never }), [], undefined],
  ['deleted there', version(1, 'deleted'), live, [isLiveHere], undefined],
  ['expired there', version(1, 'live', { deletion_time: past }), live, [isLiveHere], undefined],
  ['to expire there', version(1, 'live', { deletion_time: future }), live, [], undefined],
  ['pruned there', undefined, live, [isLiveHere], undefined],
  ['deleted on both sides', version(1, 'destroyed'), version(1, 'deleted'), [], undefined],
])('a path that follows a history, with a version that is %s', (_, there, here, differences, hinders) => {
  const second = version(2, 'live')
  const expected = secret([...(there === undefined ? [] : [there]), second])
  const actual = secret([...(here === undefined ? [] : [here]), second])
  expect(differencesFrom(expected, actual, now, { deletes: true })).toEqual(differences)
  expect(cannotFollow(expected, actual, now)).toBe(hinders)
  const stays = differences.filter((one) => one !== isLiveHere)
  expect(differencesFrom(expected, actual, now, { deletes: false })).toEqual(stays)
  expect(surplusVersions(expected, actual, now, { deletes: true })).toEqual(
    stays.length < differences.length ? [1] : [],
  )
  expect(surplusVersions(expected, actual, now, { deletes: false })).toEqual([])
})

test('a path that follows a history may be behind it, and not ahead', () => {
  const [one, two] = [secret([live]), secret([live, version(2, 'live')])]
  expect(differencesFrom(two, one, now, { deletes: false })).toEqual(['current version 2 is 1 here'])
  expect(cannotFollow(two, one, now)).toBeUndefined()
  expect(cannotFollow(one, two, now)).toBe('it has 2 versions, not 1')
})

test('what a copy that was cut off left is deleted even if nothing else is', () => {
  const here = secret([version(1, 'live', { data: {} }), version(2, 'live')])
  expect(surplusVersions(secret([version(2, 'live')]), here, now, { deletes: false })).toEqual([1])
})
