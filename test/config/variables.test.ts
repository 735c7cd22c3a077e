import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { vendorValue, resolveSetting, settingSources } from '../../src/config/resolve.ts'
import type { SettingSources } from '../../src/config/resolve.ts'
import { createSession } from '../../src/config/session.ts'
import type { VendorKey, SettingKey } from '../../src/config/settings.ts'
import { settingRows } from '../../src/config/settings.ts'
import type { TokenSource } from '../../src/config/tokens.ts'
import { vendorToken } from '../../src/config/tokens.ts'
import { scratchFolder } from '../support/folder.ts'
import { configured, tug } from '../support/run.ts'
import { says } from '../support/told.ts'

describe('the vendors’ variables', () => {
  const tools = ['BAO', 'VAULT', 'NOMAD']
  const suffixes: [string, VendorKey][] = [
    ['ADDR', 'address'],
    ['TOKEN', 'token'],
    ['NAMESPACE', 'namespace'],
    ['CACERT', 'ca_cert'],
    ['CAPATH', 'ca_path'],
    ['CLIENT_CERT', 'client_cert'],
    ['CLIENT_KEY', 'client_key'],
    ['TLS_SERVER_NAME', 'tls_server_name'],
    ['SKIP_VERIFY', 'insecure'],
  ]
  test.each(tools.flatMap((tool) => suffixes.map(([suffix, key]) => [`${tool}_${suffix}`, key] as const)))(
    '%s is the %s of its service alone',
    (name, key) => {
      const service = name.startsWith('NOMAD') ? 'scheduler' : 'secrets'
      expect(vendorValue(service, key, { [name]: 'x' })).toEqual({ text: 'x', source: name })
      expect(vendorValue(service, key, { [name]: '' })).toBeUndefined()
      for (const other of (['explorer', 'secrets', 'scheduler'] as const).filter((one) => one !== service))
        expect(vendorValue(other, key, { [name]: 'x' })).toBeUndefined()
    },
  )

  test('BAO beats VAULT, TFE_ADDRESS beats TFE_HOSTNAME, TFE_ORG beats TFE_ORGANIZATION', () => {
    expect(vendorValue('secrets', 'address', { VAULT_ADDR: 'v', BAO_ADDR: 'b' })?.source).toBe('BAO_ADDR')
    expect(vendorValue('explorer', 'address', { TFE_HOSTNAME: 'h', TFE_ADDRESS: 'http://a' })?.text).toBe('http://a')
    expect(vendorValue('explorer', 'org', { TFE_ORGANIZATION: 'o', TFE_ORG: 'p' })?.text).toBe('p')
    expect(vendorValue('explorer', 'org', { TFE_ORGANIZATION: 'o' })?.text).toBe('o')
  })

  test('a host name of the explorer is an https address', () => {
    expect(vendorValue('explorer', 'address', { TFE_HOSTNAME: 'h' })?.text).toBe('https://h')
    expect(vendorValue('explorer', 'address', { TFE_HOSTNAME: 'http://h' })?.text).toBe('http://h')
    expect(vendorValue('explorer', 'address', { TFE_HOSTNAME: 'h/http://x' })?.text).toBe('https://h/http://x')
    expect(vendorValue('secrets', 'address', { VAULT_ADDR: 'h' })?.text).toBe('h')
    expect(vendorValue('explorer', 'org', { TFE_ORG: 'h' })?.text).toBe('h')
  })

  test('a token comes from the variable, then the file that the tool leaves', () => {
    const home = scratchFolder()
    const shown = (found: TokenSource | undefined) => found && { text: found.read(), source: found.source }
    const of = (service: 'explorer' | 'secrets' | 'scheduler', env = {}, address = 'https://app-1.example.io/x') =>
      shown(vendorToken(service, address, { env, home, platform: 'linux' }))
    expect([of('explorer'), of('secrets'), of('scheduler')]).toEqual([undefined, undefined, undefined])
    const vault = join(home, '.vault-token')
    writeFileSync(vault, ' \n')
    expect(of('secrets')).toBeUndefined()
    writeFileSync(vault, 'from-file\n')
    expect(of('secrets')).toEqual({ text: 'from-file', source: vault })
    expect(of('secrets', { VAULT_TOKEN: 'v' })).toEqual({ text: 'v', source: 'VAULT_TOKEN' })
    expect(of('scheduler')).toBeUndefined()
    expect(vendorToken('secrets', 'https://a', { env: {}, home: '', platform: 'linux' })).toBeUndefined()

    mkdirSync(join(home, '.terraform.d'))
    const file = join(home, '.terraform.d', 'credentials.tfrc.json')
    for (const content of [
      'not JSON',
      '{}',
      '{"credentials":{}}',
      '{"credentials":{"app-1.example.io":{"token":5}}}',
    ]) {
      writeFileSync(file, content)
      expect(of('explorer')).toBeUndefined()
    }
    writeFileSync(file, '{"credentials":{"app-1.example.io":{"token":""}}}')
    expect(of('explorer')).toBeUndefined()
    writeFileSync(file, '{"credentials":{"app-1.example.io":{"token":"saved"}}}')
    expect(of('explorer')).toEqual({ text: 'saved', source: file })
    for (const other of ['https://other.example.io', 'https://app-1.example.io:8443', 'http://app-1.example.io'])
      expect(of('explorer', { TF_TOKEN_app__1_example_io: 'by-host' }, other), other).toBeUndefined()
    writeFileSync(
      file,
      '{"credentials":{"app-1.example.io:8443":{"token":"by-port"},"app-1.example.io":{"token":"saved"}}}',
    )
    expect(of('explorer', {}, 'https://app-1.example.io:8443')?.text).toBe('by-port')
    const onWindows = { env: { APPDATA: home }, home: '', platform: 'win32' }
    expect(vendorToken('explorer', 'https://app-1.example.io', onWindows)).toBeUndefined()
    mkdirSync(join(home, 'terraform.d'))
    writeFileSync(join(home, 'terraform.d', 'credentials.tfrc.json'), readFileSync(file))
    expect(vendorToken('explorer', 'https://app-1.example.io', onWindows)?.read()).toBe('saved')
    expect(of('explorer', {}, 'no address')).toBeUndefined()
    const name = 'TF_TOKEN_app__1_example_io'
    expect(of('explorer', { [name]: 'by-host' })).toEqual({ text: 'by-host', source: name })
    expect(of('scheduler', { [name]: 'by-host' })).toBeUndefined()
    expect(of('explorer', { [name]: 'by-host', TFE_TOKEN: 'direct' })?.text).toBe('direct')
  })

  const from = (env: Record<string, string>, more: Partial<SettingSources> = {}): SettingSources =>
    settingSources({ flags: {}, env, profileName: 'prod', profile: undefined, service: 'secrets', ...more })

  test('they count only while they give the address', () => {
    const env = { VAULT_ADDR: 'http://v', VAULT_NAMESPACE: 'team' }
    expect(resolveSetting('namespace', from(env))).toEqual({
      value: 'team',
      text: 'team',
      source: 'VAULT_NAMESPACE',
    })
    expect(resolveSetting('dialect', from(env))).toMatchObject({ value: 'hashicorp', source: 'VAULT_ADDR is set' })
    for (const other of [
      from({ ...env, TUG_SECRETS_ADDR: 'http://t' }),
      from(env, { flags: { address: 'http://t' } }),
      from(env, { flags: { profile: 'prod' }, profile: { secrets: { address: 'http://t' } } }),
      from({ VAULT_NAMESPACE: 'team' }),
      from(env, { service: undefined }),
    ]) {
      expect(other.isVendors).toBe(false)
      expect(resolveSetting('namespace', other)).toBeUndefined()
      expect(resolveSetting('dialect', other)?.value).toBe('auto')
    }
    expect(resolveSetting('kvMount', from(env))?.source).toBe('default')
  })
})

