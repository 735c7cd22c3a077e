import type { Command, Group, RootEntry } from '../core/command.ts'
import { usageError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import type { Params } from '../core/param.ts'
import { flagName } from '../core/param.ts'

/** Where the words of a command line lead. */
export interface Route {
  readonly words: readonly string[]
  /** The root's entry that the first word names. */
  readonly entry: RootEntry | undefined
  /** The command or group; undefined for `tug` alone. */
  readonly target: Command | Group | undefined
  /** Every flag that is known there, by its name without dashes. */
  readonly params: Params
  readonly help: boolean
  /** `-V` or `--version` before a command. */
  readonly version: boolean
}

/** What routing needs to know of the program. */
export interface Tree {
  readonly entries: readonly RootEntry[]
  readonly globals: Params
  /** Flags of all commands below an entry. */
  readonly groupParams: Readonly<Record<string, Params>>
}

/**
 * Finds the command that the words name. Flags may stand anywhere before `--`, also between the words. Throws a usage error
 * with the nearest names for a word that leads nowhere.
 */
export async function findRoute(argv: readonly string[], tree: Tree): Promise<Route> {
  const { tokens } = cutAtDashes(argv)
  const words: string[] = []
  let entry: RootEntry | undefined
  let target: Command | Group | undefined
  let params: Params = tree.globals
  let help = false
  let version = false
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as string
    if (token === '-h' || token === '--help') help = true
    else if ((token === '-V' || token === '--version') && entry === undefined) version = true
    else if (isFlag(token)) {
      if (target?.kind !== 'command' && takesNext(token, tokens[index + 1], params, target, tree)) index += 1
    } else if (target === undefined) {
      entry = tree.entries.find(({ name }) => name === token)
      if (entry === undefined) {
        const names = tree.entries.map(({ name }) => name)
        throw usageError(`unknown command '${token}'.${didYouMean(token, names)}`, 'tug --help lists the commands')
      }
      target = await entry.load()
      words.push(token)
      params = { ...params, ...tree.groupParams[entry.name], ...paramsBelow(target) }
    } else if (target.kind === 'group') {
      const next: Command | Group | undefined = target.members.find(({ name }) => name === token)
      if (next === undefined) {
        const place = words.join(' ')
        const names = target.members.map(({ name }) => name)
        throw usageError(
          `unknown command ${token === '' ? "''" : `'${place} ${token}'`}.${didYouMean(token, names)}`,
          `tug ${place} --help lists its commands`,
        )
      }
      target = next
      words.push(token)
      params = { ...tree.globals, ...tree.groupParams[(entry as RootEntry).name], ...paramsBelow(target) }
    }
  }
  return { words, entry, target, params, help, version }
}

/** The words before the first `--`, and those after it; undefined where there is none. */
export function cutAtDashes(argv: readonly string[]): {
  tokens: readonly string[]
  after: readonly string[] | undefined
} {
  const end = argv.indexOf('--')
  return end === -1 ? { tokens: argv, after: undefined } : { tokens: argv.slice(0, end), after: argv.slice(end + 1) }
}

/** A token that is a flag: not a lone dash, and not a negative number (`-0` is a flag). */
export function isFlag(token: string): boolean {
  return /^-[^\d-]|^-0$|^--./.test(token)
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
  target: Group | Command | undefined,
  tree: Tree,
): boolean {
  if (next === undefined || token.includes('=')) return false
  const known = Object.entries(params).find(([key, param]) => {
    if (param.kind !== 'flag') return false
    return token.startsWith('--') ? flagName(key) === token : param.short !== undefined && token === `-${param.short}`
  })
  if (known !== undefined) return !known[1].boolean
  const names: readonly { name: string }[] = target?.kind === 'group' ? target.members : tree.entries
  return token.startsWith('--') && !isFlag(next) && !names.some(({ name }) => name === next)
}
