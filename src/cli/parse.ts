import { Argument, Command as Parser, Option } from 'commander'
import type { Command } from '../core/command.ts'
import { usageError } from '../core/errors.ts'
import type { Param, Params } from '../core/param.ts'
import { flagName, labelOf } from '../core/param.ts'
import type { Route } from './route.ts'
import type { Word } from './words.ts'
import { openArguments } from './words.ts'

/** A parsed command line: the command's input and the flags of every command. */
export interface ParsedLine {
  readonly input: Readonly<Record<string, unknown>>
  readonly flags: Readonly<Record<string, unknown>>
}

/** Throws a usage error for an unknown flag, a flag without its value, and a command to run that isn't there. */
export async function checkFlags(route: Route): Promise<void> {
  const { line, target } = route
  const wrong = line.find(({ fault }) => fault !== undefined && fault !== 'surplus')
  if (wrong !== undefined) throw await (await import('./usage-error.ts')).flagError(wrong, route)
  if (!line.some(({ role }) => role === 'dashes')) return
  if (target?.kind !== 'command')
    throw usageError("the command is missing before '--'", 'tug --help lists the commands')
  const takesCommand = Object.values(target.params).some(({ passThrough }) => passThrough === true)
  if (takesCommand && line.at(-1)?.role === 'dashes') throw usageError('the command after -- is missing')
}

/** Parses a command line with commander, which gets flags as `--name=value`, and the arguments after `--`. */
export async function parseLine(command: Command, route: Route): Promise<ParsedLine> {
  await checkFlags(route)
  const { line, place } = route
  const typed = new Set(line.map(({ key }) => key))
  const asFlag = new Set(line.map(({ role, key }) => (role === 'flag' ? key : undefined)))
  const parser = new Parser(['tug', ...route.words].join(' ')).exitOverride().helpOption(false)
  parser.configureOutput({ writeErr: () => undefined })
  // Declaring all flags would take commander longer than the rest of its work.
  for (const [key, param] of Object.entries({ ...place.flags, ...command.params })) {
    if (param.kind === 'flag' ? typed.has(key) || param.required : asFlag.has(key))
      parser.addOption(optionOf(key, param))
  }
  const positional = openArguments(line, command.params)
  for (const [key, param] of positional) parser.addArgument(argumentOf(key, param))
  try {
    parser.parse(canonical(line), { from: 'user' })
  } catch (error) {
    throw await (await import('./usage-error.ts')).usageErrorOf(error, route)
  }
  const given: Record<string, unknown> = { ...parser.opts() }
  for (const [index, [key]] of positional.entries()) if (typed.has(key)) given[key] = parser.processedArgs[index]
  for (const [key, value] of Object.entries(given)) {
    const param = command.params[key] ?? place.flags[key]
    if (param?.repeatable === true) given[key] = param.read(value as string[], labelOf(key, param))
  }
  const passed = line.filter(({ role }) => role === 'passed')
  if (passed[0]?.key !== undefined) given[passed[0].key] = passed.map(({ text }) => text)
  const missing = Object.entries(command.params).find(([key, { required }]) => required && !(key in given))
  if (missing !== undefined) throw (await import('./usage-error.ts')).missingCommand(route)
  const valuesOf = (params: Params) =>
    Object.fromEntries(
      Object.entries(params).map(([key, param]) => [key, key in given ? given[key] : param.read([], '')]),
    )
  const input = valuesOf(command.params)
  const entries = Object.entries(command.params).filter(([key]) => typed.has(key) && input[key] !== false)
  refuseContradictions(command.params, entries)
  // A command may define its own flag with the name of a flag of every command.
  const others = Object.entries(place.flags).filter(([key]) => !(key in command.params))
  return { input, flags: valuesOf(Object.fromEntries(others)) }
}

/** The line for commander. Of a flag that isn't repeatable the last one counts. */
function canonical(line: readonly Word[]): string[] {
  const isArgument = ({ role, param }: Word) => role === 'argument' && param?.kind !== 'flag'
  const values = line.filter(
    (word) => word.key !== undefined && word.value !== undefined && word.role !== 'passed' && !isArgument(word),
  )
  const flags = values.filter(
    ({ key, param }, index) => param?.repeatable === true || values.findLastIndex((one) => one.key === key) === index,
  )
  return [
    ...flags.map(({ key = '', value }) => `${flagName(key)}=${value}`),
    '--',
    ...line.filter(isArgument).map(({ value = '' }) => value),
  ]
}

/** The option of a flag, or of an argument that is typed as one. */
function optionOf(key: string, param: Param): Option {
  const short = param.short === undefined ? '' : `-${param.short}, `
  const option = new Option(`${short}${flagName(key)} <${param.placeholder ?? 'value'}>`, param.summary)
  option.makeOptionMandatory(param.required)
  option.variadic = param.repeatable
  // `--no-verify` is a flag of its own.
  option.negate = false
  return withReader(option, key, param)
}

function argumentOf(key: string, param: Param): Argument {
  const word = key + (param.repeatable ? '...' : '')
  return withReader(new Argument(param.required ? `<${word}>` : `[${word}]`, param.summary), key, param)
}

/** The values of a repeatable param are collected by commander, and read together. */
function withReader<Declared extends Option | Argument>(declared: Declared, key: string, param: Param): Declared {
  if (!param.repeatable) declared.argParser((text: string) => param.read([text], labelOf(key, param)))
  return declared
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