describe('the table of settings', () => {
  test.each([
    ['explorer', 75_000],
    ['secrets', 60_000],
    ['scheduler', 60_000],
  ])('without a setting, %s has its own time limit of %i ms', (service, limit) => {
    const session = createSession({
      host: { env: { TUG_CONFIG_DIR: '/nonexistent' }, home: '', platform: 'linux', cwd: '/' } as never,
      flags: {},
      entry: { service: service as 'secrets' },
      io: () => ({}) as never,
      addSecret: () => undefined,
      signal: new AbortController().signal,
    })
    expect(session.commandSettings.timeout).toBe(limit)
    expect(session.setting('retries')?.value).toBe(4)
    expect(session.setting('trace')).toBeUndefined()
    expect(session.commandSettings).toMatchObject({ dialect: 'auto', format: 'table', listMethod: undefined })
    expect(session.commandSettings.targetFlags).toEqual([])
  })
})

test.each([
  ['insecure', 'true', true],
  ['insecure', '1', true],
  ['insecure', 'no', false],
  ['noInput', '1', true],
  ['maxBody', '1', 1],
  ['maxBody', '0', 'out of range'],
  ['listMethod', 'list', 'list'],
  ['listMethod', 'post', 'is not one of get, list'],
] as const)('%s=%s is %s', (key, text, expected) => {
  const setting = settingRows.find(([name]) => name === key)?.[1]
  const variable = Object.values(setting?.variables ?? {})[0]
  const sources = settingSources({
    flags: {},
    env: variable === undefined ? {} : { [variable]: text },
    profileName: 'prod',
    profile: variable === undefined ? { secrets: { [key === 'insecure' ? key : 'list_method']: text } } : undefined,
    service: 'secrets',
  })
  const read = () => resolveSetting(key as SettingKey, sources)?.value
  if (typeof expected === 'string' && expected.includes(' ')) expect(read).toThrow(expected)
  else expect(read()).toBe(expected)
})

