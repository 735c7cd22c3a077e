import * as api from '../../../api/kmip.ts'
import { openBulk } from '../../../bulk/engine.ts'
import { bulkFlags, refuseBulkFlags } from '../../../bulk/flags.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { readableTime } from '../../../core/duration.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Input } from '../../../core/param.ts'
import { flag } from '../../../core/param.ts'
import type { IssueSummary } from './issue.ts'
import { destinationOf, issueNew } from './issue.ts'
import type { Role } from './place.ts'
import type { Renewal } from './renew-expiring.ts'
import { certificateFlag, certificateFrom, filing, lineFor, onlyOne, optionalPlace, serialParams } from './place.ts'

/** How many certificates are issued at a time: the server makes a key for each. */
const renewalsAtOnce = 4

const params = {
  ...optionalPlace,
  ...serialParams,
  certificate: certificateFlag,
  ...filing,
  outDir: flag.text('folder for certificate, chain and key (created 0700 if missing)', {
    placeholder: 'dir',
    complete: 'directory',
    required: true,
  }),
  ifExpiring: flag.longDuration('renew only what expires within this time, such as 30d, or has expired'),
  revokeOld: flag.boolean('revoke the old certificate once the new files are written'),
  parallel: flag.integer('how many at once', { min: 1, max: 256, defaultText: String(renewalsAtOnce) }),
  rate: bulkFlags.rate,
  maxFailures: bulkFlags.maxFailures,
}

type RenewInput = Input<typeof params>

export const renew = command({
  name: 'renew',
  summary: 'Issue a new certificate in place of one that expires soon, without a gap',
  description: `Issues a certificate with a new private key and writes it to --out-dir. The old one is not looked up; with --revoke-old it is revoked once the new files are written, and otherwise stays as it is. If the new one cannot be issued or written, the old one stays valid, and a new one that was issued is revoked.

With --if-expiring, nothing happens while the certificate in --out-dir, or the one that is named, is valid for longer, so it can run every night. Without a serial number, the certificate of the role that expires soon is renewed. Without a role, whatever expires soon is, each into --out-dir/<scope>/<role>/<serial number of the first>; --force lets later runs replace what is in there. A certificate that cannot be renewed doesn't stop the others; all that failed, may have been issued or were not sent are named at the end.`,
  also: [
    api.generateCredential,
    api.revokeCredential,
    api.lookupCredential,
    api.listCredentials,
    api.listRoles,
    api.listScopes,
  ],
  params,
  examples: [
    {
      line: 'kmip cred renew storage backup --serial 728181095563584845125173905844944137943705466376 --out-dir ./netapp-a1 --force --revoke-old',
      note: 'new files in place of the old ones, and the old certificate revoked',
    },
    {
      line: 'kmip cred renew storage backup --certificate client.pem --out-dir ./netapp-a1 --force --revoke-old',
      note: 'the same, with the serial number of the old file',
    },
    {
      line: 'kmip cred renew storage backup --certificate client.pem --if-expiring 30d --out-dir ./netapp-a1 --force',
      note: 'every night: nothing happens until 30 days before the end',
    },
  ],
  async run({ scope, role, ifExpiring, ...input }, context) {
    if (ifExpiring?.doubt !== undefined) context.io.warn(`--if-expiring ${ifExpiring.doubt}`)
    if (ifExpiring !== undefined) return renewLater({ scope, role, ...input }, ifExpiring.milliseconds, context)
    if (scope === undefined || role === undefined)
      throw usageError('<scope> and <role> are required', 'for every role: --if-expiring <duration>')
    const { parallel, rate, maxFailures } = input
    refuseBulkFlags({ parallel, rate, maxFailures }, 'needs --if-expiring')
    return renewNow({ scope, role }, input, context)
  },
})

type Choices = Omit<RenewInput, 'scope' | 'role' | 'ifExpiring'>

