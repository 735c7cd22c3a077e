import { CommanderError } from 'commander'
import { leaves, loadAll } from '../core/group.ts'
import type { TugError } from '../core/errors.ts'
import { usageError } from '../core/errors.ts'
import { didYouMean } from '../core/words.ts'
import type { Param } from '../core/param.ts'
import { flagName, labelOf, paramsOf } from '../core/param.ts'
import { urlSecrets } from '../core/secret-names.ts'
import { shellQuote } from '../core/shell.ts'
import { otherToolAdvice } from './other-tools.ts'
import type { Route } from './route.ts'
import { argumentsAsFlags, positionalsOf, beforeDashes, flagSpelled, skipsQuestion, takesValue } from './route.ts'
import type { Command } from '../core/command.ts'

/** Rewords commander's errors by their code; `args` are the tokens that are not known flags. */
export async function usageErrorOf(
  error: unknown,
  args: readonly string[],
  route: Route,
  place: string,
): Promise<unknown> {
  if (!(error instanceof CommanderError)) return error
  const usage = `${place} --help shows how it is used`
  switch (error.code) {
    case 'commander.unknownOption':
      return missingDashes(args, route, place) ?? unknownFlag(args.find((word) => /^-./.test(word)) ?? '', route, place)
    case 'commander.optionMissingArgument': {
      const flag = beforeDashes(route.rest).at(-1) ?? ''
      return usageError(`${flag.startsWith('--') ? flag : `-${flag.at(-1)}`} needs a value`, helpHint(place))
    }
    case 'commander.missingArgument':
      return missingArgument(args, route, place)
    default: {
      const dashes = missingDashes(args, route, place)
      if (dashes !== undefined) return dashes
      const labels = positionalsOf(route).map(([key, param]) =>
        param.required ? labelOf(key, param) : `[${labelOf(key, param).slice(1, -1)}]`,
      )
      return usageError(`too many arguments: ${args.length} given to ${[place, ...labels].join(' ')}`, usage)
    }
  }
}

/** `kv exec app/db env` and `dev tug job list` lack the `--` before the command to run. */
function missingDashes(args: readonly string[], route: Route, place: string): TugError | undefined {
  if (route.target?.kind !== 'command' || beforeDashes(route.rest).length < route.rest.length) return undefined
  const takesCommand = Object.values(route.target.params).some(({ passThrough }) => passThrough === true)
  const count = positionalsOf(route).length
  if (!takesCommand || args.length <= count || args.slice(0, count + 1).some((word) => /^-./.test(word)))
    return undefined
  const line = (word: string) =>
    [...args.slice(0, count).map(shellQuote), word, ...args.slice(count).map(shellQuote)].join(' ')
  if (shellQuote('--') === '--')
    return usageError("'--' is missing before the command to run", `${place} ${line('--')}`)
  return usageError(
    "'--' is missing before the command to run; PowerShell removes it unless it is quoted",
    `${place} ${line(shellQuote('--'))}`,
    `or ${place.replace('tug', 'tug.cmd')} ${line('--')}`,
  )
}

function helpHint(place: string): string {
  return `${place} --help shows the flags`
}

