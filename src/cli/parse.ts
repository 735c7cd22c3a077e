import { Argument, Command as Parser, CommanderError, Option } from 'commander'
import type { Command } from '../core/command.ts'
import { usageError } from '../core/errors.ts'
import type { TugError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import type { Param, Params } from '../core/param.ts'
import { flagName, labelOf, paramsOf } from '../core/param.ts'
import { shellQuote } from '../core/shell.ts'
import type { Route } from './route.ts'
import { exampleOf, lineWith, missingArgument, positionalsOf } from './missing.ts'
import { insteadOfFlag } from './habits.ts'
import { leaves } from './leaves.ts'
import { beforeDashes, isSpelling } from './route.ts'

/** The texts of a command line, by the keys of the params; a repeated flag has several. */
export interface TypedLine {
  readonly flags: Readonly<Record<string, readonly string[]>>
  readonly args: Readonly<Record<string, readonly string[]>>
  /** `-h` within a cluster such as `-qh`. */
  readonly help: boolean
}

/** A command line whose values have been read: the command's input and the flags of every command. */
export interface ParsedLine {
  readonly input: Readonly<Record<string, unknown>>
  readonly flags: Readonly<Record<string, unknown>>
}

/**
 * Has commander take a command line apart. Throws a usage error for an unknown flag, a flag without its value, and missing
 * or surplus arguments.
 */
export function parseTexts(route: Route): TypedLine {
  const place = ['tug', ...route.words].join(' ')
  refuseSingleDashes(route, place)
  const { words, own } = splitAtDashes(route)
  const flags: Record<string, string[]> = {}
  const args: Record<string, string[]> = {}
  let help = false
  const parser = new Parser(place)
    .exitOverride()
    .helpOption(false)
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .option('-h, --help', '', () => (help = true))
  for (const [key, param] of paramsOf(route.params, 'flag')) {
    for (const option of optionsFor(key, param, route)) {
      parser.addOption(
        option.argParser((text: string) => {
          ;(flags[key] ??= []).push(valueOf(text, key, param, route))
        }),
      )
    }
  }
  const positional = positionalsOf(route)
  for (const [key, param] of positional) parser.addArgument(new Argument(argumentSpelling(key, param)))
  parser.action((...values: unknown[]) => {
    for (const [index, [key]] of positional.entries()) {
      if (values[index] !== undefined) args[key] = [values[index]].flat() as string[]
    }
  })
  try {
    parser.parse(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (!help) throw usageErrorOf(error, parser, route, place)
  }
  return { flags, args: { ...args, ...own }, help }
}

/** Reads the texts by the params. Throws a usage error for a value that its param refuses. */
export function parseLine(command: Command, globals: Params, route: Route, line = parseTexts(route)): ParsedLine {
  const read = (params: Params) =>
    Object.fromEntries(
      Object.entries(params).map(([key, param]) => [
        key,
        readParam(key, param, (param.kind === 'flag' ? line.flags : line.args)[key] ?? [], command, route),
      ]),
    )
  return { input: read(command.params), flags: read(globals) }
}

/** `-namespace=x` of other tools would be read as `-n amespace=x`. */
function refuseSingleDashes({ rest, params }: Route, place: string): void {
  const tokens = beforeDashes(rest)
  for (const [index, token] of tokens.entries()) {
    const name = /^-[a-z][a-z-]+(?==|$)/.exec(token)?.[0]
    if (name === undefined || flagNamed(`-${name}`, params) === undefined) continue
    const isValue = Object.entries(params).some(
      ([key, param]) => !param.boolean && isSpelling(tokens[index - 1] ?? '', key, param),
    )
    if (!isValue) throw usageError(`unknown flag '${token}': long flags have two dashes, -${token}`, helpHint(place))
  }
}

/** What commander reads, and the words after `--` that belong to a command to run. */
function splitAtDashes({ rest, target }: Route): { words: readonly string[]; own: Record<string, string[]> } {
  const before = beforeDashes(rest)
  const hasDashes = before.length < rest.length
  if (hasDashes && target?.kind !== 'command')
    throw usageError("the command is missing before '--'", 'tug --help lists the commands')
  const key =
    target?.kind === 'command'
      ? Object.entries(target.params).find(([, { passThrough }]) => passThrough)?.[0]
      : undefined
  if (key === undefined || !hasDashes) return { words: rest, own: {} }
  const after = rest.slice(before.length + 1)
  if (after.length === 0) throw usageError('the command after -- is missing')
  return { words: before, own: { [key]: after } }
}

/** A switch has three spellings: commander would let an optional value swallow the next argument. */
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

/** The value of a flag. A known flag in its place means that the value was forgotten; `--x=--flag` means it literally. */
function valueOf(text: string, key: string, param: Param, { params, rest }: Route): string {
  // `-s=x` arrives as `=x`.
  const value = param.short === undefined ? text : text.replace(/^=/, '')
  const name = flagName(key)
  if (value.startsWith('--') && !rest.includes(`${name}=${value}`)) {
    const flag = value.split('=')[0] as string
    if (flag === '--help' || flagNamed(flag, params) !== undefined)
      throw usageError(`${name} needs a value; '${value}' is a flag`, `to pass it as the value: ${name}=${value}`)
  }
  return value
}

/** The flag with this long name. */
function flagNamed(name: string, params: Params): Param | undefined {
  return paramsOf(params, 'flag').find(([key]) => flagName(key) === name)?.[1]
}

function argumentSpelling(key: string, param: Param): string {
  const name = key + (param.repeatable ? '...' : '')
  return param.required ? `<${name}>` : `[${name}]`
}

function readParam(key: string, param: Param, texts: readonly string[], command: Command, route: Route): unknown {
  const place = ['tug', ...route.words].join(' ')
  if (param.required && texts.length === 0) {
    if (param.passThrough)
      throw usageError('the command to run is missing', `write it after --: ${place} … -- <command>`)
    throw usageError(
      `${labelOf(key, param)} is required: ${param.summary}`,
      param.kind === 'flag' ? lineWith(flagName(key), param, command, route, place) : exampleOf(command, place),
    )
  }
  return param.read(texts, labelOf(key, param))
}

/** Our words for commander's errors, which are told apart by their codes. */
function usageErrorOf(error: CommanderError, parser: Parser, route: Route, place: string): TugError {
  const usage = `${place} --help shows how it is used`
  switch (error.code) {
    case 'commander.unknownOption':
      return (
        missingDashes(parser.args, route, place) ??
        unknownFlag(parser.args.find((word) => /^-./.test(word)) ?? '', route, place)
      )
    case 'commander.optionMissingArgument': {
      const flag = beforeDashes(route.rest).at(-1) ?? ''
      return usageError(`${flag.startsWith('--') ? flag : `-${flag.at(-1)}`} needs a value`, helpHint(place))
    }
    case 'commander.missingArgument':
      return missingArgument(parser.args, route, place)
    default: {
      const dashes = missingDashes(parser.args, route, place)
      if (dashes !== undefined) return dashes
      const labels = positionalsOf(route).map(([key, param]) =>
        param.required ? labelOf(key, param) : `[${labelOf(key, param).slice(1, -1)}]`,
      )
      return usageError(`too many arguments: ${parser.args.length} given to ${[place, ...labels].join(' ')}`, usage)
    }
  }
}

/** `kv exec app/db env` and `dev tug job list` lack the `--` before the command to run. */
function missingDashes(args: readonly string[], route: Route, place: string): TugError | undefined {
  if (route.target?.kind !== 'command' || beforeDashes(route.rest).length < route.rest.length) return undefined
  const takesCommand = Object.values(route.target.params).some(({ passThrough }) => passThrough === true)
  const count = positionalsOf(route).length
  if (!takesCommand || args.slice(0, count + 1).some((word) => /^-./.test(word))) return undefined
  const words = [...args.slice(0, count), '--', ...args.slice(count)].map(shellQuote)
  return usageError("'--' is missing before the command to run", `${place} ${words.join(' ')}`)
}

function helpHint(place: string): string {
  return `${place} --help shows the flags`
}

function unknownFlag(typed: string, route: Route, place: string): TugError {
  const { params, target, rest } = route
  const hint = helpHint(place)
  const name = typed.split('=')[0] as string
  if (typed.includes('=') && flagNamed(name, params)?.boolean === true) {
    const value = typed.slice(name.length + 1)
    return usageError(`${name} is a switch: write ${name}, ${name}=true or ${name}=false, not '${value}'`)
  }
  const instead = insteadOfFlag(name, valueAfter(typed, rest))
  if (instead !== undefined) return usageError(`unknown flag '${name}': ${instead}`)
  if (typed.startsWith('--')) {
    const names = [...paramsOf(params, 'flag').map(([key]) => flagName(key)), '--help']
    const nearest = didYouMean(name, names)
    return usageError(`unknown flag '${name}'${nearest === '' ? flagElsewhere(name, route) : nearest}`, hint)
  }
  if (/^-\d/.test(typed) && target?.kind === 'command') {
    const others = beforeDashes(rest).filter((word) => word !== typed)
    const line = [place, ...[...others, '--', typed].map(shellQuote)].join(' ')
    return usageError(`unknown flag '${typed}'`, `a negative number is an argument only after --: ${line}`)
  }
  return usageError(`unknown flag '${typed.slice(0, 2)}'`, hint)
}

/** `; it is a flag of kv put, kv patch`, or nothing. */
function flagElsewhere(name: string, { root, entry }: Route): string {
  if (root?.kind !== 'group' || entry === undefined) return ''
  const owners = leaves(root).filter(([, { params }]) => flagNamed(name, params) !== undefined)
  const names = owners.slice(0, 3).map(([words]) => `${entry.name} ${words}`)
  return names.length === 0 ? '' : `; it is a flag of ${names.join(', ')}`
}

function valueAfter(typed: string, rest: readonly string[]): string | undefined {
  return typed.includes('=') ? typed.slice(typed.indexOf('=') + 1) : rest[rest.indexOf(typed) + 1]
}
