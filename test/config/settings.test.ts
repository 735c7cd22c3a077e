import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configFolder, noSuchProfile } from '../../src/config/profiles.ts'
import type { Profile } from '../../src/config/profiles.ts'
import type { SettingSources } from '../../src/config/resolve.ts'
import { resolveSetting, settingSources } from '../../src/config/resolve.ts'
import type { Flags, SettingKey } from '../../src/config/settings.ts'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { mentions, says, told } from '../support/told.ts'

function sources(more: Partial<SettingSources> = {}): SettingSources {
  return settingSources({ flags: {}, env: {}, profileName: 'prod', profile: undefined, service: 'secrets', ...more })
}

/** The value and its source, for a setting that has all of them. */
const layers: readonly {
  key: SettingKey
  flags: Flags
  env: Record<string, string>
  profile: Profile
  values: unknown[]
}[] = [
  {
    key: 'retries',
    flags: { retries: 1 },
    env: { TUG_RETRIES: '2' },
    profile: { secrets: { retries: '3' } },
    values: [1, 2, 3, 4],
  },
  {
    key: 'parallel',
    flags: { parallel: 1 },
    env: { TUG_PARALLEL: '2' },
    profile: { secrets: { parallel: '3' } },
    values: [1, 2, 3, undefined],
  },
  {
    key: 'rate',
    flags: { rate: 1 },
    env: { TUG_RATE: '2/s' },
    profile: { secrets: { rate: '0.5/s' } },
    values: [1, 2, 0.5, undefined],
  },
  {
    key: 'maxFailures',
    flags: { maxFailures: 1 },
    env: { TUG_MAX_FAILURES: '2' },
    profile: { secrets: { max_failures: '3' } },
    values: [1, 2, 3, undefined],
  },
  {
    key: 'listMethod',
    flags: {},
    env: { TUG_LIST_METHOD: 'list' },
    profile: { secrets: { list_method: 'list' } },
    values: ['list', 'list', 'list', undefined],
  },
  {
    key: 'maxConnections',
    flags: {},
    env: { TUG_MAX_CONNECTIONS: '8' },
    profile: { secrets: { max_connections: '4' } },
    values: [8, 8, 4, 16],
  },
  {
    key: 'dialect',
    flags: { dialect: 'neutral' },
    env: { TUG_DIALECT: 'hashicorp' },
    profile: { dialect: 'hashicorp' },
    values: ['neutral', 'hashicorp', 'hashicorp', 'auto'],
  },
  {
    key: 'output',
    flags: { output: 'csv' },
    env: { TUG_OUTPUT: 'md' },
    profile: { output: 'yaml' },
    values: ['csv', 'md', 'yaml', 'table'],
  },
  {
    key: 'kvMount',
    flags: { mount: 'a' },
    env: { TUG_KV_MOUNT: 'b' },
    profile: { secrets: { kv_mount: 'c' } },
    values: ['a', 'b', 'c', 'secret'],
  },
  {
    key: 'timeout',
    flags: { timeout: 1000 },
    env: { TUG_TIMEOUT: '2s' },
    profile: { secrets: { timeout: '3s' } },
    values: [1000, 2000, 3000, undefined],
  },
]

test.each(layers)('$key: flag, environment, profile, default', ({ key, flags, env, profile, values }) => {
  const found = [sources({ flags, env, profile }), sources({ env, profile }), sources({ profile }), sources()].map(
    (from) => resolveSetting(key, from)?.value,
  )
  expect(found).toEqual(values)
})

test('each source is named', () => {
  const profile: Profile = { secrets: { retries: '3' } }
  const sourceOf = (more: Partial<SettingSources>) => resolveSetting('retries', sources(more))?.source
  expect(sourceOf({ flags: { retries: 1 }, profile })).toBe('flag --retries')
  expect(sourceOf({ env: { TUG_RETRIES: '2' }, profile })).toBe('TUG_RETRIES')
  expect(sourceOf({ profile })).toBe('profile prod')
  expect(sourceOf({})).toBe('default')
  expect(resolveSetting('caCert', sources({ flags: { caCert: 'x' } }))?.source).toBe('flag --ca-cert')
})

test("a service's own key in a profile comes before the profile's", () => {
  const profile: Profile = { dialect: 'hashicorp', secrets: { dialect: 'neutral' } }
  expect(resolveSetting('dialect', sources({ profile }))?.value).toBe('neutral')
  expect(resolveSetting('dialect', sources({ profile, service: 'scheduler' }))?.value).toBe('hashicorp')
})

