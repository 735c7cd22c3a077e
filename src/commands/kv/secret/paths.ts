import { DryRunEnd } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Param } from '../../../core/param.ts'
import { path } from '../../../core/param.ts'
import type { LineWord } from '../../../core/shell.ts'
import { fileWords } from '../../../core/words.ts'
import { listFolder } from './engine.ts'

/** The path of a secret, relative to the mount. */
export const secretPath = path.segments('path of the secret, relative to the mount', {
  placeholder: 'path',
  complete: 'secret-path',
})

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

/** Several secrets, or folders if they end with a slash. */
export function secretsOrFolders(summary: string): Param<string[]> {
  const one = secretOrFolder(summary)
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

/** `app` and `db` → `app/db`; the root adds nothing. */
export function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** The folder of a secret or folder; '' is the root. */
export function folderOf(place: string): string {
  return place.split('/').slice(0, -1).join('/')
}

/** A path below a folder, relative to it; the root changes nothing. */
export function relativeTo(folder: string, place: string): string {
  return folder === '' ? place : place.slice(folder.length + 1)
}

/** What a path probably means if it begins with the mount or a part of the API; else undefined. */
function meantPath(context: Context, place: string): string | undefined {
  const { mount } = context.settings.route
  const inMount = place.startsWith(`${mount}/`) ? place.slice(mount.length + 1) : place
  const meant = inMount.replace(/^(?:data|metadata)\//, '')
  return meant === place ? undefined : meant
}

/** Hints for a missing path that begins with the mount: it is relative to the mount, and the right command line. */
export function placeHints(context: Context, place: string, end: '' | '/' = ''): string[] {
  const meant = meantPath(context, place)
  return meant === undefined ? [] : [`the path is relative to the mount: ${context.lineWith(place, meant + end)}`]
}

/**
 * Refuses a write to a path that begins with the mount (`secret/app/db`), unless the mount is on the command line or has a folder of
 * that name, which takes one list. The arguments `before` the path are part of the command lines in the hints, which are those
 * of `from`; `flag` is the one that names the mount there.
 */
export async function refuseMisplaced(
  context: Context,
  place: string,
  options: { readonly before?: readonly string[]; readonly from?: Context; readonly flag?: string } = {},
): Promise<void> {
  const { before = [], from = context, flag = '--mount' } = options
  const { mount } = context.settings.route
  const meant = meantPath(context, place)
  if (meant === undefined || context.settings.targetFlags.includes('--mount')) return
  const line = (...words: LineWord[]) => from.commandLine(from.commandPath.join(' '), ...before, ...words)
  if (!place.startsWith(`${mount}/`)) {
    context.io.hint(
      `paths are relative to the mount, so this is ${mount}/${place}; for ${mount}/${meant}: ${line(meant)} …`,
    )
  } else if (!(await hasFolder(context, mount))) {
    throw usageError(
      `'${place}' begins with the mount, so it would be ${mount}/${place}; nothing was written`,
      `paths are relative to the mount: ${line(meant)} …`,
      `to write ${mount}/${place}: ${line(place, [flag, mount])} …`,
    )
  }
}

/** Refuses the paths of a file if one begins with the mount; see {@link refuseMisplaced}. */
export async function refuseMisplacedIn(context: Context, file: string, places: Iterable<string>): Promise<void> {
  const { route, targetFlags } = context.settings
  const { mount } = route
  const place = [...places].find((one) => one.startsWith(`${mount}/`))
  if (place === undefined || targetFlags.includes('--mount') || (await hasFolder(context, mount))) return
  throw usageError(
    `${fileWords(file)}: '${place}' begins with the mount, so it would be ${mount}/${place}; nothing was written`,
    'the paths in a file are relative to the mount',
    `to write ${mount}/${place}: ${context.commandLine('kv import', file, ['--mount', mount])}`,
  )
}

/** True if the mount has a folder of this name; false also if it may not be listed. */
async function hasFolder(context: Context, folder: string): Promise<boolean> {
  try {
    return (await listFolder(context, folder)).names.length > 0
  } catch (error) {
    // What comes next depends on the list.
    if (error instanceof DryRunEnd) return true
    if (error instanceof TugError && error.code === 'not_allowed') return false
    throw error
  }
}

/** The order of paths in lists and backups. */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
