import { Argument, Command as Parser, Option } from 'commander'
import type { Command } from '../core/command.ts'
import { formats } from '../core/context.ts'
import { usageError } from '../core/errors.ts'
import type { Param, Params } from '../core/param.ts'
import { flagName, labelOf, paramsOf } from '../core/param.ts'
import type { Route } from './route.ts'
import { argumentsAsFlags, positionalsOf, beforeDashes, flagSpelled, takesValue } from './route.ts'

/** The typed strings of a command line, by param key; a repeated flag has several. */
export interface TypedLine {
  readonly flags: Readonly<Record<string, readonly string[]>>
  readonly args: Readonly<Record<string, readonly string[]>>
}

/** A parsed command line: the command's input and the flags of every command. */
export interface ParsedLine {
  readonly input: Readonly<Record<string, unknown>>
  readonly flags: Readonly<Record<string, unknown>>
}

/**
 * Splits a command line with commander. Throws a usage error for an unknown flag, a flag without its value, and missing
 * or surplus arguments.
 */
export async function parseTexts(route: Route): Promise<TypedLine> {
  const { target, params } = route
  const place = ['tug', ...route.words].join(' ')
  // For example other tools' `-namespace=x`, which commander would read as `-n amespace=x`.
  const mistaken = mistakenDash(route)
  if (mistaken !== undefined) throw await (await import('./usage-error.ts')).unknownFlag(mistaken, route, place)
  const { words, passThrough } = splitAtDashes(route)
  const typed = beforeDashes(words).filter((word) => word.startsWith('-'))
  const isTyped = (key: string) => typed.some((word) => word.split('=')[0] === flagName(key))
  const flags: Record<string, string[]> = {}
  const args: Record<string, string[]> = {}
  const parser = new Parser(place)
    .exitOverride()
    .helpOption(false)
    .showSuggestionAfterError(false)
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
  for (const [key, param] of paramsOf(params, 'flag')) {
    const { short } = param
    const isInCluster = short !== undefined && typed.some((word) => word[1] !== '-' && word.includes(short))
    // Declaring all flags would take commander longer than the rest of its work.
    if (!isTyped(key) && !isInCluster) continue
    for (const option of optionsFor(key, param, route)) {
      parser.addOption(
        option.argParser((text: string) => {
          ;(flags[key] ??= []).push(valueOf(text, key, param, route))
        }),
      )
    }
  }
  const positional: string[] = []
  let isOpen = false
  for (const [key, { repeatable, required }] of positionalsOf(route)) {
    // `job revert web --version 3`
    if (argumentsAsFlags.includes(key) && params[key]?.kind !== 'flag' && isTyped(key)) {
      parser.addOption(new Option(`${flagName(key)} <value>`).argParser((text: string) => void (args[key] = [text])))
      continue
    }
    positional.push(key)
    isOpen ||= repeatable
    const word = key + (repeatable ? '...' : '')
    parser.addArgument(new Argument(required ? `<${word}>` : `[${word}]`))
  }
  // `kv undelete app/db 3`
  const [versionFlag] =
    paramsOf(target?.kind === 'command' && !isOpen ? target.params : {}, 'flag').find(
      ([key, { choices }]) => ['version', 'versions'].includes(key) && choices === undefined,
    ) ?? []
  if (versionFlag !== undefined) parser.addArgument(new Argument('[version]'))
  parser.action((...values: unknown[]) => {
    for (const [index, key] of positional.entries()) {
      if (values[index] !== undefined) args[key] = [values[index]].flat() as string[]
    }
    const version = values[positional.length]
    if (versionFlag !== undefined && version !== undefined) (flags[versionFlag] ??= []).push(version as string)
  })
  try {
    parser.parse(words, { from: 'user' })
  } catch (error) {
    throw await (await import('./usage-error.ts')).usageErrorOf(error, parser.args, route, place)
  }
  return { flags, args: { ...args, ...passThrough } }
}

/**
 * Finds a word with one dash, such as a negative number, that isn't a short flag, a cluster of short switches, `-x=value`, `-o<format>`,
 * or the preceding flag's value.
 */
