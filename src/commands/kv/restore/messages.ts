import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { firstNames, plural } from '../../../core/words.ts'
import { seeVersions } from '../messages.ts'
import { shellQuote } from '../../../core/shell.ts'

// The backup
export const cutOff = (name: string) => `${name} is incomplete: the secrets after its last whole line are missing`
export const lacksPaths = (name: string, paths: readonly string[]) =>
  `${name} lacks ${plural(paths.length, 'path')} that could not be read: ${firstNames(paths)}`
export const mountNotGiven = (mount: string, usual: string) =>
  usageError(
    `the backup is of the mount ${mount}/, and no mount was given`,
    `pass --mount ${shellQuote(mount)}, or --mount ${shellQuote(usual)}`,
  )

// Secrets
export const otherHistory = (context: Context, path: string, why: string) =>
  new TugError('conflict', `${path} exists with another history and was left alone: ${why}`, {
    hints: [seeVersions(context, path)],
  })
export const restoreUnconfirmed = (path: string, differences: readonly string[]) =>
  `${path} was restored but not confirmed: ${differences.join('; ')}`
export const notShownYet = 'the server does not show it yet'
export const unreadablePaths = (count: number) => new TugError('partial', `${plural(count, 'path')} could not be read`)

// Settings of the engine
export const willExpire = (span: string) => `this mount deletes versions after ${span}: restored versions expire then`
export const settingsKept = (line: string) =>
  `the mount is not empty, so its settings stay as they are; those of the backup: ${line}`
export const settingsLeft = (line: string) => `once all secrets are restored, set the mount's settings: ${line}`
export const settingsFailed = (error: TugError, line: string) =>
  error.with({
    message: `restored every secret, but not the mount's settings: ${error.message}`,
    hints: [settingsLeft(line), ...error.hints],
  })
