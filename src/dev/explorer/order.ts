import type { Field } from './fields.ts'
import type { Row, Value } from './rows.ts'

/** Sorting of the demo explorer (spec: Query parameters; contract b1). */

export interface SortKey {
  readonly field: Field
  readonly descending: boolean
}

/** By the first key, then the next; missing values last either way; what stays equal keeps its order. */
export function sorted(rows: readonly Row[], keys: readonly SortKey[]): readonly Row[] {
  if (keys.length === 0) return rows
  return rows.toSorted((one, other) => {
    for (const { field, descending } of keys) {
      const order = compare(field, one.values[field.name] ?? null, other.values[field.name] ?? null, descending)
      if (order !== 0) return order
    }
    return 0
  })
}

function compare({ type }: Field, one: Value, other: Value, descending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  const order =
    type === 'version' ? compareVersions(String(one), String(other)) : Number(one > other) - Number(one < other)
  return descending ? -order : order
}

/** 1.9 before 1.10, a pre-release before its release (semver 2.0, section 11). */
export function compareVersions(one: string, other: string): number {
  const [release = '', preRelease] = splitOnce(one)
  const [otherRelease = '', otherPreRelease] = splitOnce(other)
  const order = compareParts(release, otherRelease)
  if (order !== 0 || preRelease === otherPreRelease) return order
  if (preRelease === undefined || otherPreRelease === undefined) return preRelease === undefined ? 1 : -1
  return compareParts(preRelease, otherPreRelease)
}

function splitOnce(version: string): string[] {
  return version.split(/-(.*)/s, 2)
}

function compareParts(one: string, other: string): number {
  const parts = one.split('.')
  const otherParts = other.split('.')
  for (let index = 0; index < Math.max(parts.length, otherParts.length); index += 1) {
    const order = comparePart(parts[index], otherParts[index])
    if (order !== 0) return order
  }
  return 0
}

/** Numbers before words, the absent before anything. */
function comparePart(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined)
  const numeric = /^\d+$/.test(one)
  const otherNumeric = /^\d+$/.test(other)
  if (numeric && otherNumeric) return Number(one) - Number(other)
  if (numeric !== otherNumeric) return numeric ? -1 : 1
  return Number(one > other) - Number(one < other)
}
