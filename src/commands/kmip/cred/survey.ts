import * as api from '../../../api/kmip.ts'
import { listNames } from '../../../api/secrets.ts'
import type { Failure } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import type { Outcome } from '../../../bulk/reads.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { HttpRequest } from '../../../core/request.ts'
import type { CertificateFacts } from './certificate.ts'
import { certificateFacts, credentialParts } from './certificate.ts'
import type { Role } from './place.ts'
import { lookUp } from './place.ts'

/** A certificate and the role that it belongs to. */
export interface Found extends Role {
  readonly serial: string
}

/** The certificates of a role, of a scope or of the whole engine, and the scopes and roles that could not be read. */
export interface Survey {
  readonly found: readonly Found[]
  readonly failures: readonly Failure[]
}

/** Lists serial numbers. Throws the failure of what was named; those of scopes and roles below are in the result. */
export async function findCertificates(bulk: Bulk, scope?: string, role?: string): Promise<Survey> {
  const namesOf = (request: HttpRequest) => listNames(bulk.context, request, { emptyWhen404: true })
  const rolesOf = async (of: string) =>
    (await namesOf(api.listRoles({ scope: of }))).map((name) => ({ scope: of, role: name }))
  const serialsOf = async (of: Role) => (await namesOf(api.listCredentials(of))).map((serial) => ({ ...of, serial }))
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

/** Looks each certificate up. The facts are undefined for one that was revoked since the list was read. */
export async function lookUpEach(bulk: Bulk, found: readonly Found[]): Promise<LookedUp[]> {
  const looked: LookedUp[] = []
  const work = (one: Found) => readFacts(bulk.context, one).catch(whereGone)
  const outcomes = bulk.read('looking up certificates', found, work, { total: found.length })
  for await (const outcome of outcomes) looked.push(outcome)
  return looked
}

export type LookedUp = Outcome<Found, CertificateFacts | undefined>

function whereGone(error: unknown): undefined {
  if (!(error instanceof TugError) || error.code !== 'not_found') throw error
}

/** What a certificate says of itself. Throws "not found" for one that the role doesn't have. */
export async function readFacts(context: Context, { serial, ...role }: Found): Promise<CertificateFacts> {
  const { data } = await lookUp(serial, 'pem', role, context)
  const facts = await certificateFacts(credentialParts(data, 'pem'), serial)
  if (facts === undefined) throw new TugError('failed', 'the certificate cannot be read')
  return facts
}
