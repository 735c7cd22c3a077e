import { TugError, usageError } from '../../../core/errors.ts'
import { fileWords, plural } from '../../../core/words.ts'
import { versionWords } from '../versions.ts'

// Files that cannot be used
const damaged = (name: string, why: string, ...hints: string[]) =>
  new TugError('failed', `${fileWords(name)} cannot be used: ${why}`, { hints })
export const unreadableFile = (name: string, reason: string) => usageError(`cannot read ${name}: ${reason}`)
export const emptyFile = (name: string) => damaged(name, 'it is empty')
export const cutFile = (name: string) =>
  damaged(name, 'its last line is missing, so it is incomplete', 'pass --partial to use the secrets it contains')
export const changedFile = (name: string) => damaged(name, 'it was changed: its checksum differs')
export const otherFile = (name: string) => damaged(name, 'not a file of kv backup')
export const otherVersion = (name: string, version: number, readable: number) =>
  damaged(name, `its format has version ${version}, and only version ${readable} can be read`)
export const malformedLine = (name: string, number: number, how: string) => damaged(name, `line ${number} ${how}`)

// Files that do not fit together
const misfit = (message: string, ...hints: string[]) => new TugError('failed', message, { hints })
export const baseMissing = (name: string) =>
  misfit(`${name} contains only changes since another backup`, 'name the backup it is based on first, then this one')
export const secondBase = (name: string) => misfit(`${name} is a full backup; only the first file may be one`)
export const otherBase = (name: string, before: string) => misfit(`${name} is not based on ${before}`)
export const otherPlaces = (name: string, place: string, before: string, placeBefore: string) =>
  misfit(`${name} is a backup of ${place}, but ${before} of ${placeBefore}`)
export const sinceElsewhere = (name: string, place: string, here: string) =>
  usageError(`${name} is a backup of ${place}, not of ${here}`, 'back up the same folder, or omit --since')

// Reading secrets
export const keptChanging = (path: string) =>
  new TugError('failed', `${path} kept changing while it was read`, { service: 'secrets' })
export const stillReadable = (path: string, versions: readonly number[], remove: string) =>
  `${versionWords(versions)} of ${path} may still be readable; delete again: ${remove}`
export const engineUnreadable = "the engine's settings may not be read"
export const notInBackup = (path: string, code: string) => `not in the backup: ${path} (${code})`
export const incompleteBackup = (missing: number) =>
  new TugError('partial', `the backup is incomplete: ${plural(missing, 'path')} missing`)
