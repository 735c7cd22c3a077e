import type { Context } from '../../core/context.ts'
import { readableTime } from '../../core/duration.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { encodeSegments } from '../../core/request.ts'

// Hints
export const seeVersions = ({ commandLine }: Context, path: string) =>
  `see its versions: ${commandLine('kv history', path)}`
export const listHint = (what: string, { commandLine }: Context, folder: string) =>
  `list ${what}: ${commandLine('kv list', ...(folder === '' ? [] : [folder]))}`
export const forFolder = (line: string) => `for everything below the folder: ${line}`

// Secrets and versions that don't exist
export const noSecret = (failure: TugError, mount: string, kind: 'data' | 'metadata', hints: readonly string[]) =>
  failure.with({
    message: `no such secret in the mount ${mount}/${kind === 'data' ? ', or no version of it has data' : ''}`,
    reason: 'no_secret',
    hints,
  })
export const noSecretOrVersion = (failure: TugError, version: string, hints: readonly string[]) =>
  failure.with({
    message: `no such secret, or no version ${version}: never written, or pruned`,
    reason: 'no_secret',
    hints,
  })
export const folderNotSecret = (error: TugError, path: string, hints: readonly string[]) =>
  error.with({ message: `${path} is a folder, not a secret`, reason: 'folder', hints })
/** A deleted or destroyed version, with what can be done about it. */
export const goneVersion = (context: Context, path: string, gone: GoneVersion) => {
  const { version, state, deletion_time, isLatest = false, body } = gone
  const which = isLatest ? `the latest version (${version})` : `version ${version}`
  const isDeleted = state === 'deleted'
  const when = deletion_time ? ` on ${readableTime(deletion_time)}` : ''
  const undo = `restore it: ${context.commandLine('kv undelete', path, ['--versions', String(version)])}`
  return new TugError(
    'not_found',
    `${which} was ${isDeleted ? `deleted${when}; its data can be restored` : 'destroyed; its data no longer exists'}`,
    {
      status: 404,
      service: 'secrets',
      reason: `version_${state}`,
      version: String(version),
      ...(body === undefined ? {} : { body }),
      hints: [...(isDeleted ? [undo] : []), seeVersions(context, path)],
    },
  )
}
interface GoneVersion {
  readonly version: string | number
  readonly state: 'deleted' | 'destroyed'
  readonly deletion_time?: string | null | undefined
  /** True if the latest version was asked for. */
  readonly isLatest?: boolean
  /** The answer, for `--raw`. */
  readonly body?: string
}
export const noField = (field: string, keys: readonly string[]) =>
  new TugError('not_found', `no field '${field}'`, {
    hints: [keys.length === 0 ? 'the secret has no keys' : `its keys: ${keys.join(', ')}`],
  })
export const twoFields = () => usageError('--field and a second argument name different values')

// Engines of another kind
const wrongEngine = ({ settings }: Context, what: string, ...hints: string[]) =>
  new TugError('failed', `${settings.route.mount}/ is ${what}`, {
    service: 'secrets',
    reason: 'version_1',
    hints: [...hints, 'choose another mount with --mount'],
  })
const rawLine = ({ commandLine, settings }: Context, method: string, place: string) =>
  commandLine(`api secrets ${method}`, encodeSegments(`${settings.route.mount}/${place}`))
/** What was read is a literal key. */
export const withoutVersions = (context: Context, status: number, place: string) =>
  wrongEngine(
    context,
    'not a version 2 key-value engine: its answer has no metadata',
    `read the literal key: ${rawLine(context, 'GET', place)}`,
  ).with({ status })
export const storedLiterally = (context: Context, path: string) =>
  wrongEngine(
    context,
    `not a version 2 key-value engine: it stored the whole request as the plain key 'data/${path}' (members data and options), not as a version of ${path}`,
    `remove it: ${rawLine(context, 'DELETE', `data/${path}`)}`,
  ).with({ status: 204 })
export const wouldBePlainKey = (context: Context, kind: string, place: string) =>
  wrongEngine(context, `${kind}; '${place}' would be a plain key there, and nothing was sent`)
export const needsVersion2 = (context: Context, kind: string) =>
  wrongEngine(context, `${kind}; these commands need version 2`)

// Writes
/** `ways` to say what to write, as the flags and arguments of the command. */
export const nothingTo = (verb: string, ...ways: string[]) =>
  usageError(`nothing to ${verb}`, `give ${ways.slice(0, -1).join(', ')} or ${ways.at(-1)}`)
export const keyRepeated = (key: string, label = '') => usageError(`${label}the key '${key}' is repeated`)
export const noVersionInAnswer = (context: Context, path: string, status: number) =>
  new TugError('failed', 'the answer contains no version; the outcome is unknown', {
    status,
    service: 'secrets',
    reason: 'in_doubt',
    hints: [seeVersions(context, path)],
  })
/** What to do about a write that the server refused, by the server's own message. */
export const refusalHints = (context: Context, path: string, { message, facts }: TugError) => {
  const line = (words: string) => context.commandLine(words, path)
  if (/metadata check-and-set parameter does not match/.test(message))
    return [`see current_metadata_version: ${line('kv metadata get')}`]
  if (/metadata check-and-set parameter required/.test(message))
    return [`pass --metadata-cas <n>; current_metadata_version is the number: ${line('kv metadata get')}`]
  if (/did not match/.test(message)) return [seeVersions(context, path)]
  if (/check-and-set parameter required/.test(message))
    return [`pass --cas <n> with the version to replace, or let kv set read it: ${line('kv set')} key=value`]
  if (/maximum number of strings/.test(message))
    return [
      context.commandPath.at(-1) === 'set'
        ? `servers take at most 1,000 strings (keys and values) in a request; send only what changes: ${line('kv patch')} …`
        : `this server takes at most 1,000 strings (keys and values) in a request: write a part with kv put, then the rest: ${line('kv patch')} @rest.json`,
    ]
  return facts.status === 413 ? ['servers take at most 32 MiB in a request'] : []
}
export const patchOfGone = (
  { commandLine }: Context,
  path: string,
  failure: TugError,
  { version, state }: { version: string; state: 'deleted' | 'destroyed' },
) =>
  failure.with({
    code: 'conflict',
    message: `the latest version (${version}) is ${state}, and only a live one can be patched`,
    reason: `version_${state}`,
    hints: [
      ...(state === 'deleted' ? [`undelete it first: ${commandLine('kv undelete', path)}`] : []),
      `write a new value: ${commandLine('kv put', path, ['--cas', version])} key=value`,
    ],
  })
