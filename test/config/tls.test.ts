import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Session } from '../../src/config/session.ts'
import { readTls } from '../../src/config/tls.ts'
import { scratchFolder } from '../support/folder.ts'
import { configured, tug } from '../support/run.ts'

const certificate = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n'
const key = '-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n'

function settings(files: Readonly<Record<string, string>>): Session['setting'] {
  const folder = scratchFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return ((name: string) =>
    name in files ? { value: join(folder, name), source: `flag ${name}` } : undefined) as unknown as Session['setting']
}

test('TLS files are read; one file may contain certificate and key', () => {
  expect(readTls(settings({ caCert: certificate }), '/')).toEqual({ ca: certificate })
  expect(readTls(settings({ clientCert: certificate, clientKey: key }), '/')).toEqual({ cert: certificate, key })
  const both = certificate + key
  expect(readTls(settings({ clientCert: both }), '/')).toEqual({ cert: both, key: both })
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
  expect(() => readTls(settings(files), '/')).toThrow(words)
})

test('a missing file is a usage error and nothing is sent', async () => {
  const { exit, stderr } = await tug('explorer views list --ca-cert missing.pem', { env: configured })
  expect(exit).toBe(2)
  expect(stderr).toContain('flag --ca-cert: cannot read missing.pem (ENOENT)')
})
