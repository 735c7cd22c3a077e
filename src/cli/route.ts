import type { Command } from '../core/command.ts'
import type { Entry, Group, LoadedGroup, RootEntry } from '../core/group.ts'
import { flagsBelow, loadAll } from '../core/group.ts'
import type { TugError } from '../core/errors.ts'
import type { Params } from '../core/param.ts'
import { paramsOf } from '../core/param.ts'
import type { Place, Word } from './words.ts'
import { programFlags, readWords } from './words.ts'

/** The command of a command line, found before the values of its flags are read. */
export interface Route {
  readonly words: readonly string[]
  /** The root entry named by the first word. */
  readonly entry: RootEntry | undefined
  /** The command, or the group with its subtree; undefined for `tug` alone. */
  readonly target: Command | LoadedGroup | undefined
  /** The entry's command or group. */
  readonly root: Command | Group | undefined
  /** The members of its parent. */
  readonly siblings: readonly Named[]
  /** The whole command line. */
  readonly line: readonly Word[]
  readonly place: Place
  /** `-h` or `--help` anywhere before `--`. */
  readonly help: boolean
  /** `-V`, `-v`, `--version`, `-version` or `version` before a command. */
  readonly version: boolean
  /** The error for an unknown command. */
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
 * Finds the command and loads only its group. The first argument of a line is a name; then the line is read again with the flags that
 * are valid after that.
 */
export async function findRoute(argv: readonly string[], tree: Tree): Promise<Route> {
  const words: string[] = []
  const names = new Set<number>()
  let entry: RootEntry | undefined
  let root: Command | Group | undefined
  let target: Command | Group | undefined
  let members: readonly (Entry | RootEntry)[] = tree.entries
  let siblings = members
  let problem: TugError | undefined
  let help = false
  let version = false
  let place = placeOf({})
  let line = readWords(argv, place)
  while (target?.kind !== 'command' && problem === undefined) {
    if (target !== undefined && firstUnknown(line) < (firstArgument(line)?.at ?? Infinity))
      read(flagsBelow(await loadAll(target)))
    const word = firstArgument(line)
    const at = word?.at ?? Infinity
    const ofProgram =
      target === undefined ? line.find(({ key, fault }) => key === 'version' && fault === undefined) : undefined
    if (ofProgram !== undefined && ofProgram.at < at) {
      version = true
      names.add(ofProgram.at)
    } else if (word === undefined) break
    else {
      const { text } = word
      const found = memberNamed(text, words, members)
      const isHelp = found === undefined && text === 'help'
      const isVersion = found === undefined && text === 'version' && target === undefined
      help ||= isHelp
      version ||= isVersion
      if (found !== undefined) {
        words.push(found.name)
        entry ??= tree.entries.find((one) => one === found)
        target = await found.load()
        root ??= target
        siblings = members
        members = target.kind === 'group' ? target.members : []
      } else if (!isHelp && !isVersion) {
        const { unknownCommand } = await import('./unknown-command.ts')
        problem = await unknownCommand({ word, parents: words, members, line, place }, tree)
        break
      }
      names.add(at)
    }
    read({})
  }
  const whole = target === undefined ? undefined : await loadAll(target)
  if (whole?.kind === 'group' && (problem !== undefined || firstUnknown(line) !== Infinity)) read(flagsBelow(whole))
  help ||= line.some(({ key }) => key === 'help')
  return { words, entry, root, target: whole, siblings, line, place, help, version, problem }

  function read(more: Params): void {
    place = placeOf(more)
    line = readWords(argv, place)
  }

  function placeOf(more: Params): Place {
    const command = target?.kind === 'command' ? target : undefined
    const { version: ofProgram, ...everywhere } = programFlags
    const ofGroup = { ...tree.groupParams[words[0] as string], ...more, ...command?.params }
    const all = { ...everywhere, ...(target === undefined ? { version: ofProgram } : {}), ...tree.globals, ...ofGroup }
    const isMember = (word: string) => word === 'help' || memberNamed(word, words, members) !== undefined
    return { command, flags: Object.fromEntries(paramsOf(all, 'flag')), names, isMember }
  }
}

/** The first argument before `--`. */
function firstArgument(line: readonly Word[]): Word | undefined {
  const found = line.find(({ role }) => role === 'argument' || role === 'dashes')
  return found?.role === 'argument' ? found : undefined
}

function firstUnknown(line: readonly Word[]): number {
  return line.find(({ fault }) => fault === 'unknown')?.at ?? Infinity
}

const aliasesOfName: Readonly<Record<string, readonly string[]>> = {
  list: ['ls'],
  delete: ['rm'],
  copy: ['cp'],
  move: ['mv'],
  get: ['show', 'inspect'],
}

const aliasesOfCommand: Readonly<Record<string, readonly string[]>> = {
  'kv get': ['cat'],
  'job versions': ['history'],
}

interface Named {
  readonly name: string
}

/** The aliases of a command (its words after `tug`), except for names of siblings. */
export function aliasesOf(words: readonly string[], siblings: readonly Named[]): readonly string[] {
  const aliases = [...(aliasesOfCommand[words.join(' ')] ?? []), ...(aliasesOfName[words.at(-1) ?? ''] ?? [])]
  return words.length < 2 ? [] : aliases.filter((alias) => !siblings.some(({ name }) => name === alias))
}

/** The member that a word names, by its name or an alias. */
export function memberNamed<M extends Named>(
  word: string,
  parents: readonly string[],
  members: readonly M[],
): M | undefined {
  return (
    members.find(({ name }) => name === word) ??
    members.find(({ name }) => aliasesOf([...parents, name], members).includes(word))
  )
}
