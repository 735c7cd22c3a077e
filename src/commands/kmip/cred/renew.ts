import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as api from '../../../api/kmip.ts'
import type { Failure } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import { openBulk } from '../../../bulk/engine.ts'
import { bulkFlags, refuseBulkFlags } from '../../../bulk/flags.ts'
import { bulkResult } from '../../../bulk/account.ts'
import type { Done } from '../../../bulk/task.ts'
import { asJson } from '../../../core/answer.ts'
import type { ValueResult } from '../../../core/command.ts'
import { cell, command, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { grouped } from '../../../core/lists.ts'
import type { Cell } from '../../../core/output.ts'
import type { Input } from '../../../core/param.ts'
import { flag } from '../../../core/param.ts'
import type { CertificateFacts } from './certificate.ts'
import { certificateFacts } from './certificate.ts'
import type { IssueSummary } from './generate.ts'
import { destinationOf, issueNew } from './generate.ts'
import type { Found, LookedUp } from './list.ts'
import { findCertificates, lookUpEach, readFacts } from './list.ts'
import {
  expiresBeforeOld,
  lifetimeIsRoles,
  nextForOld,
  notAFolderName,
  oldNotRevoked,
  oldUntouched,
  roleRequired,
  serialNeedsRole,
  severalExpire,
  unreadableFile,
} from './messages.ts'
import type { Role } from './params.ts'
import { certificateFlag, certificateFrom, outputFlags, onlyOne, optionalArguments, serialParams } from './params.ts'
import { expiry } from './view.ts'

/** How many certificates are issued at a time: the server makes a key for each. */
const renewalsAtOnce = 4

const params = {
  ...optionalArguments,
  ...serialParams,
  certificate: certificateFlag,
  ...outputFlags,
  outDir: flag.text('folder for certificate, chain and key (created 0700 if missing)', {
    placeholder: 'dir',
    complete: 'directory',
    required: true,
  }),
  ifExpiring: flag.longDuration('renew only what expires within this time, such as 30d, or has expired'),
  revokeOld: flag.boolean('revoke the old certificate once the new files are written'),
  parallel: flag.integer('how many at once', { min: 1, max: 256, defaultText: String(renewalsAtOnce) }),
  rate: bulkFlags.rate,
  maxFailures: bulkFlags.maxFailures,
}

export const renew = command({
  name: 'renew',
  summary: 'Issue a new certificate in place of one that expires soon, without a gap',
  description: `Issues a certificate with a new private key and writes it to --out-dir. The old one is not looked up; with --revoke-old it is revoked once the new files are written, and otherwise stays as it is. If the new one cannot be issued or written, the old one stays valid, and a new one that was issued is revoked.

With --if-expiring, nothing happens while the certificate in --out-dir, or the one that is named, is valid for longer, so it can run every night. Without a serial number, the certificate of the role that expires soon is renewed. Without a role, whatever expires soon is, each into --out-dir/<scope>/<role>/<serial number of the first>; --force lets later runs replace what is in there. A certificate that cannot be renewed doesn't stop the others; all that failed, may have been issued or were not sent are named at the end.`,
  also: [
    api.generateCredential,
    api.revokeCredential,
    api.lookupCredential,
    api.listCredentials,
    api.listRoles,
    api.listScopes,
  ],
  params,
  examples: [
    {
      line: 'kmip cred renew storage backup --serial 728181095563584845125173905844944137943705466376 --out-dir ./netapp-a1 --force --revoke-old',
      note: 'new files in place of the old ones, and the old certificate revoked',
    },
    {
      line: 'kmip cred renew storage backup --certificate client.pem --out-dir ./netapp-a1 --force --revoke-old',
      note: 'the same, with the serial number of the old file',
    },
    {
      line: 'kmip cred renew storage backup --certificate client.pem --if-expiring 30d --out-dir ./netapp-a1 --force',
      note: 'every night: nothing happens until 30 days before the end',
    },
  ],
  async run({ scope, role, ifExpiring, parallel, rate, maxFailures, ...input }, context) {
    if (ifExpiring?.doubt !== undefined) context.io.warn(`--if-expiring ${ifExpiring.doubt}`)
    const { number, serial, certificate } = input
    const named = [number, serial, certificate].filter((one) => one !== undefined)
    if (scope === undefined || role === undefined) {
      if (ifExpiring === undefined) throw roleRequired()
      if (named.length > 0) throw serialNeedsRole()
      const bulk = await openBulk(context, { parallel, rate, maxFailures }, bulkAction)
      return renewMany(bulk, scope, ifExpiring.milliseconds, input)
    }
    const owner = { scope, role }
    const isNamed = named.length > 0 || ifExpiring === undefined
    const former = isNamed ? await formerOf(owner, input, context) : undefined
    if (ifExpiring !== undefined) {
      const bulk = await openBulk(context, { parallel, rate, maxFailures }, bulkAction)
      return renewOfRole(bulk, owner, former?.serial_number, ifExpiring.milliseconds, input)
    }
    refuseBulkFlags({ parallel, rate, maxFailures }, 'needs --if-expiring')
    const old = former as Former
    const issued = await issueInPlaceOf(old, owner, input.outDir, input, context)
    if (input.revokeOld !== true && issued !== undefined) {
      context.io.note(oldUntouched(old.serial_number))
      for (const hint of nextForOld(old.serial_number, owner, context)) context.io.hint(hint)
    }
    return { data: asJson(renewedRow(owner, input.outDir, old, issued)), view: renewedView }
  },
})

const bulkAction = { action: 'kmip cred renew', parallel: renewalsAtOnce }

/** The flags that say how to renew. */
type Choices = Pick<Input<typeof params>, 'format' | 'outDir' | 'force' | 'revokeOld'>

/** A certificate to replace, and when it ends, if that is known. */
type Former = Pick<CertificateFacts, 'serial_number'> & Partial<CertificateFacts>

/** The old certificate as it was named. */
async function formerOf(
  role: Role,
  { number, serial, certificate }: Pick<Input<typeof params>, 'number' | 'serial' | 'certificate'>,
  context: Context,
): Promise<Former> {
  onlyOne([number, serial, certificate], '<serial>, --serial or --certificate', role, context)
  if (certificate === undefined) return { serial_number: (number ?? serial) as string }
  const { name, facts } = await certificateFrom(certificate, context.io)
  if (facts !== undefined) return facts
  throw unreadableFile(name)
}

/** Issues a certificate into the folder, and revokes the old one if that is wanted. Undefined in a dry run. */
async function issueInPlaceOf(
  { serial_number: serial, not_after: former }: Former,
  role: Role,
  folder: string,
  { format = 'pem', force, revokeOld }: Choices,
  context: Context,
): Promise<IssueSummary | undefined> {
  const destination = destinationOf(folder, { force, format, key: true }, context)
  const { summary } = await issueNew(role, format, destination, context)
  const ends = summary?.not_after ?? ''
  if (former !== undefined && Date.parse(ends) < Date.parse(former)) {
    context.io.warn(expiresBeforeOld(ends, former))
    context.io.hint(lifetimeIsRoles(role, context))
  }
  if (revokeOld === true) await revokeFormer(serial, role, folder, context)
  return summary
}

/** Revokes the old certificate. If that fails, the new files are safe all the same, which the error says. */
async function revokeFormer(serial: string, role: Role, outDir: string, context: Context): Promise<void> {
  const checkCommand = context.commandLine('kmip cred list', role.scope, role.role)
  const request = api.revokeCredential(role, { body: { serial_number: serial }, checkCommand })
  await context.http.send(request).catch((error: unknown) => {
    throw error instanceof TugError ? oldNotRevoked(serial, outDir, error, role, context) : error
  })
  context.io.note(`revoked ${serial}`)
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
 * Renews one certificate of a role: the one that was named, the one in the folder, or the only one that expires. What the folder
 * holds is renewed in place, so running twice is the same as once.
 */
async function renewOfRole(
  bulk: Bulk,
  role: Role,
  serial: string | undefined,
  within: number,
  choices: Choices,
): Promise<ValueResult> {
  const { context } = bulk
  const { outDir: folder } = choices
  const limit = context.now().getTime() + within
  const resultOf = (row: Row) => ({ data: asJson(row), view: renewedView })
  const current = await certificateIn(resolve(context.io.cwd, folder), choices)
  if (current !== undefined && endOf(current) > limit && current.serial_number !== serial)
    return resultOf(unchanged(role, current, folder))
  const expiring =
    serial === undefined
      ? expiringAmong(
          await lookUpEach(bulk, (await findCertificates(bulk, role.scope, role.role)).found),
          context,
          limit,
        )
      : [await readFacts(context, { ...role, serial_number: serial })]
  const inPlace = expiring.find((one) => one.serial_number === current?.serial_number)
  if (inPlace === undefined && expiring.length > 1) throw severalExpire(expiring.length, role, context)
  const old = inPlace ?? expiring[0]
  if (old === undefined || endOf(old) > limit) return resultOf(unchanged(role, old, folder))
  return resultOf(renewedRow(role, folder, old, await issueInPlaceOf(old, role, folder, choices, context)))
}

/** Renews what expires in a scope or the engine, each certificate in a folder below `--out-dir` named after the first it replaces. */
async function renewMany(
  bulk: Bulk,
  scope: string | undefined,
  within: number,
  choices: Choices,
): Promise<ValueResult> {
  const { context } = bulk
  const { found, failures } = await findCertificates(bulk, scope)
  const plan: Plan = { rows: [], due: [], failures: [...failures] }
  const limit = context.now().getTime() + within
  for (const [, looked] of grouped(await lookUpEach(bulk, found), ({ item }) => nameOf(item)))
    await planRole(context, looked, limit, choices, plan)
  const { rows, due } = plan
  const act = async ({ index, role, folder, old }: Due, here: Context): Promise<Done> => {
    try {
      const issued = await issueInPlaceOf(old, role, folder, choices, here)
      rows[index] = renewedRow(role, folder, old, issued)
      return { before: old.serial_number, after: issued?.serial_number ?? null }
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
    nameOf: ({ role, old }) => `${nameOf(role)}/${old.serial_number}`,
    act: (item, run) => act(item, run.context),
  })
  const words = { noun: 'certificate', action: 'renew', what: {}, done: '', branches: plan.failures }
  const { failure } = bulkResult(bulk, account, words)
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
  limit: number,
  choices: Choices,
  { rows, due, failures }: Plan,
): Promise<void> {
  const { scope, role: name } = (looked[0] as LookedUp).item
  const role = { scope, role: name }
  const folder = join(choices.outDir, scope, name)
  const failed = looked.find((one) => 'error' in one) ?? unfiled(looked)
  if (failed !== undefined) {
    failures.push({ item: `${nameOf(role)}/${failed.item.serial_number}`, error: failed.error })
    rows.push({ ...unchanged(role, undefined, folder), error: failed.error.message })
    return
  }
  const current = await filedBelow(folder, choices, context)
  for (const old of expiringAmong(looked, context, limit)) {
    const own = join(folder, old.serial_number)
    const successor = current.get(own)
    const [inPlace = own] = [...current].find(([, one]) => one.serial_number === old.serial_number) ?? []
    if (successor === undefined) due.push({ index: rows.length, role, folder: inPlace, old })
    rows.push(successor === undefined ? unchanged(role, old, inPlace) : unchanged(role, successor, own))
  }
}

/** A certificate whose names, which are the server's, would lead out of the folder of all. */
function unfiled(looked: readonly LookedUp[]): { readonly item: Found; readonly error: TugError } | undefined {
  for (const { item } of looked) {
    const name = [item.scope, item.role, item.serial_number].find((one) => /^\.{0,2}$|[/\\\0]/.test(one))
    if (name !== undefined) return { item, error: notAFolderName(name) }
  }
  return undefined
}

function nameOf({ scope, role }: Role): string {
  return `${scope}/${role}`
}

function renewedRow(
  role: Role,
  folder: string,
  { serial_number: replaces }: Former,
  issued: IssueSummary | undefined,
): Row {
  const { serial_number = null, not_after = null } = issued ?? {}
  return { action: 'renew', ...role, changed: true, serial_number, not_after, ...issued, folder, replaces }
}

function unchanged(role: Role, facts: CertificateFacts | undefined, folder: string): Row {
  const { serial_number = null, not_after = null } = facts ?? {}
  return { action: 'renew', ...role, changed: false, serial_number, not_after, folder }
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

async function certificateIn(
  folder: string,
  { format }: Pick<Choices, 'format'>,
): Promise<CertificateFacts | undefined> {
  const file = `certificate.${format === 'der' ? 'der' : 'pem'}`
  const certificate = await readFile(join(folder, file)).catch(() => undefined)
  return certificate === undefined ? undefined : certificateFacts({ certificate }, '')
}

/** The certificates in the folders of a role, by folder. */
async function filedBelow(folder: string, choices: Choices, { io }: Context): Promise<Map<string, CertificateFacts>> {
  const names = await readdir(resolve(io.cwd, folder)).catch(() => [])
  const found = new Map<string, CertificateFacts>()
  for (const name of names) {
    const facts = await certificateIn(resolve(io.cwd, folder, name), choices)
    if (facts !== undefined) found.set(join(folder, name), facts)
  }
  return found
}

function endOf({ not_after }: CertificateFacts): number {
  return Date.parse(not_after)
}

const renewedView = list<Row>(
  [
    { name: 'scope', value: (row) => row.scope, whole: true },
    { name: 'role', value: (row) => row.role, whole: true },
    { name: 'changed', title: 'renewed', value: (row) => row.changed, show: changeCell, whole: true },
    {
      name: 'not_after',
      title: 'expires',
      value: (row) => row.not_after,
      show: (row, showing) => expiry(row.not_after ?? undefined, showing),
      whole: true,
    },
    { name: 'serial_number', title: 'serial', value: (row) => row.serial_number, whole: true },
    { name: 'folder', value: (row) => row.folder },
    { name: 'error', value: (row) => row.error },
  ],
  (row) => row.serial_number ?? '',
  { empty: 'no certificate expires that soon', usual: ['scope', 'role', 'changed', 'not_after', 'serial_number'] },
)

function changeCell({ error, changed }: Row): Cell {
  if (error !== undefined) return cell('failed', 'bad')
  return changed ? cell('yes', 'good') : cell('no')
}