/** The error for an unknown flag, with suggestions. */
export async function unknownFlag(typed: string, route: Route, place: string): Promise<TugError> {
  const { params, target, rest, root } = route
  const hint = helpHint(place)
  if (typed.startsWith('-=')) {
    const word = beforeDashes(rest).find((one) => /^-[a-z]+=/i.test(one)) ?? typed
    return usageError(`unknown flag '${word.split('=')[0]}=': only long flags take a value after =`, hint)
  }
  const name = typed.split('=')[0] as string
  const isWord = /^--?[a-z][\w.-]+$/i.test(name)
  const long = name.startsWith('--') ? name : `-${name}`
  const declared = flagSpelled(long, params)?.[1]
  if (declared?.boolean === true && typed.includes('=')) {
    const value = typed.slice(name.length + 1)
    return usageError(`${name} is a switch: write ${long}, ${long}=true or ${long}=false, not '${value}'`)
  }
  const isArgument = positionalsOf(route).some(([key]) => argumentsAsFlags.includes(key) && `--${key}` === long)
  if ((declared !== undefined || isArgument) && long !== name)
    return usageError(`unknown flag '${typed}': long flags have two dashes, -${typed}`, hint)
  const advice = otherToolAdvice(typed, { ...route, tokens: beforeDashes(rest) })
  if (advice !== undefined) return usageError(`unknown flag '${name}': ${advice}`)
  const cluster = typed.startsWith('--') ? undefined : await mistakenCluster(typed, route, place)
  if (cluster !== undefined) return cluster
  if (/^-\d/.test(typed) && target?.kind === 'command') {
    const others = beforeDashes(rest).filter((word) => word !== typed)
    const line = [place, ...[...others, '--', typed].map(shellQuote)].join(' ')
    return usageError(`unknown flag '${typed}'`, `a negative number is an argument only after --: ${line}`)
  }
  const names = [
    ...paramsOf(params, 'flag').map(([key]) => flagName(key)),
    '--help',
    ...(root === undefined ? ['--version'] : []),
  ]
  const nearest = didYouMean(
    long,
    names.filter((one) => isWord && !skipsQuestion.has(one)),
  )
  const [key, param] = paramsOf(params, 'flag').find(([, { short }]) => short === typed[1]) ?? []
  if (nearest === '' && key !== undefined && param !== undefined && !param.boolean) {
    const value = `<${param.placeholder ?? 'value'}>`
    return usageError(
      `unknown flag '${isWord ? name : typed.slice(0, 2)}': write -${typed[1]} ${value} or ${flagName(key)}=${value}`,
      hint,
    )
  }
  const shown = isWord || typed.startsWith('--') ? name : typed.slice(0, 2)
  return usageError(`unknown flag '${shown}'${nearest === '' ? await flagElsewhere(long, route) : nearest}`, hint)
}

/** The error for a letter in a cluster of short flags such as `-qx`; undefined for other words. */
async function mistakenCluster(typed: string, route: Route, place: string): Promise<TugError | undefined> {
  const letters = /^-([a-z0-9]{2,})$/i.exec(typed)?.[1] ?? ''
  const flagOf = (letter: string) => Object.entries(route.params).find(([, { short }]) => short === letter)
  const wrong = letters.split('').find((letter) => flagOf(letter)?.[1].boolean !== true)
  if (wrong === undefined || wrong === letters[0]) return undefined
  const [key, param] = flagOf(wrong) ?? []
  if (key !== undefined && param !== undefined) {
    const value = `<${param.placeholder ?? 'value'}>`
    return usageError(`-${wrong} needs a value: write -${wrong} ${value} or ${flagName(key)}=${value}`, helpHint(place))
  }
  if (wrong === 'h') return usageError(`unknown flag '${typed}': -h stands alone`, helpHint(place))
  const apart = [`-${letters.replaceAll(wrong, '')}`, `-${wrong}`]
  const rest = route.rest.flatMap((word) => (word === typed ? apart : [word]))
  return unknownFlag(`-${wrong}`, { ...route, rest }, place)
}

/** `; it is a flag of kv put, kv patch`, or nothing. */
async function flagElsewhere(name: string, { root, entry }: Route): Promise<string> {
  const group = root && (await loadAll(root))
  if (group?.kind !== 'group' || entry === undefined) return ''
  const owners = leaves(group).filter(([, { params }]) => flagSpelled(name, params) !== undefined)
  const names = owners.slice(0, 3).map(([words]) => `${entry.name} ${words}`)
  return names.length === 0 ? '' : `; it is a flag of ${names.join(', ')}`
}

/**
 * What usage errors withhold, because it may be a secret in the wrong place: all that follows the first `=` or `:` of a word
 * (`password:…`, `-var=password=…`). Values of the command's flags and of profile settings are shown, so that mistakes in them can be
 * seen, except for credentials in URLs.
 */
