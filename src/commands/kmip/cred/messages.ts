import type { Context } from '../../../core/context.ts'
import { readableTime } from '../../../core/duration.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { createScope, nothingThere } from '../messages.ts'
import type { Role } from './params.ts'

// Naming a certificate
export const nameOneCertificate = (given: number, ways: string, role: Role, context: Context) =>
  usageError(
    given === 0 ? 'name a certificate' : 'name the certificate only once',
    `give exactly one: ${ways}`,
    serialsOf(role, context),
  )
export const noSuchCertificate = (serial: string, role: Role, context: Context) =>
  nothingThere(`role ${role.role} in ${role.scope} has no certificate ${serial}`, serialsOf(role, context))
const serialsOf = ({ scope, role }: Role, { commandLine }: Context) =>
  `the role's certificates: ${commandLine('kmip cred list', scope, role)}`
const detailsOf = ({ scope, role }: Role, { commandLine }: Context) =>
  commandLine('kmip cred list', scope, role, ['--details'])

// Files with a CSR or certificate
export const noCsr = (file: string) => notInside(file, 'certificate signing request', 'CERTIFICATE REQUEST')
export const noCertificate = (file: string) => notInside(file, 'certificate', 'CERTIFICATE')
const notInside = (file: string, what: string, label: string) =>
  usageError(`${file} doesn't contain a ${what} in PEM`, `its first line is -----BEGIN ${label}-----`)
export const severalCertificates = (file: string, count: number) =>
  usageError(`${file} contains ${count} certificates`, 'give the client certificate alone, without its chain')
export const containsKey = (file: string) =>
  usageError(`${file} contains a private key; it was not sent`, 'give the certificate or the request alone')
export const signedWithSha1 =
  'the CSR is signed with SHA-1, which is deprecated; the engine may refuse it (with openssl: req -new -sha256)'

// Issuing
export const keyWouldBeLost = (format: string) =>
  usageError(
    `-o ${format} would lose the private key, which is shown only once; nothing was sent`,
    'write files: --out-dir <dir>',
    'or print the whole answer: -o json',
  )
export const keyOnlyHere = (serial: string) => `issued ${serial}; its key is in this answer only`
export const noKeyInAnswer = () => new TugError('failed', 'the answer has no private key')
export const noCertificateInAnswer = () => new TugError('failed', 'the answer has no certificate')
export const unreadableCertificate = () => new TugError('failed', 'the certificate cannot be read')
export const noSuchField = (field: string) => new TugError('not_found', `the credential has no ${field}`)

/** The three ends of a certificate whose key is lost because of `cause`. */
export const wasRevoked = (serial: string, cause: Error) =>
  new TugError('failed', `${cause.message}; certificate ${serial} was revoked`, {
    hints: ['fix that and issue another'],
    cause,
  })
export const notRevoked = (serial: string, cause: Error, failure: Error, role: Role, context: Context) =>
  new TugError('failed', `${cause.message}; certificate ${serial} could not be revoked either: ${failure.message}`, {
    hints: [revokeLost(serial, role, context)],
    cause,
  })
export const perhapsNotRevoked = (serial: string, cause: Error, role: Role, context: Context) =>
  `${cause.message}; certificate ${serial} may not be revoked; ${revokeLost(serial, role, context)}`
const revokeLost = (serial: string, { scope, role }: Role, { commandLine }: Context) =>
  `its key is lost; revoke it: ${commandLine('kmip cred revoke', scope, role, ['--serial', serial])}`
export const perhapsIssued = (role: Role, context: Context) =>
  `a certificate may have been issued whose key is lost: ${detailsOf(role, context)} shows it; revoke it`

/** What to create if a role, or its scope, doesn't exist. */
export function whatToCreate({ message }: Error, { scope, role }: Role, context: Context): string[] {
  if (message.startsWith('scope ')) return [createScope(scope, context)]
  return [
    `the roles of the scope: ${context.commandLine('kmip role list', scope)}`,
    `create the role: ${context.commandLine('kmip role set', scope, role, ['--operation <create,get,…>'])}`,
  ]
}

// list
export const withDetails = (role: Role, context: Context) => `with subject and expiry: ${detailsOf(role, context)}`

// renew
export const roleRequired = () =>
  usageError('<scope> and <role> are required', 'for every role: --if-expiring <duration>')
export const serialNeedsRole = () =>
  usageError('a serial number needs <scope> and <role>', 'without it, every role is renewed')
export const unreadableFile = (file: string) =>
  usageError(`the certificate in ${file} cannot be read; nothing was sent`, 'give its --serial')
export const severalExpire = (count: number, role: Role, context: Context) =>
  usageError(
    `${count} certificates of the role expire soon; nothing was renewed`,
    `name one with --serial: ${detailsOf(role, context)}`,
    `or renew them all: ${context.commandLine('kmip cred renew', role.scope, ['--if-expiring <duration>'], ['--out-dir <dir>'])}`,
  )
export const expiresBeforeOld = (ends: string, former: string) =>
  `the new certificate expires on ${readableTime(ends)}, before the old one (${readableTime(former)})`
export const lifetimeIsRoles = ({ scope, role }: Role, { commandLine }: Context) =>
  `how long new ones last is the role's: ${commandLine('kmip role set', scope, role, ['--tls-client-ttl <duration>'])}`
export const oldUntouched = (serial: string) => `${serial} was neither looked up nor revoked`
export const nextForOld = (serial: string, { scope, role }: Role, { commandLine }: Context) => [
  `look it up: ${commandLine('kmip cred lookup', scope, role, serial)}`,
  `once the new one is in use, revoke it: ${commandLine('kmip cred revoke', scope, role, serial)}`,
]

/** The new files are safe all the same. */
export const oldNotRevoked = (
  serial: string,
  folder: string,
  failure: TugError,
  { scope, role }: Role,
  { commandLine }: Context,
) => {
  const next =
    failure.code === 'not_found'
      ? `nothing was revoked; the role's serial numbers: ${commandLine('kmip cred list', scope, role)}`
      : `revoke it: ${commandLine('kmip cred revoke', scope, role, serial)}`
  return failure.with({
    code: 'partial',
    message: `the new certificate is in ${folder}, but revoking ${serial} failed: ${failure.message}`,
    hints: [...failure.hints, next],
  })
}
export const notAFolderName = (name: string) => new TugError('failed', `'${name}' cannot be the name of a folder`)
