import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CredentialsFile, Profile } from '../../src/config/profiles.ts'
import { vendorToken, readToken, tokenSource } from '../../src/config/tokens.ts'
import { scratchFolder } from '../support/folder.ts'
import { refusalOf } from '../support/refusal.ts'
import { parseAddress } from '../../src/core/address.ts'
import { serviceVariable } from '../../src/core/service.ts'
import { says, told } from '../support/told.ts'

describe('where a token comes from', () => {
  const base = {
    service: 'secrets',
    /** `--token-file`. */
    file: undefined as string | undefined,
    /** Whether the service's variable comes before or after the profile, or belongs to another address. */
    variable: 'first' as 'first' | 'last' | 'ignored',
    env: {} as Record<string, string>,
    profile: undefined as Profile | undefined,
    credentials: {} as CredentialsFile,
    origin: 'https://a',
    /** Whether the address comes from the vendors' variables. */
    isVendors: false,
    warn: (_line: string): void => undefined,
  }
  /** The source found by a session in this state. */
  function sourceFor(more: Partial<typeof base>) {
    const {
      service,
      file,
      variable,
      env: variables,
      profile: saved,
      credentials: stored,
      origin,
      isVendors,
      warn,
    } = {
      ...base,
      ...more,
    }
    const host = {
      env: variables,
      home: '/nonexistent',
      platform: 'linux',
      cwd: '/',
      stdin: {},
      onExit: () => () => undefined,
      endGroup: () => undefined,
    }
    const session = {
      service,
      saved: { folder: '/nonexistent', credentials: stored },
      sources: {
        flags: { tokenFile: file },
        env: variables,
        profileName: 'prod',
        profile: saved,
        isProfileFirst: variable !== 'first',
        trustsVariables: variable === 'last',
        isVendors,
      },
      address: () => parseAddress(origin, ''),
      setting: () => ({ value: origin }),
      commandSettings: { timeout: 60_000 },
    }
    const io = { readText: async () => 'of-stdin', warn }
    return tokenSource(session as never, { host: host as never, io, signal: new AbortController().signal })
  }
  const env = { TUG_SECRETS_TOKEN: 'of-variable', VAULT_TOKEN: 'of-vendor' }
  const credentials = { prod: { secrets: { token: 'of-login', origin: 'https://a' } } }
  const profile = { secrets: { token_command: 'echo of-command' } }
  const all = { env, credentials, profile, isVendors: true }
  test.each([
    [{ ...all, file: '-' }, '--token-file -', 'of-stdin'],
    [all, 'TUG_SECRETS_TOKEN', 'of-variable'],
    [{ ...all, env: { ...env, TUG_SECRETS_TOKEN: '' } }, 'VAULT_TOKEN', 'of-vendor'],
    [{ ...all, isVendors: false, variable: 'last' }, 'login (profile prod)', 'of-login'],
    [{ ...all, isVendors: false, variable: 'ignored' }, 'login (profile prod)', 'of-login'],
    [{ ...all, env: {} }, 'login (profile prod)', 'of-login'],
    [{ ...all, isVendors: false, variable: 'last', credentials: {} }, 'token_command of profile prod', 'of-command'],
    [
      { ...all, isVendors: false, variable: 'last', credentials: {}, profile: undefined },
      'TUG_SECRETS_TOKEN',
      'of-variable',
    ],
    [{ ...all, variable: 'ignored', credentials: {}, profile: undefined }, 'VAULT_TOKEN', 'of-vendor'],
    [
      { ...all, variable: 'ignored', credentials: {}, profile: { secrets: { token_command: '' } } },
      'VAULT_TOKEN',
      'of-vendor',
    ],
    [{ ...all, variable: 'ignored', credentials: {}, profile: undefined, isVendors: false }, undefined, undefined],
    [{ env, variable: 'first', service: 'scheduler' }, undefined, undefined],
  ] as const)('%#: %s', async (more, source, token) => {
    const found = sourceFor(more)
    expect(found?.source).toBe(source)
    expect(await found?.read()).toBe(token)
  })

  test('a stored token, or that of a command, goes nowhere but where it belongs, and one line says so', () => {
    const lines: string[] = []
    const warn = (line: string) => void lines.push(line)
    const elsewhere = { origin: 'https://b', warn }
    expect(sourceFor({ ...elsewhere, credentials })).toBeUndefined()
    const address = { secrets: { token_command: 'echo of-command', address: 'https://a/v1' } }
    expect(sourceFor({ ...elsewhere, profile: address })).toBeUndefined()
    expect(lines).toEqual([
      says('… secrets token … https://a; … https://b'),
      says('… token_command … prod … https://a/v1; … https://b'),
    ])
    expect(sourceFor({ warn, profile: address })?.source).toMatch(told('token_command of profile prod'))
    expect(lines).toHaveLength(2)
  })

  test.each(['https://a:8443', 'http://a', 'http://a:443', 'https://a.b', 'https://b'])(
    'neither token goes to %s in place of https://a',
    (origin) => {
      const command = { secrets: { token_command: 'echo of-command', address: 'https://a/v1' } }
      expect(sourceFor({ origin, credentials })).toBeUndefined()
      expect(sourceFor({ origin, profile: command })).toBeUndefined()
    },
  )

  test("a profile's address that cannot be read is refused with its place", () => {
    const unreadable = { secrets: { token_command: 'echo of-command', address: 'a' } }
    expect(() => sourceFor({ profile: unreadable })).toThrow(told("profile prod: … 'a' …"))
  })

  test('a home folder that is no absolute path has no file', () => {
    const folder = scratchFolder()
    writeFileSync(join(folder, '.vault-token'), 'of-the-folder')
    expect(vendorToken('secrets', 'https://a', { env: {}, home: folder, platform: 'linux' })?.read()).toBe(
      'of-the-folder',
    )
    expect(
      vendorToken('secrets', 'https://a', { env: {}, home: relative(process.cwd(), folder), platform: 'linux' }),
    ).toBeUndefined()
  })

  test('names of token variables', () => {
    expect(serviceVariable('explorer', 'TOKEN')).toBe('TUG_EXPLORER_TOKEN')
  })

  test.each([
    ['!', '!'],
    ['~\r\n', '~'],
    ['a\n', 'a'],
  ])('%j is the token %j', async (text, token) => {
    expect(await readToken({ source: 'x', read: () => text })).toBe(token)
  })

  test.each(['a\n\n', ' a', 'a b', '\u007f', '\u001f', 'é'])('%j is no token', async (text) => {
    expect(await refusalOf(() => readToken({ source: 'x', read: () => text }))).toEqual({
      code: 'usage',
      message: says('… x contains …'),
      hints: [says('… one line …')],
    })
  })

  test.each(['', '\n', '\r\n'])('an empty token, %j, is no token', async (text) => {
    expect(await refusalOf(() => readToken({ source: 'x', read: () => text }))).toEqual({
      code: 'not_allowed',
      message: says('… x is empty'),
      hints: [],
    })
  })

  test('a file that cannot be read is named', async () => {
    const found = sourceFor({ file: 'missing' })
    expect(found?.source).toBe('--token-file missing')
    expect(await refusalOf(() => found?.read())).toEqual({
      code: 'usage',
      message: says('--token-file: … missing: no such file…'),
      hints: [],
    })
  })
})
