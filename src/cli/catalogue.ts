import type { Command } from '../core/command.ts'
import type { LoadedGroup, RootEntry } from '../core/group.ts'
import { loadAll, leaves } from '../core/group.ts'
import type { Params } from '../core/param.ts'
import type { EndpointFacts } from '../core/endpoint.ts'
import type { ServiceName } from '../core/service.ts'
import type { Tree } from './route.ts'

/** The whole command tree, loaded: the source of manual, reference and completions. */
export interface Program {
  readonly entries: readonly LoadedEntry[]
  readonly globals: Params
  /** Flags of all commands below an entry. */
  readonly groupParams: Readonly<Record<string, Params>>
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
  return { entries, globals: tree.globals, groupParams: tree.groupParams, version }
}

/** All commands of an entry, with their words after `tug`. */
export function commandsOf({ entry, target }: LoadedEntry): readonly (readonly [words: string, command: Command])[] {
  if (target.kind === 'command') return [[entry.name, target]]
  return leaves(target).map(([words, command]) => [`${entry.name} ${words}`, command] as const)
}

/** An endpoint and its command. */
export interface CoveredEndpoint extends EndpointFacts {
  readonly service: ServiceName | undefined
  readonly command: string
}

/** All endpoints with their command, in the order of the command tree. */
export function coverageOf({ entries }: Program): CoveredEndpoint[] {
  return entries.flatMap((loaded) =>
    commandsOf(loaded).flatMap(([command, { endpoint }]) =>
      endpoint.map(({ method, path, acl, blocking, answers }) => ({
        method,
        path,
        answers,
        ...(acl === undefined ? {} : { acl }),
        ...(blocking === undefined ? {} : { blocking }),
        service: loaded.entry.service,
        command,
      })),
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
