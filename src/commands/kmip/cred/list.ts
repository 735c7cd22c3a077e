import * as api from '../../../api/kmip.ts'
import { listNames, listResult } from '../../../api/secrets-list.ts'
import { text } from '../../../core/answer.ts'
import type { Result, ValueResult } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import { counted, mapConcurrently } from '../../../core/concurrent.ts'
import type { Context } from '../../../core/context.ts'
import { formatSpan } from '../../../core/duration.ts'
import { exitCodes, TugError, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { plural } from '../../../core/words.ts'
import { certificateFacts, credentialParts } from './certificate.ts'
import type { Role } from './place.ts'
import { lineFor, lookUp, optionalPlace } from './place.ts'
import { detailsView, serialsView, serialView } from './view.ts'

const requestsAtOnce = 8

export const credList = command({
  name: 'list',
  summary: 'List the certificates of a role, a scope or the whole engine',
  description:
    'Without a role, the certificates of every role of the scope are listed; without a scope, those of the whole engine. --details and --expiring look each certificate up, several at a time. With --exit-code, --expiring exits 9 when it finds any. kmip cred renew replaces one of them.',
  endpoint: api.listCredentials,
  also: [api.listScopes, api.listRoles, api.lookupCredential],
  params: {
    ...optionalPlace,
    details: flag.boolean('look each one up: subject, expiry'),
    expiring: flag.longDuration('only those that end within this time, such as 30d, or have ended'),
    exitCode: flag.boolean('exit 9 when --expiring finds any'),
  },
  examples: [
    { line: 'kmip cred list storage backup', note: 'serial numbers of one role' },
    {
      line: 'kmip cred list --expiring 30d --exit-code',
      note: 'everything that ends within 30 days, for a nightly check',
    },
  ],
  async run({ scope, role, details, expiring, exitCode }, context): Promise<Result> {
    if (exitCode === true && expiring === undefined) throw usageError('--exit-code needs --expiring <duration>')
    if (expiring?.doubt !== undefined) context.io.warn(`--expiring ${expiring.doubt}`)
    const within = expiring?.milliseconds
    const looksUp = details === true || expiring !== undefined
    if (scope !== undefined && role !== undefined && !looksUp) {
      const empty = `no certificates of role ${role} in ${scope}`
      const request = api.listCredentials({ scope, role })
      const result = await listResult(context, request, { emptyWhen404: true, column: 'serial', empty })
      return { ...result, view: { ...serialView, empty }, finish: () => hintDetails(context, { scope, role }, result) }
    }
    const survey: Survey = { context, failures: 0 }
    const found = await certificatesOf(survey, scope, role)
    const spread = role === undefined
    if (!looksUp) {
      const data = found.map(({ scope: of, role: by, serial }) => ({ scope: of, role: by, serial_number: serial }))
      return { data, view: serialsView, exitCode: survey.failures > 0 ? exitCodes.partial : 0 }
    }
    const rows = await lookEachUp(survey, found, spread)
    const limit = context.now().getTime() + (within ?? 0)
    const shown =
      expiring === undefined ? rows : rows.filter((row) => Date.parse(text(row, 'not_after') ?? '') <= limit)
    const isFinding = exitCode === true && shown.length > 0
    return {
      data: shown,
      view: detailsView(emptyWords({ scope, role }, found.length, within), spread),
      exitCode: survey.failures > 0 ? exitCodes.partial : isFinding ? exitCodes.differences : 0,
    }
  },
})

/** What a list of serial numbers lacks, for people. */
function hintDetails(context: Context, role: Role, { data }: ValueResult): void {
  if (!context.io.terminal.stdout || (data as readonly Json[]).length === 0) return
  context.io.hint(`with subject and expiry: ${lineFor('list', role, context, '--details')}`)
}

function emptyWords(
  { scope, role }: { readonly scope: string | undefined; readonly role: string | undefined },
  count: number,
  expiring: number | undefined,
): string {
  // The engine answers alike for what is empty and what is not there.
  if (count === 0 && role !== undefined) return `no certificates in ${scope}/${role}, or no such role`
  if (count === 0 && scope !== undefined) return `no certificates in ${scope}, or no such scope`
  if (count === 0 || expiring === undefined) return 'no certificates'
  return `none of ${plural(count, 'certificate')} ends within ${formatSpan(expiring)}`
}

/** A certificate and the role that it belongs to. */
interface Found extends Role {
  readonly serial: string
}

/** A walk through the engine; what cannot be read is reported and counted, and the rest goes on. */
interface Survey {
  readonly context: Context
  failures: number
}

async function certificatesOf(survey: Survey, scope?: string, role?: string): Promise<Found[]> {
  const namesOf = (request: HttpRequest) => listNames(survey.context, request, { emptyWhen404: true })
  const rolesOf = async (of: string) =>
    (await namesOf(api.listRoles({ scope: of }))).map((name) => ({ scope: of, role: name }))
  const serialsOf = async (of: Role) => (await namesOf(api.listCredentials(of))).map((serial) => ({ ...of, serial }))
  if (scope !== undefined && role !== undefined) return serialsOf({ scope, role })
  const roles: Role[] = scope === undefined ? [] : await rolesOf(scope)
  const scopes = scope === undefined ? await namesOf(api.listScopes({})) : []
  for await (const some of eachOf(survey, scopes, (of) => of, rolesOf)) roles.push(...some)
  const found: Found[] = []
  for await (const some of eachOf(survey, roles, (of) => `${of.scope}/${of.role}`, serialsOf)) found.push(...some)
  return found
}

/** The results of `work` in order; a failure is a warning that names the item. */
async function* eachOf<T, R>(
  survey: Survey,
  items: readonly T[],
  named: (item: T) => string,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const attempts = mapConcurrently(items, requestsAtOnce, async (item) => {
    try {
      return { result: await work(item) }
    } catch (error) {
      if (error instanceof TugError && error.code !== 'interrupted') return { error, item }
      throw error
    }
  })
  for await (const attempt of attempts) {
    if ('result' in attempt) {
      yield attempt.result
      continue
    }
    survey.failures += 1
    survey.context.io.warn(`${named(attempt.item)}: ${attempt.error.message}`)
  }
}

async function lookEachUp(survey: Survey, found: readonly Found[], spread: boolean): Promise<Json[]> {
  const { context } = survey
  const rows: Json[] = []
  const looked = eachOf(
    survey,
    found,
    ({ serial }) => serial,
    async ({ scope, role, serial }) => {
      const facts = await factsOf({ scope, role }, serial, context)
      if (facts === undefined) return undefined
      return spread ? { scope, role, ...facts } : { ...facts }
    },
  )
  for await (const row of counted(context.io, 'looking up certificates', looked, found.length)) {
    if (row !== undefined) rows.push(row)
  }
  return rows
}

/** What a certificate says of itself; undefined for one that was revoked since the list was read. */
async function factsOf(role: Role, serial: string, context: Context) {
  try {
    const { data } = await lookUp(serial, 'pem', role, context)
    const facts = await certificateFacts(credentialParts(data, 'pem'), serial)
    if (facts === undefined) throw new TugError('failed', 'the certificate cannot be read')
    return facts
  } catch (error) {
    if (error instanceof TugError && error.code === 'not_found') return undefined
    throw error
  }
}
