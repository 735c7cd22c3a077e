import { TugError, usageError } from '../../../core/errors.ts'
import { plural } from '../../../core/words.ts'

// Refused before anything is sent
export const missingTarget = () =>
  usageError('<to> is missing', 'give the new path, or another place: --to-mount, --to-profile, --to-namespace')
export const emptyNamespace = () => usageError('--to-namespace is empty')
export const forceOverHistory = () =>
  usageError('--force replaces the current version; a history is never replaced', 'omit --versions all')
export const samePaths = () => usageError('both paths are the same')
export const nestedPrune = () => usageError('--prune needs two folders of which neither is inside the other')
export const overlap = (from: string, to: string) =>
  usageError(
    `${to} would be both replaced by ${from} and copied itself`,
    'choose a folder outside of the first one, or omit --force',
  )

// Questions of a move; `customKeys` are those of the custom metadata, which the copy doesn't have
export const moveQuestion = (from: string, customKeys: readonly string[]) =>
  `Move ${from}? Its older versions and settings${customKeys.length === 0 ? '' : `, and custom metadata (${customKeys.join(', ')})`} are permanently removed.`
export const historyMoveQuestion = (words: string, from: string, versions: number) =>
  `Move ${words}, with ${plural(versions, 'version')}, and remove ${from}?`
export const folderMoveQuestion = (from: string, count: number, withHistory: boolean) =>
  withHistory
    ? `Move ${plural(count, 'secret')} below ${from} with every version, and remove the old ${count === 1 ? 'path' : 'paths'}?`
    : `Move ${plural(count, 'secret')} below ${from}? ${count === 1 ? 'Its' : 'Their'} older versions and metadata are permanently removed.`

// What became of the two sides
const conflict = (message: string, ...hints: string[]) =>
  new TugError('conflict', message, { service: 'secrets', hints })
export const historyKept = 'a history is never replaced; choose another path'
export const removedMeanwhile = (from: string) => usageError(`${from} was removed meanwhile`)
export const writtenMeanwhile = (copied: number, current: number, hint: string) =>
  conflict(`it was written meanwhile (version ${copied} was copied, ${current} is current)`, hint)
export const sameSecret = () => conflict('both seem to be the same secret, reached in two ways')
export const copyUnconfirmed = (from: string, to: string) =>
  conflict(
    `wrote ${to}, but kept ${from}: the copy is not confirmed`,
    'run it again with --update: it removes the old path once the copy is seen to be identical',
  )
/** The secret is at its new path; after a failure other than a conflict, its old one may be left to `remove`. */
export const sourceKept = (error: TugError, from: string, copied: string, remove: string) => {
  if (error.code === 'conflict') return error.with({ message: `${copied}, but kept ${from}: ${error.message}` })
  const failed = error.reason === 'in_doubt' ? 'removing' : 'could not remove'
  const hints = [...error.hints, `to remove ${from}: ${remove}`]
  return error.with({ message: `${copied}, but ${failed} ${from}: ${error.message}`, hints })
}
export const leftOut = (count: number) => `${plural(count, 'secret')} left out: no live version`
export const dataLeftOut = (versions: number) => `the data of ${plural(versions, 'deleted version')} was left out`