function mistakenDash({ rest, params }: Route): string | undefined {
  const tokens = beforeDashes(rest)
  const short = (letter: string) => Object.values(params).find((param) => param.short === letter)
  return tokens.find((token, index) => {
    if (!/^-(?:\d|[^-].)/.test(token) || takesValue(tokens[index - 1] ?? '', params)) return false
    if (/^-.=/.test(token)) return false
    if (token.startsWith('-o') && (formats as readonly string[]).includes(token.slice(2))) return false
    return !token
      .slice(1)
      .split('')
      .every((letter) => short(letter)?.boolean === true)
  })
}

/** Parses the typed strings. Throws a usage error for a missing param or an invalid value. */
export async function parseLine(command: Command, route: Route, { flags, args }: TypedLine): Promise<ParsedLine> {
  const textsOf = (key: string, { kind }: Param) => (kind === 'flag' ? flags : args)[key] ?? []
  const missing = Object.entries(command.params).find(
    ([key, param]) => param.required && textsOf(key, param).length === 0,
  )
  if (missing !== undefined) throw (await import('./usage-error.ts')).missingValue(...missing, command, route)
  const read = (params: Params) =>
    Object.fromEntries(
      Object.entries(params).map(([key, param]) => {
        const texts = textsOf(key, param)
        // Only errors need the label.
        return [key, param.read(texts, texts.length === 0 ? '' : labelOf(key, param))]
      }),
    )
  const input = read(command.params)
  const given = Object.entries(command.params).filter(
    ([key, param]) => textsOf(key, param).length > 0 && input[key] !== false,
  )
  refuseContradictions(command.params, given)
  // A command may define its own flag with the name of a flag of every command.
  const others = Object.entries(route.params).filter(([key]) => !(key in command.params))
  return { input, flags: read(Object.fromEntries(others)) }
}

/** Rejects params that require a missing one, or that exclude each other. */
function refuseContradictions(params: Params, given: readonly (readonly [key: string, param: Param])[]): void {
  const isGiven = (key: string) => given.some(([other]) => other === key)
  const label = (key: string) => labelOf(key, params[key] as Param)
  for (const [key, { needs, excludes }] of given) {
    const other = excludes?.find(isGiven)
    if (other !== undefined) {
      const both = Object.keys(params).filter((one) => one === key || one === other)
      throw usageError(`${both.map(label).join(' and ')} cannot be used together`)
    }
    if (needs !== undefined && !needs.some(isGiven))
      throw usageError(`${label(key)} needs ${needs.map(label).join(' or ')}`)
  }
}

/** The words for commander, and the words after `--` for a command to run. */
function splitAtDashes({ rest, target }: Route): { words: readonly string[]; passThrough: Record<string, string[]> } {
  const before = beforeDashes(rest)
  const hasDashes = before.length < rest.length
  if (hasDashes && target?.kind !== 'command')
    throw usageError("the command is missing before '--'", 'tug --help lists the commands')
  const key =
    target?.kind === 'command'
      ? Object.entries(target.params).find(([, { passThrough }]) => passThrough)?.[0]
      : undefined
  if (key === undefined || !hasDashes) return { words: rest, passThrough: {} }
  const after = rest.slice(before.length + 1)
  if (after.length === 0) throw usageError('the command after -- is missing')
  return { words: before, passThrough: { [key]: after } }
}

/** A switch has three spellings, because with an optional value commander would consume the next argument. */
function optionsFor(key: string, param: Param, { rest }: Route): Option[] {
  const name = flagName(key)
  const short = param.short === undefined ? '' : `-${param.short}, `
  if (!param.boolean) return [new Option(`${short}${name} <value>`)]
  const assigned = ['true', 'false'].filter((value) => rest.includes(`${name}=${value}`))
  return [
    new Option(`${short}${name}`).preset('true'),
    ...assigned.map((value) => new Option(`${name}=${value}`).preset(value)),
  ]
}

/** The value of a flag. A valid flag in its place means that the value is missing; `--x=--flag` is literal. */
function valueOf(text: string, key: string, param: Param, { params, rest }: Route): string {
  // `-s=x` arrives as `=x`.
  const value = param.short === undefined ? text : text.replace(/^=/, '')
  const name = flagName(key)
  if (value.startsWith('--') && !rest.includes(`${name}=${value}`)) {
    const flag = value.split('=')[0] as string
    if (flag === '--help' || flagSpelled(flag, params) !== undefined)
      throw usageError(`${name} needs a value; '${value}' is a flag`, `to pass it as the value: ${name}=${value}`)
  }
  return value
}
