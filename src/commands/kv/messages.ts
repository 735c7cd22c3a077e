import { plural } from '../../core/words.ts'
import type { VersionState } from './versions.ts'

// Sentences of the group that several places share.

/** `version 2`, `versions 1, 2, 5`. */
export function versionWords(versions: readonly (number | string)[]): string {
  return `${versions.length === 1 ? 'version' : 'versions'} ${versions.join(', ')}`
}

/** `version 2 was already deleted`, `versions 1, 2 are live already`. */
export function alreadyWords(versions: readonly number[], state: VersionState, path: string): string {
  const one = versions.length === 1
  const subject = `${versionWords(versions)} of ${path}`
  if (state === 'live') return `${subject} ${one ? 'is' : 'are'} live already`
  return `${subject} ${one ? 'was' : 'were'} already ${state}`
}

/** Which versions a secret has, for an error about one that it doesn't have. */
export function existingWords(versions: readonly number[]): string {
  if (versions.length === 0) return 'it has metadata only'
  const shown = versions.slice(0, 10).join(', ')
  return versions.length > 10
    ? `its newest versions: ${shown} (${plural(versions.length, 'version')})`
    : `its versions: ${shown}`
}
