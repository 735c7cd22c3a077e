import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readTls } from '../../src/config/tls.ts'
import { scratchFolder } from '../support/folder.ts'
import { configured, tug } from '../support/run.ts'

const certificate = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n'
const key = '-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n'

function settings(files: Readonly<Record<string, string>>) {
  const folder = scratchFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return (name: string) => (name in files ? { value: join(folder, name), source: `flag ${name}` } : undefined)
}

test('the files are read, each for what it holds; one may hold certificate and key', () => {
  expect(readTls(settings({ ca_cert: certificate }), '/')).toEqual({ ca: certificate })
  expect(readTls(settings({ client_cert: certificate, client_key: key }), '/')).toEqual({ cert: certificate, key })
  const both = certificate + key
  expect(readTls(settings({ client_cert: both }), '/')).toEqual({ cert: both, key: both })
})

test.each([
  [{ ca_cert: 'hello' }, /^flag ca_cert: .*ca_cert holds no certificate in PEM$/],
  [
    { client_cert: certificate, client_key: certificate },
    /^flag client_key: .*client_key holds no private key in PEM$/,
  ],
  [{ client_cert: certificate }, /^a client certificate needs its key$/],
  [{ client_key: key }, /^a client key needs its certificate$/],
])('files of no use are refused: %j', (files, words) => {
  expect(() => readTls(settings(files), '/')).toThrow(words)
})

test('a file that is not there is a mistake, and nothing is sent', async () => {
  const { exit, stderr } = await tug('explorer views list --ca-cert missing.pem', { env: configured })
  expect(exit).toBe(2)
  expect(stderr).toContain('flag --ca-cert: cannot read missing.pem (ENOENT)')
})
