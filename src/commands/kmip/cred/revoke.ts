import * as api from '../../../api/kmip.ts'
import { printWarnings } from '../../../api/secrets.ts'
import type { Io } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { Applied, Decision, ItemRun, Work } from '../../../write/work.ts'
import { onlyTarget, unseen } from '../../../write/work.ts'
import { write } from '../../../write/write.ts'
import { certificateFlag, certificateFrom, lookUp, onlyOne, roleArguments, serialParams } from './params.ts'

export const revoke = write({
  name: 'revoke',
  summary: 'Revoke a certificate, by serial number or file',
  description:
    "The certificate is looked up first: one that the role doesn't have is exit status 3 and nothing is sent. If it may not be looked up, the request is sent alone.",
  endpoint: api.revokeCredential,
  also: [api.lookupCredential],
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
  async open({ scope, role, number, serial: flagged, certificate }, context): Promise<Work> {
    onlyOne([number, flagged, certificate], '<serial>, --serial or --certificate', { scope, role }, context)
    const { serial, named, file, body } = await certificateOf(number ?? flagged, certificate, context.io)
    const apply = async (run: ItemRun): Promise<Applied> => {
      const checkCommand = context.commandLine('kmip cred list', scope, role)
      printWarnings(
        run.context.io,
        await run.context.http.send(api.revokeCredential({ scope, role }, { body, checkCommand })),
      )
      return { words: `revoked certificate ${named}` }
    }
    return {
      action: 'revoke',
      target: 'serial_number',
      noun: 'certificate',
      data: { scope, role, serial_number: serial ?? null },
      ...onlyTarget(serial ?? named, {
        async decide(): Promise<Decision> {
          const isSeen =
            serial !== undefined &&
            (await lookUp(serial, 'pem', { scope, role }, context).then(
              () => true,
              (error: unknown) => {
                // A server that refuses the lookup may still revoke.
                if (error instanceof TugError && [400, 403].includes(error.facts.status ?? 0)) return false
                throw error
              },
            ))
          return isSeen
            ? { action: 'revoke', words: file === undefined ? 'revoke' : `revoke (${file})`, apply }
            : { ...unseen, apply }
        },
        ask: () => `Revoke certificate ${named} of role ${role} in ${scope}? Its holder loses access at once.`,
      }),
    }
  },
})

/** The serial number if known, the certificate's name for messages, and the request body. */
async function certificateOf(serial: string | undefined, file: string | undefined, io: Io) {
  if (serial !== undefined) return { serial, named: serial, file: undefined, body: { serial_number: serial } }
  const { pem, facts, name } = await certificateFrom(file as string, io)
  const named = facts === undefined ? `of ${name}` : `${facts.serial_number} (${name})`
  return { serial: facts?.serial_number, named, file: name, body: { certificate: pem } }
}
