import type { Json, JsonObject } from '../../core/json.ts'

/** How the blocks of a job file correspond to the members of a job in JSON. */

/** `duration` takes text such as `1h30m`, or nanoseconds. */
export type ArgumentType = 'text' | 'integer' | 'unsigned' | 'bool' | 'duration' | 'texts' | 'text map' | 'any'

type MapValues = 'text' | 'texts' | 'any'

export type Member =
  | { readonly kind: 'label' }
  /** A member that no file can set. */
  | { readonly kind: 'fixed'; readonly value: Json }
  | {
      readonly kind: 'argument'
      readonly name: string
      readonly type: ArgumentType
      readonly empty: Json
      readonly required: boolean
    }
  | { readonly kind: 'block'; readonly name: string; readonly schema: BlockSchema; readonly shape: Shape }
  /** A block of free names, which may be written as an argument too. */
  | { readonly kind: 'map'; readonly name: string; readonly values: MapValues; readonly asArgument: boolean }

/** At most one block, or a list of blocks. */
type Shape = 'one' | 'many'

/**
 * The members of a block by their kind, as `name` or `name:JsonName`; without the latter the name in JSON is the name in
 * the file in camel case. A type ending in `?` is null when absent, one ending in `!` must be there, others are then
 * empty, zero or false.
 */
type Spec = { readonly [Kind in `${ArgumentType}${'' | '?' | '!'}` | `${MapValues} block`]?: string } & {
  readonly label?: string
  /** Names that job files may have here, but not those of the local server. */
  readonly unsupported?: string
  readonly fixed?: Readonly<Record<string, Json>>
  /** What `Canonicalize` fills in where a member is null or an empty text. */
  readonly defaults?: Readonly<Record<string, Json>>
  /** What the server does with a block once read; returns its final form. */
  readonly finish?: (object: JsonObject, label: string) => JsonObject
  /** The members in JSON, where they are not those that the file names. */
  readonly output?: BlockSchema
} & { readonly [Kind in Shape]?: Readonly<Record<string, BlockSchema>> }

export interface BlockSchema {
  /** By name in JSON, in alphabetical order, which is the order of the server's answers. */
  readonly members: ReadonlyMap<string, Member>
  readonly labels: number
  /** By name in the file. */
  readonly named: ReadonlyMap<string, { readonly json: string; readonly member: NamedMember }>
  /** What the file may have as blocks, with the number of their labels. */
  readonly blocks: ReadonlyMap<string, number>
  readonly unsupported: readonly string[]
  readonly defaults: Readonly<Record<string, Json>>
  readonly finish: Spec['finish']
  readonly output: ReadonlyMap<string, Member>
}

export type NamedMember = Exclude<Member, { kind: 'label' | 'fixed' }>

const zeros: Readonly<Record<string, Json>> = { text: '', integer: 0, bool: false, duration: 0 }

export function block(spec: Spec): BlockSchema {
  const members = new Map<string, Member>()
  if (spec.label !== undefined) members.set(spec.label, { kind: 'label' })
  for (const [name, value] of Object.entries(spec.fixed ?? {})) members.set(name, { kind: 'fixed', value })
  for (const shape of ['one', 'many'] as const) {
    for (const [word, schema] of Object.entries(spec[shape] ?? {})) {
      const [name, json] = namesOf(word)
      members.set(json, { kind: 'block', name, schema, shape })
    }
  }
  for (const [kind, words] of Object.entries(spec)) {
    if (typeof words !== 'string' || kind === 'label' || kind === 'unsupported') continue
    for (const word of words.split(' ')) {
      const [name, json] = namesOf(word)
      members.set(json, memberOf(kind, name))
    }
  }
  return schemaOf(members, spec)
}

/** `port:PortLabel`, or `memory_max` for `MemoryMax`. */
function namesOf(word: string): [name: string, json: string] {
  const [name = '', json] = word.split(':')
  return [
    name,
    json ?? name.replace('=', '').replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  ]
}

function memberOf(kind: string, name: string): Member {
  if (kind.endsWith(' block')) {
    const values = kind.replace(' block', '') as MapValues
    return { kind: 'map', name: name.replace('=', ''), values, asArgument: name.endsWith('=') }
  }
  const type = kind.replace(/[?!]$/, '') as ArgumentType
  return {
    kind: 'argument',
    name,
    type,
    empty: kind.endsWith('?') ? null : (zeros[type] ?? null),
    required: kind.endsWith('!'),
  }
}

function schemaOf(
  given: ReadonlyMap<string, Member>,
  { defaults = {}, finish, output, unsupported = '' }: Pick<Spec, 'defaults' | 'finish' | 'output' | 'unsupported'>,
): BlockSchema {
  const members = new Map([...given].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const named = new Map<string, { json: string; member: NamedMember }>()
  const blocks = new Map<string, number>()
  for (const [json, member] of given) {
    if (member.kind === 'label' || member.kind === 'fixed') continue
    named.set(member.name, { json, member })
    if (member.kind !== 'argument') blocks.set(member.name, member.kind === 'block' ? member.schema.labels : 0)
  }
  const labels = [...members.values()].filter(({ kind }) => kind === 'label').length
  return {
    members,
    labels,
    named,
    blocks,
    unsupported: unsupported.split(' '),
    defaults,
    finish,
    output: output?.members ?? members,
  }
}

/** `object` with these values where it has null, an empty text or nothing. */
export function withDefaults(object: JsonObject, defaults: Readonly<Record<string, Json>>): JsonObject {
  const missing = Object.entries(defaults).filter(([name]) => (object[name] ?? '') === '')
  return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) }
}
