import { CommanderError } from 'commander'
import { leaves, loadAll } from '../core/group.ts'
import { TugError, usageError } from '../core/errors.ts'
import { didYouMean } from '../core/words.ts'
import type { Param } from '../core/param.ts'
import { flagName, labelOf, paramsOf } from '../core/param.ts'
import { commandLine, shellQuote } from '../core/shell.ts'
import { argumentWords } from './help.ts'
import { otherToolAdvice, targetFlagsOf } from './other-tools.ts'
import type { Route } from './route.ts'
import type { Word } from './words.ts'
import { accepts, flagNamed, hasFlag, skipsQuestion, typedWords } from './words.ts'
import type { Command } from '../core/command.ts'

/** Rewords commander's errors by their code. */
export async function usageErrorOf(error: unknown, route: Route): Promise<unknown> {
  const found = error instanceof CommanderError ? errorOf(error.code, route) : error
  if (!(found instanceof TugError)) return found
  // A flag may mean something else in another tool, such as -p of `nomad job history`.
  const { words, line, place } = route
  const advice = line
    .filter(({ role, param }) => role === 'flag' && param !== undefined)
    .map((word) => otherToolAdvice(word, { words, line, place }))
    .find((one) => one !== undefined)
  return advice === undefined ? found : usageError(found.message, ...found.hints, advice)
}

function errorOf(code: string, route: Route): TugError {
  if (code === 'commander.missingArgument') return missingArgument(route)
  if (code === 'commander.excessArguments') return missingDashes(route) ?? surplusArguments(route)
  return missingFlag(route)
}

function placeOf({ words }: Route): string {
  return ['tug', ...words].join(' ')
}

/** The arguments of the command, without those after `--`. */
function argumentsOf({ target }: Route): readonly (readonly [key: string, param: Param])[] {
  if (target?.kind !== 'command') return []
  return paramsOf(target.params, 'argument').filter(([, { passThrough }]) => passThrough !== true)
}

/** The error for arguments beyond those of the command. */
function surplusArguments(route: Route): TugError {
  const surplus = route.line.filter(({ fault }) => fault === 'surplus').map(({ text }) => text)
  const count = surplus.length === 1 ? 'one argument' : `${surplus.length} arguments`
  const usage = `${placeOf(route)} ${argumentWords(Object.fromEntries(argumentsOf(route)))}`.trimEnd()
  return usageError(`${count} too many: ${surplus.join(', ')}`, `usage: ${usage} [flags]`)
}

/** `kv exec app/db env` and `dev tug job list` lack the `--` before the command to run. */
function missingDashes(route: Route): TugError | undefined {
  const { target, line } = route
  const takesCommand =
    target?.kind === 'command' && Object.values(target.params).some(({ passThrough }) => passThrough === true)
  const first = line.filter(({ role }) => role === 'argument')[argumentsOf(route).length]
  if (
    !takesCommand ||
    first === undefined ||
    line.some(({ role, fault, at }) => role === 'dashes' || (fault === 'unknown' && at < first.at))
  )
    return undefined
  const place = placeOf(route)
  const before = typedWords(line.filter(({ at }) => at < first.at)).map(shellQuote)
  const after = typedWords(line.filter(({ at }) => at >= first.at)).map(shellQuote)
  const suggestion = (start: string, dashes: string) => [start, ...before, dashes, ...after].join(' ')
  if (shellQuote('--') === '--') return usageError("'--' is missing before the command to run", suggestion(place, '--'))
  return usageError(
    "'--' is missing before the command to run; PowerShell removes it unless it is quoted",
    suggestion(place, shellQuote('--')),
    `or ${suggestion(place.replace('tug', 'tug.cmd'), '--')}`,
  )
}

function helpHint(route: Route): string {
  return `${placeOf(route)} --help shows the flags`
}

