import type { Command } from '../core/command.ts'
import type { LoadedGroup, RootEntry } from '../core/group.ts'
import { leaves } from '../core/group.ts'
import type { EndpointFacts } from '../core/endpoint.ts'
import type { Route, Tree } from './route.ts'
import { aliasesOf } from './route.ts'
import type { Paint } from '../core/output.ts'
import type { Param, Params } from '../core/param.ts'
import { flagName, paramsOf } from '../core/param.ts'
import { wrap } from '../core/words.ts'
import { programFlags } from './words.ts'

/** What a help page is about, and how it is shown. */
interface HelpPage {
  readonly words: readonly string[]
  /** Other names of the last word. */
  readonly aliases: readonly string[]
  readonly globals: Params
  readonly groupParams: Params
  readonly paint: Paint
  readonly width: number
}

/** The help for a route. */
export function helpOf(route: Route, tree: Tree, style: Pick<HelpPage, 'paint' | 'width'>): string {
  const { words, target, entry, siblings } = route
  const page: HelpPage = {
    words,
    aliases: aliasesOf(words, siblings),
    globals: tree.globals,
    groupParams: entry === undefined ? {} : (tree.groupParams[entry.name] ?? {}),
    ...style,
  }
  if (target === undefined) return rootHelp(tree.entries, tree.summary, page)
  return target.kind === 'group' ? groupHelp(target, page) : commandHelp(target, page)
}

/** The help of `tug` itself: one screen of 80 columns and 24 lines. */
function rootHelp(entries: readonly RootEntry[], summary: string, page: HelpPage): string {
  const indent = ' '.repeat(7)
  return [
    ...wrap(summary, page.width),
    '',
    usageLine('tug <command> [flags]', page),
    '',
    page.paint('heading', 'Commands'),
    ...twoColumns(
      entries.map(({ name, summary: line }) => [name, line]),
      page.width,
    ),
    '',
    `${page.paint('heading', 'Flags')}  -o <format>, --query, -p <profile>, --dry-run, … (all: tug help flags)`,
    `${page.paint('heading', 'Try')}    tug dev -- tug job list      any command against demo data`,
    `${indent}tug <command> --help         flags and examples of a command`,
    `${indent}tug help output              topics: exit-codes, environment, filters, …`,
    '',
  ].join('\n')
}

/** The help of a group. */
function groupHelp(group: LoadedGroup, page: HelpPage): string {
  const place = page.words.join(' ')
  return [
    ...wrap(`${group.summary}.`, page.width),
    ...paragraphs(group.description, page.width),
    '',
    usageLine(`tug ${place} <command> [flags]`, page),
    '',
    ...commandSections(group, page),
    ...aliasLine(aliasesBelow(group, page.words), page),
    ...section('Flags', page.groupParams, page),
    '',
    `Flags and examples: tug ${place} <command> --help`,
    allFlags,
    '',
  ].join('\n')
}

/** The commands below their section titles; those without a section are below `More`. */
function commandSections(group: LoadedGroup, page: HelpPage): string[] {
  const { sections = {} } = group
  const titles = Object.entries(sections)
  const titleOf = (words: string) =>
    titles.find(([, names]) => names.includes(words.split(' ')[0] as string))?.[0] ??
    (titles.length === 0 ? 'Commands' : 'More')
  const rows = leaves(group).map(([words, command]) => ({
    title: titleOf(words),
    row: [`${words} ${argumentWords(command.params)}`.trimEnd(), command.summary],
  }))
  const wanted = [...titles.map(([title]) => title), titles.length === 0 ? 'Commands' : 'More']
  return wanted.flatMap((title, index) => [
    ...(index === 0 ? [] : ['']),
    page.paint('heading', title),
    ...twoColumns(
      rows.filter((one) => one.title === title).map(({ row }) => row),
      page.width,
    ),
  ])
}

/** Examples on the first screen; the others follow the description. */
const firstExamples = 2

/** The help of a command. Its summary, two examples and its first flags fit on the first screen of a small terminal. */
function commandHelp(command: Command, page: HelpPage): string {
  const place = `tug ${page.words.join(' ')}`
  const positional = paramsOf(command.params, 'argument')
  const flags = Object.fromEntries(paramsOf(command.params, 'flag'))
  const { examples, endpoints } = command
  return [
    ...wrap(`${command.summary}.`, page.width),
    '',
    usageLine(`${place} ${argumentWords(command.params)}`.trimEnd() + ' [flags]', page),
    ...titled('Examples', exampleLines(examples.slice(0, firstExamples), page), page),
    ...titled(
      'Arguments',
      twoColumns(
        positional.map(([key, param]) => [argumentWord(key, param), param.summary]),
        page.width,
      ),
      page,
    ),
    ...section('Flags', { ...flags, ...page.groupParams }, page),
    ...paragraphs(command.description, page.width),
    ...titled('More examples', exampleLines(examples.slice(firstExamples), page), page),
    ...aliasLine(page.aliases, page),
    '',
    allFlags,
    ...titled(
      'Endpoints',
      endpoints.flatMap((endpoint) => endpointLines(endpoint, page.width)),
      page,
    ),
    '',
  ].join('\n')
}

const allFlags = 'Global flags (-o, --query, -p, …): tug help flags'

function titled(title: string, lines: readonly string[], page: HelpPage): string[] {
  return lines.length === 0 ? [] : ['', page.paint('heading', title), ...lines]
}