test.each([
  [
    'explorer query workspaces',
    'login explorer',
    'TUG_EXPLORER_ADDR=https://host/api/v2 TUG_EXPLORER_TOKEN=… TUG_EXPLORER_ORG=acme',
    'explorer query workspaces',
  ],
  ['kv list', 'login secrets', 'TUG_SECRETS_ADDR=https://host TUG_SECRETS_TOKEN=…', 'kv tree'],
  ['job list', 'login scheduler', 'TUG_SCHEDULER_ADDR=https://host TUG_SCHEDULER_TOKEN=…', 'job list'],
])('without an address, the hints of %s are a login, the variables and a trial', async (line, login, set, trial) => {
  const { stderr } = await tug(line, { env: {} })
  expect(stderr.split('\n').filter((one) => one.startsWith('hint: '))).toEqual([
    expect.stringMatching(`^hint: tug ${login} `),
    `hint: export ${set}`,
    expect.stringMatching(`: tug dev -- tug ${trial}$|\\? tug dev -- tug ${trial}$`),
  ])
})

test('warnings about the configuration: files that others can read, and variables that a profile overrides', async () => {
  const folder = scratchFolder()
  const file = join(folder, 'config.json')
  writeFileSync(file, '{"current":"prod","profiles":{"prod":{"secrets":{"address":"http://a","namespace":"m"}}}}', {
    mode: 0o600,
  })
  const warnings = async (flags: string, env: Readonly<Record<string, string>>) => {
    const { stderr } = await tug(`kv list --dry-run ${flags}`, { env: { TUG_CONFIG_DIR: folder, ...env } })
    return [...stderr.matchAll(/^warning: (.*)$/gm)].map(([, warning]) => warning)
  }
  const variables = { TUG_SECRETS_ADDR: 'http://b', TUG_SECRETS_TOKEN: 't', TUG_SECRETS_NAMESPACE: 'n' }
  const overrides = says('using http://a (profile prod), not http://b (TUG_SECRETS_ADDR)')
  const overridden = says('using http://b (TUG_SECRETS_ADDR), not http://a (profile prod)')
  expect(await warnings('', variables)).toEqual([overridden])
  expect(await warnings('-p prod', {})).toEqual([])
  expect(await warnings('-p prod', variables)).toEqual([overrides])
  expect(await warnings('-p prod', { ...variables, TUG_TRACE: '1', TUG_PROFILE: 'x' })).toEqual([overrides])
  // The same server twice: only what differs is named.
  expect(await warnings('-p prod', { TUG_SECRETS_ADDR: 'http://a/v1', TUG_SECRETS_TOKEN: 't' })).toEqual([])
  expect(await warnings('-p prod', { ...variables, TUG_SECRETS_ADDR: 'http://a' })).toEqual([
    says('profile prod … TUG_SECRETS_NAMESPACE, …'),
  ])
  const own = { TUG_SECRETS_ADDR: 'http://a', TUG_SECRETS_TOKEN: 't' }
  const vendors = { BAO_ADDR: 'http://b', VAULT_ADDR: 'http://c', BAO_TOKEN: 't' }
  expect(await warnings('', { ...own, VAULT_ADDR: 'http://a/v1' })).toEqual([])
  expect(await warnings('', { ...own, VAULT_ADDR: 'http://c' })).toEqual([
    says('using http://a (TUG_SECRETS_ADDR), not http://c (VAULT_ADDR)'),
  ])
  expect(await warnings('', vendors)).toEqual([says('using http://b (BAO_ADDR), not http://a (profile prod)')])
  expect(await warnings('-p prod', { ...own, VAULT_ADDR: 'http://c' })).toEqual([
    says('using http://a (profile prod), not http://c (VAULT_ADDR)'),
  ])
  expect(await warnings('--address http://d', { ...own, ...vendors })).toEqual([])
  chmodSync(file, 0o644)
  const wide = says(`${file} … (mode 644); … chmod 600 ${file}`)
  expect(await warnings('', variables)).toEqual([wide, overridden])
  expect(await warnings('-p prod', variables)).toEqual([wide, overrides])
  writeFileSync(file, 'not JSON')
  expect(await warnings('', variables)).toEqual([says(`${file} …; …`)])
})

