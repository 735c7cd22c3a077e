import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Io } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { parseJson } from '../../../core/json.ts'
import { readFolder, readSegments } from '../../../core/param.ts'
import type { RawLine } from '../../../core/lines.ts'
import { linesOf } from '../../../core/lines.ts'
import type { Infer, Shape } from '../../../core/shape.ts'
import { mismatch } from '../../../core/shape.ts'
import { fileReason, fileWords } from '../../../core/words.ts'
import type { End, Header, SecretRecord } from './record.ts'
import { endShape, formatName, formatVersion, headerShape, secretShape } from './record.ts'

/** A backup whose first and last line and checksum have been checked. */
export interface BackupFile {
  readonly name: string
  readonly header: Header
  /** Undefined if the file ends early (`--partial`). */
  readonly end: End | undefined
  /** Its secrets in path order, read from the file each time. */
  secrets(): AsyncGenerator<SecretRecord>
}

/**
 * Opens a backup and checks all of it. Throws if the file is cut, was changed or has another format; with `partial` one that is cut
 * is read up to its last whole line. Standard input is kept in memory.
 */
export async function openBackup(io: Io, name: string, { partial }: { partial: boolean }): Promise<BackupFile> {
  const source = name === '-' ? await io.readFile(name) : resolve(io.cwd, name)
  const { header, end } = await check(name, readLines(name, source), partial)
  return { name, header, end, secrets: () => secretLines(name, readLines(name, source), partial) }
}

async function* readLines(name: string, source: Uint8Array | string): AsyncGenerator<RawLine> {
  try {
    yield* linesOf(typeof source === 'string' ? createReadStream(source) : [source])
  } catch (error) {
    if (error instanceof TugError || !(error as NodeJS.ErrnoException).code) throw error
    throw usageError(`cannot read ${name}: ${fileReason(error)}`)
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
  if (header === undefined || last === undefined) throw damaged(name, 'it is empty')
  const end = last.isCut ? undefined : parsed(last.text)
  if (end === undefined || mismatch(end, endShape) !== undefined) {
    if (partial) return { header, end: undefined }
    throw damaged(
      name,
      'its last line is missing, so it is incomplete',
      'pass --partial to use the secrets it contains',
    )
  }
  const known = end as unknown as End
  if (known.sha256 !== hash.digest('hex')) throw damaged(name, 'it was changed: its checksum differs')
  return { header, end: known }
}

function readHeader(name: string, { text }: RawLine): Header {
  const header = parsed(text) as unknown as Header | undefined
  if (header?.format !== formatName) throw damaged(name, 'not a file of kv backup')
  if (header.version !== formatVersion)
    throw damaged(name, `its format has version ${header.version}, and only version ${formatVersion} can be read`)
  const whole = shaped<Header>(name, 1, header, headerShape)
  checkPath(name, 1, whole.path, readFolder)
  return whole
}

/** Refuses the path of a secret or folder that a command line may not contain either, as one that leads out of the mount. */
function checkPath(name: string, line: number, path: string, read: (text: string) => string): void {
  try {
    read(path)
  } catch (error) {
    throw malformed(name, line, `has an invalid path: ${(error as Error).message}`)
  }
}

async function* secretLines(
  name: string,
  lines: AsyncIterable<RawLine>,
  partial: boolean,
): AsyncGenerator<SecretRecord> {
  let number = 0
  let before = ''
  for await (const { text, isCut } of lines) {
    number += 1
    if (number === 1) continue
    const value = parsed(text)
    if (value === undefined && isCut && partial) return
    if (value !== undefined && mismatch(value, endShape) === undefined) return
    const line = shaped<SecretRecord>(name, number, value, secretShape)
    checkPath(name, number, line.path, readSegments)
    if (line.path <= before) throw malformed(name, number, 'is not in the order of paths')
    before = line.path
    yield line
  }
}

/** The value, if it has the shape. */
function shaped<T = Infer<Shape>>(name: string, number: number, value: unknown, shape: Shape): T {
  const found = value === undefined ? 'is not JSON' : mismatch(value as Json, shape)
  if (found !== undefined) throw malformed(name, number, found)
  return value as T
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
