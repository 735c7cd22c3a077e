import type { Command, Group, RootEntry } from '../core/command.ts'
import { TugError, usageError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { Param, Params } from '../core/param.ts'
import { flagName } from '../core/param.ts'
import { aliasesOf, insteadOfCommand, memberNamed } from './habits.ts'

/** What can be known of a command line before its flags are read: which command it names. */
export interface Route {
  readonly words: readonly string[]
  /** The root's entry that the first word names. */
  readonly entry: RootEntry | undefined
  /** The command or group; undefined for `tug` alone. */
  readonly target: Command | Group | undefined
  /** What the entry is: a command, or the group with everything below it. */
  readonly root: Command | Group | undefined
  /** The commands and groups beside it, itself included. */
  readonly siblings: readonly { readonly name: string }[]
  /** The command line without the words that name the command. */
  readonly rest: readonly string[]
  /** Every flag that is known there. */
  readonly params: Params
  /** `-h` or `--help` anywhere before `--`. */
  readonly help: boolean
  /** `-V`, `-v`, `--version` or `version` before a command. */
  readonly version: boolean
  /** The text of `--output`, so that an error in the rest of the line already goes where it asks for. */
  readonly output: string | undefined
  /** Why the words lead nowhere: an unknown command. */
  readonly problem: TugError | undefined
}

/** The parts of the program that routing needs. */
export interface Tree {
  /** One sentence about the program. */
  readonly summary: string
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
  let root: Command | Group | undefined
  let target: Command | Group | undefined
  let params: Params = tree.globals
  let siblings: Route['siblings'] = tree.entries
  let problem: TugError | undefined
  let help = false
  let version = false
  let output: string | undefined
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as string
    const next = tokens[index + 1]
    if (token === '-h' || token === '--help') help = true
    else if (entry === undefined && ['-V', '-v', '--version', 'version'].includes(token)) version = true
    else if (/^(?:-o|--output)/.test(token)) {
      output = token.replace(/^(?:--output|-o)=?/, '') || next
      if (/^(?:-o|--output)$/.test(token)) index += 1
    } else if (token.startsWith('-') && token !== '-') {
      if (target?.kind !== 'command' && takesNext(token, next, params, membersOf(target, tree))) index += 1
    } else if (target?.kind !== 'command' && problem === undefined) {
      const members = membersOf(target, tree)
      const found: Command | Group | RootEntry | undefined = memberNamed(token, words, members)
      if (found === undefined && token === 'help') {
        help = true
        named.add(index)
      } else if (found === undefined) {
        problem = await unknownCommand([...words, token], tokens.slice(index + 1).find(isWord), members, tree)
      } else {
        words.push(found.name)
        siblings = members
        named.add(index)
        if ('load' in found) entry = found
        target = 'load' in found ? await found.load() : found
        root ??= target
        params = { ...tree.globals, ...tree.groupParams[words[0] as string], ...paramsBelow(target) }
      }
    }
  }
  const rest = argv.filter((_, index) => !named.has(index))
  return { words, entry, root, target, siblings, rest, params, help, version, output, problem }
}

/** The part of a command line before the first `--`. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

function membersOf(target: Group | undefined, tree: Tree): readonly (Command | Group | RootEntry)[] {
  return target === undefined ? tree.entries : target.members
}

function isWord(token: string): boolean {
  return !token.startsWith('-')
}

async function unknownCommand(
  typed: readonly string[],
  next: string | undefined,
  members: readonly (Command | Group | RootEntry)[],
  tree: Tree,
): Promise<TugError> {
  const command = `unknown command '${typed.at(-1) === '' ? '' : typed.join(' ')}'`
  const instead = insteadOfCommand(typed)
  if (instead !== undefined) return usageError(`${command}: ${instead}`)
  const parents = typed.slice(0, -1)
  const suggestions = await suggestionsFor(typed, next, members, tree)
  const meant = suggestions.map((one) => `'${one}'`).join(' or ')
  return usageError(
    meant === '' ? command : `${command}. Did you mean ${meant}?`,
    `${['tug', ...parents].join(' ')} --help lists ${parents.length === 0 ? 'the' : 'its'} commands`,
  )
}

/** What a misspelt word may mean: one of its siblings, else a command of that name in its group, or anywhere in the tree; at most two. */
async function suggestionsFor(
  typed: readonly string[],
  next: string | undefined,
  members: readonly (Command | Group | RootEntry)[],
  tree: Tree,
): Promise<readonly string[]> {
  const word = typed.at(-1) as string
  const parents = typed.slice(0, -1)
  const siblings = members.flatMap(({ name }) => [name, ...aliasesOf([...parents, name], members)])
  const [best, ...others] = nearest(word, siblings)
  if (best !== undefined) {
    const found = memberNamed(best, parents, members)
    const group = found !== undefined && 'load' in found ? await found.load() : found
    const below =
      group?.kind === 'group' && next !== undefined && memberNamed(next, [best], group.members) !== undefined
    return (below ? [`${best} ${next}`] : [best, ...others]).map((one) => [...parents, one].join(' '))
  }
  const paths = (
    await Promise.all(tree.entries.map(async (entry) => pathsBelow(entry.name, await entry.load())))
  ).flat()
  const whole = paths.filter((path) => path.endsWith(` ${word} ${next}`))
  const same = paths.filter((path) => path.endsWith(` ${word}`))
  const lastWords = new Set(paths.map((path) => path.split(' ').at(-1) as string))
  const near = nearest(word, lastWords).flatMap((last) => paths.filter((path) => path.endsWith(` ${last}`)))
  const isBelow = (path: string) => parents.length > 0 && path.startsWith(`${parents.join(' ')} `)
  const found = [same.filter(isBelow), whole, same, near.filter(isBelow), near].find(({ length }) => length > 0) ?? []
  // The shorter, the likelier.
  return found.toSorted((one, other) => one.split(' ').length - other.split(' ').length).slice(0, 2)
}

/** The words of every group and command. */
function pathsBelow(words: string, target: Command | Group): string[] {
  if (target.kind === 'command') return [words]
  return [words, ...target.members.flatMap((member) => pathsBelow(`${words} ${member.name}`, member))]
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

/** Whether a token is a flag's name, long or short. */
export function isSpelling(token: string, key: string, param: Param): boolean {
  if (param.kind !== 'flag') return false
  return token.startsWith('--') ? flagName(key) === token : param.short !== undefined && token === `-${param.short}`
}
