import { at, entries, text } from '../core/answer.ts'
import { usageError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { entriesOf, isObject, objectFrom, withEntries } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { decodePath } from '../core/request.ts'
import type { Dialect, SpokenDialect } from '../core/service.ts'
import { any, json } from '../core/shape.ts'

type Pair = readonly [neutral: string, product: string]

/** The header with the token. */
const tokenHeader: Pair = ['X-Scheduler-Token', 'X-Nomad-Token']

/** A cheap read, whose answer's headers show the dialect. */
export const dialectQuestion: HttpRequest = {
  method: 'GET',
  path: '/v1/jobs',
  query: [['per_page', '1']],
  answers: json(any),
}

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
  if (dialect !== 'neutral') refuseAmbiguousId(request)
  const { query, secretBody } = request
  const body = translateBody(request, dialect)
  const ignored = dialect === 'neutral' ? ignoredByProduct(request) : []
  return {
    ...request,
    ...(query === undefined ? {} : { query: query.flatMap((one) => translateParameter(one, dialect)) }),
    ...(body === undefined ? {} : { body }),
    ...(secretBody === undefined ? {} : { secretBody: secretBody.flatMap((place) => inBothWords(place)) }),
    ...(ignored.length === 0 ? {} : { neutralOnly: ignored.join(' and ') }),
  }
}

/** The ends of paths below a job's, by which the product chooses what to do once it has decoded the path. */
const endpointNames =
  /\/(?:actions?|allocations|deployments?|dispatch|evaluate|evaluations|periodic\/force|plan|revert|scale|services|stable|submission|summary|versions)$/

/** Refuses a job whose ID ends like an endpoint, also to register it: to the product, it is that endpoint of another job. */
function refuseAmbiguousId({ path, body }: HttpRequest): void {
  const segment = /^\/v1\/job\/([^/]+)$/.exec(path)?.[1]
  const id = segment === undefined ? (path === '/v1/jobs' && text(body, 'Job', 'ID')) || '' : decodePath(segment)
  const [end] = endpointNames.exec(id) ?? []
  if (end === undefined) return
  throw usageError(
    `Nomad cannot read, change or stop the job '${id}': it takes the ID for ${end.slice(1)} of the job '${id.slice(0, -end.length)}'`,
    'a server that follows the specification can: add --dialect neutral',
  )
}

/** The event of an error is sent as the specification has it first: its `Error` is a text there, and a boolean in the product. */
export function otherDialects(request: HttpRequest): SpokenDialect[] {
  return isScale(request) && text(request.body, 'Error') !== undefined ? ['hashicorp'] : []
}

/** What a product ignores of a request in the neutral dialect. */
function ignoredByProduct({ path, query = [], body, productBody }: HttpRequest): string[] {
  const flags = at(body, 'VariableFlags') ?? at(body, 'Submission', 'VariableFlags')
  return [
    ...(query.some(([name]) => name === 'IdempotencyToken') ? ['the idempotency token'] : []),
    ...(entries(flags).length > 0 ? ['--var'] : []),
    ...(at(productBody, 'Job') !== undefined ? ['--no-submission'] : []),
    ...(path.endsWith('/revert') ? revertTokens.flatMap(([name]) => (at(body, name) === undefined ? [] : [name])) : []),
  ]
}

/** The body in the dialect; undefined if it stays as it is. */
function translateBody(request: HttpRequest, dialect: Dialect): Json | undefined {
  const { path, body, productBody } = request
  if (!isObject(body)) return undefined
  if (path.endsWith('/revert')) return translateMembers(body, dialect)
  if (dialect === 'hashicorp') return isScale(request) ? productEvent(body) : productBody
  // Variables that a specification's server reads elsewhere; one server ignores the former, the other is told the same twice.
  if (dialect === 'auto' && path.endsWith('/jobs/parse') && isObject(productBody)) return withEntries(body, productBody)
  return undefined
}

function isScale({ method, path }: HttpRequest): boolean {
  return method === 'POST' && path.endsWith('/scale')
}

/** Refuses an event that a product does not take. */
export function checkProductEvent(body: JsonObject): void {
  if (at(body, 'Error') === undefined) return
  if (at(body, 'Count') !== undefined) throw usageError('--error and a count cannot be used together on this server')
  if (at(body, 'Message') !== undefined)
    throw usageError('--error and --message cannot be used together on this server, which has one text for both')
}

/** The event as a product takes it: an error is a message that is marked. */
function productEvent(body: JsonObject): JsonObject | undefined {
  const error = text(body, 'Error')
  if (error === undefined) return undefined
  checkProductEvent(body)
  return objectFrom(
    entriesOf(body).flatMap(([name, value]): [string, Json][] =>
      name === 'Error'
        ? [
            ['Message', error],
            ['Error', true],
          ]
        : [[name, value]],
    ),
  )
}

function translateParameter([name, value]: readonly [string, string], dialect: Dialect): [string, string][] {
  if (name === 'alloc_id') return [name, 'allocID'].map((one) => [one, value])
  const pair = parameters.find(([neutral]) => neutral === name)
  return pair === undefined ? [[name, value]] : spellings(pair, dialect).map((one) => [one, value])
}

function translateMembers(body: JsonObject, dialect: Dialect): Json {
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

/** The dialect of an answer without such headers: a parsed job names the product. */
export function shownIn(answer: Json): SpokenDialect | undefined {
  if (!isObject(answer)) return undefined
  return 'NomadTokenID' in answer ? 'hashicorp' : 'SchedulerTokenID' in answer ? 'neutral' : undefined
}