test.each([
  ['retries', '0', 0],
  ['retries', '100', 100],
  ['retries', '101', 'TUG_RETRIES: 101 is out of range'],
  ['retries', '-1', 'TUG_RETRIES: -1 is out of range'],
  ['retries', 'x', "TUG_RETRIES: 'x' is not a whole number"],
  ['timeout', '1ms', 1],
  // Node's timers take no longer time.
  ['timeout', '2147483646ms', 2_147_483_646],
  ['timeout', '2147483647ms', 2_147_483_647],
  ['timeout', '100d', 2_147_483_647],
  ['timeout', '0', "TUG_TIMEOUT: '0' is not a duration above zero"],
  ['timeout', 'x', "TUG_TIMEOUT: 'x' is"],
  ['output', 'JSON', "TUG_OUTPUT: 'JSON' is not one of table, wide"],
  ['trace', '1', true],
  ['trace', '0', false],
  ['trace', 'false', false],
] as const)('%s=%s from a variable is %s', (key, text, expected) => {
  const read = () => resolveSetting(key, sources({ env: { [`TUG_${key.toUpperCase()}`]: text } }))?.value
  if (typeof expected === 'string') expect(read).toThrow(expected)
  else expect(read()).toBe(expected)
})

test('a flag is shown as it could be typed', () => {
  const textOf = (key: SettingKey, flags: Flags) => resolveSetting(key, sources({ flags }))?.text
  expect(textOf('timeout', { timeout: 1500 })).toBe('1.5s')
  expect(textOf('retries', { retries: 2 })).toBe('2')
})

test.each<[SettingKey, Profile & Record<string, unknown>, unknown]>([
  ['output', { output: 'csv', secrets: { output: 'md' } as object }, 'csv'],
  ['output', { secrets: { output: 'md' } as object }, 'table'],
  ['retries', { retries: '9' }, 4],
  ['trace', { trace: 'true' }, undefined],
])('a key of a profile counts only in its own place: %s of %j is %s', (key, profile, value) => {
  expect(resolveSetting(key, sources({ profile }))?.value).toBe(value)
})

test('a relative path in a profile is refused', () => {
  const caCert = (path: string) => () => resolveSetting('caCert', sources({ profile: { secrets: { ca_cert: path } } }))
  expect(caCert('ca.pem')).toThrow(told("profile prod: ca_cert … 'ca.pem'"))
  expect(caCert('/ca.pem')()?.value).toBe('/ca.pem')
})

test('an empty variable or profile key is as good as none', () => {
  expect(resolveSetting('retries', sources({ env: { TUG_RETRIES: '' } }))?.source).toBe('default')
  expect(resolveSetting('retries', sources({ profile: { secrets: { retries: '' } } }))?.source).toBe('default')
  expect(resolveSetting('output', sources({ profile: { output: '' } }))?.source).toBe('default')
})

test('variables of one service are not read for another', () => {
  const env = { TUG_SECRETS_ADDR: 'http://a', TUG_SCHEDULER_ADDR: 'http://b' }
  expect(resolveSetting('address', sources({ env }))?.value).toBe('http://a')
  expect(resolveSetting('address', sources({ env, service: 'scheduler' }))?.value).toBe('http://b')
  expect(resolveSetting('address', sources({ env, service: 'explorer' }))).toBeUndefined()
})

test.each([
  [{ TUG_CONFIG_DIR: '/t', XDG_CONFIG_HOME: '/x' }, '/h', 'linux', '/t'],
  [{ XDG_CONFIG_HOME: '/x' }, '/h', 'linux', '/x/tug'],
  [{ XDG_CONFIG_HOME: '/x' }, '/h', 'darwin', '/x/tug'],
  [{}, '/h', 'darwin', '/h/.config/tug'],
  [{}, '', 'linux', ''],
  [{ LOCALAPPDATA: 'D:\\Local', XDG_CONFIG_HOME: '/x' }, 'C:\\Users\\ann', 'win32', 'D:\\Local\\tug'],
  [{}, 'C:\\Users\\ann', 'win32', 'C:\\Users\\ann\\AppData\\Local\\tug'],
  [{ LOCALAPPDATA: 'relative' }, '', 'win32', ''],
] as const)('the configuration is in its place: %j %s %s', (env, home, platform, folder) => {
  expect(configFolder(env, home, platform)).toBe(folder)
})

