import * as api from '../../../api/kmip.ts'
import { sayWarnings } from '../../../api/secrets.ts'
import { asJson } from '../../../core/answer.ts'
import type { ValueResult } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { Cell } from '../../../core/output.ts'
import type { Input } from '../../../core/param.ts'
import type { CertificateFacts } from './certificate.ts'
import { destinationOf, issueNew } from './issue.ts'
import { expiresBeforeOld, lifetimeIsRoles, oldNotRevoked } from './messages.ts'
import type { outputFlags, Role } from './params.ts'
import { expiry } from './view.ts'

/** The flags that apply to every renewal. */
export interface Choices extends Pick<Input<typeof outputFlags>, 'format' | 'force'> {
  readonly outDir: string
  readonly revokeOld: boolean | undefined
}

/** A certificate to replace, and when it ends, if that is known. */
export type Former = Pick<CertificateFacts, 'serial_number'> & Partial<CertificateFacts>

/** What became of a certificate. */
export interface Row extends Role {
  readonly action: 'renew'
  readonly changed: boolean
  readonly serial_number: string | null
  readonly not_after: string | null
  readonly folder: string
  readonly replaces?: string
  readonly error?: string
}

export function unchanged(role: Role, facts: CertificateFacts | undefined, folder: string): Row {
  const { serial_number = null, not_after = null } = facts ?? {}
  return { action: 'renew', ...role, changed: false, serial_number, not_after, folder }
}

/** Issues a certificate into the folder, and revokes the old one if that is wanted. */
export async function replace(
  { serial_number: replaces, not_after: former }: Former,
  role: Role,
  folder: string,
  { format = 'pem', force, revokeOld }: Choices,
  context: Context,
): Promise<Row> {
  const destination = destinationOf(folder, { force, format, key: true }, context)
  const { summary } = await issueNew(role, format, destination, context)
  const { serial_number = null, not_after = null } = summary ?? {}
  if (former !== undefined && not_after !== null && Date.parse(not_after) < Date.parse(former)) {
    context.io.warn(expiresBeforeOld(not_after, former))
    context.io.hint(lifetimeIsRoles(role, context))
  }
  if (revokeOld === true) await revoke(replaces, role, folder, context)
  return { action: 'renew', ...role, changed: true, serial_number, not_after, ...summary, folder, replaces }
}

/** Revokes the old certificate. If that fails, the error names the folder of the new one, which is safe. */
async function revoke(serial: string, role: Role, folder: string, context: Context): Promise<void> {
  const checkCommand = context.commandLine('kmip cred list', role.scope, role.role)
  const request = api.revokeCredential(role, { body: { serial_number: serial }, checkCommand })
  const response = await context.http.send(request).catch((error: unknown) => {
    throw error instanceof TugError ? oldNotRevoked(serial, folder, error, role, context) : error
  })
  sayWarnings(context.io, response)
  context.io.note(`revoked ${serial}`)
}

/** What became of one certificate, or of several. */
export function renewedResult(rows: Row | readonly Row[]): ValueResult {
  return { data: asJson(rows), view: renewedView }
}

const renewedView = list<Row>(
  [
    { name: 'scope', value: (row) => row.scope, whole: true },
    { name: 'role', value: (row) => row.role, whole: true },
    { name: 'changed', title: 'renewed', value: (row) => row.changed, show: changeCell, whole: true },
    {
      name: 'not_after',
      title: 'expires',
      value: (row) => row.not_after,
      show: (row, showing) => expiry(row.not_after ?? undefined, showing),
      whole: true,
    },
    { name: 'serial_number', title: 'serial', value: (row) => row.serial_number, whole: true },
    { name: 'folder', value: (row) => row.folder },
    { name: 'error', value: (row) => row.error },
  ],
  (row) => row.serial_number ?? '',
  { empty: 'no certificate expires that soon', usual: ['scope', 'role', 'changed', 'not_after', 'serial_number'] },
)

function changeCell({ error, changed }: Row): Cell {
  if (error !== undefined) return cell('failed', 'bad')
  return changed ? cell('yes', 'good') : cell('no')
}
