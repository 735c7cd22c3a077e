import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isShownKey, withProfileValue } from '../../src/config/profile-keys.ts'
import { readConfig, readCredentials, whoElseWrites, wideFiles } from '../../src/config/profiles.ts'
import { updateConfig, updateCredentials } from '../../src/config/write.ts'
import { scratchFolder } from '../support/folder.ts'
import { refusalOf } from '../support/refusal.ts'
import { start } from '../support/process.ts'
import { says, told } from '../support/told.ts'

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
      expected ? [says(`${file} … (mode ${mode.toString(8)}); … 600 ${file}`)] : [],
    )
    expect(wideFiles(folder, 'win32')).toEqual([])
    expect(wideFiles('', 'linux')).toEqual([])
  })

  test.runIf(process.getuid !== undefined)('who else could change the configuration', () => {
    const folder = scratchFolder()
    chmodSync(folder, 0o700)
    const file = join(folder, 'config.json')
    writeFileSync(file, '{}', { mode: 0o600 })
    const own = process.getuid?.() ?? 0
    expect(whoElseWrites(folder, own)).toBeUndefined()
    // Root may change everything anyway.
    const ofOther = { why: says(`${folder} … another user`), remedy: `sudo chown ${own + 1} ${folder}` }
    expect(whoElseWrites(folder, own + 1)).toEqual(own === 0 ? undefined : ofOther)
    chmodSync(folder, 0o755)
    expect(whoElseWrites(folder, own)).toBeUndefined()
    for (const [path, mode] of [
      [file, 0o620],
      [file, 0o602],
      [folder, 0o770],
    ] as const) {
      chmodSync(path, mode)
      expect(whoElseWrites(folder, own)).toEqual({ why: says(`${path} … others`), remedy: `chmod go-w ${path}` })
      // Where there are no users, there is nobody else.
      expect(whoElseWrites(folder, undefined)).toBeUndefined()
      chmodSync(path, path === file ? 0o600 : 0o700)
    }
  })

  test('what is not there is empty; what cannot be read is an error', () => {
    const folder = scratchFolder()
    expect([readConfig(folder), readCredentials(folder), readConfig(''), readCredentials('')]).toEqual([{}, {}, {}, {}])
    mkdirSync(join(folder, 'config.json'))
    expect(() => readConfig(folder)).toThrow(told(`… ${join(folder, 'config.json')}: … folder`))
    const credentials = { prod: { secrets: { token: 't', origin: 'o' } } }
    writeFileSync(join(folder, 'credentials.json'), JSON.stringify(credentials))
    expect(readCredentials(folder)).toEqual(credentials)
  })

  const texts = '… token … origin'
  test.each([
    ['config.json', 'not JSON', ' … JSON …'],
    ['config.json', '[]', ' … JSON …'],
    ['config.json', 'null', ' … JSON …'],
    ['config.json', '{"current":1}', ": 'current' … profile"],
    ['config.json', '{"profiles":[]}', ": 'profiles' … object"],
    ['config.json', '{"profiles":{"a":1}}', ": 'profiles/a' … object"],
    ['config.json', '{"profiles":{"a":{"output":null}}}', ": 'profiles/a/output' … string"],
    ['config.json', '{"profiles":{"a":{"secrets":"x"}}}', ": 'profiles/a/secrets' … object"],
    ['config.json', '{"profiles":{"a":{"secrets":{"address":[]}}}}', ": 'profiles/a/secrets/address' … string"],
    ['credentials.json', '"x"', ' … JSON …'],
    ['credentials.json', '{"a":1}', ": 'a' … object"],
    ['credentials.json', '{"a":{"secrets":null}}', ": 'a/secrets' … object"],
    ['credentials.json', '{"a":{"secrets":{"token":"t"}}}', `: 'a/secrets' ${texts}`],
    ['credentials.json', '{"a":{"secrets":{"origin":"o"}}}', `: 'a/secrets' ${texts}`],
    ['credentials.json', '{"a":{"secrets":{"token":1,"origin":"o"}}}', `: 'a/secrets' ${texts}`],
  ])('a file of another shape is refused: %s with %s', async (name, content, words) => {
    const folder = scratchFolder()
    writeFileSync(join(folder, name), content)
    const [read, update] =
      name === 'config.json' ? ([readConfig, updateConfig] as const) : ([readCredentials, updateCredentials] as const)
    const change = () => update(folder, host().host, () => ({}))
    for (const attempt of [() => read(folder), change])
      expect(await refusalOf(attempt)).toEqual({
        code: 'failed',
        message: says(`${join(folder, name)}${words}`),
        hints: [says(`…: ${name === 'config.json' ? 'tug profile set <name> …' : 'tug login <service>'}`)],
      })
    expect(readFileSync(join(folder, name), 'utf8')).toBe(content)
  })

  test('settings of another shape beside a token are refused where they are changed', async () => {
    const folder = scratchFolder()
    writeFileSync(join(folder, 'credentials.json'), '{"a":{"secrets":{"token":"t","origin":"o","settings":{"x":[1]}}}}')
    expect(await refusalOf(() => updateCredentials(folder, host().host, () => ({})))).toMatchObject({
      code: 'failed',
      hints: [says('…: tug login <service>')],
    })
  })

  test('what is not ours keeps its numbers', async () => {
    const folder = scratchFolder()
    const file = join(folder, 'config.json')
    writeFileSync(file, '{"other":{"n":12345678901234567890,"f":1.10},"profiles":{"a":{"secrets":{"timeout":1.50}}}}')
    await updateConfig(folder, host().host, (config) => ({ ...config, current: 'a' }))
    expect(readFileSync(file, 'utf8').replaceAll(/\s/g, '')).toBe(
      '{"other":{"n":12345678901234567890,"f":1.10},"profiles":{"a":{"secrets":{"timeout":1.50}}},"current":"a"}',
    )
  })

  test('numbers and truth values written by hand are texts', async () => {
    const folder = scratchFolder()
    const profile = { protected: true, output: 'csv', secrets: { retries: 7, insecure: false } }
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ current: 'a', profiles: { a: profile } }))
    const expected = {
      current: 'a',
      profiles: { a: { protected: 'true', output: 'csv', secrets: { retries: '7', insecure: 'false' } } },
    }
    expect(readConfig(folder)).toEqual(expected)
    await updateConfig(folder, host().host, (config) => config)
    expect(readConfig(folder)).toEqual(expected)
  })

  /** A host whose clock stands still, and that counts its waits. */
  function host() {
    const waits: number[] = []
    const exits = new Set<() => void>()
    return {
      waits,
      exits,
      host: {
        now: () => new Date('2038-11-21T07:30:00Z'),
        sleep: async (milliseconds: number) => void waits.push(milliseconds),
        onExit: (call: () => void) => {
          exits.add(call)
          return () => exits.delete(call)
        },
      } as never,
    }
  }

  test('a lock that another holds is waited for until it would be stale', async () => {
    const folder = scratchFolder()
    const lock = join(folder, '.lock')
    writeFileSync(lock, '')
    // It was made just now by the disk's clock, whatever this machine's says.
    const { host: machine, waits } = host()
    await expect(updateConfig(folder, machine, () => ({}))).rejects.toMatchObject({
      code: 'failed',
      message: says(`${folder} …`),
      hints: [says(`… ${lock}`)],
    })
    expect(waits).toEqual(Array(601).fill(50))
    expect(existsSync(lock)).toBe(true)
    expect(existsSync(join(folder, 'config.json'))).toBe(false)
  })

  test('a lock that is older than thirty seconds is taken over, and none is left', async () => {
    const folder = scratchFolder()
    const lock = join(folder, '.lock')
    writeFileSync(lock, '')
    const before = new Date(Date.now() - 60_000)
    utimesSync(lock, before, before)
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

  test('of many programs that find a stale lock, each saves its profile', async () => {
    const folder = scratchFolder()
    writeFileSync(join(folder, '.lock'), '')
    utimesSync(join(folder, '.lock'), 1, 1)
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`)
    const env = { TUG_CONFIG_DIR: folder }
    const ended = names.map((name) => start(['profile', 'set', name, 'secrets.address=https://a'], { env }).ended)
    expect((await Promise.all(ended)).map(({ status }) => status)).toEqual(names.map(() => 0))
    expect(Object.keys(readConfig(folder).profiles ?? {}).toSorted()).toEqual(names)
    expect(readdirSync(folder)).toEqual(['config.json'])
  })

  test.runIf(process.platform !== 'win32')('only the owner reads the configuration', async () => {
    const folder = join(scratchFolder(), 'config')
    const modes: number[] = []
    const look = (path: string) => modes.push(statSync(path).mode & 0o777)
    await updateConfig(folder, host().host, () => {
      look(join(folder, '.lock'))
      return {}
    })
    look(join(folder, 'config.json'))
    look(folder)
    expect(modes).toEqual([0o600, 0o600, 0o700])
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
      message: says('…: HOME …'),
      hints: [says('…TUG_CONFIG_DIR…')],
    })
    const file = join(scratchFolder(), 'file')
    writeFileSync(file, '')
    expect(await refusalOf(() => updateConfig(join(file, 'x'), machine, () => ({})))).toEqual({
      code: 'failed',
      message: says(`cannot create ${join(file, 'x')}: … not a folder`),
      hints: [],
    })
  })

  test.runIf(process.platform === 'linux')('a folder in which nothing can be made is named', async () => {
    expect(await refusalOf(() => updateConfig('/proc/self', host().host, () => ({})))).toEqual({
      code: 'failed',
      message: says('cannot write in /proc/self: no such file…'),
      hints: [],
    })
  })

  test('a file that cannot be written is named', async () => {
    const { host: machine } = host()
    const folder = scratchFolder()
    const file = join(folder, 'config.json')
    const refusal = await refusalOf(() =>
      updateConfig(folder, machine, () => {
        mkdirSync(file)
        return {}
      }),
    )
    expect(refusal).toEqual({ code: 'failed', message: says(`cannot write ${file}: … folder`), hints: [] })
    expect(existsSync(join(folder, '.lock'))).toBe(false)
  })
})

describe('keys of a profile', () => {
  const place = { profileName: 'prod', cwd: () => '/home/amy' }

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
    expect(withProfileValue({}, assignment, place)).toEqual(expected)
  })

  const keys = 'tug profile set --help …'
  const meant = (...words: string[]) => `. Did you mean ${words.map((word) => `'${word}'`).join(' or ')}?`

  test.each([
    ['=x', "'=x' … key=value", [keys]],
    ['x', "'x' … key=value", [keys]],
    ['token=x', '…', ['store it: tug login <service> -p prod']],
    ['secrets.token=x', '…', ['store it: tug login secrets -p prod']],
    ['TUG_SCHEDULER_TOKEN=x', '…', ['store it: tug login scheduler -p prod']],
    ['outptu=x', `… 'outptu'${meant('output')}`, [keys]],
    ['wholly.unknown=x', "… 'wholly.unknown'", [keys]],
    ['mytoken=x', "… 'mytoken'", [keys]],
    ['x=y', "… 'x'", [keys]],
    ['protected=yes', "protected: 'yes' …", []],
    ['secrets.insecure=1', "secrets.insecure: '1' …", []],
    ['secrets.retries=101', 'secrets.retries: 101 … between 0 and 100', []],
    ['secrets.timeout=0', "secrets.timeout: '0' … 30s, 5… 1h30m", []],
    ['secrets.address=a', "…: … 'a' …", ['…://a or https://…']],
  ])('%s is refused', async (assignment, message, hints) => {
    expect(await refusalOf(() => withProfileValue({}, assignment, place))).toEqual({
      code: 'usage',
      message: says(message),
      hints: hints.map(says),
    })
  })

  test.each([
    ['addr', 'address'],
    ['namespace', 'namespace'],
    ['explorer.namespace', 'explorer.namespace'],
    ['scheduler.org', 'scheduler.org'],
    ['explorer.region', 'explorer.region'],
    ['secrets.output', 'secrets.output'],
    ['timeout', 'timeout'],
    ['token_command', 'token_command'],
    ['secrets.tug_retries', 'secrets.tug_retries'],
    ['my_secrets_address', 'my_secrets_address'],
    ['organization_id', 'organization_id'],
    ['protected.addr', 'protected.address'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['secrets.__proto__', 'secrets.__proto__'],
    ['toString.constructor', 'tostring.constructor'],
  ])('%s is not a key', async (key, named) => {
    const refusal = await refusalOf(() => withProfileValue({}, `${key}=x`, place))
    expect(refusal?.message.replace(/\. Did you mean .*/, '')).toMatch(told(`… '${named}'`))
  })

  test.each([
    ['output', true],
    ['secrets-addr', true],
    ['secrets.token_command', false],
    ['token_command', false],
    ['secrets.token', false],
    ['password', false],
  ])('an error may show the value of %s: %s', (key, expected) => {
    expect(isShownKey(key)).toBe(expected)
  })

  test('an empty value removes a key and keeps the others', () => {
    const profile = { output: 'csv', secrets: { address: 'https://a', retries: '1' } }
    expect(withProfileValue(profile, 'secrets.retries=', place)).toEqual({
      output: 'csv',
      secrets: { address: 'https://a' },
    })
    expect(withProfileValue(profile, 'output=', place)).toEqual({
      secrets: { address: 'https://a', retries: '1' },
    })
    expect(withProfileValue(profile, 'protected=', place)).toEqual(profile)
    expect(withProfileValue({ secrets: { retries: '1' } }, 'secrets.retries=', place)).toEqual({})
  })
})
