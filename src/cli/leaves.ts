import type { Command, Group } from '../core/command.ts'

/** Every command below a group, with its words from there. */
export function leaves(group: Group): [words: string, command: Command][] {
  return group.members.flatMap((member): [string, Command][] =>
    member.kind === 'command'
      ? [[member.name, member]]
      : leaves(member).map(([words, command]): [string, Command] => [`${member.name} ${words}`, command]),
  )
}
