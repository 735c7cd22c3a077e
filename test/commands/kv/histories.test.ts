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
  [
    version(1, 'destroyed', { deletion_time: past }),
    version(1, 'deleted', { deletion_time: past }),
    'version 1 is destroyed in the backup and deleted here',
  ],
  [version(1, 'deleted'), version(1, 'deleted', { data: { n: 'x' } }), undefined],
  [version(1, 'live', { data: null }), live, 'version 1 has other data: null in the backup'],
  [live, version(1, 'live', { data: null }), 'version 1 has other data: a map in the backup'],
  [version(1, 'live', { data: null }), version(1, 'live', { data: null }), undefined],
  [
    version(1, 'live', { data: { a: 1, b: 1, c: 1, d: 1, same: 1 } }),
    version(1, 'live', { data: { a: 2, b: 2, e: 1, f: 1, same: 1 } }),
    'version 1 has other data: changed a, b; only in the backup c, d; only in the secret e, f',
  ],
  [
    version(1, 'live', { data: { a: 1 } }),
    version(1, 'live', { data: { a: 1, b: 1 } }),
    'version 1 has other data: only in the secret b',
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

/** The mark of an unfinished copy of a secret that was created at that moment. */
const markFrom = (created: string) => `${created} run 0123456789ab copy of a`
const own = markFrom('')
const placeholder = version(1, 'live', { data: { 'tug-unfinished': own } })

test.each<[string, VersionRecord | undefined, VersionRecord | undefined, 'conflict' | 'continue']>([
  ['live data is never destroyed', version(1, 'destroyed'), version(1, 'live'), 'conflict'],
  ['live data is never deleted', version(1, 'deleted'), version(1, 'live'), 'conflict'],
  ['other live data is never deleted', version(1, 'deleted', { data: { n: 'x' } }), version(1, 'live'), 'conflict'],
  ['not even the same data', version(1, 'deleted', { data: { n: '1' } }), version(1, 'live'), 'conflict'],
  ['what is deleted there is destroyed in a copy', version(1, 'deleted'), version(1, 'destroyed'), 'continue'],
  ['what is deleted there may be deleted here', version(1, 'deleted'), version(1, 'deleted'), 'continue'],
  ['what was deleted is not destroyed', version(1, 'destroyed'), version(1, 'deleted'), 'conflict'],
  ['what was destroyed cannot come back', version(1, 'live'), version(1, 'destroyed'), 'conflict'],
  ['other data is not replaced', version(1, 'live', { data: { n: 'x' } }), version(1, 'live'), 'conflict'],
  ['a placeholder is known by its mark', version(1, 'destroyed'), placeholder, 'continue'],
  ['a placeholder of a deleted version', version(1, 'deleted'), placeholder, 'continue'],
  ['a placeholder of a pruned version', undefined, placeholder, 'continue'],
  ['an empty version is no placeholder', version(1, 'destroyed'), version(1, 'live', { data: {} }), 'conflict'],
  [
    'a placeholder of another source',
    version(1, 'destroyed'),
    version(1, 'live', { data: { 'tug-unfinished': markFrom('2026-11-19T12:00:00Z') } }),
    'conflict',
  ],
])('%s', (_, wanted, here, kind) => {
  const expected = secret([...(wanted === undefined ? [] : [wanted]), version(2, 'live')])
  const marked = { custom_metadata: { 'tug-unfinished': own } }
  // Neither temporary settings nor a mark turn foreign data into our own.
  for (const more of [{}, marked, { ...marked, max_versions: 10 }]) {
    const found = compareWith(expected, secret(here === undefined ? [] : [here], more), now)
    expect(found.kind).toBe(kind)
    if ('steps' in found) expect(found.steps).toMatchObject({ first: 2, limit: 10, deletes: [] })
    if ('steps' in found) expect(found.steps.placeholders).toEqual(here === placeholder ? [1] : [])
  }
})

test.each<[string, VersionRecord | undefined, VersionRecord | undefined, boolean, 'conflict' | 'identical' | number[]]>(
  [
    ['deleted there', version(1, 'deleted'), version(1, 'live'), true, [1]],
    ['destroyed there', version(1, 'destroyed'), version(1, 'live'), true, [1]],
    ['pruned there', undefined, version(1, 'live'), true, [1]],
    ['deleted there and here', version(1, 'destroyed'), version(1, 'deleted'), true, 'identical'],
    ['deleted there, destroyed here', version(1, 'deleted'), version(1, 'destroyed'), true, 'identical'],
    ['deleted there, and nothing may be deleted', version(1, 'deleted'), version(1, 'live'), false, 'identical'],
    ['expired there', version(1, 'live', { deletion_time: past }), live, true, [1]],
    ['to expire there', version(1, 'live', { deletion_time: future }), live, true, 'identical'],
    ['pruned there, and empty here', undefined, version(1, 'live', { data: {} }), false, 'identical'],
    ['missing here', live, undefined, true, 'conflict'],
    ['deleted here only', version(1, 'live'), version(1, 'deleted'), true, 'conflict'],
    ['expired here only', live, version(1, 'live', { deletion_time: past }), true, 'conflict'],
    ['of which no data was read', version(1, 'live', { data: undefined as never }), live, true, 'identical'],
    ['of which no data was read here', live, version(1, 'live', { data: undefined as never }), true, 'identical'],
    ['other data here', version(1, 'live', { data: { n: 'x' } }), version(1, 'live'), true, 'conflict'],
  ],
)('a copy that follows a history finds a version %s', (_, there, here, deletes, result) => {
  const expected = secret([...(there === undefined ? [] : [there]), version(2, 'live')])
  const actual = secret([...(here === undefined ? [] : [here]), version(2, 'live')])
  const found = compareWith(expected, actual, now, { deletes })
  expect('steps' in found ? found.steps.deletes : found.kind).toEqual(result)
})

test.each([true, false])('a placeholder is destroyed by a copy that follows, deletes: %s', (deletes) => {
  const expected = secret([version(1, 'destroyed'), version(2, 'live')])
  const found = compareWith(expected, secret([placeholder, version(2, 'live')]), now, { deletes })
  expect(found).toMatchObject({ kind: 'continue', steps: { first: 3, placeholders: [1], deletes: [] } })
})

test('a copy that follows a history is a conflict where it has a version more', () => {
  const here = secret([version(1, 'live'), version(2, 'live')])
  expect(compareWith(secret([version(1, 'live')]), here, now, { deletes: true }).kind).toBe('conflict')
})

test.each([
  // Those below the oldest may be pruned meanwhile; a version that somebody else writes prunes none.
  [undefined, 0, 20, 0, 21],
  [undefined, 1, 20, 0, 21],
  [undefined, 8, 20, 0, 14],
  [undefined, 19, 20, 0, 10],
  [undefined, 19, 20, 30, 30],
  [{ deletes: false }, 19, 20, 0, 21],
])('a history that follows %j, with the oldest version %i of %i, at a path with max_versions %i: %i', (...given) => {
  const [follows, oldest_version, current_version, max_versions, limit] = given
  const expected = secret([version(20, 'live')], { oldest_version, current_version, max_versions: 30 })
  const found = compareWith(expected, secret([], { max_versions }), now, follows)
  expect(found).toMatchObject({ kind: 'restore', steps: { limit } })
})

test.each<[string, readonly VersionRecord[], readonly VersionRecord[], string, unknown]>([
  ['deleted here', [live], [version(1, 'deleted')], 'version 1 is deleted here', ['kv undelete', [1]]],
  [
    'expired here',
    [live],
    [version(1, 'live', { deletion_time: past })],
    'version 1 is deleted here',
    ['kv undelete', [1]],
  ],
  [
    'deleted and other data',
    [live, version(2, 'live')],
    [version(1, 'deleted'), version(2, 'live', { data: {} })],
    'version 1 differs',
    undefined,
  ],
])('a version that is %s is a conflict with its remedy', (_, wanted, here, why, remedy) => {
  for (const follows of [undefined, { deletes: true }]) {
    const found = compareWith(secret(wanted), secret(here), now, follows)
    expect(found).toEqual({ kind: 'conflict', why, ...(remedy === undefined ? {} : { remedy }) })
  }
})

test('a version that is deleted at the source only is a conflict with its remedy', () => {
  const found = compareWith(secret([version(1, 'deleted')]), secret([live]), now)
  const why = 'version 1 is deleted at the source, and live here'
  expect(found).toEqual({ kind: 'conflict', why, remedy: ['kv delete', [1]] })
})

/** Settings of a path, and what becomes of it if the history has max_versions 5 and the custom metadata `owner=amy`. */
test.each<[Partial<SecretRecord>, string, string]>([
  [{}, 'continue', 'continue'],
  [{ max_versions: 5, custom_metadata: { owner: 'amy' } }, 'continue', 'identical'],
  [{ max_versions: 5 }, 'conflict', 'settings'],
  [{ max_versions: 6, custom_metadata: { owner: 'amy' } }, 'conflict', 'settings'],
  [{ cas_required: true }, 'conflict', 'settings'],
  [{ delete_version_after: '1h0m0s' }, 'conflict', 'settings'],
  [{ custom_metadata: { owner: 'bob' } }, 'conflict', 'settings'],
  [{ max_versions: 10, custom_metadata: { 'tug-unfinished': own } }, 'continue', 'continue'],
  [
    { delete_version_after: '1h0m0s', custom_metadata: { 'tug-unfinished': own, owner: 'amy' } },
    'continue',
    'continue',
  ],
  [{ custom_metadata: { 'tug-unfinished': own, owner: 'bob' } }, 'conflict', 'conflict'],
  [{ custom_metadata: { 'tug-unfinished': markFrom('2026-11-19T12:00:00Z') } }, 'conflict', 'conflict'],
])('a path with the settings %j: %s, with all versions %s', (settings, part, whole) => {
  const wanted = { max_versions: 5, custom_metadata: { owner: 'amy' } }
  const expected = secret([live, version(2, 'live')], wanted)
  expect(compareWith(expected, secret([live], settings), now).kind).toBe(part)
  const all = compareWith(expected, secret([live, version(2, 'live')], settings), now)
  expect('remedy' in all ? all.remedy : all.kind).toBe(whole)
  // With --update, its own settings are replaced, but not what another run is writing.
  const isForeign = JSON.stringify(settings).includes('19T12')
  if (part === 'conflict')
    expect(compareWith(expected, secret([live], settings), now, { deletes: false }).kind).toBe(
      isForeign ? 'conflict' : 'continue',
    )
})

test.each<[Partial<SecretRecord>, string]>([
  [{}, 'restore'],
  [{ max_versions: 2 }, 'conflict'],
  [{ cas_required: true }, 'conflict'],
  [{ delete_version_after: '1h0m0s' }, 'conflict'],
  [{ custom_metadata: { owner: 'amy' } }, 'conflict'],
  [{ max_versions: 10, custom_metadata: { 'tug-unfinished': own } }, 'restore'],
])('a secret without versions that has the settings %j: %s', (settings, kind) => {
  const expected = secret([version(1, 'live')])
  expect(compareWith(expected, secret([], settings), now).kind).toBe(kind)
})
