import type { Command } from '../core/command.ts'
import type { LoadedGroup, RootEntry } from '../core/group.ts'
import { loadAll, leaves } from '../core/group.ts'
import type { Tree } from './route.ts'

/** The whole command tree, loaded: the source of manual, reference and machine-readable help. */
export interface Program extends Omit<Tree, 'entries'> {
  readonly entries: readonly LoadedEntry[]
  readonly version: string
}

export interface LoadedEntry {
  readonly entry: RootEntry
  readonly target: Command | LoadedGroup
}

/** Loads all entries of a tree. */
export async function loadProgram(tree: Tree, version: string): Promise<Program> {
  const entries = await Promise.all(
    tree.entries.map(async (entry) => ({ entry, target: await loadAll(await entry.load()) })),
  )
  return { ...tree, entries, version }
}

/** All commands of an entry, with their words after `tug`. */
export function commandsOf({ entry, target }: LoadedEntry): readonly (readonly [words: string, command: Command])[] {
  if (target.kind === 'command') return [[entry.name, target]]
  return leaves(target).map(([words, command]) => [`${entry.name} ${words}`, command] as const)
}

/** All endpoints with their command and service, in the order of the command tree. */
export function coverageOf({ entries }: Program) {
  return entries.flatMap((loaded) =>
    commandsOf(loaded).flatMap(([words, command]) =>
      command.endpoint.map((endpoint) => ({ endpoint, command: words, service: loaded.entry.service })),
    ),
  )
}

/** Facts about settings for manual, reference and help topics. */
export interface SettingFacts {
  readonly rows: readonly SettingFact[]
  /** The vendors' variables, by service. */
  readonly vendors: readonly (readonly [service: string, names: readonly string[]])[]
}

export interface SettingFact {
  readonly meaning: string
  /** Undefined for a setting without a flag. */
  readonly flag: string | undefined
  readonly variables: readonly string[]
  readonly profileKey: string | undefined
  readonly default: string | undefined
  readonly vendorVariables: readonly string[]
}
