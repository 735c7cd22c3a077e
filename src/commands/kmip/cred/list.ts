import * as api from '../../../api/kmip.ts'
import { text } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import { counted, mapConcurrently } from '../../../core/concurrent.ts'
import type { Context } from '../../../core/context.ts'
import { formatSpan } from '../../../core/duration.ts'
import { exitCodes, TugError, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { certificateFacts, credentialParts } from './certificate.ts'
import type { Role } from './place.ts'
import { lookUp, place } from './place.ts'
import { detailsView } from './view.ts'
import { listNames, listResult } from '../../../api/secrets-list.ts'

const lookupsAtOnce = 8

export const credList = command({
  name: 'list',
  summary: 'List the serial numbers of the certificates of a role',
  description:
    '--details and --expiring look each certificate up, several at a time. With --exit-code, --expiring exits 9 when it finds any.',
  endpoint: api.listCredentials,
  also: [api.lookupCredential],
  params: {
    ...place,
    details: flag.boolean('look each one up: subject, expiry'),
    expiring: flag.duration('only those that end within this time (ended ones too)'),
    exitCode: flag.boolean('exit 9 when --expiring finds any'),
  },
  examples: [
    { line: 'kmip cred list storage backup', note: 'serial numbers' },
    { line: 'kmip cred list storage backup --expiring 7d --exit-code', note: 'for a nightly check' },
  ],
  async run({ scope, role, details, expiring, exitCode }, context): Promise<Result> {
    if (exitCode === true && expiring === undefined) throw usageError('--exit-code goes with --expiring <duration>')
    const request = api.listCredentials({ scope, role })
    const none = `no certificates of role ${role} in ${scope}`
    if (details !== true && expiring === undefined) {
      return listResult(context, request, { emptyWhen404: true, column: 'serial', empty: none })
    }
    const serials = await listNames(context, request, { emptyWhen404: true })
    const { rows, failed } = await lookEachUp(serials, { scope, role }, context)
    const limit = context.now().getTime() + (expiring ?? 0)
    const found =
      expiring === undefined ? rows : rows.filter((row) => Date.parse(text(row, 'not_after') ?? '') <= limit)
    const status = failed > 0 ? exitCodes.partial : exitCode === true && found.length > 0 ? exitCodes.differences : 0
    const empty =
      expiring === undefined || serials.length === 0
        ? none
        : `none of ${serials.length} ends within ${formatSpan(expiring)}`
    return { data: found, view: detailsView(empty), exitCode: status }
  },
})

async function lookEachUp(
  serials: readonly string[],
  role: Role,
  context: Context,
): Promise<{ rows: Json[]; failed: number }> {
  const rows: Json[] = []
  let failed = 0
  const outcomes = mapConcurrently(serials, lookupsAtOnce, async (serial) => {
    try {
      const { data } = await lookUp(serial, 'pem', role, context)
      const facts = await certificateFacts(credentialParts(data, 'pem'), serial)
      return facts ?? new TugError('failed', 'the certificate cannot be read')
    } catch (error) {
      // A certificate revoked since the list was read isn't a failure.
      if (error instanceof TugError && error.code === 'not_found') return undefined
      if (error instanceof TugError && error.code !== 'interrupted') return error
      throw error
    }
  })
  let index = 0
  for await (const outcome of counted(context.io, 'looking up certificates', outcomes, serials.length)) {
    const serial = serials[index] as string
    index += 1
    if (outcome instanceof TugError) {
      failed += 1
      context.io.warn(`${serial}: ${outcome.message}`)
    } else if (outcome !== undefined) rows.push({ ...outcome })
  }
  return { rows, failed }
}
