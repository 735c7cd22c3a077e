import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { TlsOptions } from '../core/connection.ts'
import { usageError } from '../core/errors.ts'
import { fileReason, withoutMark } from '../core/words.ts'
import { pathOf } from './settings.ts'
import type { ReadSetting, Resolved } from './resolve.ts'

/** What a PEM file must contain. */
const armours = {
  certificate: /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/,
  'private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/,
} as const

/** The TLS settings with the content of their files. Throws a usage error for a file with the wrong content. */
export function readTls(setting: ReadSetting, cwd: () => string): TlsOptions {
  const ca = readPem(setting('caCert'), 'certificate', cwd) ?? readFolder(setting('caPath'), cwd)
  const cert = readPem(setting('clientCert'), 'certificate', cwd)
  const key = readPem(setting('clientKey'), 'private key', cwd)
  // One file may contain both.
  const keyInCert = cert !== undefined && armours['private key'].test(cert) ? cert : undefined
  if (cert !== undefined && key === undefined && keyInCert === undefined) {
    throw usageError('a client certificate needs its key', '--client-key <file> names it')
  }
  if (key !== undefined && cert === undefined) {
    throw usageError('a client key needs its certificate', '--client-cert <file> names it')
  }
  const serverName = setting('tlsServerName')?.value
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert, key: key ?? (keyInCert as string) }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(setting('insecure')?.value === true ? { insecure: true } : {}),
  }
}

function readPem(
  found: Resolved<string> | undefined,
  what: keyof typeof armours,
  cwd: () => string,
): string | undefined {
  if (found === undefined) return undefined
  const path = pathOf(found.value, cwd)
  let content: string
  try {
    content = withoutMark(readFileSync(path, 'utf8'))
  } catch (error) {
    throw usageError(`${found.source}: cannot read ${found.value}: ${fileReason(error)}`)
  }
  if (!armours[what].test(content)) throw usageError(`${found.source}: ${found.value} does not contain a PEM ${what}`)
  return content
}

/** The certificates in a folder; a file may contain several. */
function readFolder(found: Resolved<string> | undefined, cwd: () => string): string | undefined {
  if (found === undefined) return undefined
  const folder = pathOf(found.value, cwd)
  try {
    const files = readdirSync(folder).map((name) => join(folder, name))
    const contents = files
      .filter((file) => statSync(file).isFile())
      .map((file) => withoutMark(readFileSync(file, 'utf8')))
    const certificates = contents.filter((content) => armours.certificate.test(content))
    if (certificates.length > 0) return certificates.join('\n')
  } catch (error) {
    throw usageError(`${found.source}: cannot read ${found.value}: ${fileReason(error)}`)
  }
  throw usageError(`${found.source}: no file in ${found.value} contains a PEM certificate`)
}
