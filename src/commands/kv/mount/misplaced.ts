import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { isForbidden, usageError, DryRunEnd } from '../../../core/errors.ts'
import type { LineWord } from '../../../core/shell.ts'
import { fileWords } from '../../../core/words.ts'
import { asFolder } from '../data/paths.ts'
import { listFolder, meantPath } from './list.ts'

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

/**
 * Refuses to create a secret at a path that begins with another mount (`team/kv/app`), unless this mount has a folder of that name or the mount
 * is on the command line.
 */
export async function refuseOtherMount(context: Context, place: string): Promise<void> {
  const other = await mountIn(context, place)
  if (other === undefined || (await hasFolder(context, other.mount))) return
  const { mount } = context.settings.route
  const line = (...words: LineWord[]) => context.commandLine(context.commandPath.join(' '), ...words)
  throw usageError(
    `'${place}' begins with the mount ${other.mount}; nothing was written`,
    `in that mount: ${line(other.rest, ['--mount', other.mount])} …`,
    `to write ${mount}/${place}: ${line(place, ['--mount', mount])} …`,
  )
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
    return (await listFolder(context, folder)).value.length > 0
  } catch (error) {
    // What comes next depends on the list.
    if (error instanceof DryRunEnd) return true
    if (isForbidden(error)) return false
    throw error
  }
}

/**
 * The mount at the beginning of a path, if it is another one than the command's, and the rest of the path: people type a mount there, as other
 * tools read it. Undefined if `--mount` was typed, or if the server doesn't tell.
 */
export async function mountIn(
  { http, settings }: Context,
  path: string,
): Promise<{ readonly mount: string; readonly rest: string } | undefined> {
  if (!path.includes('/') || settings.targetFlags.includes('--mount')) return undefined
  const found = await http.send({ ...api.readMount({ mount: path }), policy: { retries: 0 } }).then(
    ({ value }) => asFolder(value.data.path ?? ''),
    () => '',
  )
  const isOther = found !== '' && found !== settings.route.mount && path.startsWith(`${found}/`)
  return isOther ? { mount: found, rest: path.slice(found.length + 1) } : undefined
}
