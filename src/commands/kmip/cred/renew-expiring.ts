import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Failure } from '../../../bulk/account.ts'
import { bulkResult } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import type { Done } from '../../../bulk/task.ts'
import type { ValueResult } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { grouped } from '../../../core/lists.ts'
import type { CertificateFacts } from './certificate.ts'
import { filedCertificate } from './certificate.ts'
import { readFiled } from './files.ts'
import type { Found, LookedUp } from './list.ts'
import { findCertificates, lookUpEach, readFacts } from './list.ts'
import { notAFolderName, severalExpire } from './messages.ts'
import type { Role } from './params.ts'
import type { Choices, Row } from './replace.ts'
import { renewedResult, replace, unchanged } from './replace.ts'

/**
 * Renews one certificate of a role that expires before the limit: the one that was named, the one in the folder, or the only one
 * there is. What the folder contains is renewed in place, so running twice is the same as once.
 */
export async function renewOfRole(
  bulk: Bulk,
  role: Role,
  serial: string | undefined,
  limit: number,
  choices: Choices,
): Promise<ValueResult> {
  const { context } = bulk
  const { outDir: folder } = choices
  const filed = await certificateIn(resolve(context.io.cwd, folder), choices)
  if (filed?.hasKey === true && endOf(filed) > limit && filed.serial_number !== serial)
    return renewedResult(unchanged(role, filed, folder))
  // A certificate without its key is of no use, however long it is valid.
  const useless = filed?.hasKey === false ? filed.serial_number : undefined
  const named = serial ?? useless
  const candidates =
    named === undefined
      ? await expiringOf(bulk, role, limit)
      : [await readFacts(context, { ...role, serial_number: named })]
  const inPlace = candidates.find((one) => one.serial_number === filed?.serial_number)
  if (inPlace === undefined && candidates.length > 1) throw severalExpire(candidates.length, role, context)
  const old = inPlace ?? candidates[0]
  const isDue = old !== undefined && (endOf(old) <= limit || old.serial_number === useless)
  return renewedResult(isDue ? await replace(old, role, folder, choices, context) : unchanged(role, old, folder))
}

async function expiringOf(bulk: Bulk, { scope, role }: Role, limit: number): Promise<CertificateFacts[]> {
  const { found } = await findCertificates(bulk, scope, role)
  return expiringAmong(await lookUpEach(bulk, found), limit, bulk.context)
}

/** Renews what expires in a scope or the engine, each certificate in a folder below `--out-dir` named after the first it replaces. */
export async function renewBelow(
  bulk: Bulk,
  scope: string | undefined,
  limit: number,
  choices: Choices,
): Promise<ValueResult> {
  const { found, failures } = await findCertificates(bulk, scope)
  const plan: Planned[] = []
  for (const [, looked] of grouped(await lookUpEach(bulk, found), ({ item }) => `${item.scope}/${item.role}`))
    plan.push(...(await planRole(looked, limit, choices, bulk.context)))
  const account = await bulk.run<Due>({
    what: 'renewing certificates',
    items: plan.filter((one) => one.old !== undefined) as Due[],
    nameOf: ({ row, old }) => nameOf({ ...row, ...old }),
    act: (item, run) => renewPlanned(item, choices, run.context),
  })
  const branches = [...failures, ...plan.flatMap(({ failure }) => failure ?? [])]
  const { failure } = bulkResult(bulk, account, { noun: 'certificate', action: 'renew', what: {}, done: '', branches })
  return { ...renewedResult(plan.map(({ row }) => row)), ...(failure === undefined ? {} : { failure }) }
}

/** A certificate that expires, or a role that cannot be read, and what became of it. */
interface Planned {
  row: Row
  /** The certificate to replace; undefined if there is nothing to do. */
  readonly old?: CertificateFacts
  readonly failure?: Failure
}

type Due = Planned & Required<Pick<Planned, 'old'>>

async function renewPlanned(item: Due, choices: Choices, context: Context): Promise<Done> {
  const { old, row } = item
  const { scope, role, folder } = row
  try {
    item.row = await replace(old, { scope, role }, folder, choices, context)
    return { before: old.serial_number, after: item.row.serial_number }
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    item.row = { ...row, error: error.message }
    // A folder that cannot be used doesn't stop the others.
    throw error.code === 'usage' ? error.with({ code: 'failed' }) : error
  }
}

/** A role's certificates that expire. Nothing of a role is renewed unless all of it can be read. */
async function planRole(
  looked: readonly LookedUp[],
  limit: number,
  choices: Choices,
  context: Context,
): Promise<Planned[]> {
  const { scope, role: name } = (looked[0] as LookedUp).item
  const role = { scope, role: name }
  const folder = join(choices.outDir, scope, name)
  const failed = looked.find((one) => 'error' in one) ?? unfiled(looked)
  if (failed !== undefined) {
    const { item, error } = failed
    const row = { ...unchanged(role, undefined, folder), error: error.message }
    return [{ row, failure: { item: nameOf(item), error } }]
  }
  const filed = await filedBelow(folder, choices, context)
  return expiringAmong(looked, limit, context).map((old) => {
    const own = join(folder, old.serial_number)
    const successor = filed.get(own)
    if (successor !== undefined) return { row: unchanged(role, successor, own) }
    const [inPlace = own] = [...filed].find(([, one]) => one.serial_number === old.serial_number) ?? []
    return { row: unchanged(role, old, inPlace), old }
  })
}

/** A certificate whose names, which are the server's, would lead out of the folder of all. */
function unfiled(looked: readonly LookedUp[]): { readonly item: Found; readonly error: TugError } | undefined {
  for (const { item } of looked) {
    const name = [item.scope, item.role, item.serial_number].find((one) => /^\.{0,2}$|[/\\\0]/.test(one))
    if (name !== undefined) return { item, error: notAFolderName(name) }
  }
  return undefined
}

function nameOf({ scope, role, serial_number: serial }: Found): string {
  return `${scope}/${role}/${serial}`
}

/**
 * The certificates of a role that end by the limit. One that has ended counts only if the role has no valid one, and then only
 * the last: what is long gone needs no successor. Throws the first failure.
 */
function expiringAmong(looked: readonly LookedUp[], limit: number, { now: clock }: Context): CertificateFacts[] {
  const facts = looked.flatMap((one) => {
    if ('error' in one) throw one.error
    return one.value ?? []
  })
  const now = clock().getTime()
  const valid = facts.filter((one) => endOf(one) > now)
  if (valid.length > 0) return valid.filter((one) => endOf(one) <= limit)
  return facts.toSorted((one, other) => endOf(other) - endOf(one)).slice(0, 1)
}

async function certificateIn(folder: string, { format = 'pem' }: Pick<Choices, 'format'>) {
  return filedCertificate(format, (file) => readFiled(folder, file))
}

/** The certificates in the folders of a role, by folder. */
async function filedBelow(folder: string, choices: Choices, { io }: Context): Promise<Map<string, CertificateFacts>> {
  const names = await readdir(resolve(io.cwd, folder)).catch(() => [])
  const found = new Map<string, CertificateFacts>()
  for (const name of names) {
    const facts = await certificateIn(resolve(io.cwd, folder, name), choices)
    if (facts?.hasKey === true) found.set(join(folder, name), facts)
  }
  return found
}

function endOf({ not_after }: CertificateFacts): number {
  return Date.parse(not_after)
}