/** A session for these flags and variables. */
function sessionOf(flags: object, env: object, entry: { service?: string; mount?: string } = { service: 'secrets' }) {
  return createSession({
    host: { env: { TUG_CONFIG_DIR: '/nonexistent', ...env }, home: '', platform: 'linux', cwd: '/' } as never,
    flags,
    entry: entry as { service: 'secrets' },
    io: () => ({}) as never,
    addSecret: () => undefined,
    signal: new AbortController().signal,
  })
}

test.each([
  [{ service: 'secrets', mount: 'kv' }, {}, {}, 'secret'],
  [{ service: 'secrets', mount: 'kmip' }, {}, {}, 'kmip'],
  [{ service: 'secrets', mount: 'kv' }, {}, { TUG_KV_MOUNT: 'team/kv', TUG_KMIP_MOUNT: 'x' }, 'team/kv'],
  [{ service: 'secrets', mount: 'kmip' }, {}, { TUG_KV_MOUNT: 'x', TUG_KMIP_MOUNT: '/certs/' }, 'certs'],
  [{ service: 'secrets', mount: 'kmip' }, { mount: 'flag' }, { TUG_KMIP_MOUNT: 'x' }, 'flag'],
])('the mount of %j with %j and %j is %s', (entry, flags, env, mount) => {
  expect(sessionOf(flags, env, entry).commandSettings.route.mount).toBe(mount)
})

test.each([
  [{ TUG_KV_MOUNT: '/' }, 'mount', 'TUG_KV_MOUNT: …'],
  [{ TUG_EXPLORER_ORG: 'a b' }, 'org', 'TUG_EXPLORER_ORG: …'],
] as const)('%j is refused only where it is used', (env, name, message) => {
  const { commandSettings } = sessionOf({}, env, { service: name === 'org' ? 'explorer' : 'secrets', mount: 'kv' })
  expect(commandSettings.format).toBe('table')
  expect(() => commandSettings.route[name]).toThrow(expect.objectContaining({ message: says(message) }))
})

test('the organization; without one the address is asked for first', () => {
  const explorer = { service: 'explorer' }
  expect(sessionOf({ org: 'ä' }, {}, explorer).commandSettings.route.org).toBe('ä')
  expect(() => sessionOf({}, {}, explorer).commandSettings.route.org).toThrow('no address')
  const known = sessionOf({}, { TUG_EXPLORER_ADDR: 'http://a' }, explorer)
  expect(() => known.commandSettings.route.org).toThrow(
    expect.objectContaining({
      message: says('… organization …'),
      hints: [says('… --org … TUG_EXPLORER_ORG=…'), says('… tug profile set default explorer.org=…')],
    }),
  )
})

