import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TlsOptions } from '../core/context.ts'
import { isYes } from '../core/environment.ts'
import { usageError } from '../core/errors.ts'
import type { Resolved, SettingKey } from './settings.ts'

/** What a PEM file must hold to be of use. */
const armours = {
  certificate: /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/,
  'private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/,
} as const

/** The TLS settings with their files read. Throws a usage error for a file that does not hold what it should. */
export function readTls(setting: (key: SettingKey) => Resolved | undefined, cwd: string): TlsOptions {
  const ca = readPem(setting('ca_cert'), 'certificate', cwd)
  const cert = readPem(setting('client_cert'), 'certificate', cwd)
  const key = readPem(setting('client_key'), 'private key', cwd)
  // One file may hold both.
  const keyInCert = cert !== undefined && armours['private key'].test(cert) ? cert : undefined
  if (cert !== undefined && key === undefined && keyInCert === undefined) {
    throw usageError('a client certificate needs its key', '--client-key <file> names it')
  }
  if (key !== undefined && cert === undefined) {
    throw usageError('a client key needs its certificate', '--client-cert <file> names it')
  }
  const serverName = setting('tls_server_name')?.value
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert, key: key ?? (keyInCert as string) }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(isYes(setting('insecure')?.value) ? { insecure: true } : {}),
  }
}

function readPem(found: Resolved | undefined, what: keyof typeof armours, cwd: string): string | undefined {
  if (found === undefined) return undefined
  let content: string
  try {
    content = readFileSync(resolve(cwd, found.value), 'utf8')
  } catch (error) {
    throw usageError(`${found.source}: cannot read ${found.value} (${(error as NodeJS.ErrnoException).code})`)
  }
  if (!armours[what].test(content)) throw usageError(`${found.source}: ${found.value} holds no ${what} in PEM`)
  return content
}
