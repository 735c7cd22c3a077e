import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CompletionSources } from '../../../src/cli/completion/candidates.ts'
import { cacheFolder } from '../../../src/core/environment.ts'
import { createNameCache, completeWords } from '../../../src/cli/completion/candidates.ts'
import { writeFileWhole } from '../../../src/output/files.ts'
import { operations } from '../../../src/api/kmip-operations.ts'
import * as tables from '../../../src/api/explorer-fields.ts'

let folder = ''
let time = 0

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tug-names-'))
  time = Date.now()
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const writePrivate = async (file: string, text: string) => {
  await writeFileWhole(file, text, { replace: true, private: true })
}

const cacheIn = (base: string) => {
  const place = { base, below: 'tug', isCreated: false }
  const folderOf = (creates: boolean) => cacheFolder(place, [], { uid: process.getuid?.(), creates })
  return createNameCache(folderOf, () => new Date(time), writePrivate)
}
const cache = () => cacheIn(folder)

function sources(more: Partial<CompletionSources> = {}): CompletionSources {
  return {
    explorer: async () => tables,
    operations: async () => operations,
    profiles: () => ['prod', 'staging'],
    topics: async () => ['exit-codes', 'environment'],
    fetchNames: async () => [],
    cache: cache(),
    scope: 'http://127.0.0.1:1',
    ...more,
  }
}

const filterAt = (value: string, view = 'workspaces') =>
  completeWords('explorer-filter', ['explorer', 'query', view, '--filter', value], sources())

test('profiles and topics come from their tables', async () => {
  expect(await completeWords('profile', ['--profile', 'p'], sources())).toEqual(['prod'])
  expect(await completeWords('topic', ['help', 'e'], sources())).toEqual(['exit-codes', 'environment'])
})

test('views of newer services are offered too', async () => {
  const at = (value: string) => completeWords('explorer-view', ['explorer', 'query', value], sources())
  expect(await at('')).toEqual(tables.viewNames())
  expect(await at('r')).toEqual(['resources'])
})

test('fields are those of the view, after a comma and a minus too', async () => {
  const at = (...words: string[]) => completeWords('explorer-field', ['explorer', 'query', ...words], sources())
  expect(await at('workspaces', '--fields', 'workspace_na')).toEqual(['workspace_name'])
  expect(await at('modules', '--fields', 'workspace_na')).toEqual([])
  expect(await at('--fields', 'workspace_na')).toEqual(['workspace_name'])
  expect(await at('modules', '--fields', 'name,ver')).toEqual(['name,version'])
  expect(await at('modules', '--fields', 'name,na')).toEqual([])
  expect(await at('modules', '--sort', '-workspace_c')).toEqual(['-workspace_count'])
})

test('operations of a role are those that the list does not have yet', async () => {
  const at = (value: string) =>
    completeWords('kmip-operation', ['kmip', 'role', 'set', '--operation', value], sources())
  expect(await at('')).toEqual(operations)
  expect(await at('re')).toEqual(['register', 'rekey', 'revoke'])
  expect(await at('create,rekey,re')).toEqual(['create,rekey,register', 'create,rekey,revoke'])
  expect(await at('nope')).toEqual([])
})

test('a filter is completed part by part', async () => {
  expect(await filterAt('resources_')).toEqual(['resources_drifted ', 'resources_undrifted '])
  expect(await filterAt('drif')).toContain('drifted is true')
  expect(await filterAt('drifted is f')).toEqual(['drifted is false'])
  expect(await filterAt('module_count gt')).toEqual(['module_count gt ', 'module_count gteq '])
  expect(await filterAt('workspace_name does_')).toEqual(['workspace_name does_not_contain '])
  expect(await filterAt('workspace_name does not c')).toEqual(['workspace_name does not contain '])
  expect(await filterAt('workspace_name is_e')).toEqual(['workspace_name is_empty'])
  expect(await filterAt('nothing is ')).toEqual([])
  expect(await filterAt('registry', 'modules')).toContain('registry_type contains ')
})

