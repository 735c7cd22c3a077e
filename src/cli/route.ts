import type { Command } from '../core/command.ts'
import type { Entry, Group, LoadedGroup, RootEntry } from '../core/group.ts'
import { loadAll, paramsBelow } from '../core/group.ts'
import type { TugError } from '../core/errors.ts'
import type { Param, Params } from '../core/param.ts'
import { paramsOf, flagName } from '../core/param.ts'

/** The command of a command line, found before its flags are parsed. */
export interface Route {
  readonly words: readonly string[]
  /** The root entry named by the first word. */
  readonly entry: RootEntry | undefined
  /** The command, or the group with its subtree; undefined for `tug` alone. */
  readonly target: Command | LoadedGroup | undefined
  /** The entry's command or group. */
  readonly root: Command | Group | undefined
  /** The members of its parent. */
  readonly siblings: readonly { readonly name: string }[]
  /** The command line without the command's words. */
  readonly rest: readonly string[]
  /** All flags that are valid there. */
  readonly params: Params
  /** `-h` or `--help` anywhere before `--`. */
  readonly help: boolean
  /** `-V`, `-v`, `--version`, `-version` or `version` before a command. */
  readonly version: boolean
  /** The value of `--output`, so errors in the rest of the line are already printed in that format. */
  readonly output: string | undefined
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
 * Finds the command and loads only its group; commander then parses the flags. Flags may come anywhere before `--`, even between the
 * words.
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
    const typed = tokens[index] as string
    const token = /^-[a-z][a-z-]/.test(typed) ? declaredFlag(typed, await paramsAt(target)) : typed
    const next = tokens[index + 1]
    if (token === '-h' || token === '--help') help = true
    else if (entry === undefined && ['-V', '-v', '--version', '-version', 'version'].includes(token)) {
      version = true
      named.add(index)
    } else if (/^(?:-o|--output)/.test(token)) {
      output = token.replace(/^(?:--output|-o)=?/, '') || next
      if (/^(?:-o|--output)$/.test(token)) index += 1
    } else if (token.startsWith('-') && token !== '-') {
      if (target?.kind !== 'command' && (await takesNext(token, next, target))) index += 1
    } else if (target?.kind !== 'command' && problem === undefined) {
      const members: readonly (Entry | RootEntry)[] = target === undefined ? tree.entries : target.members
      const found = memberNamed(token, words, members)
      if (found === undefined && token === 'help') {
        help = true
        named.add(index)
      } else if (found === undefined) {
        const others = tokens.filter((_, at) => at !== index && !named.has(at))
        const following = tokens.slice(index + 1).find((one) => !one.startsWith('-'))
        const { unknownCommand } = await import('./unknown-command.ts')
        const unknown = { word: token, next: following, parents: words, members }
        problem = await unknownCommand(unknown, others, { params: await paramsAt(target), tree })
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

  /** All flags that may follow the words so far. */
  async function paramsAt(place: Command | Group | undefined): Promise<Params> {
    const below = place === undefined ? {} : paramsBelow(await loadAll(place))
    return { ...tree.globals, ...tree.groupParams[words[0] as string], ...below }
  }

  /** Whether a flag that precedes the command takes the next token as its value. */
  async function takesNext(token: string, next: string | undefined, place: Group | undefined): Promise<boolean> {
    if (next === undefined || token.includes('=')) return false
    const [, param] = flagSpelled(token, await paramsAt(place)) ?? []
    if (param !== undefined) return !param.boolean
    const isMember = (place?.members ?? tree.entries).some(({ name }) => name === next)
    return token.startsWith('--') && !next.startsWith('-') && !isMember
  }
}

/** The arguments of the command, without those after `--`. */
export function positionalsOf({ target }: Route): readonly (readonly [key: string, param: Param])[] {
  if (target?.kind !== 'command') return []
  return paramsOf(target.params, 'argument').filter(([, { passThrough }]) => !passThrough)
}

/** The part of a command line before the first `--`. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/** The flag with this name, long or short. */
export function flagSpelled(token: string, params: Params): readonly [key: string, param: Param] | undefined {
  return paramsOf(params, 'flag').find(([key, { short }]) =>
    token.startsWith('--') ? flagName(key) === token : short !== undefined && token === `-${short}`,
  )
}

/** True for a flag that takes the next word as its value. */
export function takesValue(token: string, params: Params): boolean {
  return flagSpelled(token, params)?.[1].boolean === false
}

/** Flags that must be spelled exactly, because correcting a typo to one of them would skip a question. */
export const skipsQuestion: ReadonlySet<string> = new Set(['--yes', '--force', '--confirm-profile', '--insecure'])

/** Synonyms; a command declares one of a row and accepts all. */
const synonyms: readonly (readonly string[])[] = [
  ['--operation', '--operations'],
  ['--page-size', '--per-page'],
  ['--version', '--versions'],
  ['--out-dir', '--output-dir', '--output-file'],
  ['--to-profile', '--other-profile'],
  ['--to-mount', '--other-mount'],
]

/** Arguments that may be typed as flags, as other commands have them. */
export const argumentsAsFlags: readonly string[] = ['version', 'from', 'to']

/** Normalizes flags to their declared spelling: `--field=x` for `-field=x` of other tools. Values, and words after `--`, are unchanged. */
function withDeclaredFlags(words: readonly string[], params: Params): string[] {
  const end = beforeDashes(words).length
  let isValue = false
  return words.map((word, index) => {
    if (isValue || index >= end) {
      isValue = false
      return word
    }
    const declared = declaredFlag(word, params)
    isValue = takesValue(declared, params)
    return declared
  })
}

/** The declared spelling of a flag; other words are returned unchanged. */
export function declaredFlag(word: string, params: Params): string {
  const [name = ''] = word.split('=')
  if (!/^--?[a-z][a-z-]+$/.test(name)) return word
  const long = name.startsWith('--') ? name : `-${name}`
  const spellings = [long, ...(synonyms.find((row) => row.includes(long)) ?? [])]
  const declared = spellings.find((one) => flagSpelled(one, params) !== undefined)
  return declared === undefined || skipsQuestion.has(declared) ? word : declared + word.slice(name.length)
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
