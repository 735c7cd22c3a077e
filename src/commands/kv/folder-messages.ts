import { TugError, usageError } from '../../core/errors.ts'
import { firstNames, plural } from '../../core/words.ts'

// What is said of whole folders. Reads and writes of a single secret, which are started more often, load none of it.

// --prune
export const emptySource = (whose: string) =>
  usageError(
    `${whose} contains no secret, and --prune would delete everything`,
    'to delete a folder, use kv delete --recursive',
  )
export const surplusQuestion = (paths: readonly string[], whose: string) =>
  `Delete ${plural(paths.length, 'secret')} that ${whose} doesn't contain: ${firstNames(paths)}?`

// Lists
export const invalidName = () => new TugError('failed', 'the server lists an invalid name, which is skipped')
export const tooDeep = (most: number) =>
  new TugError('failed', `the server lists folders more than ${most} levels deep; no more are read`)

// kv audit
export const foundByAudit = (findings: number, paths: number, secrets: number) =>
  `${plural(findings, 'finding')} in ${paths} of ${plural(secrets, 'secret')}`

// kv export and kv import
export const incompleteExport = (label: string, what: string, key: string) =>
  usageError(`${label} is an incomplete export: ${what}`, `remove the entry "${key}" to import the rest`)
export const entryNotMap = (label: string, name: string) =>
  usageError(
    `${label}: '${name}' is not a map; an import is a map of paths to secrets`,
    'to write a single secret: tug kv put <path> @file',
  )
export const withoutPath = (label: string) =>
  usageError(`${label} is a single secret without a path`, 'give its path: tug kv import <file> <path>')
export const notPath = (label: string, name: string, reason: string) =>
  usageError(`${label}: '${name}' cannot be a path: ${reason}`)
