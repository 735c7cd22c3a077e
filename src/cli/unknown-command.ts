import type { Command } from '../core/command.ts'
import type { Entry, LoadedGroup } from '../core/group.ts'
import { leaves, loadAll } from '../core/group.ts'
import type { TugError } from '../core/errors.ts'
import { usageError } from '../core/errors.ts'
import type { Params } from '../core/param.ts'
import { nearest } from '../core/words.ts'
import { otherToolAdvice, suggestion } from './other-tools.ts'
import type { Tree } from './route.ts'
import { aliasesOf, memberNamed } from './route.ts'
import type { Place, Word } from './words.ts'
import { hasFlag } from './words.ts'

/** The error for an unknown command, with suggestions. */
export async function unknownCommand(unknown: Unknown, { entries }: Pick<Tree, 'entries'>): Promise<TugError> {
  const { word, parents, line, place } = unknown
  const { text } = word
  const next = line.find(({ role, at }) => role === 'argument' && at > word.at)?.text
  const context = { words: parents, line, place }
  const command = `unknown command '${text === '' ? '' : [...parents, text].join(' ')}'`
  const advice = (await kmipAdvice(unknown, entries)) ?? otherToolAdvice(word, context)
  if (advice !== undefined) return usageError(`${command}: ${advice}`)
  const commands = (
    await Promise.all(entries.map(async ({ name, load }) => spellingsBelow([name], await loadAll(await load()))))
  ).flat()
  const same = commandsNamed(text, next, parents, commands)
  const siblings = same.length > 0 ? same : await siblingsNear(unknown, next)
  const isOfGroup = siblings.length === 0 && parents.length === 0
  const adviceOfGroup = isOfGroup ? otherToolAdvice(word, context, true) : undefined
  if (adviceOfGroup !== undefined) return usageError(`${command}: ${adviceOfGroup}`)
  const suggestions = siblings.length > 0 ? siblings : commandsNear(text, parents, commands)
  const meant = suggestions.map((one) => `'${one}'`).join(' or ')
  return usageError(
    meant === '' ? command : `${command}. Did you mean ${meant}?`,
    `${['tug', ...parents].join(' ')} --help lists ${parents.length === 0 ? 'the' : 'its'} commands`,
  )
}

/** An unknown word in place of a command. */
export interface Unknown {
  readonly word: Word
  /** The preceding groups. */
  readonly parents: readonly string[]
  /** The commands and groups at this position. */
  readonly members: readonly Entry[]
  readonly line: readonly Word[]
  readonly place: Place
}

const methods: Readonly<Record<string, string>> = { read: 'GET', list: 'LIST', write: 'POST', delete: 'DELETE' }

/** `vault write kmip/scope/s/role/r operation_all=true`: the command of that endpoint, with the data as flags. */
async function kmipAdvice({ word, line }: Unknown, entries: Tree['entries']): Promise<string | undefined> {
  const isPath = (text: string) => /^[\w-]*kmip[\w-]*\/|^[\w-]+\/scope(?:\/|$)/.test(text)
  const args = line.filter(
    ({ at, text, role, param }) =>
      at >= word.at && (role === 'argument' || (role === 'value' && param === undefined && isPath(text))),
  )
  const [verb = '', path = '', ...data] = args
    .map(({ text }) => text)
    .slice(word.text === 'vault' || word.text === 'bao' ? 1 : 0)
  const entry = isPath(path) ? entries.find(({ mount }) => mount === 'kmip') : undefined
  const group = entry && (await loadAll(await entry.load()))
  if (group?.kind !== 'group') return undefined
  const [mount, ...segments] = path.split('/')
  for (const [words, { endpoint, params }] of leaves(group)) {
    const names = endpoint
      .find(({ method }) => method === methods[verb])
      ?.path.split('/')
      .slice(3)
    const isSame = names?.every((name, at) => name === segments[at] || (name.startsWith('{') && segments[at]))
    if (names === undefined || names.length !== segments.length || isSame !== true) continue
    const values = segments.filter((_, at) => names[at]?.startsWith('{'))
    const flags = [...data.map((one) => flagFor(one, params)), ...(mount === entry?.name ? [] : [`--mount ${mount}`])]
    return `use ${suggestion(['kmip', words, ...values, ...flags].filter(Boolean).join(' '), line)}`
  }
  return undefined
}

/** `--tls-client-ttl 1d` for `tls_client_ttl=1d`; '' for data that isn't a flag. */
function flagFor(pair: string, params: Params): string {
  const [name = '', value = ''] = pair.split('=')
  const [, operation] = /^operation_(\w+)$/.exec(name) ?? []
  if (operation !== undefined)
    return { all: '--all-operations', none: '--no-operations' }[operation] ?? `--operation ${operation}`
  const flag = name.replaceAll('_', '-')
  // A longer value would be masked.
  return hasFlag(flag, params) && /^\w{1,5}$/.test(value) ? `--${flag} ${value}` : ''
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
async function siblingsNear({ word, parents, members }: Unknown, next: string | undefined): Promise<readonly string[]> {
  const siblings = members.flatMap(({ name }) => [name, ...aliasesOf([...parents, name], members)])
  const found = nearest(word.text, siblings)
  const [best] = found
  if (best === undefined) return []
  const group = await memberNamed(best, parents, members)?.load()
  const below = group?.kind === 'group' && next !== undefined && memberNamed(next, [best], group.members) !== undefined
  return (below ? [`${best} ${next}`] : found).map((one) => [...parents, one].join(' '))
}

/** Commands with that name, in the typed group or an outer one; otherwise those that also end in the next word (`kv role list`). */
function commandsNamed(
  word: string,
  next: string | undefined,
  parents: readonly string[],
  commands: readonly Spelling[],
): readonly string[] {
  const both = (among: readonly Spelling[]) => withSuffix(`${word} ${next}`, among)
  const found = nearby(parents, commands, (among) => (both(among).length > 0 ? both(among) : withSuffix(word, among)))
  return likeliest(found.length > 0 ? found : both(commands))
}

/** Commands with a similar name, in the typed group or an outer one. */
function commandsNear(word: string, parents: readonly string[], commands: readonly Spelling[]): readonly string[] {
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
