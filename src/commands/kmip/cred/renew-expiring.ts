import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as api from '../../../api/kmip.ts'
import { listNames } from '../../../api/secrets-list.ts'
import { at, text } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import { mapConcurrently } from '../../../core/concurrent.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes, TugError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { CertificateFacts } from './certificate.ts'
import { certificateFacts, credentialParts } from './certificate.ts'
import type { Role } from './place.ts'
import { lineFor, lookUp } from './place.ts'

const requestsAtOnce = 8

/** What to renew, and how. */
export interface Renewal {
  readonly scope: string | undefined
  readonly role: string | undefined
  /** The certificate to renew; undefined to look for what expires. */
  readonly serial: string | undefined
  /** In milliseconds: what ends within this time, or has ended, is renewed. */
  readonly within: number
  readonly outDir: string
  readonly extension: 'pem' | 'der'
  /** Issues a certificate into the folder in place of the old one; returns what it printed of it. */
  readonly issue: (role: Role, folder: string, old: CertificateFacts) => Promise<JsonObject>
}

/**
 * Renews what expires soon: the certificate of a role into `outDir`, or those of every role, each into a folder below it named
 * after the first certificate that it replaces. What a folder holds is renewed in place, so running twice is the same as once.
 */
export async function renewExpiring(renewal: Renewal, context: Context): Promise<Result> {
  const { scope, role, outDir } = renewal
  const limit = context.now().getTime() + renewal.within
  if (scope !== undefined && role !== undefined) {
    const data = await renewInto(outDir, { scope, role }, { ...renewal, limit }, context)
    return { data, view: renewedView }
  }
  const rows: JsonObject[] = []
  for (const place of await rolesOf(scope, context))
    rows.push(...(await renewRole(place, { ...renewal, limit }, context)))
  const hasFailed = rows.some((row) => at(row, 'error') !== undefined)
  return { data: rows, view: renewedView, exitCode: hasFailed ? exitCodes.partial : 0 }
}

interface Limited extends Renewal {
  /** Milliseconds since 1970: what ends by then is renewed. */
  readonly limit: number
}

/** Renews one certificate of a role: the one that was named, the one in the folder, or the only one that expires. */
async function renewInto(folder: string, place: Role, renewal: Limited, context: Context): Promise<JsonObject> {
  const { limit, serial, extension } = renewal
  const filed = await certificateIn(resolve(context.io.cwd, folder), extension)
  if (filed !== undefined && endOf(filed) > limit && filed.serial_number !== serial)
    return unchanged(place, filed, folder)
  if (serial !== undefined) return renewOne(place, folder, await factsOf(place, serial, context), renewal)
  const found = await expiringOf(place, limit, context)
  const inPlace = found.find((one) => one.serial_number === filed?.serial_number)
  if (inPlace === undefined && found.length > 1) throw severalExpire(place, found.length, context)
  return renewOne(place, folder, inPlace ?? found[0], renewal)
}

async function renewRole(place: Role, renewal: Limited, context: Context): Promise<JsonObject[]> {
  const folder = join(renewal.outDir, place.scope, place.role)
  const rows: JsonObject[] = []
  const attempt = async (into: string, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof TugError) || error.code === 'interrupted') throw error
      context.io.warn(`${place.scope}/${place.role}: ${error.message}`)
      rows.push({ ...unchanged(place, undefined, into), error: error.message })
    }
  }
  await attempt(folder, async () => {
    const filed = await filedBelow(folder, renewal.extension, context)
    for (const old of await expiringOf(place, renewal.limit, context)) {
      const own = join(folder, old.serial_number)
      const successor = filed.get(own)
      const [inPlace = own] = [...filed].find(([, one]) => one.serial_number === old.serial_number) ?? []
      await attempt(inPlace, async () =>
        rows.push(
          successor === undefined ? await renewOne(place, inPlace, old, renewal) : unchanged(place, successor, own),
        ),
      )
    }
  })
  return rows
}

async function renewOne(
  place: Role,
  folder: string,
  old: CertificateFacts | undefined,
  { limit, issue }: Limited,
): Promise<JsonObject> {
  if (old === undefined || endOf(old) > limit) return unchanged(place, old, folder)
  const issued = await issue(place, folder, old)
  return { action: 'renew', ...place, changed: true, ...issued, folder, replaces: old.serial_number }
}

