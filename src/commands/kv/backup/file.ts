import { createHash } from 'node:crypto'
import { createReadStream, promises } from 'node:fs'
import { resolve } from 'node:path'
import { asJson, number, text as textAt } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, untilAborted, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { parseJson, stringifyJson } from '../../../core/json.ts'
import { argument, flag, path, readFolder, readSegments } from '../../../core/param.ts'
import type { Infer, Shape } from '../../../core/shape.ts'
import { array, boolean, count, filled, mismatch, nullable, object, string } from '../../../core/shape.ts'
import { flagText } from '../../../core/shell.ts'
import { fileReason, fileText, fileWords, firstNames, plural } from '../../../core/words.ts'
import { escapeJson, withoutCommandsInJson } from '../../../output/safe.ts'
import type { BulkRead } from '../../../read/bulk.ts'
import type { SecretRecord } from '../histories/record.ts'
import { secretShape } from '../histories/record.ts'
import type { FoundPath } from '../mount/walk.ts'

/** The name and version of the format, in the first line of every backup. */
export const formatName = 'tug-kv-backup'
export const formatVersion = 1

const engineShape = object({ max_versions: count(), cas_required: boolean, delete_version_after: string })

/** The settings of an engine in a backup. */
export type EngineConfig = Infer<typeof engineShape>

const headerShape = object({
  format: filled,
  version: count(1),
  tug: string,
  created: filled,
  mount: filled,
  path: string,
  // Only in the backup of one secret.
  'secret?': filled,
  config: nullable(engineShape),
})

/** The first line of a backup. */
export type Header = Infer<typeof headerShape>

const endShape = object({
  end: boolean,
  secrets: count(),
  versions: count(),
  deleted: count(),
  without_data: count(),
  destroyed: count(),
  pruned: count(),
  missing: array(object({ path: string, error: string })),
  sha256: filled,
})

/** The last line of a backup. */
type End = Infer<typeof endShape>

/** The arguments of `restore` and `verify`. */
export const sourceParams = {
  file: argument.text('file from kv backup (-: standard input)', {
    placeholder: 'file',
    required: true,
    complete: 'file',
  }),
  path: path.folder('folder to compare with (default: where the secrets came from)', { complete: 'secret-path' }),
  partial: flag.boolean('accept a file that ends early, and use the secrets it contains'),
}

/** A backup, and the folder in the mount that it is about. */
export interface Source {
  readonly name: string
  readonly header: Header
  /** Its secrets in path order, read from the file each time. */
  readonly secrets: () => AsyncGenerator<SecretRecord>
  /** The folder, relative to the mount. */
  readonly base: string
  /** False if the base is where the secrets came from. */
  readonly isPathTyped: boolean
  /** The only secret that the backup is about, relative to the folder. */
  readonly only: string | undefined
  /** True for a whole mount, whose settings are part of the backup. */
  readonly isMount: boolean
}

/**
 * Opens a backup and checks all of it. Throws before anything is sent if the file is cut, was changed or has another format; with
 * `--partial` one that is cut is read up to its last whole line. Standard input or a pipe is kept in memory.
 */
export async function openSource(
  { io, settings, signal }: Context,
  typed: { readonly file: string; readonly path: string | undefined; readonly partial: boolean | undefined },
): Promise<Source> {
  const { file: name, partial = false } = typed
  const file = resolve(io.cwd, name)
  // A file is read twice, which a pipe can't be.
  const facts = name === '-' ? undefined : await untilAborted(statIfThere(file), signal)
  const source = facts?.isFile() === true ? file : await io.readFile(name)
  const { header, end } = await checkFile(name, readLines(name, source), partial)
  if (end === undefined) io.warnAlways(`${name} is incomplete: the secrets after its last whole line are missing`)
  const paths = (end?.missing ?? []).map((missing) => missing.path)
  if (paths.length > 0)
    io.warnAlways(`${name} lacks ${plural(paths.length, 'path')} that could not be read: ${firstNames(paths)}`)
  const { mount } = settings.route
  const isMountNamed = settings.targetFlags.includes('--mount') || (io.env['TUG_KV_MOUNT'] ?? '') !== ''
  if (!isMountNamed && mount === 'secret' && header.mount !== mount)
    throw usageError(
      `the backup is of the mount ${header.mount}/, and no mount was given`,
      `pass ${flagText(['--mount', header.mount])}, or ${flagText(['--mount', mount])}`,
    )
  const base = typed.path ?? header.path
  return {
    name,
    header,
    secrets: () => readSecrets(name, readLines(name, source), partial),
    base,
    isPathTyped: typed.path !== undefined,
    only: header.secret ?? undefined,
    isMount: base === '' && header.path === '' && (header.secret ?? undefined) === undefined,
  }
}

const statIfThere = (file: string) => promises.stat(file).catch(() => undefined)

/** Reads a file once, and returns its header, and its last line if the file is whole. */
async function checkFile(name: string, lines: AsyncIterable<Line>, partial: boolean) {
  const hash = createHash('sha256')
  let header: Header | undefined
  let last: Line | undefined
  for await (const line of lines) {
    header ??= readHeader(name, line)
    if (last !== undefined) hash.update(last.text).update('\n')
    last = line
  }
  if (header === undefined || last === undefined) throw damaged(name, 'it is empty')
  const end = last.isCut ? undefined : parsed(last.text)
  if (isEnd(end)) {
    if (end.sha256 !== hash.digest('hex')) throw damaged(name, 'it was changed: its checksum differs')
    return { header, end }
  }
  if (partial) return { header, end: undefined }
  throw damaged(name, 'its last line is missing, so it is incomplete', 'pass --partial to use the secrets it contains')
}

