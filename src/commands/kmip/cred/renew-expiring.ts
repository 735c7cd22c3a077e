import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { BulkReads } from '../../../read/bulk.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { grouped } from '../../../core/lists.ts'
import type { Decision, Unlisted } from '../../../write/work.ts'
import type { CertificateFacts } from './certificate.ts'
import { filedCertificate } from './certificate.ts'
import { formatsIn, readFiled } from './files.ts'
import type { Found, LookedUp } from './list.ts'
import { findCertificates, lookUpEach, readFacts } from './list.ts'
import type { Role } from './params.ts'
import { lookUp } from './params.ts'
import type { Choices } from './replace.ts'
import { decideKept, decideRenewal, decideRevocation } from './replace.ts'

/** The choices with `--if-expiring`. */
type ExpiringChoices = Choices & { readonly limit: () => number }

/**
 * Decides the renewal of one certificate of a role: the named one, the one in the folder, or the only one that expires before the
 * limit. A certificate in the folder is renewed in place, so a second run has nothing to do.
 */
export async function decideOfRole(
  bulk: BulkReads,
  role: Role,
  serial: string | undefined,
  choices: ExpiringChoices,
): Promise<Decision> {
  const { context } = bulk
  const { outDir: folder, limit } = choices
  const filed = await certificateIn(folder, choices, context)
  if (filed?.hasKey === true && endOf(filed) > limit() && filed.serial_number !== serial) {
    const isLeft = choices.revokeOld === true && serial !== undefined && (await exists(context, role, serial))
    return isLeft ? decideRevocation(serial, role, filed, folder) : decideKept(role, filed, folder)
  }
  // A certificate without its key is replaced, however long it is valid.
  const keyless = filed?.hasKey === false ? filed.serial_number : undefined
  // The named certificate was already replaced by the one in the folder.
  const isReplaced = serial !== undefined && filed?.hasKey === true && filed.serial_number !== serial
  const named = isReplaced ? filed.serial_number : (serial ?? keyless)
  const candidates =
    named === undefined
      ? expiringAmong(
          await lookUpEach(bulk, (await findCertificates(bulk, role.scope, role.role)).found),
          limit,
          context,
        )
      : [await readFacts(context, { ...role, serial_number: named })]
  const inPlace = candidates.find((one) => one.serial_number === filed?.serial_number)
  if (inPlace === undefined && candidates.length > 1)
    throw usageError(
      `${candidates.length} certificates of the role expire soon; nothing was renewed`,
      `name one with --serial: ${context.commandLine('kmip cred list', role.scope, role.role, ['--details'])}`,
      `or renew them all: ${context.commandLine('kmip cred renew', role.scope, ['--if-expiring <duration>'], ['--out-dir <dir>'])}`,
    )
  const old = inPlace ?? candidates[0]
  const isDue = old !== undefined && (endOf(old) <= limit() || old.serial_number === keyless)
  return isDue ? decideRenewal(old, role, folder, choices, context) : decideKept(role, old, folder)
}

async function exists(context: Context, role: Role, serial: string): Promise<boolean> {
  return lookUp(serial, 'pem', role, context).then(
    () => true,
    (error: unknown) => {
      if (error instanceof TugError && error.code === 'not_found') return false
      throw error
    },
  )
}

/** The expiring certificates of a scope or the whole engine, and those that could not be read. */
export async function expiringBelow(
  bulk: BulkReads,
  scope: string | undefined,
  choices: ExpiringChoices,
): Promise<(Due | Unlisted)[]> {
  const { found, failures } = await findCertificates(bulk, scope)
  const targets: (Due | Unlisted)[] = failures.map(({ item, error }) => ({ unlisted: item, error }))
  for (const [, looked] of grouped(await lookUpEach(bulk, found), ({ item }) => `${item.scope}/${item.role}`))
    targets.push(...(await expiringIn(looked, choices, bulk.context)))
  return targets
}

