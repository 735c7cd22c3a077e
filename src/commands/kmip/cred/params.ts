import * as api from '../../../api/kmip.ts'
import type { Context, Io } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { argument, flag, readSegment } from '../../../core/param.ts'
import { fileWords, withoutMark } from '../../../core/words.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import { answered, asAbsence, nothingThere, readSerial, roleParam, scopeParam } from '../params.ts'
import type { CertificateFormat } from './certificate.ts'
import { certificateFacts, certificateFormats, checkCertificate } from './certificate.ts'

/** The arguments of every `kmip cred` command. */
export const roleArguments = { scope: scopeParam, role: roleParam }

/** The arguments of commands for a role, a scope or the whole engine. */
export const optionalArguments = {
  scope: argument.of('the scope (default: every scope)', readSegment, { complete: 'kmip-scope', placeholder: 'scope' }),
  role: argument.of('the role (default: every role)', readSegment, { complete: 'kmip-role', placeholder: 'role' }),
}

/** The serial number of a certificate, as an argument or a flag. */
export const serialParams = {
  number: argument.of('serial number: decimal, or hexadecimal as other tools show it', readSerial, {
    placeholder: 'serial',
    complete: 'kmip-serial',
  }),
  serial: flag.of('the serial number as a flag', readSerial, { placeholder: 'n', complete: 'kmip-serial' }),
}

/** A certificate file instead of the serial number. */
export const certificateFlag = flag.text('PEM file with the certificate (-: standard input)', {
  placeholder: 'file|-',
  complete: 'file',
})

/** The flags of commands that return a certificate. */
export const outputFlags = {
  format: flag.choice('encoding of certificate, key and chain', certificateFormats, { defaultText: 'pem' }),
  outDir: flag.text('write the files into this folder, created 0700 if missing', {
    placeholder: 'dir',
    complete: 'directory',
  }),
  force: flag.boolean('replace files in the folder', { short: 'f' }),
}

/** The role that a credential belongs to. */
export interface Role {
  readonly scope: string
  readonly role: string
}

/** The only value that names a certificate. Throws a usage error for none or several. */
export function onlyOne<T>(given: readonly (T | undefined)[], ways: string, role: Role, context: Context): T {
  const [first, ...others] = given.filter((one) => one !== undefined)
  if (first !== undefined && others.length === 0) return first
  const message = first === undefined ? 'name a certificate' : 'name the certificate only once'
  throw usageError(message, `give exactly one: ${ways}`, serialsHint(role, context))
}

/** A certificate from a file: its PEM, its facts if it can be parsed, and the file name for messages. */
export async function certificateFrom(file: string, io: Io) {
  const name = fileWords(file)
  const pem = await checkCertificate(withoutMark(Buffer.from(await io.readFile(file)).toString()), name)
  const facts = await certificateFacts({ certificate: Buffer.from(pem) }, '')
  return { pem, facts, name }
}

/** One certificate by its serial number. Throws "not found" with its own message if the server has none. */
export async function lookUp(
  serial: string,
  format: CertificateFormat,
  role: Role,
  context: Context,
  ready?: () => Promise<void>,
): Promise<{ response: HttpResponse; data: api.Credential }> {
  const query = Object.entries({ serial_number: serial, format })
  const parts = { query, ...(ready === undefined ? {} : { ready }) }
  const response = await context.http.send(api.lookupCredential(role, parts)).catch((error: unknown) => {
    if (!(error instanceof TugError)) throw error
    const message = `role ${role.role} in ${role.scope} has no certificate ${serial}`
    throw asAbsence(error, nothingThere(message, serialsHint(role, context)))
  })
  return { response, data: answered(response, context.io) }
}

const serialsHint = ({ scope, role }: Role, { commandLine }: Context) =>
  `the role's certificates: ${commandLine('kmip cred list', scope, role)}`

/** The command that lists the certificates of a role with subject and expiry. */
export const detailsOf = ({ scope, role }: Role, { commandLine }: Context) =>
  commandLine('kmip cred list', scope, role, ['--details'])
