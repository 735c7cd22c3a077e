import { randomBytes } from 'node:crypto'
import { open, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { TugError, usageError } from '../core/errors.ts'
import { fileReason } from './io.ts'

/** How a file is to be written. */
export interface FileOptions {
  /** Take the place of a file that is there. */
  readonly replace: boolean
  /** Mode 0600 instead of what the umask leaves. */
  readonly private?: boolean
  /** Named in the error when a file is in the way. */
  readonly forceFlag?: string
}

/**
 * Writes a file beside its place and renames it when it is whole, so that a failure leaves no half file and an interrupted
 * run leaves none. Returns the number of bytes. Throws a usage error when the file exists and must not be replaced.
 */
export async function writeFileWhole(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  options: FileOptions,
): Promise<number> {
  await refuseExisting(path, options)
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.part`)
  const mode = options.private === true ? 0o600 : 0o666
  const file = await open(temporary, 'wx', mode).catch((error: unknown) => {
    throw cannotWrite(path, error)
  })
  let bytes = 0
  try {
    for await (const piece of pieces(content)) {
      await file.writeFile(piece)
      bytes += piece.length
    }
    await file.sync()
    await file.close()
    await refuseExisting(path, options)
    await rename(temporary, path)
    return bytes
  } catch (error) {
    await file.close().catch(() => undefined)
    await unlink(temporary).catch(() => undefined)
    throw error instanceof TugError ? error : cannotWrite(path, error)
  }
}

/** Throws before anything is asked of a server when the file is in the way or its folder is not there. */
export async function checkWritable(path: string, options: FileOptions): Promise<void> {
  await refuseExisting(path, options)
  const folder = await stat(dirname(path)).catch((error: unknown) => {
    throw cannotWrite(path, error)
  })
  if (!folder.isDirectory()) throw new TugError('failed', `cannot write ${path}: its folder is not a folder`)
}

async function refuseExisting(path: string, { replace, forceFlag = '--force' }: FileOptions): Promise<void> {
  const existing = await stat(path).catch(() => undefined)
  if (existing === undefined) return
  if (existing.isDirectory()) throw usageError(`${path} is a folder`)
  if (!replace) throw usageError(`${path} exists already`, `${forceFlag} replaces it`)
}

async function* pieces(content: string | Uint8Array | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  if (typeof content === 'string') yield Buffer.from(content)
  else if (content instanceof Uint8Array) yield content
  else yield* content
}

function cannotWrite(path: string, error: unknown): Error {
  return error instanceof TugError
    ? error
    : new TugError('failed', `cannot write ${path}: ${fileReason(error)}`, { cause: error })
}
