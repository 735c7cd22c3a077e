import type { Context } from '../../../core/context.ts'
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

// Issuing
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
