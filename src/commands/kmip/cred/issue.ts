import { join } from 'node:path'
import * as api from '../../../api/kmip.ts'
import { asJson, isPlaceholder } from '../../../core/answer.ts'
import type { ValueResult } from '../../../core/command.ts'
import { writeFacts } from '../../../core/command.ts'
import type { Context, HttpResponse } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { answered } from '../params.ts'
import type { CertificateFacts, CertificateFormat, CredentialParts } from './certificate.ts'
import { certificateFacts, credentialFiles, credentialParts } from './certificate.ts'
import type { OutDir } from './files.ts'
import * as messages from './messages.ts'
import type { Role } from './params.ts'
import { cardView, issuedView } from './view.ts'

/** The destination of an answer with a certificate. */
export interface Issue extends Role {
  /** What was done, in the result; undefined for a read. */
  readonly action?: string
  readonly format: CertificateFormat
  /** The folder for its parts; undefined if the whole answer is the result. */
  readonly folder: OutDir | undefined
}

/** The folder of `--out-dir`, which is checked right before the request is sent. */
export interface Destination {
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
    async ready() {
      if (outDir === undefined) return
      const { prepareOutDir } = await import('./files.ts')
      const { force, format, key } = options
      folder = await prepareOutDir(outDir, { replace: force === true, format, key }, context)
    },
  }
}

/** The result of issuing a certificate. */
interface IssueResult extends ValueResult {
  /** What was written to files, or undefined if the whole answer is the result. */
  readonly summary?: IssueSummary
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
): Promise<IssueResult> {
  const ask = async () => {
    const response = await context.http.send(api.generateCredential(role, { body: { format }, ready }))
    return { response, data: answered(response, context.io) }
  }
  const { response, data } = await ask().catch((error: unknown) => {
    throw inDoubt(error, role, context)
  })
  return credentialResult(response, data, { action: 'generate', ...role, format, folder: folder() }, context)
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
): Promise<IssueResult> {
  // Nothing to file, but a revocation may follow.
  if (isPlaceholder(response.json())) return { data: asJson(data), view: issuedView }
  const parts = credentialParts(data, issue.format)
  context.io.secret(data.private_key ?? '')
  if (parts.privateKey !== undefined && issue.format !== 'der') context.io.secret(parts.privateKey.toString())
  const serial = await serialOf(data, parts)
  // Printed as it is, a key in another form than PEM is still one.
  if (parts.privateKey === undefined && (issue.folder !== undefined || (data.private_key ?? '') === ''))
    throw await revokedAfter(messages.noKeyInAnswer(), serial, issue, context)
  if (issue.folder === undefined) {
    if (serial !== '') context.io.note(messages.keyOnlyHere(serial))
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
export async function certificateResult(response: HttpResponse, data: api.Credential, issue: Issue, context: Context) {
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

async function wholeAnswer(response: HttpResponse, data: api.Credential, { format }: Issue): Promise<ValueResult> {
  return { data: asJson(data), view: await cardView(data, format), rawBody: response.body }
}

async function writtenToFiles(
  data: api.Credential,
  parts: CredentialParts,
  issue: Issue,
  context: Context,
): Promise<IssueResult> {
  if (parts.certificate.length === 0) throw messages.noCertificateInAnswer()
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
  const { action, scope, role } = issue
  const result = action === undefined ? summary : writeFacts(action, { scope, role }, true, summary)
  return { data: asJson(result), view: issuedView, summary }
}

async function serialOf(data: api.Credential, parts: CredentialParts): Promise<string> {
  return data.serial_number ?? (await certificateFacts(parts, ''))?.serial_number ?? ''
}

/** Revokes a certificate whose key is lost, and reports it, or how to do it if that fails. */
async function revokedAfter(error: unknown, serial: string, role: Role, context: Context): Promise<TugError> {
  const cause = error as Error
  try {
    await context.http.send(api.revokeCredential(role, { body: { serial_number: serial } }))
    return messages.wasRevoked(serial, cause)
  } catch (failure) {
    if (!(failure instanceof TugError) || failure.code !== 'interrupted')
      return messages.notRevoked(serial, cause, failure as Error, role, context)
    context.io.doubt(messages.perhapsNotRevoked(serial, cause, role, context))
    return failure
  }
}

/**
 * The request may have arrived although its answer didn't: then a certificate was issued whose key nobody has. It is never
 * retried automatically; the error names the command to check.
 */
function inDoubt(error: unknown, role: Role, context: Context): unknown {
  if (!(error instanceof TugError)) return error
  const hint = messages.perhapsIssued(role, context)
  if (error.code === 'interrupted') {
    context.io.doubt(hint)
    return error
  }
  if (error.reason === 'in_doubt') return error.with({ hints: [...error.hints, hint] })
  return withoutRole(error, role, context)
}

/** The error if the role, or its scope, doesn't exist, with the command that creates it; any other error is unchanged. */
export function withoutRole(error: unknown, role: Role, context: Context): unknown {
  if (!(error instanceof TugError) || error.code !== 'not_found' || error.hints.length > 0) return error
  return error.with({ hints: messages.whatToCreate(error, role, context) })
}
