import type { Context } from '../../../core/context.ts'
import { isForbidden, usageError, DryRunEnd } from '../../../core/errors.ts'
import { flagName } from '../../../core/param.ts'
import type { LineWord } from '../../../core/shell.ts'
import { flagText } from '../../../core/shell.ts'
import { fileWords } from '../../../core/words.ts'
import { refuseVersion1 } from './engine.ts'
import { listFolder, meantPath } from './list.ts'
import { mountIn } from './other.ts'

/**
 * Refuses a write to a path that begins with the mount (`secret/app/db`), unless the mount is on the command line or has a folder of
 * that name, which takes one list. The arguments `before` the path are part of the command lines in the hints, which are those
 * of `from`.
 */
export async function refuseMisplaced(
  context: Context,
  place: string,
  options: { readonly before?: readonly string[]; readonly from?: Context } = {},
): Promise<void> {
  const { before = [], from = context } = options
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
      `to write ${mount}/${place}: ${line(place, [flagName(context.mountKey), mount])} …`,
    )
  }
}

/** The typed command line for another mount, and for a path in it instead of the typed one. */
export type LineIn = (mount: string, path?: string) => string

/**
 * {@link LineIn} of a command that writes to or below `folder` in this context, its argument `key`; undefined if that wasn't typed. If the
 * mount begins below the folder, no line is right.
 */
export function typedLineIn({ typedLine, mountKey }: Context, folder: string, key: string | undefined): LineIn {
  return (mount, path) => {
    if (path === undefined) return typedLine({ [mountKey]: mount })
    if (key === undefined || !`${folder}/`.startsWith(`${mount}/`))
      return `use paths without ${mount}/, and ${flagText([flagName(mountKey), mount])}`
    return typedLine({ [key]: folder.slice(mount.length + 1), [mountKey]: mount })
  }
}

/**
 * Refuses to create a secret at a path that begins with another mount (`team/kv/app`), unless this mount has a folder of that name or the mount
 * is on the command line. `lineIn` makes the lines of the hints.
 */
export async function refuseOtherMount(context: Context, place: string, lineIn?: LineIn): Promise<void> {
  const other = await mountIn(context, place)
  if (other === undefined || (await hasFolder(context, other.mount))) return
  const { mount } = context.settings.route
  const usual: LineIn = (name, path = place) =>
    `${context.commandLine(context.commandPath.join(' '), path, ['--mount', name])} …`
  const line = lineIn ?? usual
  throw usageError(
    `'${place}' begins with the mount ${other.mount}, so it would be ${mount}/${place}; nothing was written`,
    `in that mount: ${line(other.mount, other.rest)}`,
    `to write ${mount}/${place}: ${line(mount)}`,
  ).with({ endsRun: true })
}

/** Refuses to write to a path that doesn't exist if its mount has no versions, or if the path begins with another mount. */
export async function refuseWrongMount(context: Context, path: string, key: string, lineIn?: LineIn): Promise<void> {
  await refuseVersion1(context, key)
  await refuseOtherMount(context, path, lineIn)
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
