import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Failure } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import type { Done } from '../../../bulk/task.ts'
import { bulkResult } from '../../../bulk/result.ts'
import { asJson } from '../../../core/answer.ts'
import type { ValueResult } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { Cell, Showing } from '../../../core/output.ts'
import type { CertificateFacts } from './certificate.ts'
import { certificateFacts } from './certificate.ts'
import type { IssueSummary } from './issue.ts'
import type { Role } from './place.ts'
import { lineFor } from './place.ts'
import type { Found, LookedUp } from './list.ts'
import { findCertificates, lookUpEach, readFacts } from './list.ts'
import { expiry } from './view.ts'

/** What to renew, and how. */
export interface Renewal {
  /** In milliseconds: what ends within this time, or has ended, is renewed. */
  readonly within: number
  readonly outDir: string
  readonly extension: 'pem' | 'der'
  /** Issues a certificate into the folder in place of the old one; returns what it printed of it. */
  readonly issue: (context: Context, role: Role, folder: string, old: CertificateFacts) => Promise<IssueSummary>
}

/** What became of a certificate. */
interface Row extends Role {
  readonly action: 'renew'
  readonly changed: boolean
  readonly serial_number: string | null
  readonly not_after: string | null
  readonly folder: string
  readonly replaces?: string
  readonly error?: string
}

/**
 * Renews one certificate of a role into `outDir`: the one that was named, the one in the folder, or the only one that expires. What
 * the folder holds is renewed in place, so running twice is the same as once.
 */
export async function renewOfRole(
  bulk: Bulk,
  role: Role,
  serial: string | undefined,
  renewal: Renewal,
): Promise<ValueResult> {
  const { outDir: folder, extension } = renewal
  const { context } = bulk
  const limit = limitOf(context, renewal)
  const resultOf = (row: Row) => ({ data: asJson(row), view: renewedView })
  const filed = await certificateIn(resolve(context.io.cwd, folder), extension)
  if (filed !== undefined && endOf(filed) > limit && filed.serial_number !== serial)
    return resultOf(unchanged(role, filed, folder))
  const expiring =
    serial === undefined ? await expiringOf(bulk, role, limit) : [await readFacts(context, { ...role, serial })]
  const inPlace = expiring.find((one) => one.serial_number === filed?.serial_number)
  if (inPlace === undefined && expiring.length > 1) throw severalExpire(role, expiring.length, context)
  const old = inPlace ?? expiring[0]
  if (old === undefined || endOf(old) > limit) return resultOf(unchanged(role, old, folder))
  return resultOf(renewedRow(role, folder, old, await renewal.issue(context, role, folder, old)))
}

/** Renews what expires in a scope or the engine, each certificate in a folder below `outDir` named after the first it replaces. */
export async function renewMany(bulk: Bulk, scope: string | undefined, renewal: Renewal): Promise<ValueResult> {
  const { context } = bulk
  const { found, failures } = await findCertificates(bulk, scope)
  const plan: Plan = { rows: [], due: [], failures: [...failures] }
  for (const looked of byRole(await lookUpEach(bulk, found))) await planRole(context, looked, renewal, plan)
  const { rows, due } = plan
  const act = async ({ index, role, folder, old }: Due, here: Context): Promise<Done> => {
    try {
      const issued = await renewal.issue(here, role, folder, old)
      rows[index] = renewedRow(role, folder, old, issued)
      return { before: old.serial_number, after: issued.serial_number }
    } catch (error) {
      if (!(error instanceof TugError) || error.code === 'interrupted') throw error
      rows[index] = { ...unchanged(role, old, folder), error: error.message }
      // A folder that cannot be used doesn't stop the others.
      throw error.code === 'usage' ? error.with({ code: 'failed' }) : error
    }
  }
  const account = await bulk.run<Due>({
    what: 'renewing certificates',
    items: due,
    total: due.length,
    nameOf: ({ role, old }) => `${nameOf(role)}/${old.serial_number}`,
    act: (item, run) => act(item, run.context),
  })
  const { failure } = bulkResult(bulk, account, {
    noun: 'certificate',
    action: 'renew',
    what: {},
    done: '',
    branches: plan.failures,
  })
  return { data: asJson(rows), view: renewedView, ...(failure === undefined ? {} : { failure }) }
}

interface Plan {
  /** A row for each certificate that expires, and for each role that cannot be read. */
  readonly rows: Row[]
  readonly due: Due[]
  readonly failures: Failure[]
}

/** A certificate to renew, and its place among the rows. */
interface Due {
  readonly index: number
  readonly role: Role
  readonly folder: string
  readonly old: CertificateFacts
}

