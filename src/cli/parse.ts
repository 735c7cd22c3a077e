import { Command as Parser, CommanderError } from 'commander'
import type { Command } from '../core/command.ts'
import { usageError } from '../core/errors.ts'
import type { Param, Params } from '../core/param.ts'
import { flagName, labelOf } from '../core/param.ts'
import type { NormalLine } from './flags.ts'

/** What was typed, read by the params: the command's input and the values of the global flags. */
export interface ParsedLine {
  readonly input: Readonly<Record<string, unknown>>
  readonly globals: Readonly<Record<string, unknown>>
  /** The flags as typed, by their name without dashes; the last of each. */
  readonly typed: Readonly<Record<string, string | undefined>>
}

/**
 * Hands one command's arguments and flags to commander and reads the values. Throws a usage error for missing or surplus
 * arguments and for values that their param refuses.
 */
export function parseLine(command: Command, globals: Params, line: NormalLine, words: readonly string[]): ParsedLine {
  const place = `tug ${words.join(' ')}`
  const { texts, options } = runCommander(command, globals, line, words, place)
  const read = (params: Params) =>
    Object.fromEntries(
      Object.entries(params).map(([key, param]) => [
        key,
        readParam(key, param, texts[key] ?? options[key] ?? [], place),
      ]),
    )
  return {
    input: read(command.params),
    globals: read(globals),
    typed: Object.fromEntries(Object.entries(options).map(([key, given]) => [flagName(key).slice(2), given.at(-1)])),
  }
}

type Given = Record<string, string[]>

function runCommander(command: Command, globals: Params, line: NormalLine, words: readonly string[], place: string) {
  const texts: Given = {}
  const options: Given = {}
  const parser = new Parser(words.join(' '))
    .exitOverride()
    .helpOption(false)
    .allowExcessArguments(false)
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
  const all = { ...globals, ...command.params }
  for (const [key, param] of Object.entries(all)) {
    if (param.kind !== 'flag') continue
    parser.option(`${flagName(key)} <value>`, param.summary, (value: string) => {
      ;(options[key] ??= []).push(value)
      return value
    })
  }
  const positional = Object.entries(command.params).filter(
    ([, { kind, passThrough }]) => kind === 'argument' && !passThrough,
  )
  for (const [key, param] of positional) parser.argument(argumentSpelling(key, param), param.summary)
  parser.action((...given: unknown[]) => {
    for (const [index, [key]] of positional.entries()) {
      const value = given[index]
      if (value !== undefined) texts[key] = [value].flat() as string[]
    }
  })
  const { surplus, passed } = afterDashes(command, line)
  try {
    const flags = line.flags.filter((flag) => !flag.startsWith('--help='))
    parser.parse([...flags, '--', ...line.positionals.slice(words.length), ...surplus], { from: 'user' })
  } catch (error) {
    throw error instanceof CommanderError ? usageOf(error, command, line, words, place) : error
  }
  return { texts: { ...texts, ...passed }, options }
}

function afterDashes(command: Command, { after }: NormalLine): { surplus: readonly string[]; passed: Given } {
  const key = Object.entries(command.params).find(([, { passThrough }]) => passThrough)?.[0]
  if (key === undefined) return { surplus: after ?? [], passed: {} }
  if (after?.length === 0) throw usageError('the command after -- is missing')
  return { surplus: [], passed: after === undefined ? {} : { [key]: [...after] } }
}

function argumentSpelling(key: string, param: Param): string {
  const name = key + (param.repeatable ? '...' : '')
  return param.required ? `<${name}>` : `[${name}]`
}

function readParam(key: string, param: Param, given: readonly string[], place: string): unknown {
  if (param.required && given.length === 0) {
    if (param.passThrough)
      throw usageError('the command to run is missing', `write it after --: ${place} … -- <command>`)
    throw usageError(`${labelOf(key, param)} is missing: ${param.summary}`, `${place} --help shows how it is used`)
  }
  return param.read(given, labelOf(key, param))
}

function usageOf(
  error: CommanderError,
  { params }: Command,
  line: NormalLine,
  words: readonly string[],
  place: string,
) {
  const hint = `${place} --help shows how it is used`
  const missing = /missing required argument '(\w+)'/.exec(error.message)?.[1]
  if (missing !== undefined) {
    const param = params[missing]
    const choices = param?.choices === undefined ? '' : ` (${param.choices.join(', ')})`
    return usageError(`<${flagName(missing).slice(2)}> is missing: ${param?.summary}${choices}`, hint)
  }
  if (error.code === 'commander.excessArguments') {
    const taken = Object.entries(params).filter(([, { kind, passThrough }]) => kind === 'argument' && !passThrough)
    const labels = taken.map(([key, param]) =>
      param.required ? labelOf(key, param) : `[${labelOf(key, param).slice(1, -1)}]`,
    )
    const given = [...line.positionals, ...(line.after ?? [])].length - words.length
    return usageError(`too many arguments: ${given} given to ${[place, ...labels].join(' ')}`, hint)
  }
  return usageError(error.message.replace(/^error: /, ''), hint)
}
