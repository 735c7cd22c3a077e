import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, isObject } from '../../../core/json.ts'
import type { DiffType } from './fields.ts'
import {
  compareObjects,
  contentKey,
  fieldDiffs,
  flatten,
  flattenDeep,
  listOf,
  objectDiff,
  scalarText,
  setDiff,
  typeOfFields,
} from './fields.ts'
import type { Pairing, Part, Shape } from './shapes.ts'

type Pair = readonly [old: JsonObject | undefined, next: JsonObject | undefined]

const nothing: JsonObject = {}

/** The differences of the scalars of two objects; an absent side has none. */
export function fieldsOf(
  shape: Shape,
  old: JsonObject | undefined,
  next: JsonObject | undefined,
  contextual: boolean,
): JsonObject[] {
  return fieldDiffs(flattened(shape, old), flattened(shape, next), contextual && shape.changedOnly !== true)
}

function flattened(shape: Shape, object: JsonObject | undefined): Map<string, string> {
  if (object === undefined) return new Map()
  if (shape.deep === true) return flattenDeep(object)
  const separate = [...(shape.skip ?? []), ...(shape.parts ?? []).map((part) => part.member)]
  const flat = new Map([...Object.entries(shape.zero ?? {}), ...flatten(object, new Set(separate))])
  for (const name of shape.joined ?? []) {
    const list = object[name]
    if (Array.isArray(list)) flat.set(name, list.map((item) => scalarText(item) ?? '').join(','))
  }
  return flat
}

/** The differences of the lists and objects inside two objects, in the order of the shape. */
export function objectsOf(
  shape: Shape,
  old: JsonObject | undefined,
  next: JsonObject | undefined,
  contextual: boolean,
): JsonObject[] {
  const context = contextual && shape.changedOnly !== true
  const sets = [
    ...(shape.sets ?? []).map((name) => setDiff(name, old?.[name], next?.[name], context)),
    ...(shape.changedSets ?? []).map((name) => changedSet(name, old?.[name], next?.[name], contextual)),
  ].filter((diff) => diff !== undefined)
  return [...sets, ...(shape.parts ?? []).flatMap((part) => partDiffs(part, old, next, contextual))]
}

function changedSet(name: string, old: Json | undefined, next: Json | undefined, contextual: boolean) {
  const diff = setDiff(name, old, next, contextual)
  return diff?.['Type'] === 'None' ? undefined : diff
}

function partDiffs(part: Part, old = nothing, next = nothing, contextual = false): JsonObject[] {
  const pairs = pairsOf(part.pairing, old[part.member], next[part.member])
  const diffs = pairs
    .map(([before, after]) => partDiff(part.shape, before, after, contextual))
    .filter((diff) => diff !== undefined)
  return diffs.toSorted(compareObjects)
}

function partDiff(shape: Shape, old: JsonObject | undefined, next: JsonObject | undefined, contextual: boolean) {
  if (contentKey(old) === contentKey(next)) return undefined
  const fields = fieldsOf(shape, old, next, contextual)
  const type = shape.plain === true ? typeOfFields(fields) : typeOfSides(old, next)
  return type === 'None' ? undefined : objectDiff(shape.name, type, fields, objectsOf(shape, old, next, contextual))
}

/** What became of something that differs. */
export function typeOfSides(old: JsonObject | undefined, next: JsonObject | undefined): DiffType {
  if (old === undefined) return 'Added'
  return next === undefined ? 'Deleted' : 'Edited'
}

function pairsOf(pairing: Pairing | undefined, old: Json | undefined, next: Json | undefined): Pair[] {
  if (pairing === undefined) return [[filled(old), filled(next)]]
  const before = listOf(old)
  const after = listOf(next)
  if (pairing.by === 'content') return paired(before, after, contentKey)
  if (pairing.by === 'key') {
    return paired(named(old), named(next), ([key]) => key).map(([left, right]) => [left?.[1], right?.[1]])
  }
  const lone = pairing.by === 'likeness' || pairing.lone === true
  if (lone && before.length === 1 && after.length === 1) return [[before[0], after[0]]]
  if (pairing.by === 'likeness') return pairsByLikeness(before, after)
  return paired(before, after, (item) => scalarText(item[pairing.member]) ?? '')
}

/** An object; null, absent and empty are all nothing. */
function filled(value: Json | undefined): JsonObject | undefined {
  return isObject(value) && contentKey(value) !== '' ? value : undefined
}

function named(value: Json | undefined): [string, JsonObject][] {
  return isObject(value) ? entriesOf(value).filter((entry): entry is [string, JsonObject] => isObject(entry[1])) : []
}

function paired<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): [Item | undefined, Item | undefined][] {
  const old = new Map(before.map((item) => [keyOf(item), item]))
  const next = new Map(after.map((item) => [keyOf(item), item]))
  return [...new Set([...old.keys(), ...next.keys()])].map((key) => [old.get(key), next.get(key)])
}

function pairsByLikeness(before: readonly JsonObject[], after: readonly JsonObject[]): Pair[] {
  const free = new Set(after.keys())
  const pairs = before.map((service, position): Pair => {
    const best = [...free]
      .map((index) => ({ index, score: likeness(service, after[index] ?? nothing, position === index) }))
      .filter(({ score }) => score > 2)
      .toSorted((left, right) => right.score - left.score)[0]
    if (best === undefined) return [service, undefined]
    free.delete(best.index)
    return [service, after[best.index]]
  })
  return [...pairs, ...[...free].map((index): Pair => [undefined, after[index]])]
}

/** A name counts more than a port, a port more than the position; position and port together are just enough. */
function likeness(left: JsonObject, right: JsonObject, samePosition: boolean): number {
  const port = left['PortLabel'] === right['PortLabel'] ? 2 : 0
  const name = left['Name'] === right['Name'] ? 3 : 0
  return port + name + (samePosition ? 1 : 0)
}