test('the flags of the output, for notes', () => {
  const output = { output: 'csv', query: 'a', columns: ['b'] }
  expect(sessionOf({ ...output, quiet: true }, {}).commandSettings).toMatchObject({
    outputFlags: output,
    format: 'csv',
  })
  const { commandSettings } = sessionOf({}, { TUG_OUTPUT: 'md' })
  expect([Object.keys(commandSettings.outputFlags), commandSettings.format]).toEqual([[], 'md'])
  expect(sessionOf({ raw: true, output: 'csv' }, {}).commandSettings.format).toBe('json')
})

test('a proxy is for the network, not for a socket', () => {
  const proxyOf = (address: string) => sessionOf({ address }, { http_proxy: 'http://p:1' }).connection.proxy()
  expect(proxyOf('http://example.com')).toBe('http://p:1')
  expect(proxyOf('unix:///run/secrets.sock')).toBeUndefined()
})

test('a token is read once and redacted; one that is given comes before', async () => {
  const secrets: string[] = []
  const tokenOf = (options: { token?: string; entry?: object }) => {
    const session = createSession({
      host: { env: { ...configured, TUG_CONFIG_DIR: '/nonexistent' }, home: '', platform: 'linux', cwd: '/' } as never,
      flags: {},
      entry: { service: 'secrets' },
      io: () => ({}) as never,
      addSecret: (text) => secrets.push(text),
      signal: new AbortController().signal,
      ...options,
    })
    return session.connection.token()
  }
  expect(await tokenOf({ token: 'given' })).toBe('given')
  expect(await tokenOf({ entry: {} })).toBeUndefined()
  expect(secrets).toEqual([])
  expect(await tokenOf({})).toBe(configured.TUG_SECRETS_TOKEN)
  expect(secrets).toEqual([configured.TUG_SECRETS_TOKEN])
})

describe('a configuration that cannot be read', () => {
  const problemOf = (flags: object, env: object, service: string, newProfile = false) => {
    const folder = scratchFolder()
    writeFileSync(join(folder, 'config.json'), 'not JSON')
    return createSession({
      host: { env: { TUG_CONFIG_DIR: folder, ...env }, home: '', platform: 'linux', cwd: '/' } as never,
      flags,
      entry: { service: service as 'secrets' },
      io: () => ({}) as never,
      addSecret: () => undefined,
      signal: new AbortController().signal,
      newProfile,
    }).saved.problem
  }
  const explorer = { TUG_EXPLORER_ADDR: 'http://a', TUG_EXPLORER_TOKEN: 't' }
  const secrets = { TUG_SECRETS_ADDR: 'http://a', TUG_SECRETS_TOKEN: 't' }

  test.each([
    [{}, secrets, 'secrets'],
    [{ tokenFile: 't' }, { TUG_SECRETS_ADDR: 'http://a' }, 'secrets'],
    [{}, { VAULT_ADDR: 'http://a', VAULT_TOKEN: 't' }, 'secrets'],
    [{ address: 'http://a' }, {}, 'scheduler'],
    [{}, { ...explorer, TUG_EXPLORER_ORG: 'o' }, 'explorer'],
    [{ org: 'o' }, explorer, 'explorer'],
  ])('is not needed with %j and %j for %s', (flags, env, service) => {
    expect(problemOf(flags, env, service)).toContain('is not a JSON object')
  })

  test.each([
    [{}, {}, 'secrets'],
    [{}, { TUG_SECRETS_TOKEN: 't' }, 'secrets'],
    [{ address: 'http://a' }, {}, 'secrets'],
    [{}, {}, 'scheduler'],
    [{}, explorer, 'explorer'],
    [{ profile: 'default' }, secrets, 'secrets'],
    [{}, { ...secrets, TUG_PROFILE: 'default' }, 'secrets'],
  ])('is an error with %j and %j for %s', (flags, env, service) => {
    expect(() => problemOf(flags, env, service)).toThrow('is not a JSON object')
  })

  test('is an error for what may make a profile', () => {
    expect(() => problemOf({}, secrets, 'secrets', true)).toThrow('is not a JSON object')
  })
})