test('TUG_PROFILE selects a profile, and --profile another', async () => {
  const folder = scratchFolder()
  const env = { TUG_CONFIG_DIR: join(folder, 'config') }
  for (const [name, port] of [
    ['one', 1],
    ['two', 2],
    ['three', 3],
  ] as const)
    await tug(`profile set ${name} secrets.address=http://127.0.0.1:${port}`, { env })
  const used = async (line: string, more = {}) => (await tug(`${line} --dry-run`, { env: { ...env, ...more } })).stdout
  expect(await used('kv list')).toContain('127.0.0.1:1/')
  expect(await used('kv list', { TUG_PROFILE: 'two' })).toContain('127.0.0.1:2/')
  expect(await used('kv list -p three', { TUG_PROFILE: 'two' })).toContain('127.0.0.1:3/')
  expect(await tug('kv list', { env: { ...env, TUG_PROFILE: 'four' } })).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(mentions("… 'four'")) as string,
  })
  // What every object inherits is no profile.
  expect(await tug('kv list -p toString', { env })).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(mentions("… 'toString'")) as string,
  })
  // No suggestion to create one without a name.
  expect(await tug("kv list -p ''", { env })).toMatchObject({
    exit: 2,
    stderr: says('tug: … profile…\n'),
  })
})

test.each([
  [[], [says('… tug profile set prdo secrets.address=…')]],
  [['prod'], ['profiles: prod']],
  [['prod', 'dev'], ['profiles: prod, dev']],
])('where the profiles are %j, the hint of an unknown one has them or how to make it', (names, hints) => {
  const profiles = Object.fromEntries(names.map((name) => [name, {}]))
  const message = says(names.length === 0 ? "… 'prdo'" : "… 'prdo'. Did you mean 'prod'?")
  expect(noSuchProfile('prdo', { profiles })).toMatchObject({ code: 'usage', message, hints })
  if (names.length === 0) expect(noSuchProfile('prdo', {}).hints).toEqual(hints)
})

test.each([
  ['', 4, '… --token-file token is empty'],
  ['\n', 4, '… --token-file token is empty'],
  ['two words', 2, 'contains a blank'],
  ['two\nlines', 2, 'contains a blank'],
  ['grüße', 2, 'cannot be part of a token'],
])('a token file with %j is refused, and not quoted', async (content, exit, words) => {
  const folder = scratchFolder()
  writeFileSync(join(folder, 'token'), content)
  const { origin, seen } = await serve((_, response) => json(response, 200, '{"data":{"keys":["a"]}}'))
  const outcome = await tug('kv list --token-file token', { env: { TUG_SECRETS_ADDR: origin }, cwd: folder })
  expect(outcome.exit).toBe(exit)
  expect(outcome.stderr).toMatch(mentions(words))
  if (content.trim() !== '') expect(outcome.stderr).not.toContain(content.trim())
  expect(seen).toHaveLength(0)
})

test('a token file, or standard input, beats the variable; one line end is dropped', async () => {
  const folder = scratchFolder()
  writeFileSync(join(folder, 'token'), 'from-the-file\r\n')
  const { origin, seen } = await serve((_, response) => json(response, 200, '{"data":{"keys":["a"]}}'))
  const env = { TUG_SECRETS_ADDR: origin, TUG_SECRETS_TOKEN: 'from-the-variable' }
  await tug('kv list --token-file token', { env, cwd: folder })
  await tug('kv list --token-file -', { env, stdin: 'from-stdin\n' })
  await tug('kv list', { env })
  expect(seen.map(({ headers }) => headers['x-secrets-token'])).toEqual([
    'from-the-file',
    'from-stdin',
    'from-the-variable',
  ])
})

test.each<[words: readonly string[], name: string]>([
  ...['..', '.', '', 'a//b', 'a/./b', 'a/../b', '/', 'a\u0007', 'a\ufffd'].map((name): [string[], string] => [
    ['kv', 'list', '--mount'],
    name,
  ]),
  [['kmip', 'scope', 'list', '--mount'], 'a\u0007'],
  ...['..', '.', '', 'a/b', 'a b', 'a\nb', 'a\u0007', 'a\ufffd'].map((name): [string[], string] => [
    ['explorer', 'views', 'list', '--org'],
    name,
  ]),
])('a place that no path can have is refused: %j %j', async (words, name) => {
  const { exit, stdout, stderr } = await tug([...words, name])
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr).toContain(`tug: ${words.at(-1)}: `)
})

test.each([
  ['kv list --mount /a/b/', '/v1/a/b/metadata'],
  ['kv list --mount ...', '/v1/.../metadata'],
  ['explorer views list --org ä', '/api/v2/organizations/%C3%A4/explorer/views'],
])('%s asks for %s', async (line, path) => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"data":{"keys":["a"]}}'))
  await tug(line, { env })
  expect(seen.map(({ url }) => url.split('?')[0])).toEqual([path])
})
