import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Session } from '../../src/config/session.ts'
import { readTls } from '../../src/config/tls.ts'
import { scratchFolder } from '../support/folder.ts'
import { issuedCertificate } from '../support/certificate.ts'
import { configured, tug } from '../support/run.ts'
import { json } from '../support/serve.ts'

const certificate = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n'
const key = '-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n'

function settings(files: Readonly<Record<string, string>>): Session['setting'] {
  const folder = scratchFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return ((name: string) =>
    name in files ? { value: join(folder, name), source: `flag ${name}` } : undefined) as unknown as Session['setting']
}

test('TLS files are read; one file may contain certificate and key', () => {
  expect(readTls(settings({ caCert: certificate }), () => '/')).toEqual({ ca: certificate })
  expect(readTls(settings({ clientCert: certificate, clientKey: key }), () => '/')).toEqual({ cert: certificate, key })
  const both = certificate + key
  expect(readTls(settings({ clientCert: both }), () => '/')).toEqual({ cert: both, key: both })
})

test('a folder of certificates is read whole, other files in it are ignored', async () => {
  const folder = scratchFolder()
  for (const [name, content] of Object.entries({ 'a.pem': certificate, 'b.crt': certificate, README: 'hello' }))
    writeFileSync(join(folder, name), content)
  const setting = ((name: string) =>
    name === 'caPath' ? { value: folder, source: 'VAULT_CAPATH' } : undefined) as unknown as Session['setting']
  expect(readTls(setting, () => '/')).toEqual({ ca: `${certificate}\n${certificate}` })
  const { stderr } = await tug('kv list --ca-path missing', { env: configured, cwd: folder })
  expect(stderr).toBe('tug: flag --ca-path: cannot read missing (ENOENT)\n')
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
  [{ caCert: 'hello' }, /^flag caCert: .*caCert does not contain a PEM certificate$/],
  [
    { clientCert: certificate, clientKey: certificate },
    /^flag clientKey: .*clientKey does not contain a PEM private key$/,
  ],
  [{ clientCert: certificate }, /^a client certificate needs its key$/],
  [{ clientKey: key }, /^a client key needs its certificate$/],
])('unusable files are refused: %j', (files, words) => {
  expect(() => readTls(settings(files), () => '/')).toThrow(words)
})

test('a missing file is a usage error and nothing is sent', async () => {
  const { exit, stderr } = await tug('explorer views list --ca-cert missing.pem', { env: configured })
  expect(exit).toBe(2)
  expect(stderr).toContain('flag --ca-cert: cannot read missing.pem (ENOENT)')
})
