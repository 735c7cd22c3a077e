import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { firstNames, plural } from '../../core/words.ts'
import { seeVersions } from './messages.ts'
import type { LineFlag } from '../../core/shell.ts'

// What the commands say that change a secret in place, or its versions or settings. kv put, which is started more often, loads none of it.

// kv set
export const setAndRemoved = (key: string) => usageError(`the key '${key}' is both set and removed`)
export const nothingRemovable = (path: string) =>
  new TugError('not_found', `no secret ${path}, so no key can be removed; nothing was written`, { reason: 'no_secret' })
export const seeChanges = ({ commandLine }: Context, path: string, ...versions: LineFlag[]) =>
  `see what changed, without values: ${commandLine('kv diff', path, ...versions)}`
/** `current` is undefined for a secret that doesn't exist. */
export const notAtVersion = (context: Context, path: string, cas: number, current: number | undefined) => {
  const is = current === undefined ? "doesn't exist, so it is not at version" : `is at version ${current}, not`
  const isOlder = cas > 0 && cas < (current ?? 0)
  const hints = isOlder ? [seeChanges(context, path, ['--from', String(cas)], ['--to', String(current)])] : []
  return new TugError('conflict', `${path} ${is} ${cas}; nothing was written`, { hints })
}

// Versions
export const passRecursive = 'pass --recursive for everything below a folder'
export const deleteQuestion = (paths: readonly string[], folder: string) =>
  `Delete the latest version of ${plural(paths.length, 'secret')} below ${folder}: ${firstNames(paths)}?`
export const toUndo = (line: string) => `to undo: ${line}`
export const unknownLatest = (line: string) =>
  usageError(
    '--no-verify requires --versions: without reading the metadata, the latest version is unknown',
    `write: ${line} --versions <n>`,
  )
export const nameVersion = (line: string) => `without reading the metadata, name the version: ${line} --versions <n>`
export const nothingChanged = (error: TugError, done: string) =>
  error.with({ message: `${error.message}; nothing was ${done}` })
export const changeUnconfirmed = ({ commandLine }: Context, path: string, noun: string) =>
  `accepted, not confirmed: the metadata doesn't show the ${noun} yet; see: ${commandLine('kv history', path)}`
export const noSuchVersions = (context: Context, path: string, what: string, existing: readonly number[]) => {
  const shown = existing.slice(0, 10).join(', ')
  const has =
    existing.length === 0
      ? 'it has metadata only'
      : existing.length > 10
        ? `its newest versions: ${shown} (${plural(existing.length, 'version')})`
        : `its versions: ${shown}`
  return new TugError('not_found', `${path} has no ${what}; ${has}; nothing was sent`, {
    reason: 'no_secret',
    hints: [seeVersions(context, path)],
  })
}

// Settings and custom metadata
export const resetByPatch = (line: string) =>
  usageError('--delete-version-after 0 has no effect in a patch, servers ignore it', `use: ${line}`)
export const createIt = (line: string) => `to create it: ${line} …`
export const putInstead = (line: string) =>
  `kv metadata put needs update instead of patch, and replaces the custom metadata: ${line} …`
