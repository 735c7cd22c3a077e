import { detailsOf } from './params.ts'
import { join } from 'node:path'
import * as api from '../../../api/kmip.ts'
import { asJson } from '../../../core/answer.ts'
import type { View } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import { TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { entriesOf, isObject, objectFrom } from '../../../core/json.ts'
import type { Applied } from '../../../write/work.ts'
import { answered, asAbsence, createScope, noSuchRole } from '../params.ts'
import type { CertificateFacts, CertificateFormat, CredentialParts } from './certificate.ts'
import { certificateFacts, credentialFiles, credentialParts } from './certificate.ts'
import type { OutDir } from './files.ts'
import type { Role } from './params.ts'
import { cardView, issuedView } from './view.ts'

/** Where an issued certificate goes. */
export interface Issue extends Role {
  readonly format: CertificateFormat
  /** The folder for its parts; undefined if the whole answer is the result. */
  readonly folder: OutDir | undefined
}

/** The folder of `--out-dir`, which is checked right before the request is sent. */
export interface Destination {
  /** Throws if the folder has files that may not be replaced, or may not be written. Changes nothing. */
  readonly check: () => Promise<void>
  /** Creates and checks the folder. Throws before anything is sent. */
  readonly ready: () => Promise<void>
  /** The folder once it is ready; undefined without `--out-dir`. */
  readonly folder: () => OutDir | undefined
}

/** The destination of `--out-dir`; `key` is true if there will be a key too. */
export function destinationOf(
  outDir: string | undefined,
  options: { force: boolean | undefined; format: CertificateFormat; key: boolean },
  context: Context,
): Destination {
  let folder: OutDir | undefined
  return {
    folder: () => folder,
    async check() {
      if (outDir === undefined) return
      const { checkOutDir } = await import('./files.ts')
      const { force, format, key } = options
      checkOutDir(outDir, { replace: force === true, format, key }, context)
    },
    async ready() {
      if (outDir === undefined) return
      const { prepareOutDir } = await import('./files.ts')
      const { force, format, key } = options
      folder = await prepareOutDir(outDir, { replace: force === true, format, key }, context)
    },
  }
}

/** The result of issuing: files, or the whole response. */
export interface Issued {
  readonly summary?: IssueSummary
  readonly whole?: { readonly data: Json; readonly view: View; readonly rawBody: Uint8Array }
  /** Called if the whole answer cannot be printed. */
  readonly unprinted?: (failure: unknown) => Promise<Error>
}

/** A certificate in files; null where it cannot be read. */
export type IssueSummary = {
  readonly [Name in 'subject' | 'not_after']: string | null
} & Pick<CertificateFacts, 'serial_number'> & { readonly files: string[] }

/** Issues a certificate with a new private key for a role. */
export async function issueNew(
  role: Role,
  format: CertificateFormat,
  { ready, folder }: Destination,
  context: Context,
): Promise<Issued> {
  const ask = async () => {
    const response = await context.http.send(api.generateCredential(role, { body: { format }, ready }))
    return { response, data: answered(response, context.io) }
  }
  const { response, data } = await ask().catch((error: unknown) => {
    throw withPerhapsIssued(error, role, context)
  })
  return credentialResult(response, data, { ...role, format, folder: folder() }, context)
}

/**
 * The result for an answer with a new private key, which exists nowhere else: files, or the whole answer. If the files
 * cannot be written, the certificate is revoked and the error reports whether that worked.
 */
async function credentialResult(
  response: HttpResponse,
  data: api.Credential,
  issue: Issue,
  context: Context,
): Promise<Issued> {
  const parts = credentialParts(data, issue.format)
  context.io.secret(data.private_key ?? '')
  if (parts.privateKey !== undefined && issue.format !== 'der') context.io.secret(parts.privateKey.toString())
  const serial = await serialOf(data, parts)
  // A response printed whole may have its key in another form than PEM.
  if (parts.privateKey === undefined && (issue.folder !== undefined || (data.private_key ?? '') === ''))
    throw await revokedAfter(new TugError('failed', 'the answer has no private key'), serial, issue, context)
  if (issue.folder === undefined) {
    if (serial !== '') context.io.note(`issued ${serial}; its key is in this answer only`)
    const unprinted = (failure: unknown) => revokedAfter(failure, serial, issue, context)
    return { ...(await wholeAnswer(response, data, issue)), unprinted }
  }
  try {
    return await writtenToFiles(data, parts, issue, context)
  } catch (error) {
    throw await revokedAfter(error, serial, issue, context)
  }
}

/** The result for an answer with only a certificate, which can be looked up again: files, or the whole answer. */
export async function certificateResult(
  response: HttpResponse,
  data: api.Credential,
  issue: Issue,
  context: Context,
): Promise<Issued> {
  if (issue.folder === undefined) return wholeAnswer(response, data, issue)
  const parts = credentialParts(data, issue.format)
  try {
    return await writtenToFiles(data, parts, issue, context)
  } catch (error) {
    const { scope, role, folder } = issue
    const serial = await serialOf(data, parts)
    const again = context.commandLine('kmip cred lookup', scope, role, serial, ['--out-dir', folder.name])
    throw (error as TugError).with({ hints: [again] })
  }
}

async function wholeAnswer(response: HttpResponse, data: api.Credential, { format }: Issue): Promise<Issued> {
  return { whole: { data: asJson(data), view: await cardView(data, format), rawBody: response.body } }
}

/** An issued certificate as the result of a write. The members of the answer are no facts: one may be the private key. */
export function appliedOf({ summary, whole, unprinted }: Issued, action: string, { scope, role }: Role): Applied {
  const certificate = summary === undefined ? 'a certificate' : `certificate ${summary.serial_number}`
  const words = `issued ${certificate} for role ${role} in ${scope}`
  if (whole === undefined) return { words, facts: summary ?? {}, view: issuedView }
  const data = objectFrom([
    ['action', action],
    ['planned', false],
    ['role', role],
    ['changed', true],
    ['scope', scope],
    ...entriesOf(isObject(whole.data) ? whole.data : {}),
  ])
  return { ...whole, words, data, ...(unprinted === undefined ? {} : { unprinted }) }
}

/** Throws if the role doesn't exist, for a plan, which sends no request that would show it. */
export async function checkRole({ scope, role }: Role, context: Context): Promise<void> {
  try {
    await context.http.send(api.readRole({ scope, role }))
  } catch (error) {
    if (error instanceof TugError && error.code === 'not_found') {
      const absence = asAbsence(error, noSuchRole(scope, role, context))
      throw absence.with({ hints: [...absence.hints, createScope(scope, context)] })
    }
    if (!(error instanceof TugError) || error.code !== 'not_allowed') throw error
  }
}

async function writtenToFiles(
  data: api.Credential,
  parts: CredentialParts,
  issue: Issue,
  context: Context,
): Promise<Issued> {
  if (parts.certificate.length === 0) throw new TugError('failed', 'the answer has no certificate')
  const { writeParts } = await import('./files.ts')
  const folder = issue.folder as OutDir
  const files = await writeParts(folder, credentialFiles(parts, issue.format), context)
  const { io } = context
  io.note(`wrote ${files.join(', ')} to ${join(folder.name, '/')}${io.platform === 'win32' ? '' : ' (0600)'}`)
  const facts = await certificateFacts(parts, data.serial_number ?? '')
  const summary: IssueSummary = {
    serial_number: facts?.serial_number ?? data.serial_number ?? '',
    subject: facts?.subject ?? null,
    not_after: facts?.not_after ?? null,
    files,
  }
  return { summary }
}

async function serialOf(data: api.Credential, parts: CredentialParts): Promise<string> {
  return data.serial_number ?? (await certificateFacts(parts, ''))?.serial_number ?? ''
}

/** Revokes a certificate whose key is lost, and reports it, or how to do it if that fails. */
async function revokedAfter(error: unknown, serial: string, role: Role, context: Context): Promise<TugError> {
  const cause = error as Error
  try {
    await context.http.send(api.revokeCredential(role, { body: { serial_number: serial } }))
    return new TugError('failed', `${cause.message}; certificate ${serial} was revoked`, {
      hints: ['fix that and issue another'],
      cause,
    })
  } catch (failure) {
    if (!(failure instanceof TugError) || failure.code !== 'interrupted')
      return notRevoked(serial, cause, failure as Error, role, context)
    context.io.warnAlways(perhapsNotRevoked(serial, cause, role, context))
    return failure
  }
}

/**
 * A request without a response may have issued a certificate whose key is lost. It is never retried automatically; the error names
 * the command to check.
 */
function withPerhapsIssued(error: unknown, role: Role, context: Context): unknown {
  if (!(error instanceof TugError)) return error
  const hint = perhapsIssued(role, context)
  if (error.code === 'interrupted') {
    context.io.warnAlways(hint)
    return error
  }
  if (error.reason === 'in_doubt') return error.with({ hints: [...error.hints, hint] })
  return withoutRole(error, role, context)
}

/** The error if the role, or its scope, doesn't exist, with the command that creates it; any other error is unchanged. */
export function withoutRole(error: unknown, role: Role, context: Context): unknown {
  if (!(error instanceof TugError) || error.code !== 'not_found' || error.hints.length > 0) return error
  return error.with({ hints: whatToCreate(error, role, context) })
}

const notRevoked = (serial: string, cause: Error, failure: Error, role: Role, context: Context) =>
  new TugError('failed', `${cause.message}; certificate ${serial} could not be revoked either: ${failure.message}`, {
    hints: [revokeLost(serial, role, context)],
    cause,
  })
const perhapsNotRevoked = (serial: string, cause: Error, role: Role, context: Context) =>
  `${cause.message}; certificate ${serial} may not be revoked; ${revokeLost(serial, role, context)}`
const revokeLost = (serial: string, { scope, role }: Role, { commandLine }: Context) =>
  `its key is lost; revoke it: ${commandLine('kmip cred revoke', scope, role, ['--serial', serial])}`

const perhapsIssued = (role: Role, context: Context) =>
  `a certificate may have been issued whose key is lost: ${detailsOf(role, context)} shows it; revoke it`

/** What to create if a role, or its scope, doesn't exist. */
function whatToCreate({ message }: Error, { scope, role }: Role, context: Context): string[] {
  if (message.startsWith('scope ')) return [createScope(scope, context)]
  return [
    `the roles of the scope: ${context.commandLine('kmip role list', scope)}`,
    `create the role: ${context.commandLine('kmip role set', scope, role, ['--operation <create,get,…>'])}`,
  ]
}
