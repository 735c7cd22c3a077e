import { usageError } from '../../../core/errors.ts'
import type { Param } from '../../../core/param.ts'
import { path } from '../../../core/param.ts'

/** The path of a secret, relative to the mount. */
export const secretPath = path.segments('path of the secret, relative to the mount', {
  placeholder: 'path',
  complete: 'secret-path',
})

/** The same where a command can take its paths from a file. */
export const optionalSecretPath: Param<string | undefined> = {
  ...secretPath,
  required: false,
  read: (texts, label) => (texts.length === 0 ? undefined : secretPath.read(texts, label)),
}

/** A folder, relative to the mount; the root by default. */
export const folderPath = path.folder('folder, relative to the mount (default: the root)', { complete: 'secret-path' })

/** A secret, or a folder if it ends with a slash; `/` is the root. The command decides which of them it takes. */
export function secretOrFolder(summary: string, options: { placeholder?: string; required?: boolean } = {}) {
  const { placeholder = 'path', required = true } = options
  const folder = path.folder(summary, { placeholder, required, complete: 'secret-path' })
  const param: Param<string> = {
    ...folder,
    read: (texts, label) => {
      const bare = folder.read(texts, label) ?? ''
      return bare !== '' && texts.at(-1)?.endsWith('/') === true ? `${bare}/` : bare
    },
  }
  return param
}

/** The same, or undefined if it isn't given. */
export function optionalPath(summary: string, options: { placeholder?: string } = {}): Param<string | undefined> {
  const given = secretOrFolder(summary, { ...options, required: false })
  return { ...given, read: (texts, label) => (texts.length === 0 ? undefined : given.read(texts, label)) }
}

/** {@link folderPath} as it was typed: without a slash at its end it may be a secret too. */
export const typedFolder = optionalPath('folder, relative to the mount (default: the root)')

/** The same, or a secret where there is no such folder. */
export const typedPath = optionalPath('secret or folder, relative to the mount (default: the root)')

/** Several secrets, or folders if they end with a slash; perhaps none. */
export function secretsOrFolders(summary: string): Param<string[]> {
  const one = secretOrFolder(summary, { required: false })
  return {
    ...one,
    repeatable: true,
    read: (texts, label) => texts.map((text) => one.read([text], label)),
  }
}

/** True for a path that can only be a folder: the root, or one with a slash at its end. */
export function isFolder(text: string): boolean {
  return text === '' || text.endsWith('/')
}

/** The path if it is written as that of a secret. Throws a usage error for one that only a folder can have. */
export function asSecret(text: string, ...hints: readonly string[]): string {
  if (text === '') throw usageError(`'/' is the root, not a secret`, ...hints)
  if (isFolder(text)) throw usageError(`'${text}' ends with a slash, as folders do`, ...hints)
  return text
}

/** The path without a trailing slash; '' is the root. */
export function asFolder(text: string): string {
  return text.replace(/\/$/, '')
}

/** A folder in a sentence. */
export function folderWords(folder: string): string {
  return folder === '' ? 'the root' : folder
}

/** A hint for a path that may be meant as a folder. */
export function forFolder(line: string): string {
  return `for everything below the folder: ${line}`
}

/** `app` and `db` → `app/db`; the root adds nothing. */
export function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** The folder of a secret or folder; '' is the root. */
export function folderOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf('/')))
}

/** A path below a folder, relative to it; the root changes nothing. */
export function relativeTo(folder: string, place: string): string {
  return folder === '' ? place : place.slice(folder.length + 1)
}

/** The order of paths in lists and backups. */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
