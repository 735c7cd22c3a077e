import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { firstNames, plural } from '../../core/words.ts'

// Messages of commands that are started less often than get, list and put, which would load them each time.

// kv set and kv edit
export const setAndRemoved = (key: string) => usageError(`the key '${key}' is both set and removed`)
export const nothingRemovable = (path: string) =>
  new TugError('not_found', `no secret ${path}, so no key can be removed; nothing was written`, { reason: 'no_secret' })
export const seeChanges = ({ commandLine }: Context, path: string, ...versions: string[]) =>
  `see what changed, without values: ${commandLine('kv diff', path, ...versions)}`
/** `current` is undefined for a secret that doesn't exist. */
export const notAtVersion = (context: Context, path: string, cas: number, current: number | undefined) => {
  const is = current === undefined ? "doesn't exist, so it is not at version" : `is at version ${current}, not`
  const isOlder = cas > 0 && cas < (current ?? 0)
  const hints = isOlder ? [seeChanges(context, path, '--from', String(cas), '--to', String(current))] : []
  return new TugError('conflict', `${path} ${is} ${cas}; nothing was written`, { hints })
}

// Settings and custom metadata
export const resetByPatch = (line: string) =>
  usageError('--delete-version-after 0 has no effect in a patch, servers ignore it', `use: ${line}`)
export const createIt = (line: string) => `to create it: ${line} …`
export const putInstead = (line: string) =>
  `kv metadata put needs update instead of patch, and replaces the custom metadata: ${line} …`
export const tooManyKeys = (label: string, count: number, most: number) =>
  usageError(`${label}: ${count} keys; a secret has at most ${most}`)

// Many secrets
export const emptySource = (whose: string) =>
  usageError(
    `${whose} contains no secret, and --prune would delete everything`,
    'to delete a folder, use kv delete --recursive',
  )
export const surplusQuestion = (paths: readonly string[], whose: string) =>
  `Delete ${plural(paths.length, 'secret')} that ${whose} doesn't contain: ${firstNames(paths)}?`
export const invalidName = () => new TugError('failed', 'the server lists an invalid name, which is skipped')
export const tooDeep = (most: number) =>
  new TugError('failed', `the server lists folders more than ${most} levels deep; no more are read`)
export const textIsFolder = (text: string, line: string) =>
  `'${text}' was looked for in names; to search the folder ${text}/: ${line}`
export const undatedVersions = (versions: number) =>
  `${plural(versions, 'version')} destroyed at a time that servers don't store`

// Environment variables of a child
export const sameVariable = (name: string) => usageError(`two keys would become the variable ${name}`, 'omit --upper')
export const notVariable = (key: string) => usageError(`the key '${key}' cannot be the name of a variable`)
export const nulInVariable = (key: string) =>
  usageError(`the value of '${key}' contains a NUL character, which a variable cannot contain`)
export const loaderVariables = ({ commandLine }: Context, path: string, names: readonly string[]) => {
  const allowed = names.flatMap((name) => ['--allow-env', name])
  return usageError(
    `${names.join(', ')}: ${names.length === 1 ? 'this variable decides' : 'these variables decide'} what programs load; nothing was run`,
    `give the names a prefix: ${commandLine('kv exec', path, '--prefix', 'APP_')} -- …`,
    `if that is intended: ${commandLine('kv exec', path, ...allowed)} -- …`,
  )
}
