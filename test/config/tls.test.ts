import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/config/session.ts'
import { readInput } from '../../src/config/files.ts'
import { readTls } from '../../src/config/tls.ts'
import { scratchFolder } from '../support/folder.ts'
import { issuedCertificate } from '../support/certificate.ts'
import { refusalOf } from '../support/refusal.ts'
import { configured, tug } from '../support/run.ts'
import { json } from '../support/serve.ts'
import { says, told } from '../support/told.ts'

const certificate = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n'
const key = '-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n'

function settings(files: Readonly<Record<string, string>>): Session['setting'] {
  const folder = scratchFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return ((name: string) =>
    name in files ? { value: join(folder, name), source: `flag ${name}` } : undefined) as unknown as Session['setting']
}

test('TLS files are read; one file may contain certificate and key', async () => {
  expect(await readTls(settings({ caCert: certificate }), () => '/')).toEqual({ ca: certificate })
  expect(await readTls(settings({ clientCert: certificate, clientKey: key }), () => '/')).toEqual({
    cert: certificate,
    key,
  })
  const both = certificate + key
  expect(await readTls(settings({ clientCert: both }), () => '/')).toEqual({ cert: both, key: both })
  const other = key.replace('AA==', 'BB==')
  expect(await readTls(settings({ clientCert: both, clientKey: other }), () => '/')).toEqual({ cert: both, key: other })
})

test.each([
  ['clientKey', { clientCert: certificate, clientKey: key.replaceAll('EC PRIVATE', 'ENCRYPTED PRIVATE') }],
  [
    'clientKey',
    { clientCert: certificate, clientKey: key.replace('AA==', 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES,00\n\nAA==') },
  ],
  ['clientCert', { clientCert: certificate + key.replaceAll('EC PRIVATE', 'ENCRYPTED PRIVATE') }],
])('a client key with a passphrase is refused as that: %s', async (name, files) => {
  const refusal = await refusalOf(() => readTls(settings(files), () => '/'))
  expect(refusal).toMatchObject({ code: 'usage', message: says(`flag ${name}: … passphrase, …`) })
})

test.each(['caCert', 'clientCert'])('UTF-16 is named: %s', async (name) => {
  const setting = settings({ [name]: '' })
  writeFileSync(String(setting(name as never)?.value), Buffer.from(`\ufeff${certificate}`, 'utf16le'))
  expect(await refusalOf(() => readTls(setting, () => '/'))).toMatchObject({
    code: 'usage',
    message: says('… UTF-16 …'),
  })
})

test('a folder of certificates is read whole, other files in it are ignored', async () => {
  const folder = scratchFolder()
  for (const [name, content] of Object.entries({ 'a.pem': certificate, 'b.crt': certificate, README: 'hello' }))
    writeFileSync(join(folder, name), content)
  const setting = ((name: string) =>
    name === 'caPath' ? { value: folder, source: 'VAULT_CAPATH' } : undefined) as unknown as Session['setting']
  expect(await readTls(setting, () => '/')).toEqual({ ca: `${certificate}\n${certificate}` })
  const { stderr } = await tug('kv list --ca-path missing', { env: configured, cwd: folder })
  expect(stderr).toMatch(told('tug: flag --ca-path: … missing: no such file…\n'))
})

test("the server's own certificate is trusted when it is given, though its authority is unknown", async () => {
  const own = await issuedCertificate()
  const folder = scratchFolder()
  writeFileSync(join(folder, 'leaf.pem'), own.cert)
  const server = createServer(own, (_, response) => json(response, 200, '{"data":{"keys":["a"]}}'))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const env = {
    VAULT_ADDR: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    VAULT_TOKEN: 'x',
    VAULT_CACERT: join(folder, 'leaf.pem'),
  }
  expect(await tug('kv list -o name', { env })).toMatchObject({ exit: 0, stdout: 'a\n' })
  expect(
    await tug('kv list -o name', { env: { ...env, VAULT_CACERT: undefined, VAULT_CAPATH: folder } }),
  ).toMatchObject({
    exit: 0,
    stdout: 'a\n',
  })
  expect((await tug('kv list', { env: { ...env, VAULT_CACERT: undefined } })).exit).toBe(7)
  server.close()
})

test.each([
  [{ caCert: 'hello' }, 'flag caCert: ./caCert …', []],
  [{ caCert: key }, 'flag caCert: ./caCert …', []],
  [{ clientCert: key, clientKey: key }, 'flag clientCert: ./clientCert …', []],
  [{ clientCert: certificate, clientKey: certificate }, 'flag clientKey: ./clientKey … private key', []],
  [{ clientCert: certificate }, '… certificate…', [says('--client-key …')]],
  [{ clientKey: key }, '… key…', [says('--client-cert …')]],
])('unusable files are refused: %j', async (files, message, hints) => {
  const setting = settings(files)
  const refusal = await refusalOf(() => readTls(setting, () => '/'))
  const folder = dirname(setting(Object.keys(files)[0] as 'caCert')?.value ?? '')
  expect({ ...refusal, message: refusal?.message.replace(folder, '.').replaceAll('\\', '/') }).toEqual({
    code: 'usage',
    message: says(message),
    hints,
  })
})

test('a folder without a certificate is refused', async () => {
  const folder = scratchFolder()
  mkdirSync(join(folder, 'deeper'))
  writeFileSync(join(folder, 'deeper', 'a.pem'), certificate)
  writeFileSync(join(folder, 'key.pem'), key)
  const setting = ((name: string) =>
    name === 'caPath' ? { value: '.', source: 'VAULT_CAPATH' } : undefined) as unknown as Session['setting']
  expect(await refusalOf(() => readTls(setting, () => folder))).toEqual({
    code: 'usage',
    message: says('VAULT_CAPATH: … . … PEM …'),
    hints: [],
  })
})

test('an authority of a file comes before a folder, and other TLS settings are passed on', async () => {
  const all = settings({ caCert: certificate, caPath: '' })
  expect(await readTls(all, () => '/')).toEqual({ ca: certificate })
  const values: Record<string, unknown> = { tlsServerName: 'h', insecure: true }
  const setting = ((name: string) =>
    name in values ? { value: values[name], source: 'x' } : undefined) as unknown as Session['setting']
  expect(await readTls(setting, () => '/')).toEqual({ serverName: 'h', insecure: true })
  values['insecure'] = false
  expect(await readTls(setting, () => '/')).toEqual({ serverName: 'h' })
})

test('a missing file is a usage error and nothing is sent', async () => {
  for (const flag of ['--ca-cert', '--client-cert', '--client-key'])
    expect(await tug(`explorer views list ${flag} missing.pem`, { env: configured })).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: says(`tug: flag ${flag}: … missing.pem: no such file…\n`),
    })
  const machine = { env: { ...configured, TUG_CONFIG_DIR: join(scratchFolder(), 'tug') } }
  await tug('profile set default explorer.ca_cert=missing.pem', machine)
  const { stderr } = await tug('explorer views list', machine)
  expect(stderr).toMatch(told('tug: profile default: ca_cert: …missing.pem: no such file…\n'))
})

