import { resolve } from 'node:path'
import * as api from '../../../api/kmip.ts'
import { printWarnings } from '../../../api/secrets.ts'
import type { Context } from '../../../core/context.ts'
import { readableTime } from '../../../core/duration.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Input } from '../../../core/param.ts'
import type { Applied, Decision, Facts } from '../../../write/work.ts'
import type { CertificateFacts, CertificateFormat } from './certificate.ts'
import { certificateFile, formatsIn } from './files.ts'
import { destinationOf, issueNew } from './issue.ts'
import type { outputFlags, Role } from './params.ts'
import { issuedView } from './view.ts'

/** The flags that apply to every renewal. */
export interface Choices extends Pick<Input<typeof outputFlags>, 'format' | 'force'> {
  readonly outDir: string
  readonly revokeOld: boolean | undefined
  /** With `--if-expiring`, what expires by then is renewed. */
  readonly limit?: () => number
}

/** A certificate to replace, and its expiry if known. */
export type Former = Pick<CertificateFacts, 'serial_number'> & Partial<CertificateFacts>

/** The columns of a renewal. */
export const renewalColumns = ['scope', 'role', 'serial_number', 'not_after', 'folder', 'replaces']

/** Decides to keep a certificate; undefined if the role has none that expires. */
export function decideKept(role: Role, facts: CertificateFacts | undefined, folder: string): Decision {
  const words =
    facts === undefined ? 'no certificate expires that soon' : `valid until ${readableTime(facts.not_after)}`
  const { serial_number = null, not_after = null } = facts ?? {}
  return { action: 'unchanged', words, facts: { ...role, serial_number, not_after, folder } }
}

/** Decides to issue a certificate into the folder, and to revoke the old one with `--revoke-old`. */
export async function decideRenewal(
  { serial_number: replaces, not_after: former }: Former,
  role: Role,
  folder: string,
  { format: wanted, force, revokeOld, limit = () => 0 }: Choices,
  context: Context,
): Promise<Decision> {
  const { format, stale } = keptFormat(folder, wanted, force, context)
  const destination = destinationOf(folder, { force, format, key: true }, context)
  await destination.check()
  const facts: Facts = { ...role, folder, replaces }
  return {
    action: 'renew',
    words: `replace ${replaces}${former === undefined ? '' : `, valid until ${readableTime(former)},`} in ${folder}${revokeOld === true ? ', then revoke it' : ''}`,
    facts,
    guard: replaces,
    sendsMore: revokeOld === true,
    async apply(run) {
      const { io, commandLine } = run.context
      const { summary } = await issueNew(role, format, destination, run.context)
      if (stale.length > 0) io.warn(`${stale.join(', ')} in ${folder} still has the old certificate`)
      const after = summary?.not_after
      const expiry = after ? Date.parse(after) : Infinity
      const problem =
        expiry <= limit()
          ? 'within --if-expiring, so each run issues another'
          : former !== undefined && expiry < Date.parse(former) && `before the old one (${readableTime(former)})`
      if (after && problem !== false) {
        io.warn(`the new certificate expires on ${readableTime(after)}, ${problem}`)
        const set = commandLine('kmip role set', role.scope, role.role, ['--tls-client-ttl <duration>'])
        io.hint(`the role's tls_client_ttl is how long certificates last: ${set}`)
      }
      const applied: Applied = {
        words: `renewed ${replaces}`,
        facts: summary ?? {},
        guard: summary?.serial_number ?? null,
        view: issuedView,
      }
      if (revokeOld !== true) return applied
      const failure = await revokeReplaced(replaces, role, folder, run.context)
      return failure === undefined ? applied : { ...applied, failure }
    },
  }
}

/**
 * The format of the files in the folder, which a renewal keeps, and the files of other formats. Throws a usage error for another
 * format without `--force`, and if the folder has several.
 */
function keptFormat(
  folder: string,
  wanted: Choices['format'],
  force: boolean | undefined,
  { io }: Context,
): { format: CertificateFormat; stale: string[] } {
  const found = formatsIn(resolve(io.cwd, folder), io.uid)
  const [only = 'pem', ...more] = found
  const files = found.map(certificateFile)
  if (wanted === undefined && more.length > 0)
    throw usageError(`${folder} has ${files.join(' and ')}; nothing was sent`, `name one: --format ${found.join('|')}`)
  const format = wanted ?? only
  if (found.length > 0 && !found.includes(format) && force !== true)
    throw usageError(
      `${folder} has ${files.join(' and ')}, another format than ${format}; nothing was sent`,
      'omit --format to keep it; --force adds the other files',
    )
  return { format, stale: files.filter((file) => file !== certificateFile(format)) }
}

/** Decides the revocation that an interrupted run left over: the folder already contains the new certificate. */
export function decideRevocation(old: string, role: Role, facts: CertificateFacts, folder: string): Decision {
  const { serial_number, not_after } = facts
  return {
    action: 'revoke',
    words: `revoke ${old}, which is replaced by ${serial_number} in ${folder}`,
    facts: { ...role, serial_number, not_after, folder, replaces: old },
    guard: old,
    async apply(run) {
      const failure = await revokeReplaced(old, role, folder, run.context)
      return failure === undefined ? { words: `revoked ${old}`, view: issuedView } : { failure }
    },
  }
}

/** Revokes the old certificate. Returns an error that names the folder of the new one if that fails. */
async function revokeReplaced(
  serial: string,
  { scope, role }: Role,
  folder: string,
  context: Context,
): Promise<TugError | undefined> {
  const checkCommand = context.commandLine('kmip cred list', scope, role)
  const request = api.revokeCredential({ scope, role }, { body: { serial_number: serial }, checkCommand })
  try {
    printWarnings(context.io, await context.http.send(request))
    context.io.note(`revoked ${serial}`)
    return undefined
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    const next =
      error.code === 'not_found'
        ? `nothing was revoked; the role's serial numbers: ${checkCommand}`
        : `revoke it: ${context.commandLine('kmip cred revoke', scope, role, serial)}`
    return error.with({
      code: 'partial',
      message: `the new certificate is in ${folder}, but revoking ${serial} failed: ${error.message}`,
      hints: [...error.hints, next],
    })
  }
}
