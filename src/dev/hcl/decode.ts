/** Blocks → JSON, by their schema. */

import { isNumber, JsonNumber, objectFrom, type Json, type JsonObject } from '../../core/json.ts'
import { nearest } from '../../core/words.ts'
import { durationNanoseconds } from '../go.ts'
import { convert, evaluate, jsonOf, type Scope, type Type } from './evaluate.ts'
import type { ArgumentType, BlockSchema, NamedMember } from './schema.ts'
import { diagnostic, fail, HclError, type Block, type Body, type Expression } from './syntax.ts'

/** Reads one job file. Faults are collected, and the members concerned stay empty. */
export class Decoder {
  private readonly scope: Scope | undefined
  private readonly faults: string[] = []

  constructor(scope: Scope | undefined) {
    this.scope = scope
  }

  /** Throws an {@link HclError} with all faults, one a line. */
  finish(): void {
    if (this.faults.length > 0) throw new HclError(this.faults.join('\n'))
  }

  block({ body, labels }: Block, schema: BlockSchema): JsonObject {
    const members = [...schema.named.values()].map(({ member }) => member)
    const names = members.filter(isArgument).map(({ name }) => name)
    for (const member of members) {
      if (member.kind !== 'argument' || !member.required || body.attributes.has(member.name)) continue
      const detail = `The argument "${member.name}" is required, but no definition was found.`
      this.faults.push(diagnostic('Missing required argument', detail, body.start))
    }
    this.refuseUnexpected(body, names, [...schema.blocks.keys()], schema.unsupported)
    const decoded = new Map([...this.arguments(body, schema), ...this.blocks(body.blocks, schema)])
    const entries = [...schema.members].map(([name, member]): [string, Json] => {
      if (member.kind === 'fixed') return [name, member.value]
      if (member.kind === 'label') return [name, labels[0] ?? '']
      return [name, decoded.get(name) ?? (member.kind === 'argument' ? member.empty : null)]
    })
    const object = Object.fromEntries(entries)
    return schema.finish?.(object, labels[0] ?? '') ?? object
  }

  /** The arguments and blocks that nobody expects, or that the local server doesn't have. */
  refuseUnexpected(
    body: Body,
    names: readonly string[],
    blocks: readonly string[] = [],
    unsupported: readonly string[] = [],
  ): void {
    const detailOf = (given: string, what: string, sentence: string, known: readonly string[]): string => {
      if (given === 'dynamic' || unsupported.includes(given)) return `The local server has no ${what} "${given}".`
      const [similar] = nearest(given, known)
      return similar === undefined ? sentence : `${sentence} Did you mean "${similar}"?`
    }
    for (const { name, range } of body.attributes.values()) {
      if (names.includes(name)) continue
      const unused = names.filter((other) => !body.attributes.has(other))
      const detail = detailOf(name, 'argument', `An argument named "${name}" is not expected here.`, unused)
      this.faults.push(diagnostic('Unsupported argument', detail, range))
    }
    for (const { type, range } of body.blocks) {
      if (blocks.includes(type)) continue
      const detail = detailOf(type, 'blocks of type', `Blocks of type "${type}" are not expected here.`, blocks)
      this.faults.push(diagnostic('Unsupported block type', detail, range))
    }
  }

  private collect<Result>(read: () => Result): Result | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof HclError)) throw error
      this.faults.push(error.message)
      return undefined
    }
  }

  private arguments(body: Body, schema: BlockSchema): [string, Json][] {
    return [...body.attributes.values()].flatMap(({ name, value }): [string, Json][] => {
      const { json, member } = schema.named.get(name) ?? {}
      if (json === undefined || !isArgument(member)) return []
      const type = member.kind === 'map' ? 'text map' : member.type
      const decoded = this.collect(() => argumentJson(value, type, this.scope)) ?? null
      return decoded === null ? [] : [[json, decoded]]
    })
  }

  private blocks(blocks: readonly Block[], schema: BlockSchema): Map<string, Json> {
    const decoded = new Map<string, Json>()
    for (const block of blocks) {
      const { json, member } = schema.named.get(block.type) ?? {}
      if (json === undefined || member === undefined || member.kind === 'argument') continue
      this.collect(() => {
        hasLabels(block, member.kind === 'map' ? 0 : member.schema.labels)
        const isMany = member.kind === 'block' && member.shape === 'many'
        if (!isMany && decoded.has(json)) {
          fail(`Duplicate ${block.type} block`, `Only one ${block.type} block is allowed.`, block.range)
        }
        const value = member.kind === 'map' ? this.map(block.body, member.values) : this.block(block, member.schema)
        decoded.set(json, isMany ? [...((decoded.get(json) ?? []) as Json[]), value] : value)
      })
    }
    return decoded
  }

  /** The arguments of a block of free names. Objects and nested blocks become lists of objects, and so does each label of a block. */
  private map(body: Body, values: 'text' | 'texts' | 'any'): JsonObject {
    if (values !== 'any') this.refuseUnexpected(body, [...body.attributes.keys()])
    const members = new Map<string, Json>()
    for (const { name, value } of body.attributes.values()) {
      const json = this.collect(() => argumentJson(value, values, this.scope)) ?? null
      members.set(name, value.kind === 'object' ? [json] : json)
    }
    for (const { type, labels, body: inner } of body.blocks) {
      const labelled = labels.reduceRight((value, name) => objectFrom([[name, [value]]]), this.map(inner, values))
      members.set(type, [...((members.get(type) ?? []) as Json[]), labelled])
    }
    return objectFrom(members)
  }
}

function isArgument(member: NamedMember | undefined): member is Exclude<NamedMember, { kind: 'block' }> {
  return member?.kind === 'argument' || (member?.kind === 'map' && member.asArgument)
}

/** Throws an {@link HclError} unless the block has as many labels as wanted. */
export function hasLabels({ type, labels, range }: Block, wanted: number): void {
  if (labels.length === wanted) return
  const detail = wanted === 0 ? `A ${type} block takes no label.` : `A ${type} block takes ${wanted} label: its name.`
  fail(labels.length > wanted ? `Extraneous label for ${type}` : `Missing name for ${type}`, detail, range)
}

const string: Type = { kind: 'string' }

const types: Readonly<Record<ArgumentType, Type>> = {
  text: string,
  integer: { kind: 'number' },
  unsigned: { kind: 'number' },
  bool: { kind: 'bool' },
  duration: { kind: 'any' },
  texts: { kind: 'list', element: string },
  'text map': { kind: 'map', element: string },
  any: { kind: 'any' },
}

/** The JSON of an argument. Durations are nanoseconds. */
function argumentJson(expression: Expression, type: ArgumentType, scope: Scope | undefined): Json {
  const refuse = (detail: string): never =>
    fail('Unsuitable value type', `Unsuitable value: ${detail}`, expression.range)
  const value = convert(evaluate(expression, scope), types[type], refuse)
  if (type === 'any' || value === null) return jsonOf(value)
  if (type === 'duration' && typeof value === 'string') {
    return (
      durationNanoseconds(value) ?? refuse(`invalid duration ${JSON.stringify(value)}; write it like "30s" or "1h30m"`)
    )
  }
  if (type === 'duration' && !isNumber(value)) return refuse('a duration is required')
  const isWhole = value instanceof JsonNumber ? /^-?\d+$/.test(value.text) : Number.isInteger(value)
  return isNumber(value) && !isWhole ? refuse('a whole number is required') : jsonOf(value)
}
