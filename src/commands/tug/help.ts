import { didYouMean } from '../../core/words.ts'
import { usageError } from '../../core/errors.ts'
import { loadProgram } from '../../cli/catalogue.ts'
import { machineHelp } from '../../cli/machine-help.ts'
import { findRoute } from '../../cli/route.ts'
import { skillPage } from '../../cli/skill.ts'
import { settingFacts } from '../../config/profile-keys.ts'
import { record } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { lookUp } from '../../core/json.ts'
import { helpOf, fitted } from '../../cli/help.ts'
import { pageStyle } from '../../output/paint.ts'
import { tugCommand } from './context.ts'
import { argument, flag } from '../../core/param.ts'
import { topics } from './topics.ts'

export const help = tugCommand({
  name: 'help',
  summary: 'Explain a topic or a command',
  description: `Topics: ${Object.keys(topics).join(', ')}.`,
  params: {
    words: argument.texts('a topic, or the words of a command', { placeholder: 'topic', complete: 'topic' }),
    skill: flag.boolean('print a page that teaches an agent to use tug', { excludes: ['words'] }),
  },
  examples: [
    { line: 'help exit-codes', note: 'what each exit status means' },
    { line: 'help kv get', note: 'the same as kv get --help' },
    { line: 'help job -o json', note: 'for programs: flags, effect, endpoints, exit codes' },
  ],
  async run({ words, skill }, context) {
    const { host, tree, settings, version } = context
    if (skill === true) return { raw: skillPage(await loadProgram(tree, version)) }
    const topic = words.length === 1 ? lookUp(topics, words[0] as string) : undefined
    const { output, query } = settings.outputFlags
    if (query !== undefined || (output !== undefined && output !== 'table')) {
      if (query === undefined && !['json', 'ndjson', 'yaml'].includes(output as string))
        throw usageError(`help cannot be written as ${output}`, 'use -o json, ndjson or yaml')
      if (topic !== undefined)
        throw usageError(
          `the topic ${words.join('')} is text only`,
          'flags, variables and exit codes for programs: tug help -o json',
        )
      const data = machineHelp(await loadProgram(tree, version), settingFacts(), words)
      if (words.length > 0 && data.commands.length === 0)
        throw usageError(`no command '${words.join(' ')}'`, 'all commands: tug help -o json')
      return { data, view: record<Json>([], () => '') }
    }
    if (topic !== undefined) return { raw: fitted(topic(), context.io.columns) }
    const names = tree.entries.map(({ name }) => name)
    if (words.length > 0 && !names.includes(words[0] as string)) {
      const [typed, known] = [words.join(' '), Object.keys(topics)]
      const near = didYouMean(typed, [...known, ...names])
      throw usageError(`no help topic '${typed}'${near}`, `topics: ${known.join(', ')}`)
    }
    const route = await findRoute(words, tree)
    if (route.problem !== undefined) throw route.problem
    return { raw: helpOf(route, tree, await pageStyle(host.stdout, host)) }
  },
})

/** `tug version` and `--version` in a format for machines. */
export const versionCommand = tugCommand({
  name: 'version',
  summary: 'Print the version',
  params: {},
  examples: [],
  run: (_, { host, version }) =>
    Promise.resolve({ data: { version, node: host.nodeVersion, platform: host.platform }, view: versionView }),
})

const versionView = record<Readonly<Record<'version' | 'node' | 'platform', string>>>(
  [
    { name: 'version', value: ({ version }) => version },
    { name: 'node', value: ({ node }) => node },
    { name: 'platform', value: ({ platform }) => platform },
  ],
  ({ version }) => version,
)
