import { at, entries, text } from '../core/answer.ts'
import { usageError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { entriesOf, isObject, objectFrom, withEntries } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import { decodePath } from '../core/request.ts'
import type { Dialect, SpokenDialect } from '../core/service.ts'
import { any, json } from '../core/shape.ts'

type Pair = readonly [neutral: string, product: string]

/** The header that carries the token. */
const tokenHeader: readonly Pair[] = [['X-Scheduler-Token', 'X-Nomad-Token']]

/** A cheap read, whose response headers show the dialect. */
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
  return Object.fromEntries(spellings('X-Scheduler-Token', tokenHeader, dialect).map((name) => [name, token]))
}

/**
 * The request in the dialect. An allocation's ID has two names in the specification itself, so both are always sent. In a body, only
 * members that `tug` adds are translated: job documents are sent unchanged.
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
    ...(secretBody === undefined
      ? {}
      : { secretBody: secretBody.flatMap((place) => spellings(place, revertTokens, 'auto')) }),
    ...(ignored.length === 0 ? {} : { neutralOnly: ignored.join(' and ') }),
  }
}

/** Endings of paths below a job. The product looks for them after it has decoded the path. */
const endpointNames =
  /\/(?:actions?|allocations|deployments?|dispatch|evaluate|evaluations|periodic\/force|plan|revert|scale|services|stable|submission|summary|versions)$/

/** Rejects a job whose ID ends like an endpoint, even to register it: the product would use that endpoint of another job. */
function refuseAmbiguousId({ path, body }: HttpRequest): void {
  const segment = /^\/v1\/job\/([^/]+)$/.exec(path)?.[1]
  const id = segment === undefined ? (path === '/v1/jobs' && text(body, 'Job', 'ID')) || '' : decodePath(segment)
  const [end] = endpointNames.exec(id) ?? []
  if (end === undefined) return
  throw usageError(
    `Nomad cannot read, change or stop the job '${id}': it mistakes the ID for ${end.slice(1)} of the job '${id.slice(0, -end.length)}'`,
    'a server that follows the specification can: add --dialect neutral',
  )
}

/** A scaling error is first sent in the specification's form: `Error` is a string there, and a boolean in the product. */
export function otherDialects(request: HttpRequest): SpokenDialect[] {
  return isScale(request) && text(request.body, 'Error') !== undefined ? ['hashicorp'] : []
}

/** The parts of a request in the neutral dialect that a product ignores. */
function ignoredByProduct({ path, query = [], body, productBody }: HttpRequest): string[] {
  const flags = at(body, 'VariableFlags') ?? at(body, 'Submission', 'VariableFlags')
  return [
    ...(query.some(([name]) => name === 'IdempotencyToken') ? ['the idempotency token'] : []),
    ...(entries(flags).length > 0 ? ['--var'] : []),
    ...(at(productBody, 'Job') !== undefined ? ['--no-submission'] : []),
    ...(path.endsWith('/revert') ? revertTokens.flatMap(([name]) => (at(body, name) === undefined ? [] : [name])) : []),
  ]
}

/** The body in the dialect; undefined if it is sent unchanged. */
function translateBody(request: HttpRequest, dialect: Dialect): Json | undefined {
  const { path, body, productBody } = request
  if (!isObject(body)) return undefined
  if (path.endsWith('/revert'))
    return objectFrom(
      entriesOf(body).flatMap(([name, value]) =>
        spellings(name, revertTokens, dialect).map((one): [string, Json] => [one, value]),
      ),
    )
  if (dialect === 'hashicorp') return isScale(request) ? productEvent(body) : productBody
  // Servers read a file's variables from different members, so send both.
  if (dialect === 'auto' && path.endsWith('/jobs/parse') && isObject(productBody)) return withEntries(body, productBody)
  return undefined
}

function isScale({ method, path }: HttpRequest): boolean {
  return method === 'POST' && path.endsWith('/scale')
}

/** Rejects a scaling event that a product does not accept. */
export function checkProductEvent(body: JsonObject): void {
  if (at(body, 'Error') === undefined) return
  if (at(body, 'Count') !== undefined) throw usageError('--error and a count cannot be used together on this server')
  if (at(body, 'Message') !== undefined)
    throw usageError('--error and --message cannot be used together on this server, which has one field for both')
}

/** A scaling event in the product's form: an error is a message with a flag. */
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
  return spellings(name, parameters, dialect).map((one) => [one, value])
}

/** A name of the specification in the dialect; in `auto`, in both. Names that don't differ are unchanged. */
function spellings(name: string, pairs: readonly Pair[], dialect: Dialect): string[] {
  const pair = pairs.find(([neutral]) => neutral === name)
  if (pair === undefined) return [name]
  const [neutral, product] = pair
  return [...(dialect === 'hashicorp' ? [] : [neutral]), ...(dialect === 'neutral' ? [] : [product])]
}

/** The dialect of a response, by the names of its headers. */
export function shown(headers: Readonly<Record<string, string>>): SpokenDialect | undefined {
  const has = (start: string) => Object.keys(headers).some((name) => name.startsWith(start))
  const isProduct = has('x-nomad-')
  return isProduct === has('x-scheduler-') ? undefined : isProduct ? 'hashicorp' : 'neutral'
}

/** The dialect of a response without such headers: a parsed job names the product. */
export function shownIn(answer: Json): SpokenDialect | undefined {
  if (!isObject(answer)) return undefined
  return 'NomadTokenID' in answer ? 'hashicorp' : 'SchedulerTokenID' in answer ? 'neutral' : undefined
}
