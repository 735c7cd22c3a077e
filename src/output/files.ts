import { randomBytes } from 'node:crypto'
import { constants, renameSync, rmSync, linkSync, unlinkSync } from 'node:fs'
import { access, lstat, open, realpath, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { isDeviceName } from '../core/environment.ts'
import { TugError, untilAborted, usageError } from '../core/errors.ts'
import type { NewFile } from '../core/new-file.ts'
import { createFile } from '../core/new-file.ts'
import { fileReason } from '../core/words.ts'

type Content = string | Uint8Array | AsyncIterable<Uint8Array>

/** Options for writing a file. */
export interface FileOptions {
  /** Replace an existing file. */
  readonly replace: boolean
  /** Mode 0600 instead of the umask's default. */
  readonly private?: boolean
  /** The hint if the file exists and must not be replaced. */
  readonly remedy?: string
  /** Registers an exit handler; returns a function that cancels it. */
  readonly onExit?: (call: () => void) => () => void
  /** Aborts waiting for the reader of a named pipe. */
  readonly signal?: AbortSignal
}

/**
 * Writes a temporary file and renames it when complete, so a failure or interruption leaves no partial file. Links are followed unless
 * the file is private; devices and pipes are written in place. Returns the number of bytes. Throws a usage error if the file exists
 * and must not be replaced.
 */
export async function writeFileWhole(path: string, content: Content, options: FileOptions): Promise<number> {
  const place = await untilAborted(placeOf(path, options), options.signal)
  if (place.isDevice) return untilAborted(writeInPlace(place.path, content), options.signal)
  const temporary = join(dirname(place.path), `.tug-${randomBytes(6).toString('hex')}.part`)
  const forgetExit = options.onExit?.(() => rmSync(temporary, { force: true }))
  let file: NewFile | undefined
  try {
    file = createFile(temporary, options.private === true ? undefined : 0o666)
    const { write } = file
    const bytes = await writePieces(write, content)
    file.sync()
    const now = await placeOf(path, options)
    if (now.isDevice || now.path !== place.path)
      throw new TugError('failed', `another program replaced ${path} while it was being written`)
    await moveWhenFree(file, { from: temporary, to: place.path, path }, options)
    return bytes
  } catch (error) {
    if (file !== undefined) await unlink(temporary).catch(() => undefined)
    throw cannotWrite(path, error)
  } finally {
    file?.close()
    forgetExit?.()
  }
}

/** Milliseconds before each retry: on Windows a virus scanner or indexer may briefly keep either file open. */
const pauses = [20, 50, 100, 200, 400]

interface Move {
  readonly from: string
  readonly to: string
  /** As named by the user. */
  readonly path: string
}

async function moveWhenFree(file: NewFile, move: Move, options: FileOptions): Promise<void> {
  for (const pause of [...pauses, undefined]) {
    try {
      checkPlace(file, move.from)
      if (options.replace) renameSync(move.from, move.to)
      else moveToNew(move, options)
      checkPlace(file, move.to)
      return
    } catch (error) {
      if (pause === undefined || !['EPERM', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
    await setTimeout(pause)
  }
}

function checkPlace(file: NewFile, path: string): void {
  if (!file.isAt(path)) throw new TugError('failed', `another program replaced ${path} while it was being written`)
}

/** Moves a file to a name that nobody else has taken. A file system without links has the name reserved by an empty file. */
function moveToNew({ from, to, path }: Move, options: FileOptions): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw alreadyExists(path, options)
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EISDIR', 'EINVAL'].includes(code)) throw error
    try {
      createFile(to).close()
    } catch (taken) {
      throw (taken as NodeJS.ErrnoException).code === 'EEXIST' ? alreadyExists(path, options) : taken
    }
    try {
      renameSync(from, to)
    } catch (failure) {
      rmSync(to, { force: true })
      throw failure
    }
    return
  }
  unlinkSync(from)
}

function alreadyExists(path: string, { remedy = '--force replaces it' }: FileOptions): TugError {
  return usageError(`${path} already exists`, remedy)
}

/** Throws if the file exists and must not be replaced, or its folder is missing or not writable. Call it before any request. */
export async function checkWritable(path: string, options: FileOptions): Promise<void> {
  const place = await untilAborted(placeOf(path, options), options.signal)
  try {
    // The dot causes an error if the parent is not a folder.
    if (place.path === nullDevice) return
    if (place.isDevice) await access(place.path, constants.W_OK)
    else await access(`${dirname(place.path)}/.`, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

const nullDevice = String.raw`\\.\NUL`

interface Destination {
  /** The path of the file itself, if the given path is a link. */
  readonly path: string
  /** True for something that cannot be replaced: a terminal, `/dev/null`, a named pipe. */
  readonly isDevice: boolean
}

/** Resolves a path. Throws a usage error for a folder, and for what exists and must not be replaced. */
async function placeOf(path: string, options: FileOptions): Promise<Destination> {
  if (sep === '\\' && isDeviceName(basename(path))) {
    if (/^nul$/i.test(basename(path))) return { path: nullDevice, isDevice: true }
    throw usageError(`${path} is the name of a device on Windows`)
  }
  const link = await lstat(path).catch(() => undefined)
  if (link === undefined) return { path, isDevice: false }
  const existing = await stat(path).catch(() => undefined)
  if (existing === undefined) throw usageError(`${path} is a broken link`)
  if (existing.isDirectory()) throw usageError(`${path} is a folder`)
  if (existing.isFile()) {
    if (!options.replace) throw alreadyExists(path, options)
    return { path: options.private === true ? path : await realpath(path), isDevice: false }
  }
  // A pipe with the name of a file may be somebody else's.
  if (!options.replace && !/^\/(?:dev|proc)\//.test(path))
    throw usageError(`${path} exists, and is not a file`, '--force writes to it')
  return { path, isDevice: true }
}

/** Writes to a device or pipe. A file that has taken its place meanwhile is neither truncated nor written. */
async function writeInPlace(path: string, content: Content): Promise<number> {
  const file = await open(path, sep === '\\' ? 'w' : constants.O_WRONLY | constants.O_NOCTTY).catch(
    (error: unknown) => {
      throw cannotWrite(path, error)
    },
  )
  try {
    if ((await file.stat()).isFile()) throw new TugError('failed', `another program replaced ${path}`)
    return await writePieces((bytes) => file.writeFile(bytes), content)
  } catch (error) {
    throw cannotWrite(path, error)
  } finally {
    await file.close()
  }
}

/** Writes the content and returns the number of bytes. */
async function writePieces(write: (bytes: Uint8Array) => Promise<void>, content: Content): Promise<number> {
  const whole = typeof content === 'string' ? Buffer.from(content) : content
  let bytes = 0
  for await (const piece of whole instanceof Uint8Array ? [whole] : whole) {
    await write(piece)
    bytes += piece.length
  }
  return bytes
}

function cannotWrite(path: string, error: unknown): Error {
  if (error instanceof TugError) return error
  // Such as /dev/stdout in a pipeline.
  return (error as NodeJS.ErrnoException).code === 'EPIPE'
    ? new TugError('closed_pipe', `${path} is closed`, { cause: error })
    : new TugError('failed', `cannot write ${path}: ${fileReason(error)}`, { cause: error })
}
