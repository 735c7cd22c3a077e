import type { Field } from './fields.ts'
import type { Row, Value } from './rows.ts'

export interface SortKey {
  readonly field: Field
  readonly descending: boolean
}

/** By the first key, then the next; missing values last either way; equal rows keep their order. */
export function sorted(rows: readonly Row[], keys: readonly SortKey[]): readonly Row[] {
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

const natural = new Intl.Collator('en', { numeric: true })

/** 1.9 before 1.10, a pre-release before its release. */
export function compareVersions(one: string, other: string): number {
  const [release = '', preRelease] = one.split(/-(.*)/s, 2)
  const [otherRelease = '', otherPreRelease] = other.split(/-(.*)/s, 2)
  return (
    natural.compare(release, otherRelease) ||
    Number(preRelease === undefined) - Number(otherPreRelease === undefined) ||
    natural.compare(preRelease ?? '', otherPreRelease ?? '')
  )
}
