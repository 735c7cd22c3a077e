import type { Command } from '../core/command.ts'
import type { LoadedGroup } from '../core/group.ts'
import { leaves } from '../core/group.ts'
import { exitMeanings } from '../core/errors.ts'
import type { Params } from '../core/param.ts'
import { flagName, paramsOf } from '../core/param.ts'
import { aliasesOf } from './route.ts'
import { argumentWords, endpointLine, flagMeaning } from './help.ts'
import type { LoadedEntry, Program, SettingFacts } from './catalogue.ts'
import { commandsOf } from './catalogue.ts'

export interface ManualPage {
  /** `tug-kv.1`. */
  readonly file: string
  readonly text: string
}

/** The manual: a page for `tug`, each group and each command. Output is reproducible. */
export function manualPages(program: Program, settings: SettingFacts): ManualPage[] {
  return [rootPage(program, settings), ...program.entries.flatMap((entry) => pagesOf(entry, program))]
}

function rootPage({ summary, entries, globals, version }: Program, settings: SettingFacts): ManualPage {
  return page('tug', [
    ...pageHead('tug', version),
    ...section('name', [String.raw`tug \- ${roffText(lowerFirst(summary.replace(/^tug: /, '').replace(/\.$/, '')))}`]),
    ...section('synopsis', [`${bold('tug')} ${placeholder('command')} [${italic('flags')}]`]),
    ...section('commands', commandList(entries.flatMap(commandsOf))),
    ...section('global flags', flagList(globals)),
    ...section('environment', [
      '.PP',
      roffText(
        'A flag takes precedence over its variable, a variable over the profile, and the profile over the default.',
      ),
      ...settings.rows
        .filter(({ variables }) => variables.length > 0)
        .flatMap(({ variables, flag, meaning }) =>
          tagged(variables.map(bold).join(', '), flag === undefined ? meaning : `${meaning} (${flag})`),
        ),
      '.PP',
      roffText(
        "The variables of the vendors' tools come after the variables above and before the profile. With their address, their " +
          'other variables count, and their API dialect is used for that service:',
      ),
      ...settings.vendors.flatMap(([service, names]) => tagged(bold(service), names.join(', '))),
    ]),
    ...section(
      'exit status',
      exitMeanings.flatMap(([code, meaning]) => tagged(bold(code), meaning)),
    ),
    ...section('files', [
      ...tagged(bold('$XDG_CONFIG_HOME/tug/config.json'), 'saved profiles; TUG_CONFIG_DIR names another folder'),
      ...tagged(bold('$XDG_CONFIG_HOME/tug/credentials.json'), 'stored tokens, readable by you alone'),
      ...tagged(
        bold('$XDG_CACHE_HOME/tug'),
        'names for completion, kept for seconds; compiled code, up to 3 MB for each group of commands and four versions (NODE_DISABLE_COMPILE_CACHE=1: none)',
      ),
    ]),
    ...section('see also', [entries.map(({ entry }) => `${bold(`tug-${entry.name}`)}(1)`).join(',\n')]),
  ])
}

function pagesOf({ entry, target }: LoadedEntry, program: Program): ManualPage[] {
  const groupParams = program.groupParams[entry.name] ?? {}
  const below = (
    words: readonly string[],
    of: Command | LoadedGroup,
    siblings: readonly { name: string }[],
  ): ManualPage[] =>
    of.kind === 'command'
      ? [commandPage(words, of, { groupParams, version: program.version, aliases: aliasesOf(words, siblings) })]
      : [
          groupPage(words, of, groupParams, program.version),
          ...of.members.flatMap((member) => below([...words, member.name], member, of.members)),
        ]
  return below([entry.name], target, [])
}

function groupPage(words: readonly string[], group: LoadedGroup, groupParams: Params, version: string): ManualPage {
  const commands = leaves(group).map(([below, command]) => [`${words.join(' ')} ${below}`, command] as const)
  return page(pageName(words), [
    ...titled(words, group.summary, placeholder('command'), version),
    ...section('description', paragraphs(group.description ?? `${group.summary}.`)),
    ...section('commands', commandList(commands)),
    ...section('flags', flagList(groupParams)),
    ...section('see also', [
      [...commands.map(([path]) => `${bold(pageName(path.split(' ')))}(1)`), `${bold('tug')}(1)`].join(',\n'),
    ]),
  ])
}