/** An expiring certificate, and the folder of its successor in `--out-dir`, which has the serial number of the first one. */
export interface Due extends Role {
  readonly old: CertificateFacts
  readonly folder: string
  /** The certificate that an earlier run wrote there. */
  readonly successor?: CertificateFacts
}

/** Decides the renewal of one expiring certificate. */
export async function decideDue(context: Context, due: Due, choices: Choices): Promise<Decision> {
  const { scope, role, old, folder, successor } = due
  if (successor === undefined) return decideRenewal(old, { scope, role }, folder, choices, context)
  return choices.revokeOld === true
    ? decideRevocation(old.serial_number, { scope, role }, successor, folder)
    : decideKept({ scope, role }, successor, folder)
}

/** The expiring certificates of a role. If one of the role cannot be read, none is renewed. */
async function expiringIn(
  looked: readonly LookedUp[],
  choices: ExpiringChoices,
  context: Context,
): Promise<(Due | Unlisted)[]> {
  const { scope, role } = (looked[0] as LookedUp).item
  const failed = looked.find((one) => 'error' in one) ?? withUnsafeName(looked)
  if (failed !== undefined) return [{ unlisted: nameOf(failed.item), error: failed.error }]
  const folder = join(choices.outDir, scope, role)
  const filed = await filedBelow(folder, choices, context)
  return expiringAmong(looked, choices.limit, context).map((old) => {
    const ownFolder = join(folder, old.serial_number)
    const successor = filed.get(ownFolder)
    if (successor !== undefined && successor.serial_number !== old.serial_number)
      return { scope, role, old, folder: ownFolder, successor }
    const [inPlace = ownFolder] = [...filed].find(([, one]) => one.serial_number === old.serial_number) ?? []
    return { scope, role, old, folder: inPlace }
  })
}

/** A certificate whose scope, role or serial number, all from the server, is not a safe folder name. */
function withUnsafeName(looked: readonly LookedUp[]): { readonly item: Found; readonly error: TugError } | undefined {
  for (const { item } of looked) {
    const name = [item.scope, item.role, item.serial_number].find((one) => /^\.{0,2}$|[/\\\0]/.test(one))
    if (name !== undefined) return { item, error: new TugError('failed', `'${name}' cannot be the name of a folder`) }
  }
  return undefined
}

export function nameOf({ scope, role, serial_number: serial }: Found): string {
  return `${scope}/${role}/${serial}`
}

/**
 * The certificates of a role that expire by the limit. An expired one counts only if the role has no valid one, and then only the
 * newest. Throws the first failure.
 */
function expiringAmong(looked: readonly LookedUp[], limit: () => number, { now: clock }: Context): CertificateFacts[] {
  const facts = looked.flatMap((one) => {
    if ('error' in one) throw one.error
    return one.value ?? []
  })
  const now = clock().getTime()
  const valid = facts.filter((one) => endOf(one) > now)
  if (valid.length > 0) return valid.filter((one) => endOf(one) <= limit())
  return facts.toSorted((one, other) => endOf(other) - endOf(one)).slice(0, 1)
}

async function certificateIn(name: string, { format: wanted }: Pick<Choices, 'format'>, { io }: Pick<Context, 'io'>) {
  const folder = resolve(io.cwd, name)
  const formats = formatsIn(folder, io.uid)
  const format = formats.find((one) => one === wanted) ?? formats[0] ?? 'pem'
  return filedCertificate(format, (file) => readFiled(folder, file, io.uid))
}

/** The certificates in the folders of a role, by folder. */
async function filedBelow(folder: string, choices: Choices, context: Context): Promise<Map<string, CertificateFacts>> {
  const names = await readdir(resolve(context.io.cwd, folder)).catch(() => [])
  const found = new Map<string, CertificateFacts>()
  for (const name of names) {
    const facts = await certificateIn(join(folder, name), choices, context)
    if (facts?.hasKey === true) found.set(join(folder, name), facts)
  }
  return found
}

function endOf({ not_after }: CertificateFacts): number {
  return Date.parse(not_after)
}