function exampleLines(examples: Command['examples'], page: HelpPage): string[] {
  return examples.flatMap(({ line, note }) => [
    ...wrap(note, page.width - 4).map((part) => `  ${page.paint('dim', `# ${part}`)}`),
    `  tug ${line}`,
  ])
}

/** An endpoint with the capability it needs. */
export function endpointLine({ method, path, acl }: EndpointFacts): string {
  return `${method} ${path}${acl === undefined ? '' : `   needs ${acl}`}`
}

/** An endpoint in help; what doesn't fit is on the next line. */
function endpointLines(endpoint: EndpointFacts, width: number): string[] {
  const line = `  ${endpointLine(endpoint)}`
  if (line.length <= width) return [line]
  const { method, path, acl = '' } = endpoint
  return [`  ${method} ${path}`, ...wrap(`needs ${acl}`, width - 6).map((part) => `      ${part}`)]
}

/** A command's arguments in a usage line. */
export function argumentWords(params: Params): string {
  return paramsOf(params, 'argument')
    .map(([key, param]) => argumentWord(key, param))
    .join(' ')
}

function argumentWord(key: string, param: Param): string {
  const name = param.placeholder ?? flagName(key).slice(2)
  if (param.passThrough === true) return `-- <${name}>`
  const word = name + (param.repeatable ? '…' : '')
  return param.required ? `<${word}>` : `[${word}]`
}

/** A flag's meaning with its choices and default. */
export function flagMeaning(param: Param): string {
  const choices = param.choices === undefined || param.placeholder?.includes('|') ? '' : `: ${param.choices.join(', ')}`
  const standard = param.defaultText === undefined ? '' : ` (default ${param.defaultText})`
  return `${param.summary}${choices}${standard}${param.required ? ' (required)' : ''}`
}

function section(title: string, params: Params, page: HelpPage): string[] {
  return Object.keys(params).length === 0 ? [] : titled(title, twoColumns(flagRows(params), page.width), page)
}

/** The flags of every command, for `tug help flags`. */
export function globalFlagLines(globals: Params, width: number): string[] {
  return twoColumns([...flagRows(globals), ...flagRows(programFlags)], width)
}

/** Flags with their meaning: `-s, --sort <field>…`. */
function flagRows(params: Params): string[][] {
  return Object.entries(params).map(([key, param]) => {
    const short = param.short === undefined ? '' : `-${param.short}, `
    const value = param.boolean ? '' : ` <${param.placeholder ?? 'value'}>`
    return [`${short}${flagName(key)}${value}${param.repeatable ? '…' : ''}`, flagMeaning(param)]
  })
}

function aliasLine(aliases: readonly string[], page: HelpPage): string[] {
  return aliases.length === 0 ? [] : ['', `${page.paint('heading', 'Aliases')}  ${aliases.join(', ')}`]
}

/** The aliases of a group's commands: `ls (list)`. */
function aliasesBelow(group: LoadedGroup, words: readonly string[]): string[] {
  const found = group.members.flatMap((member) => {
    const path = [...words, member.name]
    return [
      ...aliasesOf(path, group.members).map((alias) => `${alias} (${member.name})`),
      ...(member.kind === 'group' ? aliasesBelow(member, path) : []),
    ]
  })
  return [...new Set(found)]
}

function usageLine(usage: string, page: HelpPage): string {
  return `${page.paint('heading', 'Usage')}  ${usage}`
}

/** A description after an empty line, with a line per paragraph and per row of columns. */
function paragraphs(text: string | undefined, width: number): string[] {
  if (text === undefined) return []
  return [
    '',
    ...text
      .trim()
      .split('\n')
      .flatMap((line) => within(line, width)),
  ]
}

/** Wraps paragraphs and lines with columns to the terminal's width; unchanged if they fit. */
export function fitted(text: string, width: number | undefined): string {
  if (width === undefined || text.split('\n').every((line) => line.length <= width)) return text
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const margin = line.search(/\S/)
    const before = lines.at(-1) ?? ''
    // The rest of a paragraph, or of the last column of the line above.
    const isRest = margin === 0 ? /^\S/.test(before) : margin > 2 && headOf(before).length === margin
    if (isRest) lines[lines.length - 1] = `${before} ${line.trim()}`
    else lines.push(line)
  }
  return lines.flatMap((line) => within(line, width)).join('\n')
}

/** The part of an indented line before its last column; '' if it has no columns. */
function headOf(line: string): string {
  // The widest gap comes before the last column.
  return (/^ +\S.*? {3,}(?=\S)/.exec(line) ?? /^ +\S.*? {2}(?=\S)/.exec(line))?.[0] ?? ''
}

/** Wraps prose, or the last column of an indented line. */
function within(line: string, width: number): string[] {
  if (!line.startsWith('  ')) return wrap(line, width)
  const head = headOf(line)
  if (head === '' || line.length <= width) return [line]
  return wrap(line.slice(head.length), width - head.length).map(
    (part, at) => (at === 0 ? head : ' '.repeat(head.length)) + part,
  )
}

/** Two columns; the right one is wrapped, and starts on a new line if the left one is long. */
export function twoColumns(rows: readonly (readonly string[])[], width: number): string[] {
  const left = Math.min(34, Math.max(...rows.map(([word = '']) => word.length)) + 2)
  return rows.flatMap(([word = '', meaning = '']) => {
    const lines = wrap(meaning, Math.max(30, width - left - 2))
    const first = word.length + 2 > left ? [`  ${word}`] : []
    const head = first.length === 0 ? `  ${word.padEnd(left)}` : ' '.repeat(left + 2)
    return [...first, ...lines.map((line, index) => (index === 0 ? head : ' '.repeat(left + 2)) + line)]
  })
}