describe.skipIf(process.platform === 'win32')('what may wait for a writer', () => {
  function pipeIn(folder: string, name: string): string {
    const pipe = join(folder, name)
    execFileSync('mkfifo', [pipe])
    return pipe
  }

  test.each(['--ca-cert', '--token-file'])('%s ends by --timeout and is named', async (flag) => {
    const pipe = pipeIn(scratchFolder(), 'pipe')
    const outcome = await tug(`explorer views list ${flag} ${pipe} --timeout 100ms`, { env: configured })
    expect(outcome).toMatchObject({ exit: 1, stdout: '', stderr: says(`… ${pipe}: … (--timeout)\n`) })
  })

  test.each(['--ca-cert', '--token-file'])('%s refuses a device without an end', async (flag) => {
    const outcome = await tug(`explorer views list ${flag} /dev/zero`, { env: configured })
    expect(outcome).toMatchObject({ exit: 1, stdout: '', stderr: says('tug: … /dev/zero: …\n') })
  })

  test('a pipe is read when its writer comes', async () => {
    const pipe = pipeIn(scratchFolder(), 'pipe')
    const limits = {
      host: {
        monotonic: () => 0,
        // The writer comes while the reader waits.
        sleep: () => writeFile(pipe, 'content'),
      },
      signal: new AbortController().signal,
      timeout: 1,
    }
    expect(Buffer.from(await readInput(pipe, limits)).toString()).toBe('content')
  })

  test.each([
    ['certificate', 7],
    ['text', 2],
  ])('a process substitution with a %s is read: status %i', (content, status) => {
    const file = join(scratchFolder(), 'ca.pem')
    writeFileSync(file, content === 'certificate' ? certificate : content)
    const program = 'exec node bin/tug.js job list --retries 0 --address https://127.0.0.1:1 --ca-cert <(cat "$0")'
    const env = { ...process.env, TUG_CONFIG_DIR: scratchFolder() }
    expect(spawnSync('bash', ['-c', program, file], { env }).status).toBe(status)
  })

  test.each(['config.json', 'credentials.json'])('%s must be a regular file', async (name) => {
    const folder = scratchFolder()
    const file = pipeIn(folder, name)
    const outcome = await tug('profile list', { env: { TUG_CONFIG_DIR: folder } })
    expect(outcome).toMatchObject({ exit: 1, stderr: says(`tug: ${file} … regular…\n`) })
  })
})