function commandPage(
  words: readonly string[],
  command: Command,
  { groupParams, version, aliases }: { groupParams: Params; version: string; aliases: readonly string[] },
): ManualPage {
  return page(pageName(words), [
    ...titled(words, command.summary, argumentsOf(command), version),
    ...section('description', paragraphs(command.description ?? `${command.summary}.`)),
    ...section('aliases', aliases.length === 0 ? [] : [roffText(aliases.join(', '))]),
    ...section(
      'arguments',
      paramsOf(command.params, 'argument').flatMap(([key, param]) =>
        tagged(roffText(argumentWords({ [key]: param })), param.summary),
      ),
    ),
    ...section('flags', [...flagList(command.params), ...flagList(groupParams)]),
    ...section(
      'examples',
      command.examples.flatMap(({ line, note }) => ['.PP', roffProse(`${note}:`), ...verbatim([`tug ${line}`])]),
    ),
    ...section('endpoints', command.endpoints.length === 0 ? [] : verbatim(command.endpoints.map(endpointLine))),
    ...section('see also', [`${bold('tug')}(1), for global flags, the environment and the exit status`]),
  ])
}

function pageName(words: readonly string[]): string {
  return ['tug', ...words].join('-')
}

/** Name and synopsis of a page. */
function titled(words: readonly string[], summary: string, usage: string, version: string): string[] {
  const name = pageName(words)
  return [
    ...pageHead(name, version),
    ...section('name', [String.raw`${roffText(name)} \- ${roffText(lowerFirst(summary))}`]),
    ...section('synopsis', [`${bold(`tug ${words.join(' ')}`)} ${usage} [${italic('flags')}]`.replaceAll('  ', ' ')]),
  ]
}

function commandList(commands: readonly (readonly [words: string, command: Command])[]): string[] {
  return commands.flatMap(([words, command]) =>
    tagged(`${bold(`tug ${words}`)} ${argumentsOf(command)}`.trimEnd(), command.summary),
  )
}

function flagList(params: Params): string[] {
  return paramsOf(params, 'flag').flatMap(([key, param]) => {
    const short = param.short === undefined ? '' : `${bold(`-${param.short}`)}, `
    const value = param.boolean ? '' : ` ${placeholder(param.placeholder ?? 'value')}`
    return tagged(`${short}${bold(flagName(key))}${value}${param.repeatable ? roffText('…') : ''}`, flagMeaning(param))
  })
}

function argumentsOf(command: Command): string {
  return roffText(argumentWords(command.params))
}

function placeholder(text: string): string {
  return `<${italic(text)}>`
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

function page(name: string, lines: readonly string[]): ManualPage {
  return { file: `${name}.1`, text: `${lines.join('\n')}\n` }
}

/** Escapes for characters that roff would change or cannot print. */
const special: Readonly<Record<string, string>> = {
  '\\': String.raw`\e`,
  '-': String.raw`\-`,
  "'": String.raw`\(aq`,
  '`': String.raw`\(ga`,
  '^': String.raw`\(ha`,
  '~': String.raw`\(ti`,
  '"': String.raw`\(dq`,
}

/**
 * Escapes text for a man page, so nothing in it is a roff command, even at the start of a line.
 * @internal
 */
export function roffText(text: string): string {
  const escaped = text.replace(/[\\\-'`^~"]|[^\x20-\x7e\n]/gu, (character) => {
    const digits = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
    return special[character] ?? String.raw`\[u${digits}]`
  })
  return escaped.replace(/^\./gm, String.raw`\&.`)
}

function bold(text: string): string {
  return String.raw`\fB${roffText(text)}\fR`
}

function italic(text: string): string {
  return String.raw`\fI${roffText(text)}\fR`
}

/**
 * Text in which `code` between back quotes is bold.
 * @internal
 */
export function roffProse(text: string): string {
  return text
    .split(/`([^`]+)`/)
    .map((piece, index) => (index % 2 === 1 ? bold(piece) : roffText(piece)))
    .join('')
    .replace(/^\./, String.raw`\&.`)
}

/** The date of the page format, so pages change only when their content does. */
const formDate = '2026-11-21'

function pageHead(name: string, version: string): string[] {
  return [`.TH "${roffText(name.toUpperCase())}" "1" "${formDate}" "${roffText(`tug ${version}`)}" "tug manual"`]
}

/** A section with its heading; empty if it has no lines. */
function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  // A heading adds its own space.
  return [`.SH "${roffText(title.toUpperCase())}"`, ...(lines[0] === '.PP' ? lines.slice(1) : lines)]
}

/** A term (already roff) and its meaning. */
function tagged(term: string, meaning: string): string[] {
  return ['.TP', term, roffProse(meaning)]
}

/** Preformatted lines. */
function verbatim(lines: readonly string[]): string[] {
  return ['.PP', '.RS 4', '.EX', ...lines.map(roffText), '.EE', '.RE']
}

/** Prose in help format: each line is a paragraph, indented lines are preformatted. */
function paragraphs(text: string): string[] {
  const out: string[] = []
  let block: string[] = []
  const flush = () => {
    if (block.length > 0) out.push(...verbatim(block))
    block = []
  }
  for (const line of text.trim().split('\n')) {
    if (line.startsWith('  ')) {
      block.push(line.slice(2))
    } else {
      flush()
      if (line.trim() !== '') out.push('.PP', roffProse(line))
    }
  }
  flush()
  return out
}
