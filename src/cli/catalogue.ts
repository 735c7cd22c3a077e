import type { Command, Group, RootEntry } from '../core/command.ts'
import { leaves } from './help.ts'
import type { Tree } from './route.ts'

/** A command with its words and the entry that it stands below. */
export interface CataloguedCommand {
  readonly words: readonly string[]
  readonly entry: RootEntry
  readonly command: Command
}

/** Every entry of the root with what it loads. */
export async function loadedEntries(tree: Tree): Promise<{ entry: RootEntry; target: Command | Group }[]> {
  return Promise.all(tree.entries.map(async (entry) => ({ entry, target: await entry.load() })))
}

/** Every command of the program, in the order of help. */
export async function allCommands(tree: Tree): Promise<CataloguedCommand[]> {
  return (await loadedEntries(tree)).flatMap(({ entry, target }) =>
    target.kind === 'command'
      ? [{ words: [entry.name], entry, command: target }]
      : leaves(target).map(([words, command]) => ({ words: [entry.name, ...words.split(' ')], entry, command })),
  )
}
