import type { CompletionKind, Param, Params } from '../../core/param.ts'
import { flagName, paramsOf } from '../../core/param.ts'
import type { Route, Tree } from '../route.ts'
import { findRoute, flagSpelled, positionalsOf } from '../route.ts'

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

/** Finds completions for the last of `words`, which follow `tug`. `namesOf` fetches names of a kind. */
export async function offerAt(
  words: readonly string[],
  tree: Tree,
  namesOf: (kind: CompletionKind, value: string) => Promise<readonly string[]>,
): Promise<Offer> {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  if (before.includes('--')) return { ...nothing, kind: 'files' }
  const route = await findRoute(before, tree)
  if (route.problem !== undefined) return nothing
  const { pending, position } = scan(route)

  async function valuesOf(param: Param | undefined, lead: string, value: string): Promise<Offer> {
    if (param === undefined) return nothing
    const { complete, choices, offers } = param
    if (complete === 'file') return { kind: 'files', lead, values: [] }
    if (complete === 'directory') return { kind: 'directories', lead, values: [] }
    const fixed = param.boolean ? ['true', 'false'] : (choices ?? offers)
    const names = fixed ?? (complete === undefined ? [] : await namesOf(complete, value))
    const candidates = names.map((name) => ({ value: name }))
    return { kind: 'values', lead, values: fitting(candidates, value) }
  }

  if (pending !== undefined) return valuesOf(pending, '', current)
  const [, name = '', value = ''] = /^(--[^=]+)=([^]*)$/.exec(current) ?? []
  if (name !== '') return valuesOf(flagSpelled(name, route.params)?.[1], `${name}=`, value)
  if (current.startsWith('-')) return { ...nothing, values: fitting(flagsOf(route, tree), current) }
  if (route.target?.kind === 'command') {
    const args = positionalsOf(route).map(([, param]) => param)
    const last = args.at(-1)
    return valuesOf(args[position] ?? (last?.repeatable === true ? last : undefined), '', current)
  }
  const members = route.target === undefined ? tree.entries : route.target.members
  const candidates = members.map(({ name: member, summary }) => ({ value: member, summary }))
  return { ...nothing, values: fitting(candidates, current) }
}

function fitting(candidates: readonly Candidate[], typed: string): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed))
}

/** The flag that takes the word at the cursor, and the number of preceding arguments. */
function scan({ rest, params }: Route): { readonly pending: Param | undefined; readonly position: number } {
  let pending: Param | undefined
  let position = 0
  for (const token of rest) {
    if (pending !== undefined) pending = undefined
    else if (/^-[^\d]/.test(token)) pending = takerIn(token, params)
    else position += 1
  }
  return { pending, position }
}

/** The flag in this token that takes the next word: `--file`, or the last of `-af`. */
function takerIn(token: string, params: Params): Param | undefined {
  const letters = token.startsWith('--') ? [] : token.slice(1).split('')
  const named = (spelling: string) => flagSpelled(spelling, params)?.[1]
  if (letters.length === 0) return token.includes('=') ? undefined : valued(named(token))
  const taker = letters.findIndex((letter) => valued(named(`-${letter}`)) !== undefined)
  return taker === letters.length - 1 ? named(`-${letters[taker]}`) : undefined
}

function valued(param: Param | undefined): Param | undefined {
  return param?.boolean === true ? undefined : param
}

/** The flags of the command, then those of every command. */
function flagsOf({ params, target }: Route, { globals }: Tree): Candidate[] {
  const ofCommand = new Set(target?.kind === 'command' ? Object.keys(target.params) : [])
  const rank = ([key]: readonly [string, Param]) => (key in globals ? 2 : ofCommand.has(key) ? 0 : 1)
  const all = paramsOf(params, 'flag').toSorted((one, other) => rank(one) - rank(other))
  const flags = all.flatMap(([key, { short, summary }]) => [
    ...(short === undefined ? [] : [{ value: `-${short}`, summary }]),
    { value: flagName(key), summary },
  ])
  const version = target === undefined ? [{ value: '--version', summary: 'print the version' }] : []
  return [...flags, { value: '--help', summary: 'show help' }, ...version]
}
