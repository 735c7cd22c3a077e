import { randomUUID } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  unlinkSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Context } from '../../../core/context.ts'
import { isPrivate, makeFolder } from '../../../core/environment.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { withLock } from '../../../core/lock.ts'
import { createFile, identityOf, writeNewFile } from '../../../core/new-file.ts'
import { fileReason } from '../../../core/words.ts'
import type { CertificateFormat, CredentialFile } from './certificate.ts'
import { certificateFormats, fileNames } from './certificate.ts'

/** A folder for credentials. */
export interface OutDir {
  /** As typed. */
  readonly name: string
  readonly path: string
  readonly replace: boolean
  /** The files that existed when it was checked, by name. */
  readonly seen: ReadonlyMap<string, string | undefined>
}

type Machine = Pick<Context, 'sleep' | 'onExit' | 'io'>

/**
 * Files are written into a temporary folder, which is committed by a rename to one of these names. If a run is killed after that,
 * the next one moves the files into place. Only the second name may replace files.
 */
const sets = ['.tug-new', '.tug-replacing'] as const

/** All that a set can contain. */
const ownFiles = new Set(certificateFormats.flatMap((format) => [true, false].flatMap((key) => fileNames(format, key))))

/**
 * Creates the folder (0700) if it is missing, checks that it is writable, and finishes the set of a killed run. `key` is true if a
 * private key will be written. Throws before any request.
 */
export async function prepareOutDir(
  name: string,
  { replace, format, key }: { replace: boolean; format: CertificateFormat; key: boolean },
  machine: Machine,
): Promise<OutDir> {
  const path = resolve(machine.io.cwd, name)
  try {
    const missing = missingFolders(path)
    makeFolder(path, 0o700)
    if (missing.length > 0) machine.onExit(() => removeEmpty(missing))
    // Synchronously, so no signal can leave the file behind.
    const probe = join(path, `.tug-${randomUUID()}.probe`)
    createFile(probe).close()
    unlinkSync(probe)
    if (setsIn(path, machine.io.uid).length > 0)
      await withLock(lockOf(path), machine, () => finish(path, machine.io.uid))
  } catch (error) {
    throw unwritable(name, error)
  }
  const files = fileNames(format, key)
  refuseTaken(name, replace, files, [path])
  const seen = new Map(files.map((file) => [file, identity(path, file)]))
  return { name, path, replace, seen }
}

/** The folder and its parents that don't exist, deepest first. */
function missingFolders(path: string): string[] {
  const parent = dirname(path)
  // A root is its own parent: a drive or share of Windows may be missing.
  return existsSync(path) || parent === path ? [] : [path, ...missingFolders(parent)]
}

/** Removes folders, up to the first that isn't empty. */
function removeEmpty(folders: readonly string[]): void {
  try {
    for (const folder of folders) rmdirSync(folder)
  } catch {
    // It contains a certificate.
  }
}

/** Throws if files cannot be written into the folder. Changes nothing. */
export function checkOutDir(
  name: string,
  { replace, format, key }: { replace: boolean; format: CertificateFormat; key: boolean },
  { io }: Pick<Machine, 'io'>,
): void {
  const path = resolve(io.cwd, name)
  try {
    if (existsSync(path)) {
      if (!statSync(path).isDirectory()) throw Object.assign(new Error(), { code: 'EEXIST' })
      accessSync(path, constants.W_OK)
    }
    refuseTaken(name, replace, fileNames(format, key), [path, ...setsIn(path, io.uid)])
  } catch (error) {
    throw unwritable(name, error)
  }
}

function unwritable(name: string, cause: unknown): TugError {
  if (cause instanceof TugError) return cause
  const reason = (cause as NodeJS.ErrnoException).code === 'EEXIST' ? 'it is not a folder' : fileReason(cause)
  return new TugError('failed', `${name} cannot be written: ${reason}; nothing was sent`, { cause })
}

/** Throws for a folder with the name of a file, and for a file that may not be replaced. */
function refuseTaken(name: string, replace: boolean, files: readonly string[], places: readonly string[]): void {
  for (const file of files) {
    const found = places.flatMap((place) => lstatSync(join(place, file), { throwIfNoEntry: false }) ?? [])
    if (found.some((one) => one.isDirectory())) throw usageError(`${join(name, file)} is a folder; nothing was sent`)
    if (found.length > 0 && !replace)
      throw usageError(`${join(name, file)} already exists; nothing was sent`, '--force replaces it')
  }
}

