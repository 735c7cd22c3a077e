import { TugError, usageError } from '../../../core/errors.ts'

export const compareFoldersBy = (line: string) => `to compare folders: ${line}`
export const needsTwoFolders = () =>
  usageError('--recursive needs two folders', 'give another path, --other-mount or --other-profile')
export const versionsOfTwoSecrets = () =>
  usageError('versions can only be compared within one secret; two secrets are compared at their current versions')
export const notNewerVersion = () =>
  usageError('a third argument is the newer of two versions: tug kv diff <path> <older> <newer>')
export const versionsTwice = () => usageError('versions are given both as arguments and as flags')
export const notVersion = (reason: string) => usageError(`version ${reason}`)
export const firstVersion = (path: string) => new TugError('not_found', `version 1 of ${path} is the first`)
/** An error about one of the two sides, which it names. */
export const ofSide = (label: string, error: TugError) => error.with({ message: `${label}: ${error.message}` })
export const noDifferences = 'no differences'
