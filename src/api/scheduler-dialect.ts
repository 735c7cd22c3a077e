import type { Json } from '../core/json.ts'
import { entriesOf, isObject, objectFrom } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import type { Dialect, SpokenDialect } from '../core/service.ts'

type Pair = readonly [neutral: string, product: string]

/** The header with the token. */
const tokenHeader: Pair = ['X-Scheduler-Token', 'X-Nomad-Token']

/** Query parameters whose names differ. */
const parameters: readonly Pair[] = [['IdempotencyToken', 'idempotency_token']]

/** Members that `tug` writes into the body of a revert. */
export const revertTokens: readonly Pair[] = [
  ['SecretsToken', 'VaultToken'],
  ['DiscoveryToken', 'ConsulToken'],
]

/** The headers that carry the token. */
export function tokenHeaders(dialect: Dialect, token: string): Record<string, string> {
  return Object.fromEntries(spellings(tokenHeader, dialect).map((name) => [name, token]))
}

/**
 * The request in the dialect. An allocation's ID has two names in the specification itself, so both are always sent. Of a body,
 * only what `tug` itself writes is translated: job documents stay as they are.
 */
export function translate<T>(request: HttpRequest<T>, dialect: Dialect): HttpRequest<T> {
  const { query, body, secretBody } = request
  return {
    ...request,
    ...(query === undefined ? {} : { query: query.flatMap((one) => translateParameter(one, dialect)) }),
    ...(body === undefined || !request.path.endsWith('/revert') ? {} : { body: translateMembers(body, dialect) }),
    ...(secretBody === undefined ? {} : { secretBody: secretBody.flatMap((place) => inBothWords(place)) }),
  }
}

function translateParameter([name, value]: readonly [string, string], dialect: Dialect): [string, string][] {
  if (name === 'alloc_id') return [name, 'allocID'].map((one) => [one, value])
  const pair = parameters.find(([neutral]) => neutral === name)
  return pair === undefined ? [[name, value]] : spellings(pair, dialect).map((one) => [one, value])
}

function translateMembers(body: Json, dialect: Dialect): Json {
  if (!isObject(body)) return body
  return objectFrom(
    entriesOf(body).flatMap(([name, value]) => {
      const pair = revertTokens.find(([neutral]) => neutral === name)
      return pair === undefined ? [[name, value]] : spellings(pair, dialect).map((one): [string, Json] => [one, value])
    }),
  )
}

function inBothWords(place: string): readonly string[] {
  return revertTokens.find(([neutral]) => neutral === place) ?? [place]
}

/** The name in the dialect; in `auto`, both. */
function spellings([neutral, product]: Pair, dialect: Dialect): string[] {
  return [...(dialect === 'hashicorp' ? [] : [neutral]), ...(dialect === 'neutral' ? [] : [product])]
}

/** The dialect of an answer, by the names of its headers. */
export function shown(headers: Readonly<Record<string, string>>): SpokenDialect | undefined {
  const has = (start: string) => Object.keys(headers).some((name) => name.startsWith(start))
  const isProduct = has('x-nomad-')
  return isProduct === has('x-scheduler-') ? undefined : isProduct ? 'hashicorp' : 'neutral'
}
