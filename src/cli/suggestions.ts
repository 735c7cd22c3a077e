import type { Command } from '../core/command.ts'
import type { Group } from '../core/group.ts'
import { loadGroup, leaves, paramsBelow } from '../core/group.ts'
import type { Param, Params } from '../core/param.ts'
import { flagName } from '../core/param.ts'
import { shellQuote, targetSpellings } from '../core/shell.ts'
import type { Suggestion } from './other-tools.ts'
import { otherCommands, otherFlags } from './other-tools.ts'
import { declaredFlag, isSpelling } from './route.ts'

/** The command line around a word or flag of another tool. */
export interface LineContext {
  /** The words of the command or group. */
  readonly words: readonly string[]
  /** The other tokens, up to `--`. */
  readonly tokens: readonly string[]
  /** All flags that are valid there. */
  readonly params: Params
  /** Whether the command of a line takes a valid flag. */
  readonly takes: (line: string, key: string) => boolean
}

/** Whether the command of a line, such as `tug job stop web`, takes a flag that is valid where the word was typed. */
export async function taking(root: Command | Group | undefined, params: Params): Promise<LineContext['takes']> {
  if (root?.kind !== 'group') return (_, key) => key in params
  const group = await loadGroup(root)
  const below = paramsBelow(group)
  return (line, key) => {
    const [, target] = leaves(group).find(([words]) => `${line} `.startsWith(`tug ${root.name} ${words} `)) ?? []
    if (target?.rawOutput === true && ['output', 'query', 'columns'].includes(key)) return false
    return !(key in below) || (target !== undefined && key in target.params)
  }
}

/** A suggestion for an unknown command; undefined if no other tool has it. */
export function suggestForCommand(word: string, around: LineContext): string | undefined {
  const place = around.words.join(' ')
  const { args } = takenApart(around)
  const secret = place === '' ? secretRead([word, ...args].join(' ')) : undefined
  if (secret !== undefined) {
    const text = `use {tug kv get <path> --mount ${shellQuote(secret.mount)}}`
    return filledIn({ text }, { ...around, tokens: [secret.path, ...withoutAll(around.tokens, args)] })
  }
  const rowFor = (typed: string) =>
    otherCommands.find((one) => one.where === place && alternatives(one.typed).includes(typed))
  const two = rowFor(`${word} ${args[0]}`)
  if (two !== undefined) return filledIn(two, { ...around, tokens: without(around.tokens, args[0]) })
  const one = rowFor(word)
  return one === undefined ? undefined : filledIn(one, around)
}

/** The mount of a secret and the path within it, of a line like `vault read secret/data/app/db`. */
function secretRead(line: string): { mount: string; path: string } | undefined {
  const [, named, usual, path] = /^(?:(?:vault|bao) )?read (?:([^/ ]+)\/data|(secret))\/(\S+)$/.exec(line) ?? []
  const mount = named ?? usual
  return mount === undefined || path === undefined ? undefined : { mount, path }
}

/** A suggestion for any other word: a group may have one for every word, as in `kv metadata app/db`, and the root has those of all groups. */
export function suggestForWord(word: string, around: LineContext): string | undefined {
  const place = around.words.join(' ')
  const any = otherCommands.find(({ where, typed }) => where === place && typed === '*')
  if (any !== undefined) return filledIn(any, { ...around, tokens: [word, ...around.tokens] })
  const ofGroup = place === '' ? otherCommands.find(({ typed }) => alternatives(typed).includes(word)) : undefined
  return ofGroup === undefined ? undefined : filledIn(ofGroup, around)
}

/** A suggestion for an unknown flag; undefined if no other tool has it. */
export function suggestForFlag(token: string, around: LineContext): string | undefined {
  const [spelling = '', ...assigned] = token.split('=')
  const flag = spelling.replace(/^-+/, '')
  const place = around.words.join(' ')
  const row = otherFlags.find(
    (one) =>
      alternatives(one.typed).includes(flag) &&
      alternatives(one.where).some((where) => where === '' || where === place || place.startsWith(`${where} `)) &&
      suggestedFlagsOf(one).every((name) => Object.keys(around.params).some((key) => flagName(key) === name)),
  )
  if (row === undefined) return undefined
  const index = around.tokens.indexOf(token)
  const next = around.tokens[index + 1]
  const takesNext =
    index !== -1 && row.text.includes('<value>') && assigned.length === 0 && next?.startsWith('-') === false
  const tokens = around.tokens.filter((_, at) => at !== index && !(takesNext && at === index + 1))
  return filledIn(row, { ...around, tokens }, { flag, value: takesNext ? next : assigned.join('=') || undefined })
}

function alternatives(text: string): readonly string[] {
  return text.split(' | ')
}

/** The suggested flags that the same command must have. */
function suggestedFlagsOf({ text }: Suggestion): readonly string[] {
  const rest = text.replaceAll(/\{(?:tug|nomad) [^}]*\}/g, '')
  return rest.match(/(?<= )--[a-z-]+/g) ?? []
}

/** The flag that was typed, and its value. */
interface TypedFlag {
  readonly flag: string
  readonly value: string | undefined
}

function filledIn({ text }: Pick<Suggestion, 'text'>, around: LineContext, typed?: TypedFlag): string {
  const { flag = '', value } = typed ?? {}
  const lines = /\{((?:tug|nomad|…) [^}]*)\}|(?<=['`])(tug .*?)(?=['`](?:\W|$))|<(?:flag|value)>/g
  return text.replaceAll(lines, (found, line: string | undefined, asItIs: string | undefined) => {
    if (found === '<flag>') return flag
    if (asItIs !== undefined) return withTarget(asItIs, around)
    if (line === undefined) return value === undefined ? found : shellQuote(value)
    const whole = completed(line.replace(/^…/, ['tug', ...around.words, '…'].join(' ')), around, value)
    return whole.includes("'") ? `\`${whole}\`` : `'${whole}'`
  })
}

