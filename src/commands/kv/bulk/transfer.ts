import * as api from '../../../api/kv.ts'
import { at } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import type { EndpointFacts } from '../../../core/endpoint.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { keysOf } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import { isGone, orFolder } from '../missing.ts'
import { asFolder, asSecret, below, folderWords, hintMisplaced, relativeTo, secretOrFolder } from '../place.ts'
import { readOneOfMany, readSecret } from '../read.ts'
import { dataToWrite, mapOf } from '../values.ts'
import { secretsBelow } from '../walk.ts'
import { sendWrite, writeNew, writtenResult } from '../write.ts'
import { bulkResult, inBulk } from './bulk.ts'

/** The arguments and flags of both commands. */
export const transferParams = {
  from: secretOrFolder('secret to read; with --recursive a folder', { placeholder: 'from' }),
  to: secretOrFolder('new path', { placeholder: 'to' }),
  recursive: flag.boolean('work on every secret below the folder'),
  force: flag.boolean('write a new version of an existing secret'),
}

/** The endpoints that both commands call. */
export const transferEndpoints: readonly EndpointFacts[] = [api.readData, api.writeData, api.list, api.readMount]

interface Transfer {
  readonly from: string
  readonly to: string
  readonly recursive: boolean | undefined
  readonly force: boolean | undefined
}

/** Copies or moves a secret, or with `recursive` everything below a folder. */
export async function transfer(input: Transfer, context: Context, moves: boolean): Promise<Result> {
  const { recursive = false, force = false } = input
  if (asFolder(input.from) === asFolder(input.to)) throw usageError('both paths are the same')
  if (recursive) return transferBelow(context, asFolder(input.from), asFolder(input.to), { force, moves })
  const forAll = recursiveHint(context, asFolder(input.from), asFolder(input.to))
  const [from, to] = [asSecret(input.from, forAll), asSecret(input.to, 'give the new path of the secret')]
  const { data, answer } = await readSecret(context, from).catch(async (error: unknown) => {
    throw await orFolder(context, from, error, [forAll])
  })
  hintMisplaced(context, to)
  if (moves) await context.io.confirm(lossQuestion(from, at(answer, 'metadata', 'custom_metadata') ?? null))
  const done = await writeNew(context, to, dataToWrite(data), force)
  if (moves) await removeOld(context, from, to)
  return writtenResult(done, `${moves ? 'moved' : 'copied'} ${from} to ${to}, version ${String(done.version)}`)
}

function recursiveHint(context: Context, from: string, to: string): string {
  const words = context.commandPath.join(' ')
  return `for everything below the folder: ${context.commandLine(words, from, to, '--recursive')}`
}

function lossQuestion(from: string, custom: Json): string {
  const keys = keysOf(mapOf(custom))
  const lost = keys.length === 0 ? '' : `, and custom metadata (${keys.join(', ')})`
  return `Move ${from}? Its older versions and settings${lost} are permanently removed.`
}

async function transferBelow(
  context: Context,
  from: string,
  to: string,
  { force, moves }: { force: boolean; moves: boolean },
): Promise<Result> {
  const found = await secretsBelow(context, from)
  const start = folderWords(from)
  const targetOf = (path: string) => below(to, relativeTo(from, path))
  if (force) refuseOverlap(found.paths, targetOf)
  if (moves) {
    const count = found.paths.length
    const whose = count === 1 ? 'Its' : 'Their'
    await context.io.confirm(
      `Move ${plural(count, 'secret')} below ${start}? ${whose} older versions and metadata are permanently removed.`,
    )
  }
  let skipped = 0
  const bulk = await inBulk(context.io, `${moves ? 'moving' : 'copying'} secrets`, found.paths, async (path) => {
    const target = targetOf(path)
    try {
      const { data } = await readOneOfMany(context, path)
      await writeNew(context, target, dataToWrite(data), force)
      if (moves) await removeOld(context, path, target)
      return true
    } catch (error) {
      if (!isGone(error)) throw error
      skipped += 1
      return false
    }
  })
  if (skipped > 0) context.io.note(`${plural(skipped, 'secret')} skipped: the latest version is deleted`)
  const line = `${moves ? 'moved' : 'copied'} {} from ${start} to ${folderWords(to)}`
  return bulkResult(context, line, bulk, found.failures)
}

/**
 * If one folder is inside the other, a secret can be both read and replaced; its data would depend on the order.
 * Without --force, nothing is replaced.
 */
function refuseOverlap(paths: readonly string[], targetOf: (path: string) => string): void {
  const sources = new Set(paths)
  const both = paths.find((path) => sources.has(targetOf(path)))
  if (both === undefined) return
  throw usageError(
    `${targetOf(both)} would be both replaced by ${both} and copied itself`,
    'choose a folder outside of the first one, or omit --force',
  )
}

async function removeOld(context: Context, path: string, to: string): Promise<void> {
  try {
    await sendWrite(context, path, api.deleteMetadata({ path }))
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    const failed = error.reason === 'in_doubt' ? 'removing' : 'could not remove'
    throw error.with({
      message: `wrote ${to}, but ${failed} ${path}: ${error.message}`,
      hints: [...error.hints, `to remove ${path}: ${context.commandLine('kv metadata delete', path)}`],
    })
  }
}
