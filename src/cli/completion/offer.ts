import type { CompletionKind } from '../../core/param.ts'
import { flagName } from '../../core/param.ts'
import type { Route, Tree } from '../route.ts'
import { findRoute } from '../route.ts'
import type { Word } from '../words.ts'
import { programFlags, readWords } from '../words.ts'

/** Completions for the word at the cursor. */
export interface Offer {
  readonly kind: 'values' | 'files' | 'directories'
  /** The part of the word before the value: `--type=`. */
  readonly lead: string
  readonly values: readonly Candidate[]
}

export interface Candidate {
  readonly value: string
  readonly summary?: string
}

const nothing: Offer = { kind: 'values', lead: '', values: [] }

/**
 * Finds completions for the last of `words`, which follow `tug`. `namesOf` fetches names of a kind that may follow the words before, which
 * begin with the typed value.
 */
export async function offerAt(
  words: readonly string[],
  tree: Tree,
  namesOf: (kind: CompletionKind, before: Route, value: string) => Promise<readonly string[]>,
): Promise<Offer> {
  const before = await findRoute(words.slice(0, -1), tree)
  if (before.problem !== undefined) return nothing
  const { text: current, role, param, value } = readWords(words, before.place).at(-1) as Word
  const isAfterDashes = before.line.some((word) => word.role === 'dashes')
  if (role === 'passed' || isAfterDashes) return { ...nothing, kind: 'files' }
  if (role === 'dashes' || current === '-' || (role === 'flag' && !current.includes('=')))
    return { ...nothing, values: fitting(flagsOf(before, tree), current) }
  if (before.target?.kind !== 'command' && role === 'argument') {
    const members = before.target === undefined ? tree.entries : before.target.members
    const candidates = members.map(({ name: member, summary }) => ({ value: member, summary }))
    return { ...nothing, values: fitting(candidates, current) }
  }
  const isVersion = role === 'argument' && param?.kind === 'flag'
  if (param === undefined || isVersion || value === undefined) return nothing
  const { complete, choices, offers } = param
  const lead = role === 'flag' ? current.slice(0, current.length - value.length) : ''
  if (complete === 'file') return { kind: 'files', lead, values: [] }
  if (complete === 'directory') return { kind: 'directories', lead, values: [] }
  const fixed = param.boolean ? ['true', 'false'] : (choices ?? offers)
  const names = fixed ?? (complete === undefined ? [] : await namesOf(complete, before, value))
  return {
    kind: 'values',
    lead,
    values: fitting(
      names.map((name) => ({ value: name })),
      value,
    ),
  }
}

function fitting(candidates: readonly Candidate[], typed: string): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed))
}

/** The flags of the command, then those of its group, then those of every command. */
function flagsOf({ place, target }: Route, { globals }: Tree): Candidate[] {
  const ofCommand = new Set(target?.kind === 'command' ? Object.keys(target.params) : [])
  const rank = (key: string) =>
    key in programFlags && !ofCommand.has(key) ? 3 : key in globals ? 2 : ofCommand.has(key) ? 0 : 1
  const all = Object.entries(place.flags).toSorted(([one], [other]) => rank(one) - rank(other))
  return all.flatMap(([key, { short, summary }]) => [
    ...(short === undefined ? [] : [{ value: `-${short}`, summary }]),
    { value: flagName(key), summary },
  ])
}