async function renewNow(place: Role, input: Choices, context: Context): Promise<Result> {
  const { format = 'pem', outDir, force, revokeOld } = input
  const { serial, ends } = await formerOf({ ...place, ...input }, context)
  const destination = destinationOf(outDir, { force, format, key: true }, context)
  const result = await issueNew(place, format, destination, context)
  warnIfShorter(result.summary?.not_after, ends, place, context)
  if (revokeOld === true) await revokeFormer(serial, place, outDir, context)
  else if (result.summary !== undefined) {
    context.io.note(`${serial} was neither looked up nor revoked`)
    context.io.hint(`look it up: ${lineFor('lookup', place, context, serial)}`)
    context.io.hint(`once the new one is in use, revoke it: ${lineFor('revoke', place, context, serial)}`)
  }
  return result
}

async function renewLater(
  input: Choices & Partial<Pick<RenewInput, 'scope' | 'role'>>,
  within: number,
  context: Context,
): Promise<Result> {
  const { scope, role, number, serial, certificate, format = 'pem', outDir, force, revokeOld, ...pace } = input
  const isNamed = [number, serial, certificate].some((one) => one !== undefined)
  if (isNamed && (scope === undefined || role === undefined))
    throw usageError('a serial number needs <scope> and <role>', 'without it, every role is renewed')
  const named = isNamed ? await formerOf({ scope, role, number, serial, certificate } as NamedOne, context) : undefined
  const { renewMany, renewOfRole } = await import('./renew-expiring.ts')
  const renewal: Renewal = {
    within,
    outDir,
    extension: format === 'der' ? 'der' : 'pem',
    async issue(here, place, folder, old) {
      const destination = destinationOf(folder, { force, format, key: true }, here)
      const issued = (await issueNew(place, format, destination, here)).summary as IssueSummary
      warnIfShorter(issued.not_after, old.not_after, place, here)
      if (revokeOld === true) await revokeFormer(old.serial_number, place, folder, here)
      return issued
    },
  }
  const bulk = await openBulk(context, pace, { action: 'kmip cred renew', parallel: renewalsAtOnce })
  if (scope === undefined || role === undefined) return renewMany(bulk, scope, renewal)
  return renewOfRole(bulk, { scope, role }, named?.serial, renewal)
}

type NamedOne = Role & Record<'number' | 'serial' | 'certificate', string | undefined>

/** The role decides how long a new certificate lasts: that may be less than what the old one, if it is known, had left. */
function warnIfShorter(
  ends: string | null | undefined,
  former: string | undefined,
  role: Role,
  context: Context,
): void {
  if (typeof ends !== 'string' || former === undefined || !(Date.parse(ends) < Date.parse(former))) return
  context.io.warn(`the new certificate ends on ${readableTime(ends)}, before the old one (${readableTime(former)})`)
  const line = `${context.commandLine('kmip role set', role.scope, role.role)} --tls-client-ttl <duration>`
  context.io.hint(`how long new ones last is the role's: ${line}`)
}

/** The old certificate's serial number and, if it comes from the certificate itself, its end. */
async function formerOf(
  { scope, role, number, serial, certificate }: NamedOne,
  context: Context,
): Promise<{ readonly serial: string; readonly ends: string | undefined }> {
  onlyOne([number, serial, certificate], '<serial>, --serial or --certificate', { scope, role }, context)
  if (certificate === undefined) return { serial: (number ?? serial) as string, ends: undefined }
  const read = await certificateFrom(certificate, context.io)
  if (read.serial !== undefined) return { serial: read.serial, ends: read.ends }
  throw usageError(`the certificate in ${read.name} cannot be read; nothing was sent`, 'give its --serial')
}

/** Revokes the old certificate. If that fails, the new files are safe all the same, which the error says. */
async function revokeFormer(serial: string, role: Role, outDir: string, context: Context): Promise<void> {
  const checkCommand = lineFor('list', role, context)
  const request = api.revokeCredential(role, { body: { serial_number: serial }, checkCommand })
  await context.http.send(request).catch((error: unknown) => {
    if (!(error instanceof TugError)) throw error
    const next =
      error.code === 'not_found'
        ? `nothing was revoked; the role's serial numbers: ${checkCommand}`
        : `revoke it: ${lineFor('revoke', role, context, serial)}`
    throw error.with({
      code: 'partial',
      message: `the new certificate is in ${outDir}, but revoking ${serial} failed: ${error.message}`,
      hints: [...error.hints, next],
    })
  })
  context.io.note(`revoked ${serial}`)
}
