import * as api from '../../../api/kv.ts'
import { asJson } from '../../../core/answer.ts'
import type { ValueResult } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { argument, flag, readInteger, readLabelled, readMount, readSegments } from '../../../core/param.ts'
import { bulkContext, exitStatus } from '../../../read/bulk.ts'
import { asFolder, asSecret, secretOrFolder } from '../data/paths.ts'
import { requireVersion2 } from '../mount/engine.ts'
import type { Secret } from '../secret/index.ts'
import { readSecret } from '../secret/index.ts'
import type { Side } from './folders.ts'
import { compareFolders } from './folders.ts'
import { keyDifferences, maskedView, openView } from './keys.ts'

export const diff = command({
  name: 'diff',
  summary: 'Show which keys differ between two versions of a secret, two secrets or two folders',
  description: `With one path, compares two versions, by default the current one with the one before. With another path, --other-mount or --other-profile, compares the current versions of two secrets; with --recursive, those of two folders.

Values are not shown, unless --show-values.`,
  also: [api.readData, api.list, api.readMetadata, api.readMount, api.readVersion1, api.listVersion1],
  params: {
    path: secretOrFolder('path of the secret; with --recursive a folder'),
    other: argument.text('another path, or the older version', { placeholder: 'other-path|from' }),
    newer: argument.text('the newer version', { placeholder: 'to' }),
    from: flag.integer('the older version', { min: 1, defaultText: 'the one before --to' }),
    to: flag.integer('the newer version', { min: 1, defaultText: 'the current one' }),
    otherProfile: flag.text('the other secret is reached with this profile', {
      placeholder: 'name',
      complete: 'profile',
    }),
    otherMount: flag.of('the other secret is in this mount', readMount, { placeholder: 'path' }),
    recursive: flag.boolean('compare all secrets of two folders', { short: 'r' }),
    showValues: flag.boolean('show the values too', { excludes: ['recursive'] }),
    exitCode: flag.boolean('exit with 9 if there are differences'),
  },
  examples: [
    { line: 'kv diff app/db', note: 'what the last write changed' },
    { line: 'kv diff app/db 3 4', note: 'two versions; 3..4 is the same' },
    { line: 'kv diff app/db --from 3 --to 4 --show-values', note: 'with their values' },
    { line: 'kv diff app/db app/cache', note: 'two secrets' },
    { line: 'kv diff app team --recursive', note: 'two folders' },
  ],
  async run({ path, other: typed, newer: last, from, to, otherProfile, otherMount, recursive, ...rest }, unpaced) {
    const { showValues = false, exitCode = false } = rest
    const showing = { showValues, exitCode }
    const context = bulkContext(unpaced)
    // `3..4` as two arguments: no secret has such a name.
    const [, first, second] = (last === undefined && /^(\d+)\.\.(\d+)$/.exec(typed ?? '')) || []
    const [other, newer] = [first ?? typed, second ?? last]
    const versions = versionsOf(other, newer, from, to)
    const otherPath = other === undefined || isVersion(other) ? undefined : readOther(other)
    const isElsewhere = otherProfile !== undefined || otherMount !== undefined
    if (otherPath === undefined && !isElsewhere) {
      if (recursive === true)
        throw usageError('--recursive needs two folders', 'give another path, --other-mount or --other-profile')
      const secret = asSecret(path, 'to compare folders: --recursive and another path')
      return compareVersions(context, secret, versions, showing)
    }
    if (versions.from !== undefined || versions.to !== undefined)
      throw usageError(
        'versions can only be compared within one secret; two secrets are compared at their current versions',
      )
    const there = isElsewhere
      ? context.elsewhere({ profile: otherProfile, mount: otherMount, mountKey: 'otherMount' })
      : context
    if (recursive === true) {
      const [mine, theirs] = [asFolder(path), asFolder(otherPath ?? path)]
      const [here, label] = labels(context, there, [mine, theirs], otherProfile)
      const side: Side = { context: there, folder: theirs, typed: otherPath ?? path, label }
      return compareFolders({ context, folder: mine, typed: path, label: here }, side, exitCode)
    }
    const hint = `to compare folders: ${context.typedLine({ recursive: 'true', showValues: undefined })}`
    const [mine, theirs] = [asSecret(path, hint), asSecret(otherPath ?? path, hint)]
    const names = labels(context, there, [mine, theirs], otherProfile)
    const a = await readSide(context, mine, hint)
    const b = await readSide(there, theirs, hint, names[1])
    const side = (name: string, { version }: Secret) => (version === 0 ? name : `${name} version ${String(version)}`)
    const words = `${side(names[0], a)} → ${side(names[1], b)}`
    return result(context, [a, b], words, showing)
  },
})

