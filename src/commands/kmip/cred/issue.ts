import { detailsOf } from './params.ts'
import { join } from 'node:path'
import * as api from '../../../api/kmip.ts'
import { asJson } from '../../../core/answer.ts'
import type { View } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import { TugError, unlessForbidden } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { entriesOf, isObject, objectFrom } from '../../../core/json.ts'
import type { Applied } from '../../../write/work.ts'
import { answered, asAbsence, createScope, noSuchRole } from '../params.ts'
import type { CertificateFacts, CertificateFormat, CredentialParts } from './certificate.ts'
import { certificateFacts, credentialFiles, credentialParts } from './certificate.ts'
import type { OutDir } from './files.ts'
import type { Role } from './params.ts'
import { cardView, issuedView } from './view.ts'

/** A certificate to issue. */
export interface Issue extends Role {
  readonly format: CertificateFormat
  /** The folder for its parts; undefined if the whole response is the result. */
  readonly folder: OutDir | undefined
}

/** The folder of `--out-dir`, which is checked right before the request is sent. */
export interface Destination {
  /** Throws if the folder is not writable or contains files that may not be replaced. Changes nothing. */
  readonly check: () => Promise<void>
  /** Creates and checks the folder. Throws before anything is sent. */
  readonly ready: () => Promise<void>
  /** The folder once it is ready; undefined without `--out-dir`. */
  readonly folder: () => OutDir | undefined
}

/** The destination of `--out-dir`; `key` is true if a private key will be written. */
export function destinationOf(
  outDir: string | undefined,
  { force, format, key }: { force: boolean | undefined; format: CertificateFormat; key: boolean },
  context: Context,
): Destination {
  const options = { replace: force === true, format, key }
  let folder: OutDir | undefined
  return {
    folder: () => folder,
    async check() {
      if (outDir === undefined) return
      const { checkOutDir } = await import('./files.ts')
      checkOutDir(outDir, options, context)
    },
    async ready() {
      if (outDir === undefined) return
      const { prepareOutDir } = await import('./files.ts')
      folder = await prepareOutDir(outDir, options, context)
    },
  }
}

/** The result of issuing: files, or the whole response. */
export interface Issued {
  readonly summary?: IssueSummary
  readonly whole?: { readonly data: Json; readonly view: View; readonly rawBody: Uint8Array }
  /** Called if the response cannot be printed. */
  readonly unprinted?: (failure: unknown) => Promise<Error>
}

/** A certificate in files; null if it cannot be parsed. */
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
  let response
  let data
  try {
    response = await context.http.send(api.generateCredential(role, { body: { format }, ready }))
    data = answered(response, context.io)
  } catch (error) {
    throw withIssueHint(error, role, context)
  }
  return credentialResult(response, data, { ...role, format, folder: folder() }, context)
}

/**
 * Stores a new private key, which only this response contains, in files, or returns the whole response. If the files cannot be
 * written, revokes the certificate and throws an error that reports whether that worked.
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
    throw await revokedAfter(new TugError('failed', 'the response has no private key'), serial, issue, context)
  if (issue.folder === undefined) {
    if (serial !== '') context.io.note(`issued ${serial}; its key is only in this response`)
    const unprinted = (failure: unknown) => revokedAfter(failure, serial, issue, context)
    return { ...(await wholeAnswer(response, data, issue)), unprinted }
  }
  try {
    return await writtenToFiles(data, parts, issue, context)
  } catch (error) {
    throw await revokedAfter(error, serial, issue, context)
  }
}

/** Stores a certificate without a key in files, or returns the whole response. It can be looked up again. */
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

/** An issued certificate as the result of a write. The response is data, not facts, because it may contain the private key. */
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

/** Throws if the role doesn't exist. For a plan, which doesn't send the request that would find out. */
export async function checkRole({ scope, role }: Role, context: Context): Promise<void> {
  try {
    await context.http.send(api.readRole({ scope, role }))
  } catch (error) {
    if (error instanceof TugError && error.code === 'not_found') {
      const absence = asAbsence(error, noSuchRole(scope, role, context))
      throw absence.with({ hints: [...absence.hints, createScope(scope, context)] })
    }
    unlessForbidden(error)
  }
}

async function writtenToFiles(
  data: api.Credential,
  parts: CredentialParts,
  issue: Issue,
  context: Context,
): Promise<Issued> {
  if (parts.certificate.length === 0) throw new TugError('failed', 'the response has no certificate')
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

/** Revokes a certificate whose key is lost. The returned error reports that, or the command if it failed. */
async function revokedAfter(error: unknown, serial: string, role: Role, context: Context): Promise<TugError> {
  const cause = error as Error
  const command = context.commandLine('kmip cred revoke', role.scope, role.role, ['--serial', serial])
  const hint = `its key is lost; revoke it: ${command}`
  try {
    await context.http.send(api.revokeCredential(role, { body: { serial_number: serial } }))
    return new TugError('failed', `${cause.message}; certificate ${serial} was revoked`, {
      hints: ['fix that and issue another'],
      cause,
    })
  } catch (failure) {
    if (failure instanceof TugError && failure.code === 'interrupted') {
      context.io.warnAlways(`${cause.message}; certificate ${serial} may not be revoked; ${hint}`)
      return failure
    }
    const message = `certificate ${serial} could not be revoked either: ${(failure as Error).message}`
    return new TugError('failed', `${cause.message}; ${message}`, { hints: [hint], cause })
  }
}

/** A request without a response may have issued a certificate, and is never retried: adds the command to check. */
function withIssueHint(error: unknown, role: Role, context: Context): unknown {
  if (!(error instanceof TugError)) return error
  const hint = `a certificate may have been issued whose key is lost: ${detailsOf(role, context)} shows it; revoke it`
  if (error.code === 'interrupted') {
    context.io.warnAlways(hint)
    return error
  }
  if (error.reason === 'in_doubt') return error.with({ hints: [...error.hints, hint] })
  return withoutRole(error, role, context)
}

/** Adds the command that creates a missing role or scope to the error. */
export function withoutRole(error: unknown, { scope, role }: Role, context: Context): unknown {
  if (!(error instanceof TugError) || error.code !== 'not_found' || error.hints.length > 0) return error
  if (error.message.startsWith('scope ')) return error.with({ hints: [createScope(scope, context)] })
  return error.with({
    hints: [
      `the roles of the scope: ${context.commandLine('kmip role list', scope)}`,
      `create the role: ${context.commandLine('kmip role set', scope, role, ['--operation <create,get,…>'])}`,
    ],
  })
}
