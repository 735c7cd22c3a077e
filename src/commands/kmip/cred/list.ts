import type { BulkReads, Failure, BulkRead } from '../../../read/bulk.ts'
import { openReads, reportFailures } from '../../../read/bulk.ts'
import * as api from '../../../api/kmip.ts'
import { listNames, sendList } from '../../../api/secrets.ts'
import { asJson } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { formatSpan } from '../../../core/duration.ts'
import { exitCodes, TugError } from '../../../core/errors.ts'
import { flag } from '../../../core/param.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { plural } from '../../../core/words.ts'
import type { CertificateFacts } from './certificate.ts'
import { certificateFacts, credentialParts } from './certificate.ts'
import type { Role } from './params.ts'
import { lookUp, optionalArguments, detailsOf } from './params.ts'
import { detailsView, serialsView, serialView } from './view.ts'

/** May read many roles and certificates. */
export const credList = command({
  name: 'list',
  summary: 'List the certificates of a role, a scope or the whole engine',
  description: '--details and --expiring look each certificate up. kmip cred renew replaces one of them.',
  endpoint: api.listCredentials,
  also: [api.listScopes, api.listRoles, api.lookupCredential],
  params: {
    ...optionalArguments,
    details: flag.boolean('look each one up: subject, expiry'),
    expiring: flag.longDuration('only certificates that expire within this time, such as 30d, or have expired'),
    exitCode: flag.boolean('exit 9 when --expiring finds any', { needs: ['expiring'] }),
  },
  examples: [
    { line: 'kmip cred list storage backup', note: 'serial numbers of one role' },
    {
      line: 'kmip cred list --expiring 30d --exit-code',
      note: 'everything that expires within 30 days, for a nightly check',
    },
  ],
  async run({ scope, role, details, expiring, exitCode }, context): Promise<Result> {
    if (expiring?.warning !== undefined) context.io.warnAlways(`--expiring ${expiring.warning}`)
    const looksUp = details === true || expiring !== undefined
    if (scope !== undefined && role !== undefined && !looksUp) {
      const empty = emptyWords({ scope, role }, 0)
      const request = api.listCredentials({ scope, role })
      const { value: data, body: rawBody } = await sendList(context, request)
      return {
        data,
        rawBody,
        view: { ...serialView(context.settings.format), empty },
        finish: () => {
          if (context.io.terminal.stdout && data.length > 0)
            context.io.hint(`with subject and expiry: ${detailsOf({ scope, role }, context)}`)
        },
      }
    }
    const bulk = openReads(context)
    const { found, failures } = await findCertificates(bulk, scope, role)
    const spread = role === undefined
    if (!looksUp) {
      reportFailures(context.io, failures, true)
      const view = serialsView(emptyWords({ scope, role }, found.length))
      return { data: asJson(found), view, exitCode: failures.length > 0 ? exitCodes.partial : 0 }
    }
    const looked = await lookUpEach(bulk, found)
    const unread = [
      ...failures,
      ...looked.flatMap((one) => ('error' in one ? [{ item: one.item.serial_number, error: one.error }] : [])),
    ]
    reportFailures(context.io, unread, looked.length === 0 || looked.some((one) => 'value' in one))
    const limit = expiring === undefined ? Infinity : context.now().getTime() + expiring.milliseconds
    const rows = looked.flatMap((one): (CertificateFacts & Partial<Role>)[] => {
      if ('error' in one || one.value === undefined) return []
      return [spread ? { ...one.item, ...one.value } : one.value]
    })
    const shown = rows.filter((row) => Date.parse(row.not_after) <= limit)
    const isFinding = exitCode === true && shown.length > 0
    return {
      data: asJson(shown),
      view: detailsView(emptyWords({ scope, role }, found.length, expiring?.milliseconds), spread),
      exitCode: unread.length > 0 ? exitCodes.partial : isFinding ? exitCodes.differences : 0,
    }
  },
})

function emptyWords(
  { scope, role }: { readonly scope: string | undefined; readonly role: string | undefined },
  count: number,
  expiring?: number,
): string {
  // The engine's response is the same for an empty role and for a missing one.
  if (count === 0 && role !== undefined) return `no certificates in ${scope}/${role}, or no such role`
  if (count === 0 && scope !== undefined) return `no certificates in ${scope}, or no such scope`
  if (count === 0 || expiring === undefined) return 'no certificates'
  return `none of ${plural(count, 'certificate')} expires within ${formatSpan(expiring)}`
}

/** A certificate and the role that it belongs to. */
export type Found = Role & Pick<CertificateFacts, 'serial_number'>

/** Certificates, and the scopes and roles that could not be read. */
export interface Survey {
  readonly found: readonly Found[]
  readonly failures: readonly Failure[]
}

/** Lists the certificates of a role, a scope or the engine. Throws if that can't be read; other failures are in the result. */
export async function findCertificates(bulk: BulkReads, scope?: string, role?: string): Promise<Survey> {
  const namesOf = (request: HttpRequest) => listNames(bulk.context, request)
  const rolesOf = async (of: string) =>
    (await namesOf(api.listRoles({ scope: of }))).map((name) => ({ scope: of, role: name }))
  const serialsOf = async (of: Role) =>
    (await namesOf(api.listCredentials(of))).map((serial) => ({ ...of, serial_number: serial }))
  if (scope !== undefined && role !== undefined) return { found: await serialsOf({ scope, role }), failures: [] }
  const failures: Failure[] = []
  const readEach = async <Item, T>(items: readonly Item[], nameOf: (item: Item) => string, work: Work<Item, T>) => {
    const all: T[] = []
    for await (const outcome of bulk.read('listing certificates', items, work)) {
      if ('error' in outcome) failures.push({ item: nameOf(outcome.item), error: outcome.error })
      else all.push(...outcome.value)
    }
    return all
  }
  const roles =
    scope === undefined ? await readEach(await namesOf(api.listScopes({})), (of) => of, rolesOf) : await rolesOf(scope)
  return { found: await readEach(roles, (of) => `${of.scope}/${of.role}`, serialsOf), failures }
}

type Work<Item, T> = (item: Item) => Promise<readonly T[]>

/** Looks up each certificate. The facts are undefined if it was revoked since the list was read. */
export async function lookUpEach(bulk: BulkReads, found: readonly Found[]): Promise<LookedUp[]> {
  const looked: LookedUp[] = []
  const work = (one: Found) =>
    readFacts(bulk.context, one).catch((error: unknown) => {
      if (error instanceof TugError && error.code === 'not_found') return undefined
      throw error
    })
  const outcomes = bulk.read('looking up certificates', found, work)
  for await (const outcome of outcomes) looked.push(outcome)
  return looked
}

export type LookedUp = BulkRead<Found, CertificateFacts | undefined>

/** Looks up a certificate. Throws "not found" if the role doesn't have it. */
export async function readFacts(
  context: Context,
  { serial_number: serial, ...role }: Found,
): Promise<CertificateFacts> {
  const { data } = await lookUp(serial, 'pem', role, context)
  const facts = await certificateFacts(credentialParts(data, 'pem'), serial)
  if (facts === undefined) throw new TugError('failed', 'the certificate cannot be read')
  return facts
}
