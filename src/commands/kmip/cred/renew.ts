import * as api from '../../../api/kmip.ts'
import { readCapabilities, readMount } from '../../../api/kv.ts'
import { openReads } from '../../../read/bulk.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Input } from '../../../core/param.ts'
import { flag } from '../../../core/param.ts'
import type { Decision, Work } from '../../../write/work.ts'
import { onlyTarget, stage } from '../../../write/work.ts'
import { write } from '../../../write/write.ts'
import { certificateFormats } from './certificate.ts'
import { checkRole, withoutRole } from './issue.ts'
import type { Role } from './params.ts'
import {
  certificateFlag,
  certificateFrom,
  lookUp,
  outputFlags,
  onlyOne,
  optionalArguments,
  serialParams,
} from './params.ts'
import type { Due } from './renew-expiring.ts'
import { decideDue, decideOfRole, expiringBelow, nameOf } from './renew-expiring.ts'
import type { Choices, Former } from './replace.ts'
import { decideRenewal, renewalColumns } from './replace.ts'

/** Limits concurrency, because the server generates a key for each certificate. */
const renewalsAtOnce = 4

const params = {
  ...optionalArguments,
  ...serialParams,
  certificate: certificateFlag,
  ...outputFlags,
  format: flag.choice('encoding of certificate, key and chain', certificateFormats, {
    defaultText: "the folder's, else pem",
  }),
  outDir: flag.text('folder for the files, created 0700 if missing', {
    placeholder: 'dir',
    complete: 'directory',
    required: true,
  }),
  ifExpiring: flag.longDuration('renew only what expires within this time, such as 30d, or has expired'),
  revokeOld: flag.boolean('revoke the old certificate once the new files are written'),
}

export const renew = write({
  name: 'renew',
  repeats: 'without --if-expiring, each run issues another certificate',
  summary: 'Issue a new certificate in place of one that expires soon, without a gap',
  description: `Writes a new certificate and private key to --out-dir. The old certificate is looked up first: one that the role doesn't have is exit status 3 and nothing is issued. It stays valid without --revoke-old, and if the new one cannot be issued or written; then a new one that was issued is revoked.

With --if-expiring, nothing happens until the certificate in --out-dir, or the named one, expires within that time, so the command can run every night. Without a serial number, it renews the role's certificate that expires soon; without a role, every one that does, each into --out-dir/<scope>/<role>/<serial number of the first>. Later runs replace those files only with --force, and keep their format. A certificate that cannot be renewed doesn't stop the others.`,
  also: [
    api.generateCredential,
    api.revokeCredential,
    api.lookupCredential,
    api.listCredentials,
    api.listRoles,
    api.listScopes,
    api.readRole,
    readMount,
    readCapabilities,
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
      note: 'every night: nothing happens until 30 days before it expires',
    },
  ],
  async open({ scope, role, ifExpiring, ...input }, context): Promise<Work> {
    if (ifExpiring?.warning !== undefined) context.io.warnAlways(`--if-expiring ${ifExpiring.warning}`)
    const isNamed = [input.number, input.serial, input.certificate].some((one) => one !== undefined)
    const common = { action: 'renew', target: 'role', noun: 'certificate', columns: renewalColumns }
    if (scope !== undefined && role !== undefined) {
      const owner = { scope, role }
      const of = (decide: () => Promise<Decision>): Work => ({
        ...common,
        data: owner,
        ...onlyTarget(`${scope}/${role}`, { decide }),
      })
      if (ifExpiring === undefined) {
        const former = await formerOf(owner, input, context)
        return of(() => decideNamed(owner, former, input, context, input.plan === true))
      }
      const serial = isNamed ? (await formerOf(owner, input, context)).serial_number : undefined
      const limit = () => context.now().getTime() + ifExpiring.milliseconds
      return of(() => decideOfRole(openReads(context, renewalsAtOnce), owner, serial, { ...input, limit }))
    }
    if (ifExpiring === undefined)
      throw usageError('<scope> and <role> are required', 'for every role: --if-expiring <duration>')
    if (isNamed) throw usageError('a serial number needs <scope> and <role>', 'without it, every role is renewed')
    const choices = { ...input, limit: () => context.now().getTime() + ifExpiring.milliseconds }
    return {
      ...common,
      progress: 'renewing certificates',
      parallel: renewalsAtOnce,
      stages: [
        stage<Due>({
          targets: await expiringBelow(openReads(context, renewalsAtOnce), scope, choices),
          nameOf: ({ old, ...owner }) => nameOf({ ...owner, serial_number: old.serial_number }),
          decide: (due) => decideDue(context, due, choices),
        }),
      ],
    }
  },
})

type Named = Pick<Input<typeof params>, 'number' | 'serial' | 'certificate'>

/** Renews the certificate that was named, whenever it expires. */
async function decideNamed(
  role: Role,
  former: Former,
  choices: Choices,
  context: Context,
  isPlan: boolean,
): Promise<Decision> {
  const { serial_number: serial } = former
  const decision = await decideRenewal(former, role, choices.outDir, choices, context)
  const isSeen = await lookUp(serial, 'pem', role, context).then(
    () => true,
    (error: unknown) => {
      // A server, or a proxy, that allows no lookup may still issue.
      if (error instanceof TugError && (error.code === 'not_allowed' || error.facts.status === 405)) return false
      throw withoutRole(error, role, context)
    },
  )
  if (isPlan && !isSeen) await checkRole(role, context)
  const { apply } = decision
  if (apply === undefined || choices.revokeOld === true) return decision
  return {
    ...decision,
    apply: async (run) => {
      const applied = await apply(run)
      context.io.note(`${serial} was not revoked`)
      if (isSeen)
        context.io.hint(`look it up: ${context.commandLine('kmip cred lookup', role.scope, role.role, serial)}`)
      const revoking = context.commandLine('kmip cred revoke', role.scope, role.role, serial)
      context.io.hint(`once the new one is in use, revoke it: ${revoking}`)
      return applied
    },
  }
}

/** The old certificate, from its serial number or file. */
async function formerOf(role: Role, { number, serial, certificate }: Named, context: Context): Promise<Former> {
  onlyOne([number, serial, certificate], '<serial>, --serial or --certificate', role, context)
  if (certificate === undefined) return { serial_number: (number ?? serial) as string }
  const { name, facts } = await certificateFrom(certificate, context.io)
  if (facts === undefined)
    throw usageError(`the certificate in ${name} cannot be read; nothing was sent`, 'give its --serial')
  return facts
}
