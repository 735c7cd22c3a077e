import * as api from '../../../api/kmip.ts'
import { command } from '../../../core/command.ts'
import type { Io } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import { argument, flag } from '../../../core/param.ts'
import { fileWords } from '../../../core/words.ts'
import { readSerial } from '../key.ts'
import { certificateFacts, checkCertificate } from './certificate.ts'
import { place } from './place.ts'

export const revoke = command({
  name: 'revoke',
  summary: 'Revoke a certificate, by its serial number or by itself',
  endpoint: api.revokeCredential,
  params: {
    ...place,
    number: argument.of('serial number: decimal, or hexadecimal as other tools show it', readSerial, {
      placeholder: 'serial',
    }),
    serial: flag.of('the serial number as a flag', readSerial, { placeholder: 'n' }),
    certificate: flag.text('file with the certificate in PEM (-: standard input)', {
      placeholder: 'file|-',
      complete: 'file',
    }),
  },
  examples: [
    {
      line: 'kmip cred revoke storage backup 728181095563584845125173905844944137943705466376',
      note: 'asks first',
    },
    { line: 'kmip cred revoke storage backup --certificate client.pem --yes', note: 'in a script' },
  ],
  async run({ scope, role, number, serial: flagged, certificate }, context) {
    const given = [number, flagged, certificate].filter((one) => one !== undefined)
    if (given.length !== 1) {
      throw usageError(
        given.length === 0 ? 'no certificate is named' : 'the certificate is named twice',
        'give exactly one: <serial>, --serial or --certificate',
        `serial numbers: ${context.commandLine('kmip cred list', scope, role)}`,
      )
    }
    const { http, io } = context
    const { serial, named, body } = await certificateOf(number ?? flagged, certificate, io)
    await io.confirm(`Revoke certificate ${named} of role ${role} in ${scope}? Its holder loses access at once.`)
    const findOut = context.commandLine('kmip cred list', scope, role)
    await http.send(api.revokeCredential({ scope, role }, { body, findOut }))
    return { done: `revoked certificate ${named}`, data: { scope, role, serial_number: serial ?? null } }
  },
})

/** The certificate by its serial number, or as a file in PEM, as messages and as the request name it. */
async function certificateOf(serial: string | undefined, file: string | undefined, io: Io) {
  if (serial !== undefined) return { serial, named: serial, body: { serial_number: serial } }
  const name = fileWords(file as string)
  const pem = checkCertificate(await io.readText(file as string), name)
  const facts = await certificateFacts({ certificate: Buffer.from(pem) }, '')
  const named = facts === undefined ? `of ${name}` : `${facts.serial_number} (${name})`
  return { serial: facts?.serial_number, named, body: { certificate: pem } }
}
