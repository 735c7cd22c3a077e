import type { Command } from '../core/command.ts'
import type { Entry, LoadedGroup } from '../core/group.ts'
import { loadAll } from '../core/group.ts'
import type { TugError } from '../core/errors.ts'
import { usageError } from '../core/errors.ts'
import type { Params } from '../core/param.ts'
import { nearest } from '../core/words.ts'
import { otherToolAdvice } from './other-tools.ts'
import type { Tree } from './route.ts'
import { aliasesOf, memberNamed } from './route.ts'

/** The error for an unknown command, with suggestions; `tokens` is the rest of the line. */
export async function unknownCommand(
  unknown: Unknown,
  tokens: readonly string[],
  { params, tree }: { params: Params; tree: Pick<Tree, 'entries'> },
): Promise<TugError> {
  const { word, parents } = unknown
  const line = { words: parents, tokens, params }
  const command = `unknown command '${word === '' ? '' : [...parents, word].join(' ')}'`
  const advice = otherToolAdvice(word, line)
  if (advice !== undefined) return usageError(`${command}: ${advice}`)
  const commands = (
    await Promise.all(tree.entries.map(async ({ name, load }) => spellingsBelow([name], await loadAll(await load()))))
  ).flat()
  const same = commandsNamed(unknown, commands)
  const siblings = same.length > 0 ? same : await siblingsNear(unknown)
  const isOfGroup = siblings.length === 0 && parents.length === 0
  const adviceOfGroup = isOfGroup ? otherToolAdvice(word, line, true) : undefined
  if (adviceOfGroup !== undefined) return usageError(`${command}: ${adviceOfGroup}`)
  const suggestions = siblings.length > 0 ? siblings : commandsNear(unknown, commands)
  const meant = suggestions.map((one) => `'${one}'`).join(' or ')
  return usageError(
    meant === '' ? command : `${command}. Did you mean ${meant}?`,
    `${['tug', ...parents].join(' ')} --help lists ${parents.length === 0 ? 'the' : 'its'} commands`,
  )
}

/** An unknown word in place of a command. */
export interface Unknown {
  readonly word: string
  /** The next word. */
  readonly next: string | undefined
  /** The preceding groups. */
  readonly parents: readonly string[]
  /** The commands and groups at this position. */
  readonly members: readonly Entry[]
}

/** A spelling of a command or group: its name or an alias. */
interface Spelling {
  readonly typed: string
  readonly path: string
}

/** All spellings of the commands and groups below a group. */
function spellingsBelow(words: readonly string[], target: Command | LoadedGroup): Spelling[] {
  if (target.kind === 'command') return []
  return target.members.flatMap((member) => {
    const path = [...words, member.name]
    const names = [member.name, ...aliasesOf(path, target.members)]
    const spellings = names.map((name) => ({ typed: [...words, name].join(' '), path: path.join(' ') }))
    return [...spellings, ...spellingsBelow(path, member)]
  })
}

/** Siblings that a misspelled word may mean, with the next word if that is a command below them. */
async function siblingsNear({ word, next, parents, members }: Unknown): Promise<readonly string[]> {
  const siblings = members.flatMap(({ name }) => [name, ...aliasesOf([...parents, name], members)])
  const found = nearest(word, siblings)
  const [best] = found
  if (best === undefined) return []
  const group = await memberNamed(best, parents, members)?.load()
  const below = group?.kind === 'group' && next !== undefined && memberNamed(next, [best], group.members) !== undefined
  return (below ? [`${best} ${next}`] : found).map((one) => [...parents, one].join(' '))
}

/** Commands with that name, in the typed group or an outer one; otherwise those that also end in the next word (`kv role list`). */
function commandsNamed({ word, next, parents }: Unknown, commands: readonly Spelling[]): readonly string[] {
  const both = (among: readonly Spelling[]) => withSuffix(`${word} ${next}`, among)
  const found = nearby(parents, commands, (among) => (both(among).length > 0 ? both(among) : withSuffix(word, among)))
  return likeliest(found.length > 0 ? found : both(commands))
}

/** Commands with a similar name, in the typed group or an outer one. */
function commandsNear({ word, parents }: Unknown, commands: readonly Spelling[]): readonly string[] {
  const found = nearby(parents, commands, (among) => {
    const names = new Set(among.map(({ path }) => path.split(' ').at(-1) as string))
    return nearest(word, names).flatMap((name) => withSuffix(name, among))
  })
  return likeliest(found)
}

/** The matches in the innermost group that has any; at the root, in the whole tree. */
function nearby(
  parents: readonly string[],
  commands: readonly Spelling[],
  find: (among: readonly Spelling[]) => readonly string[],
): readonly string[] {
  const groups = parents.map((_, index) => `${parents.slice(0, parents.length - index).join(' ')} `)
  for (const group of groups.length === 0 ? [''] : groups) {
    const found = find(commands.filter(({ path }) => path.startsWith(group)))
    if (found.length > 0) return found
  }
  return []
}

function withSuffix(words: string, commands: readonly Spelling[]): readonly string[] {
  return commands.filter(({ typed }) => typed.endsWith(` ${words}`)).map(({ path }) => path)
}

/** At most two, the shortest first. */
function likeliest(found: readonly string[]): readonly string[] {
  return [...new Set(found)].toSorted((one, other) => one.split(' ').length - other.split(' ').length).slice(0, 2)
}
