import type { Command, Group, RootEntry } from '../core/command.ts'
import { TugError, usageError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import type { Param, Params } from '../core/param.ts'
import { flagName } from '../core/param.ts'

/** What can be known of a command line before its flags are read: which command it names. */
export interface Route {
  readonly words: readonly string[]
  /** The root's entry that the first word names. */
  readonly entry: RootEntry | undefined
  /** The command or group; undefined for `tug` alone. */
  readonly target: Command | Group | undefined
  /** The command line without the words that name the command. */
  readonly rest: readonly string[]
  /** Every flag that is known there. */
  readonly params: Params
  /** `-h` or `--help` anywhere before `--`. */
  readonly help: boolean
  /** `-V` or `--version` before a command. */
  readonly version: boolean
  /** The text of `--output`, so that an error in the rest of the line already goes where it asks for. */
  readonly output: string | undefined
  /** Why the words lead nowhere: an unknown command. */
  readonly problem: TugError | undefined
}

/** What routing needs to know of the program. */
export interface Tree {
  readonly entries: readonly RootEntry[]
  readonly globals: Params
  /** Flags of all commands below an entry. */
  readonly groupParams: Readonly<Record<string, Params>>
}

/**
 * The look-ahead: finds the command that the words name, so that only its group is loaded and commander gets its flags.
 * Flags may come anywhere before `--`, also between the words.
 */
export async function findRoute(argv: readonly string[], tree: Tree): Promise<Route> {
  const tokens = beforeDashes(argv)
  const words: string[] = []
  const named = new Set<number>()
  let entry: RootEntry | undefined
  let target: Command | Group | undefined
  let params: Params = tree.globals
  let problem: TugError | undefined
  let help = false
  let version = false
  let output: string | undefined
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as string
    const next = tokens[index + 1]
    if (token === '-h' || token === '--help') help = true
    else if ((token === '-V' || token === '--version') && entry === undefined) version = true
    else if (/^(?:-o|--output)/.test(token)) {
      output = token.replace(/^(?:--output|-o)=?/, '') || next
      if (/^(?:-o|--output)$/.test(token)) index += 1
    } else if (token.startsWith('-') && token !== '-') {
      if (target?.kind !== 'command' && takesNext(token, next, params, membersOf(target, tree))) index += 1
    } else if (target?.kind !== 'command' && problem === undefined) {
      const found: Command | Group | RootEntry | undefined = membersOf(target, tree).find(({ name }) => name === token)
      if (found === undefined) problem = unknownCommand(token, words, membersOf(target, tree))
      else {
        words.push(token)
        named.add(index)
        if ('load' in found) entry = found
        target = 'load' in found ? await found.load() : found
        params = { ...tree.globals, ...tree.groupParams[words[0] as string], ...paramsBelow(target) }
      }
    }
  }
  const rest = argv.filter((_, index) => !named.has(index))
  return { words, entry, target, rest, params, help, version, output, problem }
}

/** The part of a command line before the first `--`. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

function membersOf(target: Group | undefined, tree: Tree): readonly (Command | Group | RootEntry)[] {
  return target === undefined ? tree.entries : target.members
}

function unknownCommand(token: string, words: readonly string[], members: readonly { name: string }[]): TugError {
  const typed = [...words, token].join(' ')
  const nearest = didYouMean(
    token,
    members.map(({ name }) => name),
  )
  return usageError(
    `unknown command ${token === '' ? "''" : `'${typed}'`}.${nearest}`,
    `${['tug', ...words].join(' ')} --help lists ${words.length === 0 ? 'the' : 'its'} commands`,
  )
}

/** The flags of a command, or of all commands below a group. */
function paramsBelow(target: Command | Group): Params {
  if (target.kind === 'command') return target.params
  return Object.assign({}, ...target.members.map(paramsBelow)) as Params
}

/** Whether a flag before the command is known takes the next token as its value. */
function takesNext(
  token: string,
  next: string | undefined,
  params: Params,
  members: readonly { name: string }[],
): boolean {
  if (next === undefined || token.includes('=')) return false
  const known = Object.entries(params).find(([key, param]) => isSpelling(token, key, param))
  if (known !== undefined) return !known[1].boolean
  return token.startsWith('--') && !next.startsWith('-') && !members.some(({ name }) => name === next)
}

function isSpelling(token: string, key: string, param: Param): boolean {
  if (param.kind !== 'flag') return false
  return token.startsWith('--') ? flagName(key) === token : param.short !== undefined && token === `-${param.short}`
}
