import * as api from '../../../api/kmip.ts'
import { sayWarnings } from '../../../api/secrets.ts'
import { command, writeFacts } from '../../../core/command.ts'
import type { Io } from '../../../core/context.ts'
import { certificateFlag, certificateFrom, onlyOne, roleArguments, serialParams } from './params.ts'

export const revoke = command({
  name: 'revoke',
  summary: 'Revoke a certificate, by its serial number or by itself',
  endpoint: api.revokeCredential,
  params: {
    ...roleArguments,
    ...serialParams,
    certificate: certificateFlag,
  },
  examples: [
    {
      line: 'kmip cred revoke storage backup 728181095563584845125173905844944137943705466376',
      note: 'asks first',
    },
    { line: 'kmip cred revoke storage backup --certificate client.pem --yes', note: 'in a script' },
  ],
  async run({ scope, role, number, serial: flagged, certificate }, context) {
    onlyOne([number, flagged, certificate], '<serial>, --serial or --certificate', { scope, role }, context)
    const { http, io } = context
    const { serial, named, body } = await certificateOf(number ?? flagged, certificate, io)
    await io.confirm(`Revoke certificate ${named} of role ${role} in ${scope}? Its holder loses access at once.`)
    const checkCommand = context.commandLine('kmip cred list', scope, role)
    sayWarnings(io, await http.send(api.revokeCredential({ scope, role }, { body, checkCommand })))
    const what = { scope, role, serial_number: serial ?? null }
    return { done: `revoked certificate ${named}`, data: writeFacts('revoke', what, true) }
  },
})

/** The certificate by its serial number, or as a file in PEM, as messages and as the request name it. */
async function certificateOf(serial: string | undefined, file: string | undefined, io: Io) {
  if (serial !== undefined) return { serial, named: serial, body: { serial_number: serial } }
  const { pem, facts, name } = await certificateFrom(file as string, io)
  const named = facts === undefined ? `of ${name}` : `${facts.serial_number} (${name})`
  return { serial: facts?.serial_number, named, body: { certificate: pem } }
}
