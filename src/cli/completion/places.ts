import type { Command, Group } from '../../core/command.ts'
import type { CompletionKind, Param, Params } from '../../core/param.ts'
import { flagName, paramsOf } from '../../core/param.ts'
import type { Program } from '../catalogue.ts'

/**
 * The kind of a value: `-` none (a switch), `any` free text, `file`, `directory`, `=a,b` one of these
 * words, `@kind` names that `tug __complete kind` finds.
 */
export type ValueSpec = string

/** A flag, as far as the scripts need it. */
export interface FlagFact {
  readonly name: string
  readonly short: string | undefined
  readonly spec: ValueSpec
  readonly summary: string
}

/** What may follow certain words after `tug`. */
export interface Place {
  /** `kv get`; nothing for `tug` itself. */
  readonly words: string
  readonly subs: readonly { readonly name: string; readonly summary: string }[]
  readonly args: readonly ValueSpec[]
  /** The last argument may come again. */
  readonly repeats: boolean
  /** Without the flags of every command. */
  readonly flags: readonly FlagFact[]
}

const helpFlag: FlagFact = { name: '--help', short: '-h', spec: '-', summary: 'show help' }

/** Values of kinds that are the same for everybody: the scripts carry them. */
export type FixedWords = Readonly<Partial<Record<CompletionKind, readonly string[]>>>

/** All places of the command line, `tug` itself first. */
export function placesOf(program: Program, fixed: FixedWords): readonly Place[] {
  const subs = program.entries.map(({ entry }) => ({ name: entry.name, summary: entry.summary }))
  const root: Place = { words: '', subs, args: [], repeats: false, flags: [versionFlag] }
  return [
    root,
    ...program.entries.flatMap(({ entry, target }) =>
      placesBelow(entry.name, target, program.groupParams[entry.name] ?? {}, fixed),
    ),
  ]
}

const versionFlag: FlagFact = { name: '--version', short: '-V', spec: '-', summary: 'print the version' }

/** The flags of every command. */
export function globalFlagFacts(program: Program, fixed: FixedWords): readonly FlagFact[] {
  return [...flagFacts(program.globals, fixed), helpFlag]
}

function placesBelow(words: string, target: Command | Group, groupParams: Params, fixed: FixedWords): Place[] {
  const shared = flagFacts(groupParams, fixed)
  if (target.kind === 'group') {
    const subs = target.members.map(({ name, summary }) => ({ name, summary }))
    return [
      { words, subs, args: [], repeats: false, flags: shared },
      ...target.members.flatMap((member) => placesBelow(`${words} ${member.name}`, member, groupParams, fixed)),
    ]
  }
  const args = paramsOf(target.params, 'argument').filter(([, { passThrough }]) => passThrough !== true)
  return [
    {
      words,
      subs: [],
      args: args.map(([, param]) => specOf(param, fixed)),
      repeats: args.at(-1)?.[1].repeatable === true,
      flags: [...flagFacts(target.params, fixed), ...shared],
    },
  ]
}

function flagFacts(params: Params, fixed: FixedWords): FlagFact[] {
  return paramsOf(params, 'flag').map(([key, param]) => ({
    name: flagName(key),
    short: param.short === undefined ? undefined : `-${param.short}`,
    spec: specOf(param, fixed),
    summary: param.summary,
  }))
}

function specOf(param: Param, fixed: FixedWords): ValueSpec {
  if (param.boolean) return '-'
  const words = param.choices ?? (param.complete === undefined ? undefined : fixed[param.complete])
  if (words !== undefined) return `=${words.join(',')}`
  if (param.complete === 'file' || param.complete === 'directory') return param.complete
  return param.complete === undefined ? 'any' : `@${param.complete}`
}
