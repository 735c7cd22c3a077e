import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TokenSources } from '../../src/config/tokens.ts'
import { familyToken, readToken, tokenSource } from '../../src/config/tokens.ts'
import { scratchFolder } from '../support/folder.ts'
import { refusalOf } from '../support/refusal.ts'
import { serviceVariable } from '../../src/core/request.ts'
import { says, told } from '../support/told.ts'

describe('where a token comes from', () => {
  const base: TokenSources = {
    service: 'secrets',
    platform: 'linux',
    file: undefined,
    variable: 'first',
    env: {},
    home: '/nonexistent',
    cwd: () => '/nonexistent',
    profileName: 'prod',
    profile: undefined,
    credentials: {},
    origin: 'https://a',
    address: 'https://a',
    family: false,
    isFromEnvironment: false,
    readStdin: async () => 'of-stdin',
    runCommand: async (line) => `of-${line}`,
    warn: () => undefined,
  }
  const env = { TUG_SECRETS_TOKEN: 'of-variable', VAULT_TOKEN: 'of-family' }
  const credentials = { prod: { secrets: { token: 'of-login', origin: 'https://a' } } }
  const profile = { secrets: { token_command: 'command' } }
  const all = { env, credentials, profile, family: true }
  test.each([
    [{ ...all, file: '-' }, '--token-file -', 'of-stdin'],
    [all, 'TUG_SECRETS_TOKEN', 'of-variable'],
    [{ ...all, env: { ...env, TUG_SECRETS_TOKEN: '' } }, 'VAULT_TOKEN', 'of-family'],
    [{ ...all, family: false, variable: 'last' }, 'login (profile prod)', 'of-login'],
    [{ ...all, family: false, variable: 'ignored' }, 'login (profile prod)', 'of-login'],
    [{ ...all, env: {} }, 'login (profile prod)', 'of-login'],
    [{ ...all, family: false, variable: 'last', credentials: {} }, 'token_command of profile prod', 'of-command'],
    [
      { ...all, family: false, variable: 'last', credentials: {}, profile: undefined },
      'TUG_SECRETS_TOKEN',
      'of-variable',
    ],
    [{ ...all, variable: 'ignored', credentials: {}, profile: undefined }, 'VAULT_TOKEN', 'of-family'],
    [
      { ...all, variable: 'ignored', credentials: {}, profile: { secrets: { token_command: '' } } },
      'VAULT_TOKEN',
      'of-family',
    ],
    [{ ...all, variable: 'ignored', credentials: {}, profile: undefined, family: false }, undefined, undefined],
    [{ env, variable: 'first', service: 'scheduler' }, undefined, undefined],
  ] as const)('%#: %s', async (more, source, token) => {
    const found = tokenSource({ ...base, ...(more as Partial<TokenSources>) })
    expect(found?.source).toBe(source)
    expect(await found?.read()).toBe(token)
  })

  test('a stored token, or that of a command, goes nowhere but where it belongs, and one line says so', () => {
    const lines: string[] = []
    const warn = (line: string) => void lines.push(line)
    const elsewhere = { ...base, origin: 'https://b', warn }
    expect(tokenSource({ ...elsewhere, credentials })).toBeUndefined()
    const address = { secrets: { token_command: 'command', address: 'https://a/v1' } }
    expect(tokenSource({ ...elsewhere, profile: address })).toBeUndefined()
    expect(lines).toEqual([
      says('… secrets token … https://a; … https://b'),
      says('… token_command … prod … https://a/v1; … https://b'),
    ])
    expect(tokenSource({ ...base, warn, profile: address })?.source).toMatch(told('token_command of profile prod'))
    expect(lines).toHaveLength(2)
  })

  test.each(['https://a:8443', 'http://a', 'http://a:443', 'https://a.b', 'https://b'])(
    'neither token goes to %s in place of https://a',
    (origin) => {
      const command = { secrets: { token_command: 'command', address: 'https://a/v1' } }
      expect(tokenSource({ ...base, origin, credentials })).toBeUndefined()
      expect(tokenSource({ ...base, origin, profile: command })).toBeUndefined()
    },
  )

  test("a profile's address that cannot be read is refused with its place", () => {
    const unreadable = { secrets: { token_command: 'command', address: 'a' } }
    expect(() => tokenSource({ ...base, profile: unreadable })).toThrow(told("profile prod: … 'a' …"))
  })

  test('a home folder that is no absolute path has no file', () => {
    const folder = scratchFolder()
    writeFileSync(join(folder, '.vault-token'), 'of-the-folder')
    expect(familyToken('secrets', 'https://a', { env: {}, home: folder, platform: 'linux' })?.read()).toBe(
      'of-the-folder',
    )
    expect(
      familyToken('secrets', 'https://a', { env: {}, home: relative(process.cwd(), folder), platform: 'linux' }),
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
    const found = tokenSource({ ...base, file: 'missing' })
    expect(found?.source).toBe('--token-file missing')
    expect(await refusalOf(() => found?.read())).toEqual({
      code: 'usage',
      message: says('--token-file: … missing: no such file…'),
      hints: [],
    })
  })
})
