import { chmodSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withProfileValue } from '../../src/config/profile-keys.ts'
import { readConfig, readCredentials, wideFiles } from '../../src/config/profiles.ts'
import { updateConfig } from '../../src/config/write.ts'
import { scratchFolder } from '../support/folder.ts'

describe('files', () => {
  test.each([
    [0o600, false],
    [0o700, false],
    [0o400, false],
    [0o601, true],
    [0o604, true],
    [0o610, true],
    [0o640, true],
    [0o666, true],
  ])('mode %o is too wide: %s', (mode, expected) => {
    const folder = scratchFolder()
    const file = join(folder, 'credentials.json')
    writeFileSync(file, '{}')
    chmodSync(file, mode)
    expect(wideFiles(folder, 'linux')).toEqual(
      expected ? [`${file} can be read by others (mode ${mode.toString(8)}); fix it: chmod 600 ${file}`] : [],
    )
    expect(wideFiles(folder, 'win32')).toEqual([])
    expect(wideFiles('', 'linux')).toEqual([])
  })

  test('what is not there is empty; what cannot be read is an error', () => {
    const folder = scratchFolder()
    expect([readConfig(folder), readCredentials(folder), readConfig(''), readCredentials('')]).toEqual([{}, {}, {}, {}])
    mkdirSync(join(folder, 'config.json'))
    expect(() => readConfig(folder)).toThrow(`cannot read ${join(folder, 'config.json')}: EISDIR`)
    const credentials = { prod: { secrets: { token: 't', origin: 'o' } } }
    writeFileSync(join(folder, 'credentials.json'), JSON.stringify(credentials))
    expect(readCredentials(folder)).toEqual(credentials)
    writeFileSync(join(folder, 'credentials.json'), '{"prod":{"secrets":{"token":"t"}}}')
    expect(() => readCredentials(folder)).toThrow(
      `${join(folder, 'credentials.json')}: 'prod.secrets' is not an object with the texts token and origin`,
    )
  })

  /** A host whose clock stands still, and that counts its waits. */
  function host() {
    const waits: number[] = []
    const exits = new Set<() => void>()
    return {
      waits,
      exits,
      host: {
        now: () => new Date('2026-11-21T07:30:00Z'),
        sleep: async (milliseconds: number) => void waits.push(milliseconds),
        onExit: (call: () => void) => {
          exits.add(call)
          return () => exits.delete(call)
        },
      } as never,
    }
  }
  const seconds = new Date('2026-11-21T07:30:00Z').getTime() / 1000

  test('a lock that another holds is waited for, 200 times 50 ms', async () => {
    const folder = scratchFolder()
    const lock = join(folder, '.lock')
    writeFileSync(lock, '')
    // Exactly thirty seconds old: it may still be in use.
    utimesSync(lock, seconds - 30, seconds - 30)
    const { host: machine, waits } = host()
    await expect(updateConfig(folder, machine, () => ({}))).rejects.toMatchObject({
      code: 'failed',
      message: `${folder} is being changed by another tug`,
      hints: [`if none runs, remove ${lock}`],
    })
    expect(waits).toEqual(Array(200).fill(50))
    expect(existsSync(lock)).toBe(true)
    expect(existsSync(join(folder, 'config.json'))).toBe(false)
  })

  test('a lock that is older than thirty seconds is taken over, and none is left', async () => {
    const folder = scratchFolder()
    const lock = join(folder, '.lock')
    writeFileSync(lock, '')
    utimesSync(lock, seconds - 30.001, seconds - 30.001)
    const { host: machine, waits, exits } = host()
    let during = 0
    await updateConfig(folder, machine, () => {
      during = exits.size
      return { current: 'prod' }
    })
    expect(waits).toEqual([])
    expect({ during, after: exits.size }).toEqual({ during: 1, after: 0 })
    expect(existsSync(lock)).toBe(false)
    expect(readConfig(folder)).toEqual({ current: 'prod' })
  })

  test('the lock is removed when the change fails, and when the program leaves in the middle of it', async () => {
    const folder = scratchFolder()
    const { host: machine, exits } = host()
    const failing = updateConfig(folder, machine, () => {
      for (const call of exits) call()
      expect(existsSync(join(folder, '.lock'))).toBe(false)
      throw new Error('a bug')
    })
    await expect(failing).rejects.toThrow('a bug')
    expect(existsSync(join(folder, '.lock'))).toBe(false)
  })

  test('without a folder, or in one that cannot be made, nothing is saved', async () => {
    const { host: machine } = host()
    await expect(updateConfig('', machine, () => ({}))).rejects.toMatchObject({
      message: 'cannot save the configuration: HOME is not set',
      hints: ['set TUG_CONFIG_DIR to a folder of your own'],
    })
    const file = join(scratchFolder(), 'file')
    writeFileSync(file, '')
    await expect(updateConfig(join(file, 'x'), machine, () => ({}))).rejects.toThrow(
      `cannot create ${join(file, 'x')}:`,
    )
  })
})

