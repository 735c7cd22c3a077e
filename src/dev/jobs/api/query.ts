import { Refusal } from './refusal.ts'
import { durationMilliseconds, parseBoolean } from '../../go.ts'

/** The longest and the default wait of a blocking query: five minutes. */
const longestWait = 300_000

/** The query parameters that every read accepts. */
export interface ReadQuery {
  readonly namespace: string
  readonly prefix: string
  readonly filter: string
  readonly perPage: number
  readonly nextToken: string
  readonly reverse: boolean
  /** Wait until the index is greater; 0 doesn't wait. */
  readonly index: number
  /** Milliseconds. */
  readonly wait: number
}

/** Reads the common query parameters. Throws {@link Refusal} (400) for a value that doesn't parse. */
export function readQuery(query: URLSearchParams): ReadQuery {
  const wait = query.get('wait') ?? ''
  const milliseconds = wait === '' ? 0 : durationMilliseconds(wait)
  if (milliseconds === undefined) throw new Refusal(400, 'Invalid wait time')
  const index = query.get('index') ?? ''
  if (!/^\d*$/.test(index)) throw new Refusal(400, 'Invalid index')
  const stale = query.get('stale') ?? ''
  if (stale !== '' && parseBoolean(stale) === undefined) {
    throw new Refusal(400, 'Expect `true` or `false` for `stale` query string parameter')
  }
  const perPage = query.get('per_page') ?? ''
  if (!/^(?:[+-]?\d+)?$/.test(perPage)) throw new Refusal(400, 'Expect a number for `per_page` query string parameter')
  return {
    namespace: namespaceOf(query),
    prefix: query.get('prefix') ?? '',
    filter: query.get('filter') ?? '',
    perPage: Number(perPage),
    nextToken: query.get('next_token') ?? '',
    reverse: query.get('reverse') === 'true',
    index: Number(index),
    wait: milliseconds <= 0 ? longestWait : Math.min(milliseconds, longestWait),
  }
}

/** The namespace of a request, `default` if it has none. */
export function namespaceOf(query: URLSearchParams): string {
  return query.get('namespace') || 'default'
}

/** A boolean parameter of one endpoint; absent is false. Throws {@link Refusal} (500) as real servers do. */
export function boolOf(query: URLSearchParams, name: string): boolean {
  const value = query.get(name) ?? ''
  const parsed = value === '' ? false : parseBoolean(value)
  if (parsed === undefined) throw new Refusal(500, `Failed to parse value of "${name}" (${value}) as a bool`)
  return parsed
}

/** An integer parameter of one endpoint, undefined if absent. Throws {@link Refusal} (500). */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name) ?? ''
  if (value === '') return undefined
  if (!/^[+-]?\d+$/.test(value)) throw new Refusal(500, `Failed to parse value of "${name}" (${value}) as an int`)
  return Number(value)
}
