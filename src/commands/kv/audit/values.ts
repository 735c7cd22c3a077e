import { createHmac, randomBytes } from 'node:crypto'
import type { Json } from '../../../core/json.ts'
import { entriesOf, isObject } from '../../../core/json.ts'
import type { Finding } from './findings.ts'

/** A value of a secret that isn't a map, with the keys that lead to it: `db.password`. */
export interface Leaf {
  readonly key: string
  readonly value: Json
}

/** All leaves of a secret's data. */
export function leavesOf(data: Json, key = ''): Leaf[] {
  const below = (name: string) => (key === '' ? name : `${key}.${name}`)
  if (isObject(data)) return entriesOf(data).flatMap(([name, value]) => leavesOf(value, below(name)))
  if (Array.isArray(data)) return data.flatMap((value, index) => leavesOf(value, below(`${index}`)))
  return [{ key, value: data }]
}

const placeholders = /^(?:change[-_ ]?(?:me|it)|todo|tbd|fixme|placeholder|replace[-_ ]?me|x{3,}|<[^<>]*>)$/i

/** True for a value that was never filled in: empty, `changeme`, `TODO`, the key's own name. */
export function isPlaceholder({ key, value }: Leaf): boolean {
  if (value === null) return true
  if (typeof value !== 'string') return false
  const text = value.trim()
  const name = key.slice(key.lastIndexOf('.') + 1)
  return text === '' || placeholders.test(text) || text.toLowerCase() === name.toLowerCase()
}

/** Keys whose values are meant to be the same in many secrets. */
const publicKey =
  /^(?:.*[-_.])?(?:host(?:name)?|port|user(?:name)?|url|uri|addr(?:ess)?|endpoint|region|zone|env(?:ironment)?|stage|db(?:name)?|database|schema|scheme|protocol|driver|type|kind|name|version|owner|team|email|domain|path|sslmode|charset|timezone|enabled)$/i

/**
 * Finds values that several paths share. It keeps keyed hashes, whose key exists only during the run: neither a value nor what could
 * be compared with one elsewhere.
 */
export class SharedValues {
  private readonly key = randomBytes(32)
  private readonly first = new Map<string, Place>()
  private readonly shared = new Map<string, Place[]>()

  /** Adds the values of a secret that may be secrets: texts under keys that don't name something public. */
  add(path: string, leaves: readonly Leaf[]): void {
    for (const leaf of leaves) {
      if (typeof leaf.value !== 'string' || isPlaceholder(leaf) || publicKey.test(leaf.key)) continue
      const hash = createHmac('sha256', this.key).update(leaf.value).digest('base64').slice(0, 22)
      const place = { path, key: leaf.key }
      const before = this.first.get(hash)
      if (before === undefined) this.first.set(hash, place)
      else if (before.path !== path || this.shared.has(hash)) {
        const places = this.shared.get(hash) ?? [before]
        places.push(place)
        this.shared.set(hash, places)
      }
    }
  }

  /** One finding for each path and value: which key, and where else. */
  findings(): Finding[] {
    return [...this.shared.values()].flatMap((places) =>
      places.map(({ path, key }): Finding => {
        const others = [...new Set(places.filter((place) => place.path !== path).map((place) => place.path))]
        return { path, finding: 'reused', detail: `${key}: also in ${others.toSorted().join(', ')}` }
      }),
    )
  }
}

interface Place {
  readonly path: string
  readonly key: string
}