function readHeader(name: string, { text }: Line): Header {
  // PowerShell 5 redirects output as UTF-16.
  if ((text[0] ?? 0) >= 0xfe) fileText(text, fileWords(name))
  const value = parsed(text)
  if (textAt(value, 'format') !== formatName) throw damaged(name, 'not a file from kv backup')
  const version = number(value, 'version')
  if (version !== undefined && version !== formatVersion)
    throw damaged(name, `its format is version ${version}; only version ${formatVersion} can be read`)
  const header = shaped<Header>(name, 1, value, headerShape)
  checkPath(name, 1, header.path, readFolder)
  if ((header.secret ?? undefined) !== undefined) checkPath(name, 1, String(header.secret), readSegments)
  return header
}

async function* readSecrets(name: string, lines: AsyncIterable<Line>, partial: boolean): AsyncGenerator<SecretRecord> {
  let line = 0
  let before = ''
  for await (const { text, isCut } of lines) {
    line += 1
    if (line === 1) continue
    const value = parsed(text)
    if (isEnd(value) || (value === undefined && isCut && partial)) return
    const secret = shaped<SecretRecord>(name, line, value, secretShape)
    checkPath(name, line, secret.path, readSegments)
    if (secret.path <= before) throw malformed(name, line, 'is out of order')
    before = secret.path
    yield { ...secret, bytes: text.length }
  }
}

function isEnd(value: unknown): value is End {
  return value !== undefined && mismatch(value as Json, endShape) === undefined
}

/** The value, if it has the shape. */
function shaped<T>(name: string, line: number, value: Json | undefined, shape: Shape): T {
  const problem = value === undefined ? 'is not JSON' : mismatch(value, shape)
  if (problem !== undefined) throw malformed(name, line, problem)
  return value as T
}

/** Refuses a path that a command line may not contain either, such as one that leads out of the mount. */
function checkPath(name: string, line: number, place: string, read: (text: string) => string): void {
  try {
    read(place)
  } catch (error) {
    throw malformed(name, line, `has an invalid path: ${(error as Error).message}`)
  }
}

function parsed(text: Buffer): Json | undefined {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(text))
  } catch {
    return undefined
  }
}

function damaged(name: string, why: string, ...hints: string[]): TugError {
  return new TugError('failed', `${fileWords(name)} cannot be used: ${why}`, { hints })
}

function malformed(name: string, line: number, how: string): TugError {
  return damaged(name, `line ${line} ${how}`)
}

/** A line of a file without its line ending. */
interface Line {
  readonly text: Buffer
  /** True if the file ends without a line ending. */
  readonly isCut: boolean
}

async function* readLines(name: string, source: Uint8Array | string): AsyncGenerator<Line> {
  try {
    yield* linesOf(typeof source === 'string' ? createReadStream(source) : [source])
  } catch (error) {
    if (error instanceof TugError || !(error as NodeJS.ErrnoException).code) throw error
    throw usageError(`cannot read ${name}: ${fileReason(error)}`)
  }
}

/**
 * The lines of a file that is read in pieces.
 * @internal
 */
export async function* linesOf(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Line> {
  let rest: Buffer[] = []
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      yield { text: Buffer.concat([...rest, bytes.subarray(start, end)]), isCut: false }
      rest = []
      start = end + 1
    }
    if (start < bytes.length) rest.push(bytes.subarray(start))
  }
  if (rest.length > 0) yield { text: Buffer.concat(rest), isCut: true }
}

/** What a backup contains: the counts in its last line. */
export interface Tally extends Record<keyof Omit<End, 'end' | 'sha256' | 'missing'>, number> {
  readonly missing: { path: string; error: string }[]
}

/** Counts a secret and formats its line, so that only the text is kept while it waits for its turn. */
export function countedText(tally: Tally, record: SecretRecord): string {
  tally.secrets += 1
  tally.versions += record.versions.length
  tally.pruned += Math.max(0, record.oldest_version - 1)
  for (const { state, data } of record.versions) {
    if (state === 'destroyed') tally.destroyed += 1
    if (state === 'deleted') tally.deleted += 1
    if (state === 'deleted' && data === undefined) tally.without_data += 1
  }
  return textOf({ ...record, current_metadata_version: undefined })
}

const pieceSize = 65_536

/** The bytes of a backup: header, the line of each secret, and the last line with counts and checksum. */
export async function* backupBytes(
  header: Header,
  outcomes: AsyncIterable<BulkRead<FoundPath, string>>,
  tally: Tally,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let text = textOf(header)
  const taken = (): Uint8Array => {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    text = ''
    return bytes
  }
  for await (const outcome of outcomes) {
    if ('error' in outcome) tally.missing.push({ path: outcome.item.path, error: outcome.error.code })
    else text += outcome.value
    if (text.length >= pieceSize) yield taken()
  }
  if (text !== '') yield taken()
  const end: End = { end: true, ...tally, sha256: hash.digest('hex') }
  yield Buffer.from(textOf(end))
}

/** A line of the file, escaped so that neither a terminal nor a CI log obeys what a secret contains; the values stay the same. */
function textOf(value: unknown): string {
  return `${withoutCommandsInJson(escapeJson(stringifyJson(asJson(value))))}\n`
}
