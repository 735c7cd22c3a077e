import { entries, items } from '../core/answer.ts'
import { usageError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { stringifyJson } from '../core/json.ts'
import type { HttpRequest } from '../core/request.ts'
import type { Dialect, SpokenDialect } from '../core/service.ts'
import { wireOperator, specField, wireField } from './explorer-fields.ts'

/**
 * The request in the dialect. In `auto` it stays as typed: fields and operators cannot be sent twice. Throws a usage error for
 * what the neutral dialect doesn't have.
 */
export function translate<T>(request: HttpRequest<T>, dialect: Dialect): HttpRequest<T> {
  const { query, productBody, productOnly } = request
  if (dialect === 'auto') return request
  if (dialect === 'neutral' && productOnly !== undefined)
    throw usageError(
      `the neutral dialect doesn't have ${productOnly}`,
      'newer services may have it: add --dialect auto',
    )
  return {
    ...request,
    ...(query === undefined ? {} : { query: query.map((one) => translateParameter(one, dialect)) }),
    ...(dialect === 'neutral' || productBody === undefined ? {} : { body: productBody }),
  }
}

/** The dialects that spell a field or an operator in another way than it was typed. */
export function otherDialects(request: HttpRequest): SpokenDialect[] {
  const words = ({ query, body }: HttpRequest) =>
    `${JSON.stringify(query)} ${body === undefined ? '' : stringifyJson(body)}`
  const spoken = request.productOnly === undefined ? (['hashicorp', 'neutral'] as const) : (['hashicorp'] as const)
  return spoken.filter((one) => words(translate(request, one)) !== words(request))
}

function translateParameter([name, value]: readonly [string, string], dialect: SpokenDialect): [string, string] {
  if (name === 'sort' || name === 'fields') {
    const names = value.split(',').map((key) => key.replace(/[^-].*/s, (field) => wireField(field, dialect)))
    return [name, names.join(',')]
  }
  const [, index, field, operator] = /^filter\[(\d+)\]\[(.*)\]\[(.*)\]\[0\]$/.exec(name) ?? []
  if (field === undefined || operator === undefined) return [name, value]
  return [`filter[${index}][${wireField(field, dialect)}][${wireOperator(operator, dialect)}][0]`, value]
}

/** The dialect of an answer, by headers that only a product has. */
export function shown(headers: Readonly<Record<string, string>>): SpokenDialect | undefined {
  return ['tfp-api-version', 'tfp-appname', 'x-tfe-version'].some((name) => name in headers) ? 'hashicorp' : undefined
}

/** The dialect of rows, by the names of their fields. */
export function shownIn(answer: Json): SpokenDialect | undefined {
  const names = entries(items(answer, 'data')[0], 'attributes').map(([name]) => name.replaceAll('-', '_'))
  const differing = names.find((name) => wireField(name, 'hashicorp') !== wireField(name, 'neutral'))
  if (differing === undefined) return undefined
  return specField(differing) === differing ? 'neutral' : 'hashicorp'
}
