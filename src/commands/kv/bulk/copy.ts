import type { EndpointFacts } from '../../../core/endpoint.ts'
import * as api from '../../../api/kv.ts'
import { at, isAwaited } from '../../../core/answer.ts'
import { command } from '../../../core/command.ts'
import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { shellQuote } from '../../../core/shell.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { keysOf, objectFrom } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import { finishBulk, inBulk } from './bulk.ts'
import { asFolder, asSecret, below, secretOrFolder } from '../place.ts'
import { isGone, mapOf, readOneOfMany, readSecret } from '../read.ts'
import { secretsBelow } from '../walk.ts'
import type { Written } from '../write.ts'
import { sendWrite, writeNew, writtenResult } from '../write.ts'

const params = {
  from: secretOrFolder('secret to read; with --recursive a folder', { placeholder: 'from' }),
  to: secretOrFolder('where to write it', { placeholder: 'to' }),
  recursive: flag.boolean('delete every secret below the folder'),
  force: flag.boolean('write a new version where there is a secret already'),
}

const readAndWrite: readonly EndpointFacts[] = [api.readData, api.writeData, api.list]

export const copy = command({
  name: 'copy',
  summary: 'Copy the latest version of a secret, or of every secret below a folder, to another path',
  description: `Copies data only: not the older versions, settings or custom metadata. Nothing is replaced without --force (check-and-set 0). With --recursive, secrets whose latest version is deleted are left out, and what fails is reported at the end (exit status 10).`,
  also: readAndWrite,
  params,
  examples: [
    { line: 'kv copy app/db app/db-backup', note: 'one secret' },
    { line: 'kv copy app staging/app --recursive', note: 'everything below a folder' },
  ],
  run: (input, context) => transfer(input, context, false),
})

export const move = command({
  name: 'move',
  summary: 'Move a secret, or every secret below a folder, to another path',
  description: `Copies the latest version, then asks, and removes the old path with all its versions and metadata: older versions, settings and custom metadata do not move. Nothing is replaced at the new path without --force.`,
  also: [...readAndWrite, api.deleteMetadata],
  params,
  examples: [
    { line: 'kv move app/db app/database', note: 'asks before the old path is removed' },
    { line: 'kv move app old/app --recursive --yes', note: 'a whole folder, in a script' },
  ],
  run: (input, context) => transfer(input, context, true),
})

interface Transfer {
  readonly from: string
  readonly to: string
  readonly recursive: boolean | undefined
  readonly force: boolean | undefined
}

async function transfer(input: Transfer, context: Context, moves: boolean): Promise<Result | undefined> {
  const { recursive = false, force = false } = input
  if (asFolder(input.from) === asFolder(input.to)) throw usageError('both paths are the same')
  if (recursive) return transferBelow(context, asFolder(input.from), asFolder(input.to), { force, moves })
  const [from, to] = [asSecret(input.from), asSecret(input.to, 'name the secret it shall become')]
  const { data, answer } = await readSecret(context, from)
  if (moves) await context.io.confirm(lossQuestion(from, at(answer, 'metadata', 'custom_metadata') ?? null))
  const done = await write(context, to, data, force)
  if (moves) await removeOld(context, from, to)
  context.io.note(`${from} ${moves ? 'moved' : 'copied'} to ${to}, version ${String(done.version)}`)
  return writtenResult(done)
}

function lossQuestion(from: string, custom: Json): string {
  const keys = keysOf(mapOf(custom))
  const lost = keys.length === 0 ? '' : `, and custom metadata (${keys.join(', ')})`
  return `Move ${from}? Its older versions and settings${lost} are removed for good.`
}

async function transferBelow(
  context: Context,
  from: string,
  to: string,
  { force, moves }: { force: boolean; moves: boolean },
): Promise<undefined> {
  const found = await secretsBelow(context, from)
  const start = from === '' ? 'the root' : from
  const targetOf = (path: string) => below(to, from === '' ? path : path.slice(from.length + 1))
  if (force) refuseOverlap(found.paths, targetOf)
  if (moves)
    await context.io.confirm(
      `Move ${plural(found.paths.length, 'secret')} below ${start}? Their older versions and metadata are removed for good.`,
    )
  let leftOut = 0
  const done = await inBulk(context.io, 'copying secrets', found.paths, async (path) => {
    const target = targetOf(path)
    try {
      const { data } = await readOneOfMany(context, path)
      await write(context, target, data, force)
      if (moves) await removeOld(context, path, target)
      return true
    } catch (error) {
      if (!isGone(error)) throw error
      leftOut += 1
      return false
    }
  })
  if (leftOut > 0) context.io.note(`${plural(leftOut, 'secret')} left out: the latest version is deleted`)
  finishBulk(
    context,
    `${moves ? 'moved' : 'copied'} {} from ${start} to ${to === '' ? 'the root' : to}`,
    done,
    found.failures,
  )
}

function write(context: Context, path: string, data: Json, force: boolean): Promise<Written> {
  const value = isAwaited(data) ? objectFrom([['…', data]]) : data === null ? null : mapOf(data)
  return writeNew(context, path, value, force)
}

/**
 * If one folder is inside the other, a secret may be both read and replaced, and the result would depend on
 * the order. Without --force nothing is replaced.
 */
function refuseOverlap(paths: readonly string[], targetOf: (path: string) => string): void {
  const sources = new Set(paths)
  const both = paths.find((path) => sources.has(targetOf(path)))
  if (both === undefined) return
  throw usageError(
    `${targetOf(both)} would be replaced by ${both} and has a place to go to itself`,
    'name a folder outside of the first one, or leave --force out',
  )
}

async function removeOld(context: Context, path: string, to: string): Promise<void> {
  try {
    await sendWrite(context, path, api.deleteMetadata({ path }))
  } catch (error) {
    if (!(error instanceof TugError)) throw error
    throw error.with({
      message: `${to} is written, but ${path} could not be removed: ${error.message}`,
      hints: [...error.hints, `${path} is still there: tug kv metadata delete ${shellQuote(path)}`],
    })
  }
}