/** A line with the target flags appended. */
function withTarget(line: string, around: LineContext): string {
  const kept = takenApart(around).flags.filter(
    ({ key }) => (key in targetSpellings || key === 'insecure') && around.takes(line, key),
  )
  return [line, ...kept.map(({ text }) => text)].join(' ')
}

/** A line filled with what was typed: arguments, the value, and the flags that it takes. */
function completed(template: string, around: LineContext, value: string | undefined): string {
  const { args, hides, flags } = takenApart(around)
  const [line = '', redirected] = withValue(template, value).split(' > ')
  const queue = args.map(shellQuote)
  const filled = new Map<string, string>()
  const words = line.split(' ').flatMap((word) => {
    if (word === '…') return [...queue.splice(0), ...(hides ? ['…'] : [])]
    const [placeholder, name = ''] = /^[<[]([\w-]+)[>\]]$/.exec(word) ?? []
    if (placeholder === undefined || name === 'value') return [word]
    const typed = filled.get(name) ?? queue.shift()
    // Data may be secret; a file name is not.
    const text = name === 'data' && typed?.startsWith('@') !== true ? undefined : typed
    if (text !== undefined) filled.set(name, text)
    return text === undefined && word.startsWith('[') ? [] : [text ?? word]
  })
  const kept = flags.filter(
    ({ key, param }) => !words.some((word) => isSpelling(word, key, param)) && around.takes(words.join(' '), key),
  )
  const all = line.startsWith('tug ') ? [...words, ...kept.map(({ text }) => text)] : words
  return [all.join(' '), ...(redirected === undefined ? [] : [redirected])].join(' > ')
}

/** Inside quotes only a plain value is filled in. `-o <extension>` becomes the file's format, or is omitted. */
function withValue(template: string, value: string | undefined): string {
  const format = /\.(csv|tsv|json|ndjson|yaml|md)$/.exec(value ?? '')?.[1]
  const text = template.replace(/ -o <extension>/, format === undefined ? '' : ` -o ${format}`)
  if (value === undefined) return text
  const isPlain = shellQuote(value) === value
  return text.replaceAll(/(["']?)<value>/g, (same, quote: string) =>
    quote === '' ? shellQuote(value) : isPlain ? quote + value : same,
  )
}

/** The rest of the typed line. */
interface Taken {
  readonly args: readonly string[]
  /** True if something is hidden: an unknown flag, or a `key=value` or JSON, which may be secret. */
  readonly hides: boolean
  readonly flags: readonly KnownFlag[]
}

/** A valid flag with its value, quoted for a shell; a placeholder replaces `key=value`, headers and data. */
interface KnownFlag {
  readonly key: string
  readonly param: Param
  readonly text: string
}

/** Splits the tokens of a line into arguments and flags. */
function takenApart({ tokens, params }: Pick<LineContext, 'tokens' | 'params'>): Taken {
  const words: string[] = []
  const flags: KnownFlag[] = []
  let hides = false
  for (let index = 0; index < tokens.length; index += 1) {
    const token = declaredFlag(tokens[index] as string, params)
    if (!token.startsWith('-')) {
      words.push(token)
      continue
    }
    const [whole = ''] = token.split('=')
    const name = token.startsWith('--') || isForeign(whole) ? whole : token.slice(0, 2)
    const [key, param] = Object.entries(params).find(([one, of]) => isSpelling(name, one, of)) ?? []
    if (key === undefined || param === undefined) {
      hides = true
      if (token === whole && mayTakeNext(whole) && tokens[index + 1]?.startsWith('-') === false) index += 1
      continue
    }
    const value = param.boolean || token !== name ? undefined : tokens[(index += 1)]
    const isPair = /[=@]|: /.test(param.placeholder ?? '')
    const typed = param.boolean && /^-\w\w/.test(token) ? name : token
    const text = [typed, ...(value === undefined ? [] : [value])].map(shellQuote).join(' ')
    flags.push({ key, param, text: isPair ? `${name} <${param.placeholder}>` : text })
  }
  const args = words.filter((word) => !/=|^[[{]/.test(word))
  return { args, hides: hides || args.length < words.length, flags }
}

/** True for another tool's long flag with one dash, such as `-json`. */
function isForeign(name: string): boolean {
  return /^-[a-z][a-z-]+$/.test(name) && rowsOf(name).length > 0
}

/** Whether the word after an unknown flag may be its value, which may be secret, rather than an argument. */
function mayTakeNext(name: string): boolean {
  const texts = rowsOf(name).map(({ text }) => text)
  if (texts.length === 0 || name.endsWith('-token')) return true
  return texts.some((one) => one.includes('<value>')) && !texts.some((one) => one.includes('is an argument'))
}

function rowsOf(name: string): readonly Suggestion[] {
  return otherFlags.filter(({ typed }) => alternatives(typed).includes(name.replace(/^-+/, '')))
}

function withoutAll(tokens: readonly string[], words: readonly string[]): readonly string[] {
  return words.reduce<readonly string[]>(without, tokens)
}

function without(tokens: readonly string[], word: string | undefined): readonly string[] {
  const index = word === undefined ? -1 : tokens.indexOf(word)
  return tokens.filter((_, at) => at !== index)
}