/** Adds a role's certificates to the plan. Nothing of a role is renewed unless all of it can be read. */
async function planRole(
  context: Context,
  looked: readonly LookedUp[],
  { within, outDir, extension }: Renewal,
  { rows, due, failures }: Plan,
): Promise<void> {
  const { scope, role: name } = (looked[0] as LookedUp).item
  const role = { scope, role: name }
  const folder = join(outDir, scope, name)
  const failed = looked.find((one) => 'error' in one) ?? unfiled(looked)
  if (failed !== undefined) {
    failures.push({ item: `${nameOf(role)}/${failed.item.serial}`, error: failed.error })
    rows.push({ ...unchanged(role, undefined, folder), error: failed.error.message })
    return
  }
  const filed = await filedBelow(folder, extension, context)
  for (const old of expiringAmong(looked, context, limitOf(context, { within }))) {
    const own = join(folder, old.serial_number)
    const successor = filed.get(own)
    const [inPlace = own] = [...filed].find(([, one]) => one.serial_number === old.serial_number) ?? []
    if (successor === undefined) due.push({ index: rows.length, role, folder: inPlace, old })
    rows.push(successor === undefined ? unchanged(role, old, inPlace) : unchanged(role, successor, own))
  }
}

/** A certificate whose names, which are the server's, would lead out of the folder of all. */
function unfiled(looked: readonly LookedUp[]): { readonly item: Found; readonly error: TugError } | undefined {
  for (const { item } of looked) {
    const name = [item.scope, item.role, item.serial].find((one) => /^\.{0,2}$|[/\\\0]/.test(one))
    if (name !== undefined) return { item, error: new TugError('failed', `'${name}' cannot be the name of a folder`) }
  }
  return undefined
}

function byRole(looked: readonly LookedUp[]): Iterable<LookedUp[]> {
  const groups = new Map<string, LookedUp[]>()
  for (const one of looked) groups.set(nameOf(one.item), [...(groups.get(nameOf(one.item)) ?? []), one])
  return groups.values()
}

function nameOf({ scope, role }: Role): string {
  return `${scope}/${role}`
}

function renewedRow(
  role: Role,
  folder: string,
  { serial_number: replaces }: CertificateFacts,
  issued: IssueSummary,
): Row {
  return { action: 'renew', ...role, changed: true, ...issued, folder, replaces }
}

function unchanged(role: Role, facts: CertificateFacts | undefined, folder: string): Row {
  const { serial_number = null, not_after = null } = facts ?? {}
  return { action: 'renew', ...role, changed: false, serial_number, not_after, folder }
}

function severalExpire(role: Role, count: number, context: Context): TugError {
  return new TugError('usage', `${count} certificates of the role expire soon; nothing was renewed`, {
    hints: [
      `name one with --serial: ${lineFor('list', role, context, '--details')}`,
      `or renew them all: ${context.commandLine('kmip cred renew', role.scope)} --if-expiring <duration> --out-dir <dir>`,
    ],
  })
}

async function expiringOf(bulk: Bulk, { scope, role }: Role, limit: number): Promise<CertificateFacts[]> {
  const { found } = await findCertificates(bulk, scope, role)
  return expiringAmong(await lookUpEach(bulk, found), bulk.context, limit)
}

/**
 * The certificates of a role that end by the limit. One that has ended counts only if the role has no valid one, and then only
 * the last: what is long gone needs no successor. Throws the first failure.
 */
function expiringAmong(looked: readonly LookedUp[], context: Context, limit: number): CertificateFacts[] {
  const facts = looked.flatMap((one) => {
    if ('error' in one) throw one.error
    return one.value ?? []
  })
  const now = context.now().getTime()
  const valid = facts.filter((one) => endOf(one) > now)
  if (valid.length > 0) return valid.filter((one) => endOf(one) <= limit)
  return facts.toSorted((one, other) => endOf(other) - endOf(one)).slice(0, 1)
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

function endOf({ not_after }: CertificateFacts): number {
  return Date.parse(not_after)
}

/** Milliseconds since 1970: what ends by then is renewed. */
function limitOf(context: Context, { within }: Pick<Renewal, 'within'>): number {
  return context.now().getTime() + within
}

const renewedView = list<Row>(
  [
    { name: 'scope', value: (row) => row.scope, whole: true },
    { name: 'role', value: (row) => row.role, whole: true },
    { name: 'changed', title: 'renewed', value: (row) => row.changed, show: changeCell, whole: true },
    { name: 'not_after', title: 'expires', value: (row) => row.not_after, show: expiryCell, whole: true },
    { name: 'serial_number', title: 'serial', value: (row) => row.serial_number, whole: true },
    { name: 'folder', value: (row) => row.folder },
    { name: 'error', value: (row) => row.error },
  ],
  (row) => row.serial_number ?? '',
  { empty: 'no certificate expires that soon', usual: ['scope', 'role', 'changed', 'not_after', 'serial_number'] },
)

function expiryCell({ not_after: end }: Row, showing: Showing): Cell | string {
  return expiry(end ?? undefined, showing)
}

function changeCell({ error, changed }: Row): Cell {
  if (error !== undefined) return cell('failed', 'bad')
  return changed ? cell('yes', 'good') : cell('no')
}
