import { TugError } from '../../../core/errors.ts'
import * as api from '../../../api/kmip.ts'
import { asJson } from '../../../core/answer.ts'
import { command } from '../../../core/command.ts'
import { flag } from '../../../core/param.ts'
import { destinationOf, certificateResult } from './issue.ts'
import { outputFlags, lookUp, onlyOne, roleArguments, serialParams } from './params.ts'
import { issuedView } from './view.ts'

const fieldNames = ['certificate', 'ca_chain', 'serial_number'] as const

/** May write files. */
export const lookup = command({
  name: 'lookup',
  summary: 'Show an issued certificate by its serial number',
  endpoint: api.lookupCredential,
  params: {
    ...roleArguments,
    ...serialParams,
    ...outputFlags,
    field: flag.choice('print only this part', fieldNames, { excludes: ['outDir'] }),
  },
  rawOutput: (input) => input['field'] !== undefined,
  examples: [
    {
      line: 'kmip cred lookup storage backup 728181095563584845125173905844944137943705466376',
      note: 'subject and expiry',
    },
    {
      line: 'kmip cred lookup storage backup 55:f2:f2:0b:35:16:6b:6b:f3:59:15:ac:cc:7b:d4:81:21:30:d5:83 --out-dir ./client',
      note: 'the serial as openssl shows it; files for certificate and chain',
    },
    {
      line: 'kmip cred lookup storage backup 728181095563584845125173905844944137943705466376 --field certificate',
      note: 'the PEM alone',
    },
  ],
  async run(input, context) {
    const { scope, role, format = 'pem', outDir, force, field } = input
    const serial = onlyOne([input.number, input.serial], '<serial> or --serial', input, context)
    const { ready, folder } = destinationOf(outDir, { force, format, key: false }, context)
    const { response, data } = await lookUp(serial, format, { scope, role }, context, ready)
    if (field !== undefined) return { raw: fieldOf(data, field) }
    const { summary, whole } = await certificateResult(
      response,
      data,
      { scope, role, format, folder: folder() },
      context,
    )
    return whole ?? { data: asJson(summary), view: issuedView }
  },
})

/** A part of the credential, ending with a newline; the chain is its certificates concatenated. */
function fieldOf(credential: api.Credential, field: (typeof fieldNames)[number]): string {
  const parts = [credential[field] ?? ''].flat()
  const whole = parts.map((part) => (part.endsWith('\n') ? part : `${part}\n`)).join('')
  if (whole.trim() === '') throw new TugError('not_found', `the credential has no ${field}`)
  return whole
}
