import { findRoute } from '../../cli/route.ts'
import { helpOf } from '../../cli/help.ts'
import { fitted } from '../../cli/layout.ts'
import { lookOf } from '../../output/look.ts'
import { tugCommand } from './context.ts'
import { usageError } from '../../core/errors.ts'
import { didYouMean } from '../../core/nearest.ts'
import { argument } from '../../core/param.ts'
import { topics } from './topics.ts'

export const help = tugCommand({
  name: 'help',
  summary: 'Explain a topic or a command',
  description: `Topics: ${Object.keys(topics).join(', ')}.`,
  rawOutput: true,
  params: { words: argument.texts('a topic, or the words of a command', { placeholder: 'topic', complete: 'topic' }) },
  examples: [
    { line: 'help exit-codes', note: 'what each exit status means' },
    { line: 'help kv get', note: 'the same as kv get --help' },
  ],
  async run({ words }, context) {
    const { host, tree } = context
    const topic =
      words.length === 1 && Object.hasOwn(topics, words[0] as string) ? topics[words[0] as string] : undefined
    if (topic !== undefined) return { raw: fitted(topic(), context.io.columns) }
    const names = [...Object.keys(topics), ...tree.entries.map(({ name }) => name)]
    if (words.length > 0 && !tree.entries.some(({ name }) => name === words[0])) {
      throw usageError(
        `no help topic '${words.join(' ')}'${didYouMean(words.join(' '), names)}`,
        `topics: ${Object.keys(topics).join(', ')}`,
      )
    }
    const route = await findRoute(words, tree)
    if (route.problem !== undefined) throw route.problem
    return { raw: helpOf(route, tree, await lookOf(host.stdout, host)) }
  },
})
