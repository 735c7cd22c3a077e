import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Io } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { parseJson } from '../../../core/json.ts'
import { readFolder, readSegments } from '../../../core/param.ts'
import type { RawLine } from '../../../core/lines.ts'
import { linesOf } from '../../../core/lines.ts'
import type { Infer, Shape } from '../../../core/shape.ts'
import { mismatch } from '../../../core/shape.ts'
import { fileReason } from '../../../core/words.ts'
import * as messages from './messages.ts'
import type { End, Header, Line, SecretRecord, VersionRecord } from './record.ts'
import {
  byNumber,
  comparePaths,
  endShape,
  formatName,
  formatVersion,
  headerShape,
  isRemoved,
  lineShape,
  secretShape,
} from './record.ts'

/** A backup whose first and last line and checksum have been checked. */
export interface BackupFile {
  readonly name: string
  readonly header: Header
  /** Undefined if the file ends early (`--partial`). */
  readonly end: End | undefined
  /** Its lines of secrets, read from the file each time. */
  lines(): AsyncGenerator<Line>
}

/**
 * Opens a backup and checks all of it. Throws if the file is cut, was changed or has another format; with `partial` one that is cut
 * is read up to its last whole line. Standard input is kept in memory.
 */
export async function openBackup(io: Io, name: string, { partial }: { partial: boolean }): Promise<BackupFile> {
  const source = name === '-' ? await io.readFile(name) : resolve(io.cwd, name)
  const { header, end } = await check(name, readLines(name, source), partial)
  return { name, header, end, lines: () => secretLines(name, readLines(name, source), partial) }
}

async function* readLines(name: string, source: Uint8Array | string): AsyncGenerator<RawLine> {
  try {
    yield* linesOf(typeof source === 'string' ? createReadStream(source) : [source])
  } catch (error) {
    if (error instanceof TugError || !(error as NodeJS.ErrnoException).code) throw error
    throw messages.unreadableFile(name, fileReason(error))
  }
}

/** Reads a file once: its header, and its last line if the file is whole. */
async function check(name: string, lines: AsyncIterable<RawLine>, partial: boolean) {
  const hash = createHash('sha256')
  let header: Header | undefined
  let last: RawLine | undefined
  for await (const line of lines) {
    header ??= readHeader(name, line)
    if (last !== undefined) hash.update(last.text).update('\n')
    last = line
  }
  if (header === undefined || last === undefined) throw messages.emptyFile(name)
  const end = last.isCut ? undefined : parsed(last.text)
  if (end === undefined || mismatch(end, endShape) !== undefined) {
    if (partial) return { header, end: undefined }
    throw messages.cutFile(name)
  }
  const known = end as unknown as End
  if (known.sha256 !== hash.digest('hex')) throw messages.changedFile(name)
  return { header, end: known }
}

function readHeader(name: string, { text }: RawLine): Header {
  const header = parsed(text) as unknown as Header | undefined
  if (header?.format !== formatName) throw messages.otherFile(name)
  if (header.version !== formatVersion) throw messages.otherVersion(name, header.version, formatVersion)
  const whole = shaped<Header>(name, 1, header, headerShape)
  checkPath(name, 1, whole.path, readFolder)
  return whole
}

/** Refuses the path of a secret or folder that a command line may not contain either, as one that leads out of the mount. */
function checkPath(name: string, line: number, path: string, read: (text: string) => string): void {
  try {
    read(path)
  } catch (error) {
    throw messages.malformedLine(name, line, `has an invalid path: ${(error as Error).message}`)
  }
}

async function* secretLines(name: string, lines: AsyncIterable<RawLine>, partial: boolean): AsyncGenerator<Line> {
  let number = 0
  let before = ''
  for await (const { text, isCut } of lines) {
    number += 1
    if (number === 1) continue
    const value = parsed(text)
    if (value === undefined && isCut && partial) return
    if (value !== undefined && mismatch(value, endShape) === undefined) return
    const line = lineOf(name, number, value)
    if (line.path <= before) throw messages.malformedLine(name, number, 'is not in the order of paths')
    before = line.path
    yield line
  }
}

function lineOf(name: string, number: number, value: Json | undefined): Line {
  const line = shaped<{ path: string; removed?: boolean }>(name, number, value, lineShape)
  checkPath(name, number, line.path, readSegments)
  return shaped<Line>(name, number, value, line.removed === true ? lineShape : secretShape)
}

/** The value, if it has the shape. */
function shaped<T = Infer<Shape>>(name: string, number: number, value: unknown, shape: Shape): T {
  const found = value === undefined ? 'is not JSON' : mismatch(value as Json, shape)
  if (found !== undefined) throw messages.malformedLine(name, number, found)
  return value as T
}

function parsed(text: Buffer): Json | undefined {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(text))
  } catch {
    return undefined
  }
}

/** Throws unless the files are a full backup and the incremental ones made on top of it, in order. */
export function checkChain(files: readonly BackupFile[]): void {
  for (const [index, { name, header }] of files.entries()) {
    const before = files[index - 1]
    if (before === undefined && header.since !== null) throw messages.baseMissing(name)
    if (before === undefined) continue
    if (header.since === null) throw messages.secondBase(name)
    if (header.since.sha256 !== before.end?.sha256) throw messages.otherBase(name, before.name)
    const [here, there] = [placeOf(header), placeOf(before.header)]
    if (here !== there) throw messages.otherPlaces(name, here, before.name, there)
  }
}

/** The mount and folder that a backup is of, as in `secret/team`. */
export function placeOf({ mount, path }: Pick<Header, 'mount' | 'path'>): string {
  return `${mount}/${path}`
}

/**
 * The secrets of several backups in path order: the newest line of each path counts, and data that it lacks comes from older
 * ones. One line of each file is kept in memory.
 */
export async function* mergedSecrets(files: readonly BackupFile[]): AsyncGenerator<SecretRecord> {
  const sources = files.map((file) => file.lines())
  const heads = await Promise.all(sources.map((source) => next(source)))
  for (;;) {
    const paths = heads.filter((head) => head !== undefined).map(({ path }) => path)
    const [first] = paths.toSorted(comparePaths)
    if (first === undefined) return
    let merged: SecretRecord | undefined
    for (const [index, head] of heads.entries()) {
      if (head?.path !== first) continue
      merged = isRemoved(head) ? undefined : merged === undefined ? head : withOlderData(head, merged)
      heads[index] = await next(sources[index] as AsyncGenerator<Line>)
    }
    if (merged !== undefined) yield merged
  }
}

/** The next of a stream; undefined at its end. */
export async function next<T>(source: AsyncGenerator<T>): Promise<T | undefined> {
  const result = await source.next()
  return result.done === true ? undefined : result.value
}

/** The record, with the data of an older one for versions that were deleted since. */
function withOlderData(record: SecretRecord, older: SecretRecord): SecretRecord {
  const known = byNumber(older)
  const filled = (version: VersionRecord): VersionRecord => {
    const before = known.get(version.version)
    const isSame = version.state !== 'destroyed' && before?.created_time === version.created_time
    if (version.data !== undefined || before?.data === undefined || !isSame) return version
    return { ...version, data: before.data }
  }
  return { ...record, versions: record.versions.map(filled) }
}