function unchanged(place: Role, facts: CertificateFacts | undefined, folder: string): JsonObject {
  const { serial_number = null, not_after = null } = facts ?? {}
  return { action: 'renew', ...place, changed: false, serial_number, not_after, folder }
}

function severalExpire(place: Role, count: number, context: Context): TugError {
  return new TugError('usage', `${count} certificates of the role expire soon; nothing was renewed`, {
    hints: [
      `name one with --serial: ${lineFor('list', place, context, '--details')}`,
      `or renew them all: ${context.commandLine('kmip cred renew', place.scope)} --if-expiring <duration> --out-dir <dir>`,
    ],
  })
}

/**
 * The certificates of a role that end by the limit. One that has ended counts only if the role has no valid one, and then only
 * the last: what is long gone needs no successor.
 */
async function expiringOf(place: Role, limit: number, context: Context): Promise<CertificateFacts[]> {
  const serials = await listNames(context, api.listCredentials(place), { emptyWhen404: true })
  const facts: CertificateFacts[] = []
  for await (const one of mapConcurrently(serials, requestsAtOnce, async (each) => factsOf(place, each, context)))
    facts.push(one)
  const now = context.now().getTime()
  const valid = facts.filter((one) => endOf(one) > now)
  if (valid.length > 0) return valid.filter((one) => endOf(one) <= limit)
  return facts.toSorted((one, other) => endOf(other) - endOf(one)).slice(0, 1)
}

async function factsOf(role: Role, serial: string, context: Context): Promise<CertificateFacts> {
  const { data } = await lookUp(serial, 'pem', role, context)
  const facts = await certificateFacts(credentialParts(data, 'pem'), serial)
  if (facts === undefined) throw new TugError('failed', `certificate ${serial} cannot be read`)
  return facts
}

async function certificateIn(folder: string, extension: string): Promise<CertificateFacts | undefined> {
  const certificate = await readFile(join(folder, `certificate.${extension}`)).catch(() => undefined)
  return certificate === undefined ? undefined : certificateFacts({ certificate }, '')
}

/** The certificates in the folders of a role, by folder. */
async function filedBelow(folder: string, extension: string, { io }: Context): Promise<Map<string, CertificateFacts>> {
  const names = await readdir(resolve(io.cwd, folder)).catch(() => [])
  const found = new Map<string, CertificateFacts>()
  for (const name of names) {
    const facts = await certificateIn(resolve(io.cwd, folder, name), extension)
    if (facts !== undefined) found.set(join(folder, name), facts)
  }
  return found
}

async function rolesOf(scope: string | undefined, context: Context): Promise<Role[]> {
  const scopes = scope === undefined ? await listNames(context, api.listScopes({}), { emptyWhen404: true }) : [scope]
  const roles: Role[] = []
  for await (const some of mapConcurrently(scopes, requestsAtOnce, async (of) => {
    const names = await listNames(context, api.listRoles({ scope: of }), { emptyWhen404: true })
    return names.map((role) => ({ scope: of, role }))
  }))
    roles.push(...some)
  return roles
}

function endOf({ not_after }: CertificateFacts): number {
  return Date.parse(not_after)
}

const column = (name: string) => ({ name, value: (row: Json) => at(row, name), whole: true })

const renewedView = list<Json>(
  [
    column('scope'),
    column('role'),
    {
      ...column('changed'),
      title: 'renewed',
      show: (row) =>
        text(row, 'error') !== undefined
          ? cell('failed', 'bad')
          : cell(at(row, 'changed') === true ? 'yes' : 'no', at(row, 'changed') === true ? 'good' : undefined),
    },
    { ...column('not_after'), title: 'expires' },
    column('serial_number'),
    { ...column('folder'), whole: false },
    { ...column('error'), whole: false },
  ],
  (row) => text(row, 'serial_number') ?? '',
  { empty: 'no certificate expires that soon', usual: ['scope', 'role', 'changed', 'not_after', 'serial_number'] },
)