describe('keys of a profile', () => {
  test.each([
    ['secrets.address=https://a', { secrets: { address: 'https://a' } }],
    ['TUG_SECRETS_ADDR=https://a', { secrets: { address: 'https://a' } }],
    ['secrets-addr=https://a', { secrets: { address: 'https://a' } }],
    ['SECRETS.ADDR=https://a', { secrets: { address: 'https://a' } }],
    ['explorer.organization=acme', { explorer: { org: 'acme' } }],
    ['organization=acme', { explorer: { org: 'acme' } }],
    ['region=eu', { scheduler: { region: 'eu' } }],
    ['output=csv', { output: 'csv' }],
    ['dialect=hashicorp', { dialect: 'hashicorp' }],
    ['secrets.dialect=hashicorp', { secrets: { dialect: 'hashicorp' } }],
    ['protected=true', { protected: 'true' }],
    ['secrets.insecure=false', { secrets: { insecure: 'false' } }],
    ['secrets.token_command=a=b', { secrets: { token_command: 'a=b' } }],
    ['secrets.retries=0', { secrets: { retries: '0' } }],
    ['secrets.ca_cert=ca.pem', { secrets: { ca_cert: '/home/amy/ca.pem' } }],
    ['secrets.client_key=/etc/key.pem', { secrets: { client_key: '/etc/key.pem' } }],
  ])('%s', (assignment, expected) => {
    expect(withProfileValue({}, assignment, () => '/home/amy')).toEqual(expected)
  })

  test.each([
    ['=x', "'=x' is not of the form key=value"],
    ['x', "'x' is not of the form key=value"],
    ['token=x', 'a profile does not contain tokens'],
    ['secrets.token=x', 'a profile does not contain tokens'],
    ['addr=https://a', "a profile has no 'address'"],
    ['namespace=x', "a profile has no 'namespace'"],
    ['explorer.namespace=x', "a profile has no 'explorer.namespace'"],
    ['scheduler.org=x', "a profile has no 'scheduler.org'"],
    ['mytoken=x', "a profile has no 'mytoken'"],
    ['protected=yes', "protected: 'yes' is not one of true, false"],
    ['secrets.insecure=1', "secrets.insecure: '1' is not one of true, false"],
    ['secrets.retries=101', 'secrets.retries: 101 is out of range: it must be between 0 and 100'],
    ['secrets.timeout=0', "secrets.timeout: '0' is not a duration above zero, such as 30s, 5m or 1h30m"],
    ['secrets.address=a', "secrets.address: the address 'a' has no scheme"],
  ])('%s is refused', (assignment, words) => {
    expect(() => withProfileValue({}, assignment, () => '/home/amy')).toThrow(words)
  })

  test('an empty value removes a key and keeps the others', () => {
    const profile = { output: 'csv', secrets: { address: 'https://a', retries: '1' } }
    expect(withProfileValue(profile, 'secrets.retries=', () => '/home/amy')).toEqual({
      output: 'csv',
      secrets: { address: 'https://a' },
    })
    expect(withProfileValue(profile, 'output=', () => '/home/amy')).toEqual({
      secrets: { address: 'https://a', retries: '1' },
    })
    expect(withProfileValue(profile, 'protected=', () => '/home/amy')).toEqual(profile)
  })
})