interface ShowingInput {
  readonly showValues: boolean
  readonly exitCode: boolean
}

/** One of two secrets. A folder is said to be one, and an error about the other secret names it. */
async function readSide(context: Context, path: string, hint: string, name?: string): Promise<Secret> {
  return readSecret(context, path, undefined, () => [hint]).catch((error: unknown) => {
    const isNamed = name === undefined || !(error instanceof TugError) || error.reason === 'folder'
    throw isNamed ? error : error.with({ message: `${name}: ${error.message}` })
  })
}

function isVersion(text: string): boolean {
  return /^\d+$/.test(text)
}

/** The versions to compare, from flags or as arguments: `kv diff app/db 3 5`. */
function versionsOf(
  other: string | undefined,
  newer: string | undefined,
  from: number | undefined,
  to: number | undefined,
) {
  if (newer !== undefined && (other === undefined || !isVersion(other) || !isVersion(newer)))
    throw usageError('a third argument is the newer of two versions: tug kv diff <path> <older> <newer>')
  if (other === undefined || !isVersion(other)) return { from, to }
  if (from !== undefined || (to !== undefined && newer !== undefined))
    throw usageError('versions are given both as arguments and as flags')
  return { from: readVersion(other), to: newer === undefined ? to : readVersion(newer) }
}

function readVersion(text: string): number {
  try {
    return readInteger(text, 1)
  } catch (error) {
    throw error instanceof RangeError ? usageError(`version ${error.message}`) : error
  }
}

function readOther(text: string): string {
  if (text === '/') return ''
  const bare = readLabelled(readSegments, text.replace(/\/$/, ''), '<other-path>')
  return text.endsWith('/') ? `${bare}/` : bare
}

/** What to call the two sides: their paths, with the mount or the profile if that is what differs. */
function labels(
  here: Context,
  there: Context,
  [mine, theirs]: readonly [string, string],
  profile: string | undefined,
): readonly [string, string] {
  const [a, b] = [here.settings.route.mount, there.settings.route.mount]
  const named = (path: string, mount: string) => (a === b ? path || '/' : `${mount}/${path}`)
  return [named(mine, a), named(theirs, b) + (profile === undefined ? '' : ` (${profile})`)]
}

async function compareVersions(
  context: Context,
  path: string,
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
  showing: ShowingInput,
): Promise<ValueResult> {
  const read = (version?: number) => readSecret(context, path, version)
  const given = from === undefined ? undefined : await read(from)
  const b = await read(to)
  if (b.version === 0) await requireVersion2(context)
  if (given === undefined && b.version <= 1) throw new TugError('not_found', `version 1 of ${path} is the first`)
  const a = given ?? (await read(b.version - 1))
  return result(context, [a, b], `${path} ${String(a.version)} → ${String(b.version)}`, showing)
}

function result(
  { io }: Context,
  [a, b]: readonly [Secret, Secret],
  words: string,
  { showValues, exitCode }: ShowingInput,
): ValueResult {
  const rows = keyDifferences(a.data, b.data, showValues)
  io.note(words, 'dim')
  // In a pipe, an empty list prints nothing at all.
  if (rows.length === 0 && !io.terminal.stdout) io.note('no differences')
  return {
    data: rows.map(asJson),
    view: showValues ? openView : maskedView,
    exitCode: exitStatus(false, exitCode && rows.length > 0),
  }
}
