import type { Command } from './command.ts'
import type { Params } from './param.ts'
import { paramsOf } from './param.ts'
import type { ServiceName } from './service.ts'

/** A member of the command tree, loaded on first use. */
export interface Entry {
  readonly name: string
  readonly load: () => Promise<Command | Group>
}

/** Words between `tug` and a command. */
export interface Group {
  readonly kind: 'group'
  readonly name: string
  readonly summary: string
  readonly description?: string
  readonly members: readonly Entry[]
  /** Titles in help with their commands; the rest is listed under `More`. */
  readonly sections?: Readonly<Record<string, readonly string[]>>
}

/** A group with its whole subtree loaded, for help and suggestions. */
export interface LoadedGroup extends Omit<Group, 'members'> {
  readonly members: readonly (Command | LoadedGroup)[]
}

/** What follows `tug`. */
export interface RootEntry extends Entry {
  readonly summary: string
  /** The service that its commands talk to. */
  readonly service?: ServiceName
  /** The setting with its mount, for secrets engines. */
  readonly mount?: 'kv' | 'kmip'
}

/** Declares a group: its members by name, in the order of help, each loaded on first use. */
export function group(
  name: string,
  summary: string,
  members: Readonly<Record<string, Entry['load']>>,
  more: Pick<Group, 'description' | 'sections'> = {},
): Group {
  const entries = Object.entries(members).map(([member, load]) => ({ name: member, load }))
  return { kind: 'group', name, summary, members: entries, ...more }
}

/** Loads a group's whole subtree; a command is returned as is. */
export async function loadAll(target: Command | Group): Promise<Command | LoadedGroup> {
  if (target.kind === 'command') return target
  const members = await Promise.all(target.members.map(async ({ load }) => loadAll(await load())))
  return { ...target, members }
}

/** Every command below a group, with its words relative to the group. */
export function leaves({ members }: LoadedGroup): [words: string, command: Command][] {
  return members.flatMap((member): [string, Command][] =>
    member.kind === 'command'
      ? [[member.name, member]]
      : leaves(member).map(([words, command]): [string, Command] => [`${member.name} ${words}`, command]),
  )
}

/** The flags of all commands below a group. */
export function flagsBelow(target: Command | LoadedGroup): Params {
  const commands = target.kind === 'command' ? [target] : leaves(target).map(([, command]) => command)
  return Object.fromEntries(commands.flatMap(({ params }) => paramsOf(params, 'flag')))
}