/** Writes the files (0600), all or none, and returns their names: a full disk or a kill never mixes old and new files. */
export async function writeParts(
  folder: OutDir,
  files: readonly CredentialFile[],
  machine: Machine,
): Promise<string[]> {
  const { name, path } = folder
  const staging = join(path, `.tug-${randomUUID()}.part`)
  const remove = () => rmSync(staging, { recursive: true, force: true })
  const forgetExit = machine.onExit(remove)
  let left: readonly string[] = []
  try {
    mkdirSync(staging, 0o700)
    for (const { file, content } of files) writeNewFile(join(staging, file), content)
    await withLock(lockOf(path), machine, () => {
      finish(path, machine.io.uid)
      const changed = files.find(({ file }) => identity(path, file) !== folder.seen.get(file))
      if (changed !== undefined)
        throw new TugError(
          'failed',
          `${join(name, changed.file)} was changed by another program in the meantime; it was not replaced`,
        )
      const set = join(path, sets[folder.replace ? 1 : 0])
      renameSync(staging, set)
      try {
        moveOut(set, path)
      } catch (error) {
        left = readdirSync(set)
        if (left.length < files.length) {
          machine.io.warnAlways(
            `${left.join(', ')} could not be moved out of ${set}: ${fileReason(error)}; move it yourself`,
          )
          return
        }
        // Nothing was moved yet: the old files are complete.
        rmSync(set, { recursive: true })
        throw error
      }
    })
    const abandoned = readdirSync(path).filter((file) => /^\.tug-[\w-]+\.part$/.test(file) && isOld(path, file))
    if (abandoned.length > 0)
      machine.io.warn(
        `${name} contains ${abandoned.join(', ')} from a run that was killed; delete it unless you need the key in it`,
      )
    return files.map(({ file }) => file).filter((file) => !left.includes(file))
  } catch (error) {
    remove()
    if (error instanceof TugError) throw error
    throw new TugError('failed', `cannot write into ${name}: ${fileReason(error)}`, { cause: error })
  } finally {
    forgetExit()
  }
}

/** A file of the folder, or of a committed set that isn't in place yet; undefined if it is missing. */
export function readFiled(path: string, file: string, uid: number | undefined): Buffer | undefined {
  for (const place of [...setsIn(path, uid), path]) {
    try {
      if (statSync(join(place, file)).isFile()) return readFileSync(join(place, file))
    } catch {
      // The next place may have it.
    }
  }
  return undefined
}

/** The formats of the credentials in a folder, by the names of their files. */
export function formatsIn(path: string, uid: number | undefined): CertificateFormat[] {
  return certificateFormats.filter((format) => readFiled(path, certificateFile(format), uid) !== undefined)
}

/** The name of the file that has the certificate. */
export function certificateFile(format: CertificateFormat): string {
  return fileNames(format, true)[0] as string
}

/** True if it was changed an hour before the folder, which this run has changed: no run takes that long. */
function isOld(folder: string, file: string): boolean {
  const changed = lstatSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs
  return changed !== undefined && statSync(folder).mtimeMs - changed > 3_600_000
}

function lockOf(path: string): string {
  return join(path, '.tug-lock')
}

/** The committed sets in a folder. Throws for anything else of these names: its files are not ours to move. */
function setsIn(path: string, uid: number | undefined): string[] {
  // `lstat` throws below a file.
  if (!existsSync(path) || !statSync(path).isDirectory()) return []
  return sets.flatMap((set) => {
    const folder = join(path, set)
    const found = lstatSync(folder, { throwIfNoEntry: false })
    if (found === undefined) return []
    const isOurs =
      found.isDirectory() &&
      isPrivate(found, uid) &&
      readdirSync(folder).every((file) => ownFiles.has(file) && lstatSync(join(folder, file)).isFile())
    if (isOurs) return [folder]
    throw new TugError('failed', `${folder} is not a folder that tug left behind`, {
      hints: ['look at what it contains, then remove it'],
    })
  })
}

/** Moves the files of committed sets into place. */
function finish(path: string, uid: number | undefined): void {
  for (const folder of setsIn(path, uid)) {
    const taken = folder.endsWith(sets[1])
      ? undefined
      : readdirSync(folder).find((file) => existsSync(join(path, file)))
    if (taken !== undefined)
      throw usageError(`${join(path, taken)} was created while ${folder} was written`, `keep one of them`)
    moveOut(folder, path)
  }
}

function moveOut(set: string, path: string): void {
  for (const file of readdirSync(set)) renameSync(join(set, file), join(path, file))
  rmdirSync(set)
}

/** Changes when a file is replaced or written; undefined if it doesn't exist. */
function identity(path: string, file: string): string | undefined {
  const found = lstatSync(join(path, file), { bigint: true, throwIfNoEntry: false })
  return found && identityOf(found)
}
