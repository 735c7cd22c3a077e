import type { Command, LoadedGroup } from '../core/command.ts'
import type { Params } from '../core/param.ts'

/** Every command below a group, with its words from there. */
export function leaves(group: LoadedGroup): [words: string, command: Command][] {
  return group.members.flatMap((member): [string, Command][] =>
    member.kind === 'command'
      ? [[member.name, member]]
      : leaves(member).map(([words, command]): [string, Command] => [`${member.name} ${words}`, command]),
  )
}

/** The flags of a command, or of all commands below a group. */
export function paramsBelow(target: Command | LoadedGroup): Params {
  if (target.kind === 'command') return target.params
  return Object.assign({}, ...target.members.map(paramsBelow)) as Params
}
