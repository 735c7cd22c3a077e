import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { seeVersions } from '../messages.ts'

export const nameMoment = (line: string) => `for a folder, name a moment: ${line} --at <time>`
export const momentInFuture = () => usageError('--at is in the future')
export const whichVersion = (context: Context, path: string) =>
  usageError(
    'give the version to restore',
    `write: ${context.commandLine('kv rollback', path, ['--to <n>'])}`,
    seeVersions(context, path),
  )
export const twoVersions = (context: Context, path: string) =>
  usageError('two versions are named', seeVersions(context, path))
export const nearestLive = (versions: readonly number[]) =>
  versions.length === 0 ? 'no version is live' : `nearest live versions: ${versions.join(', ')}`
export const noVersion = (path: string, version: number, hint: string) =>
  new TugError('not_found', `${path} has no version ${version}: never written, or pruned`, { hints: [hint] })
