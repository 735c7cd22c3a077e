import type { Command } from '../core/command.ts'
import type { Group } from '../core/group.ts'
import type { TugError } from '../core/errors.ts'
import { usageError } from '../core/errors.ts'
import type { Params } from '../core/param.ts'
import { insteadOfAny, insteadOfCommand, taking } from './instead.ts'
import type { Tree } from './route.ts'
import type { Unknown } from './suggest.ts'
import { commandsNamed, commandsNear, everyCommand, siblingsNear } from './suggest.ts'

/** The error for a word that names no command, with what was probably meant; `tokens` are the others of the line. */
export async function unknownCommand(
  unknown: Unknown,
  tokens: readonly string[],
  { root, params, tree }: { root: Command | Group | undefined; params: Params; tree: Pick<Tree, 'entries'> },
): Promise<TugError> {
  const { word, parents } = unknown
  const around = { words: parents, tokens, params, takes: await taking(root, params) }
  const command = `unknown command '${word === '' ? '' : [...parents, word].join(' ')}'`
  const refused = (instead: string) => usageError(`${command}: ${instead}`)
  const likely = insteadOfCommand(word, around)
  if (likely !== undefined) return refused(likely)
  const commands = await everyCommand(tree.entries)
  const same = commandsNamed(unknown, commands)
  const siblings = same.length > 0 ? same : await siblingsNear(unknown)
  const instead = siblings.length > 0 ? undefined : insteadOfAny(word, around)
  if (instead !== undefined) return refused(instead)
  const suggestions = siblings.length > 0 ? siblings : commandsNear(unknown, commands)
  const meant = suggestions.map((one) => `'${one}'`).join(' or ')
  return usageError(
    meant === '' ? command : `${command}. Did you mean ${meant}?`,
    `${['tug', ...parents].join(' ')} --help lists ${parents.length === 0 ? 'the' : 'its'} commands`,
  )
}
