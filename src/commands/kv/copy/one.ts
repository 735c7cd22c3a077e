import * as api from '../../../api/kv.ts'
import type { SecretMetadata } from '../../../api/kv.ts'
import { isPlaceholder } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { sameSecret, sourceKept, writtenMeanwhile } from './messages.ts'
import type { Sides } from './sides.ts'
import type { Writing, WrittenItem } from '../write-item.ts'
import { writeItem } from '../write-item.ts'
import { seeVersions } from '../messages.ts'
import { isGone } from '../missing.ts'
import type { Secret } from '../read.ts'
import { readMetadata, readOneOfMany } from '../read.ts'
import { dataToWrite } from '../values.ts'
import { sendWrite } from '../write.ts'

/** One secret of a copy: where it is, and where it goes. */
export interface Route {
  readonly from: string
  readonly to: string
}

/** How to copy it. */
export interface Transfer extends Writing {
  readonly moves: boolean
  /** True if every version goes along, with settings and custom metadata. */
  readonly all: boolean
  /** True if what the source doesn't have is deleted. */
  readonly prune: boolean
}

/** Copies what was read of a secret to its new path; a move then removes the secret, unless it was changed meanwhile. */
export async function transferOne(
  sides: Sides,
  { from, to }: Route,
  { data, version }: Pick<Secret, 'data' | 'version'>,
  { moves, ...writing }: Transfer,
): Promise<WrittenItem> {
  const item = await writeItem(sides.target, to, dataToWrite(data), writing)
  if (moves) await removeSource(sides, { from, to }, version, item)
  return item
}

/** Removes a secret whose version `copied` is at its new path. Throws `conflict` if it was changed meanwhile, and keeps it. */
export async function removeSource(
  sides: Sides,
  { from, to }: Route,
  copied: number,
  item: WrittenItem,
): Promise<void> {
  const { source } = sides
  try {
    await checkUnchanged(sides, { from, to }, copied, item)
    await sendWrite(source, from, api.deleteMetadata({ path: from }))
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    const where = sides.targetWords(to)
    const what = item.outcome === 'unchanged' ? `${where} is equal` : `wrote ${where}`
    throw sourceKept(error, from, what, source.commandLine('kv metadata delete', from))
  }
}

/** Reads right before a removal whether the source is still what was copied. Throws `conflict` if it isn't. */
async function checkUnchanged(sides: Sides, { from, to }: Route, copied: number, item: WrittenItem): Promise<void> {
  const { source, target } = sides
  const { version: current, metadata } = await currentVersionOf(source, from)
  if (current !== null && current !== copied && !isPlaceholder(current))
    throw writtenMeanwhile(copied, current, seeVersions(source, from))
  // One place may have several addresses, and its namespace several spellings, such as root.
  if (item.outcome !== 'unchanged' || sides.isSamePlace || from !== to || metadata === undefined) return
  const there = await readMetadata(target, to)
  if (there.metadata.created_time === metadata.created_time) throw sameSecret()
}

/** The current version, from the metadata, or from the data where the token may not read the metadata. */
async function currentVersionOf(
  context: Context,
  path: string,
): Promise<{ version: number | null; metadata?: SecretMetadata }> {
  try {
    const { metadata } = await readMetadata(context, path)
    return { version: metadata.current_version ?? null, metadata }
  } catch (error) {
    if (!(error instanceof TugError) || error.code !== 'not_allowed') throw error
  }
  try {
    return { version: (await readOneOfMany(context, path)).version }
  } catch (error) {
    if (isGone(error)) return { version: Number(error.facts.version) }
    throw error
  }
}
