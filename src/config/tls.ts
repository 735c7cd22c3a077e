import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { TlsOptions } from '../core/connection.ts'
import { TugError, usageError } from '../core/errors.ts'
import { shellQuote } from '../core/shell.ts'
import { fileReason, refuseUtf16, withoutMark } from '../core/words.ts'
import { pathOf, settingName } from './settings.ts'
import type { SettingKey } from './settings.ts'
import type { ReadSetting, Resolved } from './resolve.ts'

/** What a PEM file must contain. */
const armours = {
  certificate: /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/,
  'private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/,
} as const

/** A key that needs a passphrase. */
const encryptedKey = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: *4, *ENCRYPTED/m

/** The TLS settings with the content of their files. Throws a usage error for a file with the wrong content. */
export async function readTls(
  setting: ReadSetting,
  cwd: () => string,
  read: (file: string) => Uint8Array | Promise<Uint8Array> = (file) => readFileSync(file),
): Promise<TlsOptions> {
  const pem = (key: 'caCert' | 'clientCert' | 'clientKey') => readPem(setting, key, cwd, read)
  const ca = (await pem('caCert')) ?? readFolder(setting, cwd)
  const cert = await pem('clientCert')
  const key = await pem('clientKey')
  // One file may contain both.
  const keyInCert = cert !== undefined && armours['private key'].test(cert) ? cert : undefined
  if (cert !== undefined && key === undefined && keyInCert === undefined) {
    throw usageError('a client certificate needs its key', '--client-key <file> names it')
  }
  if (key !== undefined && cert === undefined) {
    throw usageError('a client key needs its certificate', '--client-cert <file> names it')
  }
  const name = setting(key === undefined ? 'clientCert' : 'clientKey')
  if (name !== undefined && encryptedKey.test(key ?? keyInCert ?? ''))
    throw unusable(
      name,
      key === undefined ? 'clientCert' : 'clientKey',
      `the private key in ${name.value} has a passphrase, which cannot be given`,
      `remove it: openssl pkey -in ${shellQuote(name.value)} -out <file>`,
    )
  const serverName = setting('tlsServerName')?.value
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert, key: key ?? (keyInCert as string) }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(setting('insecure')?.value === true ? { insecure: true } : {}),
  }
}

async function readPem(
  setting: ReadSetting,
  key: 'caCert' | 'clientCert' | 'clientKey',
  cwd: () => string,
  read: (file: string) => Uint8Array | Promise<Uint8Array>,
): Promise<string | undefined> {
  const found = setting(key)
  if (found === undefined) return undefined
  const what = key === 'clientKey' ? 'private key' : 'certificate'
  let content: string
  try {
    const bytes = Buffer.from(await read(pathOf(found.value, cwd)))
    refuseUtf16(bytes, found.value)
    content = withoutMark(bytes.toString())
  } catch (error) {
    if (error instanceof TugError) throw error
    throw unusable(found, key, `cannot read ${found.value}: ${fileReason(error)}`)
  }
  if (!armours[what].test(content)) throw unusable(found, key, `${found.value} does not contain a PEM ${what}`)
  return content
}

/** The certificates in a folder; a file may contain several. */
function readFolder(setting: ReadSetting, cwd: () => string): string | undefined {
  const found = setting('caPath')
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
    throw unusable(found, 'caPath', `cannot read ${found.value}: ${fileReason(error)}`)
  }
  throw unusable(found, 'caPath', `no file in ${found.value} contains a PEM certificate`)
}

/** A flag and a variable name the setting; a profile only its place. */
function unusable({ source }: Resolved<string>, key: SettingKey, problem: string, ...hints: string[]): TugError {
  const isSaved = source.startsWith('profile ')
  return usageError(`${source}: ${isSaved ? `${settingName(key)}: ` : ''}${problem}`, ...hints)
}
