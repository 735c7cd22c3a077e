import type { Command } from '../core/command.ts'
import { exitMeanings } from '../core/errors.ts'
import type { Param, Params } from '../core/param.ts'
import { flagName } from '../core/param.ts'
import { argumentWords, flagMeaning } from './help.ts'
import {
  bold,
  italic,
  pageHead,
  paragraphs,
  roffProse,
  roffText,
  section,
  subsection,
  tagged,
  verbatim,
} from './roff.ts'
import type { LoadedEntry, Program, SettingFact, SettingFacts } from './catalogue.ts'
import { commandsOf, paramsOf } from './catalogue.ts'

export interface ManualPage {
  /** `tug-kv.1`. */
  readonly file: string
  readonly text: string
}

/** The manual: one page for `tug`, one for each entry of its root. The same program gives the same bytes. */
export function manualPages(program: Program, summary: string, settings: SettingFacts): ManualPage[] {
  return [rootPage(program, summary, settings), ...program.entries.map((entry) => entryPage(entry, program))]
}

function rootPage(program: Program, summary: string, settings: SettingFacts): ManualPage {
  const { entries, globals, version } = program
  return page('tug', [
    ...pageHead('tug', version),
    ...section('name', [String.raw`tug \- ${roffText(lowerFirst(summary.replace(/^tug: /, '').replace(/\.$/, '')))}`]),
    ...section('synopsis', [`${bold('tug')} ${placeholder('command')} [${italic('flags')}]`]),
    ...section(
      'commands',
      entries.flatMap((entry) => commandList(entry)),
    ),
    ...section('flags of every command', flagList(globals)),
    ...section('environment', [
      '.PP',
      roffText(
        'A flag takes precedence over its variable, a variable over the profile, and the profile over the default.',
      ),
      ...settings.rows.flatMap(environmentOf),
      '.PP',
      roffText(
        "If neither a variable of tug nor a profile gives a service's address, the variables of the vendors' tools are " +
          'read, and their API dialect is used for that service:',
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
      ...tagged(bold('$XDG_CACHE_HOME/tug'), 'names for completion, kept for seconds'),
    ]),
    ...section('see also', [entries.map(({ entry }) => `${bold(`tug-${entry.name}`)}(1)`).join(',\n')]),
  ])
}

function entryPage(loaded: LoadedEntry, program: Program): ManualPage {
  const { entry, target } = loaded
  const name = `tug-${entry.name}`
  const groupParams = program.groupParams[entry.name] ?? {}
  const usage = target.kind === 'command' ? argumentsOf(target) : placeholder('command')
  return page(name, [
    ...pageHead(name, program.version),
    ...section('name', [String.raw`${roffText(name)} \- ${roffText(lowerFirst(target.summary))}`]),
    ...section('synopsis', [`${bold(`tug ${entry.name}`)} ${usage} [${italic('flags')}]`.replaceAll('  ', ' ')]),
    ...section('description', paragraphs(target.description ?? `${target.summary}.`)),
    ...(target.kind === 'command'
      ? commandSections(target)
      : section(
          'commands',
          commandsOf(loaded).flatMap(([words, command]) => commandPart(words, command)),
        )),
    ...section('flags of all these commands', flagList(groupParams)),
    ...section('see also', [`${bold('tug')}(1), for the flags of every command, the environment and the exit status`]),
  ])
}

function commandSections(command: Command): string[] {
  return [
    ...section('arguments', argumentList(command.params)),
    ...section('flags', flagList(command.params)),
    ...section('examples', exampleList(command)),
    ...section('endpoints', endpointLines(command)),
  ]
}

function commandPart(words: string, command: Command): string[] {
  return subsection(`tug ${words} ${argumentWords(command.params)}`.trimEnd(), [
    roffProse(`${command.summary}.`),
    ...(command.description === undefined ? [] : paragraphs(command.description)),
    ...argumentList(command.params),
    ...flagList(command.params),
    ...exampleList(command),
    ...endpointLines(command),
  ])
}

function commandList(loaded: LoadedEntry): string[] {
  return commandsOf(loaded).flatMap(([words, command]) =>
    tagged(`${bold(`tug ${words}`)} ${argumentsOf(command)}`.trimEnd(), command.summary),
  )
}

function argumentList(params: Params): string[] {
  return paramsOf(params, 'argument').flatMap(([key, param]) =>
    tagged(roffText(argumentWords({ [key]: param })), param.summary),
  )
}

function flagList(params: Params): string[] {
  return paramsOf(params, 'flag').flatMap(([key, param]) => tagged(flagTerm(key, param), flagMeaning(param)))
}

function flagTerm(key: string, param: Param): string {
  const short = param.short === undefined ? '' : `${bold(`-${param.short}`)}, `
  const value = param.boolean ? '' : ` ${placeholder(param.placeholder ?? 'value')}`
  return `${short}${bold(flagName(key))}${value}${param.repeatable ? roffText('…') : ''}`
}

function exampleList(command: Command): string[] {
  return command.examples.flatMap(({ line, note }) => ['.PP', roffProse(`${note}:`), ...verbatim([`tug ${line}`])])
}

function endpointLines(command: Command): string[] {
  if (command.endpoints.length === 0) return []
  const lines = command.endpoints.map(
    ({ method, path, acl }) => `${method} ${path}${acl === undefined ? '' : `   needs ${acl}`}`,
  )
  return ['.PP', roffText('Calls:'), ...verbatim(lines)]
}

function environmentOf({ variables, flag, meaning }: SettingFact): string[] {
  return variables.length === 0 ? [] : tagged(variables.map(bold).join(', '), `${meaning} (${flag})`)
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