test('names of a service are cached for a while', async () => {
  const asked: (readonly string[])[] = []
  const service = sources({
    fetchNames: async (kind, words) => {
      asked.push([kind, ...words])
      return ['web', 'worker', 'batch/nightly']
    },
  })
  expect(await completeWords('job', ['job', 'get', 'w'], service)).toEqual(['web', 'worker'])
  time += 9_999
  expect(await completeWords('job', ['job', 'get', 'b'], service)).toEqual(['batch/nightly'])
  expect(asked).toEqual([['job', 'job', 'get']])
  time += 1
  await completeWords('job', ['job', 'get', ''], service)
  await completeWords('job', ['job', 'get', ''], { ...service, scope: 'http://127.0.0.1:2' })
  expect(asked).toHaveLength(3)
})

test('a path is completed folder by folder', async () => {
  const service = sources({
    fetchNames: async (_, words) => (words.at(-1) === 'team/a/' ? ['db', 'deep/'] : ['team/', 'top']),
  })
  expect(await completeWords('secret-path', ['kv', 'get', ''], service)).toEqual(['team/', 'top'])
  expect(await completeWords('secret-path', ['kv', 'get', 'team/a/d'], service)).toEqual(['team/a/db', 'team/a/deep/'])
})

test('a service that fails or is slow offers nothing', async () => {
  const failing = sources({ fetchNames: () => Promise.reject(new Error('refused')) })
  expect(await completeWords('job', ['job', 'get', ''], failing)).toEqual([])
  const controller = new AbortController()
  const hanging = sources({ fetchNames: () => new Promise(() => undefined), limit: controller.signal })
  const answer = completeWords('job', ['job', 'get', ''], hanging)
  controller.abort()
  expect(await answer).toEqual([])
  expect(await completeWords('job', ['job', 'get', ''], hanging)).toEqual([])
})

test.each(['a\nb', 'a\x1b[2J', 'a\u202eb', 'a\u2066b', 'a\ud800'])(
  'a name that a terminal cannot show is not offered: %j',
  async (name) => {
    const service = sources({ fetchNames: async () => [name, 'ab'] })
    expect(await completeWords('job', ['job', 'get', 'a'], service)).toEqual(['ab'])
  },
)

test('a name that begins with a dash is not offered: it would be a flag', async () => {
  const service = sources({ fetchNames: async () => ['--purge', '-x', 'web'] })
  expect(await completeWords('job', ['job', 'stop', ''], service)).toEqual(['web'])
})

test('the cache contains names only, is private, and drops old ones', async () => {
  await cache().write('one', ['web'])
  const place = join(folder, 'tug')
  const [file = ''] = readdirSync(place)
  expect(statSync(place).mode & 0o777).toBe(0o700)
  expect(statSync(join(place, file)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(join(place, file), 'utf8'))).toEqual({ at: time, names: ['web'] })
  time += 60_000
  await cache().write('two', ['db'])
  expect(readdirSync(place)).toHaveLength(1)
  expect(await cache().read('one')).toBeUndefined()
  expect(await cache().read('two')).toEqual(['db'])
})

test('a broken or unwritable cache is not an error', async () => {
  await cache().write('one', ['web'])
  const [file = ''] = readdirSync(join(folder, 'tug'))
  writeFileSync(join(folder, 'tug', file), '{')
  expect(await cache().read('one')).toBeUndefined()
  writeFileSync(join(folder, 'file'), '')
  await expect(cacheIn(join(folder, 'file')).write('a', [])).resolves.toBe(undefined)
})

test('names in a folder behind a link are neither read nor removed', async () => {
  await cache().write('one', ['web'])
  renameSync(join(folder, 'tug'), join(folder, 'foreign'))
  symlinkSync(join(folder, 'foreign'), join(folder, 'tug'))
  expect(await cache().read('one')).toBeUndefined()
  time += 60_000
  const before = readdirSync(join(folder, 'foreign'))
  await cache().write('two', ['db'])
  expect(readdirSync(join(folder, 'foreign'))).toEqual(before)
})
