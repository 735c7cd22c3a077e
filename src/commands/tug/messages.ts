import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import { serviceNames } from '../../core/request.ts'
import { didYouMean } from '../../core/words.ts'

// profile
export const notAProfileName = (name: string) =>
  new RangeError(`'${name}' is not a profile name: use letters, digits, '-', '_' and '.'`)
export const notTheCurrent = (name: string) =>
  usageError(
    '--effective shows the settings in effect for the current profile',
    `for another profile: tug profile show --effective --profile ${name}`,
  )
export const emptyProfile = (name: string) =>
  `profile ${name} is empty; the settings in effect: tug profile show --effective`
export const noHome = () => new TugError('failed', 'HOME is not set, so there is no configuration file')

// status
export const nothingConfigured = ({ commandLine }: Context) => [
  `${commandLine(`login <${serviceNames.join('|')}>`)}   (asks for what is missing)`,
  'by variables: tug help environment',
  `just looking? ${commandLine('dev -- tug status')}`,
]

// api
export const nameNeedsQuery = () =>
  usageError('any answer is possible here, so -o name needs a --query', "the IDs of a list: --query '[].ID'")
export const notAMethod = (typed: string, methods: readonly string[]) =>
  new RangeError(`'${typed}' is not one of ${methods.join(', ')}`)
export const notAPath = () =>
  new RangeError('expected a path, not an address; the service argument selects the address')
export const notEncoded = (text: string) =>
  new RangeError(`${JSON.stringify(text)} must be percent-encoded: ${encodeURIComponent(text)}`)
export const dataNotJson = ({ message }: Error) => usageError(`--data is not JSON: ${message}`)

// dev
export function cannotListen(port: number | undefined, error: NodeJS.ErrnoException): TugError {
  const { code, message } = error
  const reason = code === 'EADDRINUSE' ? 'it is in use' : code === 'EACCES' ? 'not permitted' : message
  const hints = ['omit --port to use any free port']
  return new TugError('failed', `cannot listen on port ${port}: ${reason}`, { hints })
}
export const notAToken = () => new RangeError('a token is printable ASCII without blanks')
export const shellStarted = (origin: string) => `a shell for the local server at ${origin}; exit ends both`
export const listening = (origin: string) =>
  `listening on ${origin}; press Ctrl-C to stop. Paste the lines above into a shell to use it`
export const readOnlyTokens = (secrets: string, scheduler: string) =>
  `read-only tokens: ${secrets} (secrets), ${scheduler} (scheduler)`

// help
export function noSuchTopic(words: readonly string[], topics: readonly string[], names: readonly string[]): TugError {
  const typed = words.join(' ')
  return usageError(
    `no help topic '${typed}'${didYouMean(typed, [...topics, ...names])}`,
    `topics: ${topics.join(', ')}`,
  )
}
export const noSuchCommand = (words: readonly string[]) =>
  usageError(`no command '${words.join(' ')}'`, 'all commands: tug help -o json')