/** The error for a flag that is unknown or has a wrong kind of value. */
export async function flagError(word: Word, route: Route): Promise<TugError> {
  const { key, text, fault } = word
  const [name = ''] = text.split('=')
  if (fault === 'unknown' || key === undefined) return missingDashes(route) ?? unknownFlag(word, route)
  if (fault === 'valued') {
    const value = text.slice(name.length + 1)
    const long = flagName(key)
    return usageError(`${name} is a switch: write ${long}, ${long}=true or ${long}=false, not '${value}'`)
  }
  const next = route.line.find(({ at, role }) => at > word.at && role === 'flag')
  if (next !== undefined && next.at === word.at + 1)
    return usageError(
      `${name} needs a value; '${next.text}' is a flag`,
      `to pass it as the value: ${flagName(key)}=${next.text}`,
    )
  return usageError(`${name} needs a value`, helpHint(route))
}

/** The error for an unknown flag, with suggestions. */
async function unknownFlag(word: Word, route: Route): Promise<TugError> {
  const { place, target, line, words } = route
  const { flags } = place
  const { text } = word
  const hint = helpHint(route)
  const [name = ''] = text.split('=')
  const bare = name.replace(/^--?/, '')
  const long = `--${bare}`
  const advice = otherToolAdvice(word, { words, line, place })
  if (advice !== undefined) return usageError(`unknown flag '${name}': ${advice}`)
  if (/^-.=/.test(text)) return usageError(`unknown flag '${name}=': only long flags take a value after =`, hint)
  const [key] = flagNamed(bare, place) ?? []
  if (key !== undefined && bare.length > 1)
    return usageError(`unknown flag '${name}': long flags have two dashes, -${name}`, hint)
  const opposite = flagNamed(bare.replace(/^no-/, ''), place)
  if (opposite?.[1].boolean === true) return usageError(`unknown flag '${name}': write ${flagName(opposite[0])}=false`)
  if (flagNamed(`no-${bare}`, place) !== undefined)
    return usageError(`unknown flag '${name}': on by default; --no-${bare} turns it off`)
  const cluster = name.startsWith('--') ? undefined : await mistakenCluster(word, route)
  if (cluster !== undefined) return cluster
  if (/^-\d/.test(text) && target?.kind === 'command') {
    const others = typedWords(line.filter(({ at }) => at !== word.at))
    const better = [placeOf(route), ...[...others, '--', text].map(shellQuote)].join(' ')
    return usageError(`unknown flag '${text}'`, `a negative number is an argument only after --: ${better}`)
  }
  const isWord = /^--?[a-z][\w.-]+$/i.test(name)
  const names = Object.keys(flags).filter((one) => isWord && !skipsQuestion.has(one))
  const nearest = didYouMean(long, names.map(flagName))
  const [shortKey, short] = Object.entries(flags).find(([, param]) => param.short === text[1]) ?? []
  // `-nprod`, but not `-non-interactive`.
  if (nearest === '' && !/\w-\w/.test(name) && shortKey !== undefined && short?.boolean === false) {
    const value = `<${short.placeholder ?? 'value'}>`
    return usageError(
      `unknown flag '${isWord ? name : text.slice(0, 2)}': write -${text[1]} ${value} or ${flagName(shortKey)}=${value}`,
      hint,
    )
  }
  const shown = isWord || text.startsWith('--') ? name : text.slice(0, 2)
  return usageError(`unknown flag '${shown}'${nearest === '' ? await flagElsewhere(bare, route) : nearest}`, hint)
}

/** The error for a letter in a cluster of short flags such as `-qx`; undefined for other words. */
async function mistakenCluster(word: Word, route: Route): Promise<TugError | undefined> {
  const letters = /^-([a-z0-9]{2,})$/i.exec(word.text)?.[1] ?? ''
  const flagOf = (letter: string) => Object.entries(route.place.flags).find(([, { short }]) => short === letter)
  const wrong = letters.split('').find((letter) => letter === 'h' || flagOf(letter)?.[1].boolean !== true)
  if (wrong === undefined || wrong === letters[0]) return undefined
  if (wrong === 'h') return usageError(`unknown flag '${word.text}': -h stands alone`, helpHint(route))
  const [key, param] = flagOf(wrong) ?? []
  if (key === undefined || param === undefined) return unknownFlag({ ...word, text: `-${wrong}` }, route)
  const value = `<${param.placeholder ?? 'value'}>`
  return usageError(`-${wrong} needs a value: write -${wrong} ${value} or ${flagName(key)}=${value}`, helpHint(route))
}

