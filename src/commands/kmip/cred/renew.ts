import * as api from '../../../api/kmip.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { ValueResult } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import type { Input } from '../../../core/param.ts'
import { flag } from '../../../core/param.ts'
import { nextForOld, oldUntouched, roleRequired, serialNeedsRole, unreadableFile } from './messages.ts'
import type { Role } from './params.ts'
import { certificateFlag, certificateFrom, outputFlags, onlyOne, optionalArguments, serialParams } from './params.ts'
import { renewBelow, renewOfRole } from './renew-expiring.ts'
import type { Choices, Former } from './replace.ts'
import { renewedResult, replace } from './replace.ts'

/** How many certificates are issued at a time: the server makes a key for each. */
const renewalsAtOnce = 4

const params = {
  ...optionalArguments,
  ...serialParams,
  certificate: certificateFlag,
  ...outputFlags,
  outDir: flag.text('folder for certificate, chain and key (created 0700 if missing)', {
    placeholder: 'dir',
    complete: 'directory',
    required: true,
  }),
  ifExpiring: flag.longDuration('renew only what expires within this time, such as 30d, or has expired'),
  revokeOld: flag.boolean('revoke the old certificate once the new files are written'),
}

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
    if (ifExpiring?.doubt !== undefined) context.io.doubt(`--if-expiring ${ifExpiring.doubt}`)
    const owner = scope === undefined || role === undefined ? undefined : { scope, role }
    if (ifExpiring === undefined) {
      if (owner === undefined) throw roleRequired()
      return renewNamed(owner, input, context)
    }
    const bulk = await openBulk(context, {}, { action: 'kmip cred renew', parallel: renewalsAtOnce })
    const limit = context.now().getTime() + ifExpiring.milliseconds
    const isNamed = [input.number, input.serial, input.certificate].some((one) => one !== undefined)
    if (owner === undefined) {
      if (isNamed) throw serialNeedsRole()
      return renewBelow(bulk, scope, limit, input)
    }
    const former = isNamed ? await formerOf(owner, input, context) : undefined
    return renewOfRole(bulk, owner, former?.serial_number, limit, input)
  },
})

type Named = Pick<Input<typeof params>, 'number' | 'serial' | 'certificate'>

/** Renews the certificate that was named, whenever it expires. */
async function renewNamed(role: Role, input: Named & Choices, context: Context): Promise<ValueResult> {
  const former = await formerOf(role, input, context)
  const row = await replace(former, role, input.outDir, input, context)
  // In a dry run there is no new one.
  if (input.revokeOld !== true && row.serial_number !== null) {
    context.io.note(oldUntouched(former.serial_number))
    for (const hint of nextForOld(former.serial_number, role, context)) context.io.hint(hint)
  }
  return renewedResult(row)
}

/** The old certificate as it was named. */
async function formerOf(role: Role, { number, serial, certificate }: Named, context: Context): Promise<Former> {
  onlyOne([number, serial, certificate], '<serial>, --serial or --certificate', role, context)
  if (certificate === undefined) return { serial_number: (number ?? serial) as string }
  const { name, facts } = await certificateFrom(certificate, context.io)
  if (facts === undefined) throw unreadableFile(name)
  return facts
}
