/** How the blocks of a job file and the members of a job in JSON correspond. */

import type { Json, JsonObject } from '../../core/json.ts'
import type { Diagnostic } from './diagnostics.ts'
import type { Scope } from './evaluate.ts'
import type { Body } from './tree.ts'

/** `duration` takes text such as `1h30m` or nanoseconds; `texts` is a list, `text map` an object of texts. */
export type ArgumentType = 'text' | 'integer' | 'bool' | 'duration' | 'texts' | 'text map'

export type Member =
  | { readonly kind: 'label' }
  | {
      readonly kind: 'argument'
      readonly name: string
      readonly type: ArgumentType
      readonly empty: Json
      readonly required: boolean
    }
  | {
      readonly kind: 'block'
      readonly name: string
      readonly schema: BlockSchema
      readonly shape: 'one' | 'many' | 'keyed'
    }
  /** A block of arbitrary names; `plain` values are JSON of any kind. */
  | {
      readonly kind: 'map'
      readonly name: string
      readonly values: 'text' | 'texts' | 'plain'
      readonly asArgument: boolean
    }
  | { readonly kind: 'fixed'; readonly value: Json }

export interface BlockSchema {
  /** By name in JSON, in alphabetical order, which is the order of the server's answers. */
  readonly members: ReadonlyMap<string, Member>
  readonly labels: number
  /** By name in the file. */
  readonly named: ReadonlyMap<string, NamedMember>
  /** What the file may hold as blocks, with the number of their labels. */
  readonly blocks: ReadonlyMap<string, number>
  /** What the server does after it has read the block; returns the block's final form. */
  readonly finish?: (object: JsonObject, place: Place) => JsonObject
  /** The members in JSON, where they are not those that the file names. */
  readonly output?: ReadonlyMap<string, Member>
}

interface NamedMember {
  readonly json: string
  readonly member: Exclude<Member, { kind: 'label' | 'fixed' }>
}

/** Where a block was read. */
export interface Place {
  readonly body: Body
  readonly labels: readonly { readonly text: string; readonly range: Diagnostic['range'] }[]
  readonly context: Context
}

export interface Context {
  readonly scope: Scope
  readonly diagnostics: Diagnostic[]
  /** Faults inside `config` and its like, which the server looks at only when everything else is right. */
  readonly late: Diagnostic[]
}

type Members = Readonly<Record<string, Member>>

/** A block with these members. */
export function block(members: Members, more: Pick<BlockSchema, 'finish'> & { output?: Members } = {}): BlockSchema {
  const named = new Map<string, NamedMember>()
  const blocks = new Map<string, number>()
  for (const [json, member] of Object.entries(members)) {
    if (member.kind === 'label' || member.kind === 'fixed') continue
    named.set(member.name, { json, member })
    if (member.kind === 'block') blocks.set(member.name, member.schema.labels)
    if (member.kind === 'map') blocks.set(member.name, 0)
  }
  return {
    members: sorted(members),
    named,
    blocks,
    labels: Object.values(members).filter((member) => member.kind === 'label').length,
    ...(more.finish && { finish: more.finish }),
    ...(more.output && { output: sorted(more.output) }),
  }
}

function sorted(members: Members): ReadonlyMap<string, Member> {
  return new Map(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The label after the block's type. */
export const label: Member = { kind: 'label' }

/** An argument that is null when absent. */
export function maybe(name: string, type: ArgumentType): Member {
  return { kind: 'argument', name, type, empty: null, required: false }
}

/** An argument that is empty, zero or false when absent. */
export function plain(name: string, type: 'text' | 'integer' | 'bool' | 'duration'): Member {
  return { kind: 'argument', name, type, empty: zero[type], required: false }
}

/** An argument without which the block is refused. */
export function required(name: string, type: 'text' | 'bool' | 'duration'): Member {
  return { kind: 'argument', name, type, empty: zero[type], required: true }
}

const zero = { text: '', integer: 0, bool: false, duration: 0 } as const

/** At most one block. */
export function one(name: string, schema: BlockSchema): Member {
  return { kind: 'block', name, schema, shape: 'one' }
}

/** Any number of blocks, as a list. */
export function many(name: string, schema: BlockSchema): Member {
  return { kind: 'block', name, schema, shape: 'many' }
}

/** Any number of blocks, as an object by their labels. */
export function keyed(name: string, schema: BlockSchema): Member {
  return { kind: 'block', name, schema, shape: 'keyed' }
}

/** A block of names and texts; `env` and `meta` may be written as an argument too. */
export function textMap(name: string, asArgument = false): Member {
  return { kind: 'map', name, values: 'text', asArgument }
}

/** A block of names and lists of texts. */
export function textsMap(name: string): Member {
  return { kind: 'map', name, values: 'texts', asArgument: false }
}

/** A block whose content the server does not know. */
export function openMap(name: string): Member {
  return { kind: 'map', name, values: 'plain', asArgument: false }
}

/** A member that no file can set. */
export function fixed(value: Json): Member {
  return { kind: 'fixed', value }
}