export function typedSecrets({ rest, params }: Pick<Route, 'rest' | 'params'>): string[] {
  return rest.flatMap((word, index) => {
    const [name = ''] = word.split('=')
    const isShown =
      takesValue(rest[index - 1] ?? '', params) ||
      flagSpelled(name, params) !== undefined ||
      Object.values(params).some((param) => param.showsValue?.(name) === true)
    return isShown ? urlSecrets(word) : valuesIn(word)
  })
}

/** Neither a comparison such as `Type == "batch"`, nor the colons of `C:\file` and `https://host`. */
const separator = /(?<!\s[=!])=(?!=\s)|(?<!^@?[a-z](?=:[\\/])):(?!\/\/)/i

function valuesIn(word: string): string[] {
  const start = word.search(separator)
  if (start === -1) return []
  const value = word.slice(start + 1)
  return [value, ...valuesIn(value)]
}

/** Names the missing arguments and their positions; a typed argument may belong to a later one. */
function missingArgument(typed: readonly string[], route: Route, place: string): TugError {
  const required = positionalsOf(route).filter(([, param]) => param.required)
  const labels = required.map(([key, param]) => labelOf(key, param))
  const { target, words, rest } = route
  const example = target?.kind === 'command' ? target.examples[0]?.line.split(' ')[words.length] : undefined
  const isMisplaced = typed.length === 1 && !isAccepted(typed[0], required[0]) && isAccepted(typed[0], required[1])
  const first = isMisplaced ? 0 : typed.length
  const [, param] = required[first] ?? []
  const choices = param?.choices === undefined ? '' : ` (${param.choices.join(', ')})`
  const meaning = `: ${param?.summary}${choices}`
  if (isMisplaced && labels[1] !== undefined && example !== undefined) {
    const line = [example, ...rest].map(shellQuote).join(' ')
    return usageError(`${labels[0]} is missing before ${labels[1]} '${typed[0]}'${meaning}`, `${place} ${line}`)
  }
  const hint = target?.kind === 'command' ? exampleOf(target, place) : `${place} --help`
  const missing = labels.slice(first)
  if (missing.length > 1) return usageError(`${missing.join(' and ')} are required`, hint)
  return usageError(`${missing[0]} is required${first === 0 ? '' : ` after ${labels[first - 1]}`}${meaning}`, hint)
}

function isAccepted(text: string | undefined, [, param]: readonly [string?, Param?] = []): boolean {
  try {
    if (text !== undefined) param?.read([text], '')
    return param !== undefined
  } catch {
    return false
  }
}

/** An example line of the command. */
function exampleOf({ examples: [shown] }: Command, place: string): string {
  return shown === undefined ? `${place} --help shows how it is used` : `for example: tug ${shown.line}`
}

/** The error for a required flag or command to run that is missing. */
export function missingValue(key: string, param: Param, command: Command, route: Route): TugError {
  const place = ['tug', ...route.words].join(' ')
  const dashes = param.passThrough === true ? missingDashes(route.rest, route, place) : undefined
  if (dashes !== undefined) return dashes
  if (param.passThrough === true)
    return usageError('the command to run is missing', `write it after --: ${place} … ${shellQuote('--')} <command>`)
  const message = `${labelOf(key, param)} is required: ${param.summary}`
  if (param.kind === 'argument') return usageError(message, exampleOf(command, place))
  const flag = flagName(key)
  const values = command.examples.map(({ line }) => line.split(`${flag} `)[1]?.split(' ')[0])
  const value = values.find((one) => one !== undefined)
  if (value === undefined || route.rest.includes('--'))
    return usageError(message, `${place} --help shows how it is used`)
  const line = [place, ...route.rest.map(shellQuote), flag].join(' ')
  // A number from an example could destroy the wrong version when pasted.
  const isRisky = /^\d/.test(value)
  return usageError(message, isRisky ? `write: ${line} <${param.placeholder ?? 'n'}>` : `for example: ${line} ${value}`)
}
