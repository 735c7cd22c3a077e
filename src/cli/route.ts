import type { Command } from '../core/command.ts'
import type { Entry, Group, LoadedGroup, RootEntry } from '../core/group.ts'
import { loadAll, paramsBelow } from '../core/group.ts'
import type { TugError } from '../core/errors.ts'
import type { Param, Params } from '../core/param.ts'
import { paramsOf } from '../core/param.ts'
import { memberNamed } from './aliases.ts'
import { beforeDashes, isSpelling, withDeclaredFlags } from './tokens.ts'

/** What can be known of a command line before its flags are read: which command it names. */
export interface Route {
  readonly words: readonly string[]
  /** The root's entry that the first word names. */
  readonly entry: RootEntry | undefined
  /** The command, or the group with everything below it; undefined for `tug` alone. */
  readonly target: Command | LoadedGroup | undefined
  /** What the entry is. */
  readonly root: Command | Group | undefined
  /** The commands and groups beside it, itself included. */
  readonly siblings: readonly { readonly name: string }[]
  /** The command line without the words that name the command. */
  readonly rest: readonly string[]
  /** Every flag that is known there. */
  readonly params: Params
  /** `-h` or `--help` anywhere before `--`. */
  readonly help: boolean
  /** `-V`, `-v`, `--version`, `-version` or `version` before a command. */
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
  let siblings: Route['siblings'] = tree.entries
  let problem: TugError | undefined
  let help = false
  let version = false
  let output: string | undefined
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as string
    const next = tokens[index + 1]
    if (token === '-h' || token === '--help') help = true
    else if (entry === undefined && ['-V', '-v', '--version', '-version', 'version'].includes(token)) version = true
    else if (/^(?:-o|--output)/.test(token)) {
      output = token.replace(/^(?:--output|-o)=?/, '') || next
      if (/^(?:-o|--output)$/.test(token)) index += 1
    } else if (token.startsWith('-') && token !== '-') {
      if (target?.kind !== 'command' && (await takesNext(token, next, target))) index += 1
    } else if (target?.kind !== 'command' && problem === undefined) {
      const members = membersOf(target, tree)
      const found: Entry | RootEntry | undefined = memberNamed(token, words, members)
      if (found === undefined && token === 'help') {
        help = true
        named.add(index)
      } else if (found === undefined) {
        const others = tokens.filter((_, at) => at !== index && !named.has(at))
        const following = tokens.slice(index + 1).find((one) => !one.startsWith('-'))
        const { unknownCommand } = await import('./unknown-command.ts')
        problem = await unknownCommand({ word: token, next: following, parents: words, members }, others, {
          root,
          params: await paramsAt(target),
          tree,
        })
      } else {
        words.push(found.name)
        siblings = members
        named.add(index)
        entry ??= tree.entries.find((one) => one === found)
        target = await found.load()
        root ??= target
      }
    }
  }
  const params = await paramsAt(target)
  const typed = argv.filter((_, index) => !named.has(index))
  const rest = target?.kind === 'command' ? withDeclaredFlags(typed, params) : typed
  const whole = target === undefined ? undefined : await loadAll(target)
  return { words, entry, root, target: whole, siblings, rest, params, help, version, output, problem }

  /** Every flag that may follow the words so far. */
  async function paramsAt(place: Command | Group | undefined): Promise<Params> {
    const below = place === undefined ? {} : paramsBelow(await loadAll(place))
    return { ...tree.globals, ...tree.groupParams[words[0] as string], ...below }
  }

  /** Whether a flag before the command is known takes the next token as its value. */
  async function takesNext(token: string, next: string | undefined, place: Group | undefined): Promise<boolean> {
    if (next === undefined || token.includes('=')) return false
    const known = Object.entries(await paramsAt(place)).find(([key, param]) => isSpelling(token, key, param))
    if (known !== undefined) return !known[1].boolean
    const isMember = membersOf(place, tree).some(({ name }) => name === next)
    return token.startsWith('--') && !next.startsWith('-') && !isMember
  }
}

/** The arguments of the command, without those after `--`. */
export function positionalsOf({ target }: Route): readonly (readonly [key: string, param: Param])[] {
  if (target?.kind !== 'command') return []
  return paramsOf(target.params, 'argument').filter(([, { passThrough }]) => !passThrough)
}

function membersOf(target: Group | undefined, tree: Tree): readonly Entry[] {
  return target === undefined ? tree.entries : target.members
}