/** `; it is a flag of kv put, kv patch`, or nothing. */
async function flagElsewhere(name: string, { root, entry }: Route): Promise<string> {
  const group = root && (await loadAll(root))
  if (group?.kind !== 'group' || entry === undefined) return ''
  const owners = leaves(group).filter(([, { params }]) => hasFlag(name, params))
  const names = owners.slice(0, 3).map(([words]) => `${entry.name} ${words}`)
  return names.length === 0 ? '' : `; it is a flag of ${names.join(', ')}`
}

/** Names the missing arguments and their positions; a typed argument may belong to a later one. */
function missingArgument(route: Route): TugError {
  const { target, line } = route
  const place = placeOf(route)
  const typed = line.filter(({ role }) => role === 'argument').map(({ text }) => text)
  const required = argumentsOf(route).filter(
    ([key, param]) => param.required && !line.some((word) => word.role === 'flag' && word.key === key),
  )
  const labels = required.map(([key, param]) => labelOf(key, param))
  const example = target?.kind === 'command' ? target.examples[0]?.line.split(' ')[route.words.length] : undefined
  const isMisplaced = typed.length === 1 && !isAccepted(typed[0], required[0]) && isAccepted(typed[0], required[1])
  const first = isMisplaced ? 0 : typed.length
  const [, param] = required[first] ?? []
  const choices = param?.choices === undefined ? '' : ` (${param.choices.join(', ')})`
  const meaning = `: ${param?.summary}${choices}`
  if (isMisplaced && labels[1] !== undefined && example !== undefined) {
    const better = [example, ...typedWords(line)].map(shellQuote).join(' ')
    return usageError(`${labels[0]} is missing before ${labels[1]} '${typed[0]}'${meaning}`, `${place} ${better}`)
  }
  const hint = target?.kind === 'command' ? exampleOf(target, route) : `${place} --help`
  const missing = labels.slice(first)
  if (missing.length > 1) return usageError(`${missing.join(' and ')} are required`, hint)
  return usageError(`${missing[0]} is required${first === 0 ? '' : ` after ${labels[first - 1]}`}${meaning}`, hint)
}

function isAccepted(text: string | undefined, [, param]: readonly [string?, Param?] = []): boolean {
  return param !== undefined && (text === undefined || accepts(param, text))
}

/** An example of the command, with the flags of the typed line that select the target. */
function exampleOf({ examples: [shown] }: Command, route: Route): string {
  if (shown === undefined) return `${placeOf(route)} --help shows how it is used`
  const isPlain = /^[\w ./=-]+$/.test(shown.line)
  return `for example: ${isPlain ? commandLine(targetFlagsOf(route.line), shown.line) : `tug ${shown.line}`}`
}

/** The error for a missing command to run. */
export function missingCommand(route: Route): TugError {
  return (
    missingDashes(route) ??
    usageError('the command to run is missing', `write it after --: ${placeOf(route)} … ${shellQuote('--')} <command>`)
  )
}

/** The error for a required flag that is missing. */
function missingFlag(route: Route): TugError {
  const { target, line } = route
  const { params = {}, examples = [] } = target?.kind === 'command' ? target : {}
  const place = placeOf(route)
  const [key, param] = paramsOf(params, 'flag').find(
    ([name, { required }]) => required && !line.some((word) => word.key === name),
  ) as [string, Param]
  const flag = flagName(key)
  const message = `${flag} is required: ${param.summary}`
  const values = examples.map((one) => one.line.split(`${flag} `)[1]?.split(' ')[0])
  const value = values.find((one) => one !== undefined)
  if (value === undefined || line.some(({ role }) => role === 'dashes'))
    return usageError(message, `${place} --help shows how it is used`)
  const start = [place, ...typedWords(line).map(shellQuote), flag].join(' ')
  // A number from an example could destroy the wrong version when pasted.
  const isRisky = /^\d/.test(value)
  return usageError(
    message,
    isRisky ? `write: ${start} <${param.placeholder ?? 'n'}>` : `for example: ${start} ${value}`,
  )
}
