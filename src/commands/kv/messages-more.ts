import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { firstNames, plural } from '../../core/words.ts'
import { seeVersions } from './messages.ts'

// Messages of commands that are started less often than get, list and put, which would load them each time.

// kv set
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

// Versions
export const passRecursive = 'pass --recursive for everything below a folder'
export const deleteQuestion = (paths: readonly string[], folder: string) =>
  `Delete the latest version of ${plural(paths.length, 'secret')} below ${folder}: ${firstNames(paths)}?`
export const toUndo = (line: string) => `to undo: ${line}`
export const unknownLatest = (line: string) =>
  usageError(
    '--no-verify requires --versions: without reading the metadata, the latest version is unknown',
    `write: ${line} <n>`,
  )
export const nameVersion = (line: string) => `without reading the metadata, name the version: ${line} <n>`
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
export const keysOfNothing = () => usageError('--keys needs a text to look for')
export const textIsFolder = (text: string, line: string) =>
  `'${text}' was looked for in names; to search the folder ${text}/: ${line}`
export const doubtfulAge = (doubt: string) => `--older-than ${doubt}`
export const foundByAudit = (findings: number, paths: number, secrets: number) =>
  `${plural(findings, 'finding')} in ${paths} of ${plural(secrets, 'secret')}`
export const nothingNamed = () => usageError('name a secret or a folder, or pass --dangling or --orphans')
export const jobsRead = (jobs: number, undecidable: number) =>
  `read ${plural(jobs, 'job')}${undecidable === 0 ? '' : `; ${plural(undecidable, 'reference')} undecidable`}`
export const paceOfOne = () => usageError('--parallel and --rate need a folder')
export const historyOfFolder = (line: string) => `its history: ${line}`
export const undatedVersions = (versions: number) =>
  `${plural(versions, 'version')} destroyed at a time that servers don't store`

// kv export and kv import
export const unsupportedByExport = (flag: string) => usageError(`an export does not support --${flag}`)
export const notAnExportFormat = (format: string) =>
  usageError(`an export cannot be written as ${format}`, 'use --format json, yaml or dotenv')
export const exportCount = (written: number, leftOut: number, file: string | undefined) =>
  `${plural(written, 'secret')}${file === undefined ? '' : ` → ${file}`}${leftOut === 0 ? '' : `, ${leftOut} left out: no live version`}`
export const foldersLeftOut = (folders: readonly string[]) =>
  `left out ${plural(folders.length, 'folder')} (--no-recursive): ${firstNames(folders)}`
export const passUpdate = 'pass --update to write what changed'
export const pruneOfOne = () => usageError('--prune needs a file with paths; this one is a single secret')
export const incompleteExport = (label: string, what: string, key: string) =>
  usageError(`${label} is an incomplete export: ${what}`, `remove the entry "${key}" to import the rest`)
export const notMapOfPath = (label: string, name: string) =>
  usageError(
    `${label}: '${name}' is not a map; an import is a map of paths to secrets`,
    'to write a single secret: tug kv put <path> @file',
  )
export const withoutPath = (label: string) =>
  usageError(`${label} is a single secret without a path`, 'give its path: tug kv import <file> <path>')
export const notPath = (label: string, name: string, reason: string) =>
  usageError(`${label}: '${name}' cannot be a path: ${reason}`)
