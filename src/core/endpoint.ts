import type { Json } from './json.ts'
import type { Effect, HttpRequest, RequestPolicy } from './request.ts'
import type { Params } from './param.ts'
import { encodeSegments, encodeText } from './request.ts'
import type { AnswerForm } from './shape.ts'

/** An endpoint's description, for requests, help, manual, completion, the coverage table and tests. */
export interface EndpointFacts<T = unknown> {
  readonly method: string
  /** With the version prefix: `/v1/job/{job}/services`. */
  readonly path: string
  /** The capability it needs, as the specification names it; several are joined by `or` and `and`. */
  readonly acl?: string
  /** Its effect, if the method doesn't imply it: a POST that only reads, a GET that starts something. */
  readonly effect?: Effect
  /** True if the specification marks it as supporting blocking queries. */
  readonly blocking?: boolean
  /** How it is sent and retried, if that differs from the settings. */
  readonly policy?: RequestPolicy
  /** The shape of a successful response; the HTTP client rejects any other. */
  readonly answers: AnswerForm<T>
}

/** The names in a route's braces. */
export type RouteNames<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | RouteNames<Rest>
  : never

/** Names that the settings fill unless the request has its own value. */
export type SettingNames = 'org' | 'mount'

/** Values for a route: every name in braces; `{org}` and `{mount}` are settings. `{path}` and `{mount}` may have several segments. */
export type RouteValues<R extends string> = {
  readonly [Name in Exclude<RouteNames<R>, SettingNames>]: string
} & { readonly [Name in Extract<RouteNames<R>, SettingNames>]?: string }

/** What a request adds to its route. */
export type RequestParts = Omit<HttpRequest, 'method' | 'path' | 'answers' | 'acl'> & { readonly acl?: string }

/** A declared endpoint; calling it makes a request with a response of type `T`. */
export interface Endpoint<R extends string = string, T = unknown> extends EndpointFacts<T> {
  (values: RouteValues<R>, parts?: RequestParts): HttpRequest<T>
}

/**
 * Declares an endpoint by its route, `GET /v1/job/{job}/services`. The result is a function from the route's values (and a
 * query, body or headers) to a request, which throws if a name in the route has no value.
 */
export function endpoint<const R extends string, T>(
  route: R,
  facts: Omit<EndpointFacts<T>, 'method' | 'path'>,
): Endpoint<R, T> {
  const [method, path] = route.split(' ') as [string, string]
  const { blocking: _, ...shared } = facts
  return Object.assign(
    (values: RouteValues<R>, parts?: RequestParts) => ({ method, path: fillPath(path, values), ...shared, ...parts }),
    { method, path, ...facts },
  ) as Endpoint<R, T>
}

/** Names in routes with values of several segments; slashes are kept. */
const severalSegments = ['mount', 'path']

/** Routes, split at their names: literals and names alternate. */
const splitRoutes = new Map<string, readonly string[]>()

/**
 * `path` with `{name}` replaced by its encoded value. `{org}` and `{mount}` stay if they have none: the settings fill them
 * when the request is sent.
 */
function fillPath(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const parts = splitRoutes.get(path) ?? path.split(/\{(\w+)\}/)
  splitRoutes.set(path, parts)
  let filled = ''
  for (const [index, part] of parts.entries()) {
    const value = values[part]
    if (index % 2 === 0) filled += part
    else if (value !== undefined) filled += severalSegments.includes(part) ? encodeSegments(value) : encodeText(value)
    else if (part === 'org' || part === 'mount') filled += `{${part}}`
    else throw new Error(`no value for {${part}} in ${path}`)
  }
  return filled.length > 1 && filled.endsWith('/') ? filled.slice(0, -1) : filled
}

/** An endpoint's request from a command's params and input. */
export function requestOf<T>(
  to: (values: never, parts: RequestParts) => HttpRequest<T>,
  params: Params,
  input: Readonly<Record<string, unknown>>,
): HttpRequest<T> {
  const inPath = Object.entries(params).filter(([, { place }]) => place === 'path')
  const values = Object.fromEntries(inPath.map(([key]) => [key, String(input[key] ?? '')]))
  const query = queryOf(params, input)
  return to(values as never, query.length > 0 ? { query } : {})
}

/** The query from a command's params and input. Absent values aren't sent. */
export function queryOf(params: Params, input: Readonly<Record<string, unknown>>): [name: string, value: string][] {
  return Object.entries(params).flatMap(([key, { place, wire = key }]) => {
    const value = input[key]
    if (place !== 'query' || value === undefined) return []
    return [value].flat().map((item): [string, string] => [wire, String(item)])
  })
}

/** The body of a request as a merge patch. */
export function mergePatch(body: Json): Pick<HttpRequest, 'body' | 'contentType'> {
  return { body, contentType: 'application/merge-patch+json' }
}
