/** The filter language of the job list, which is go-bexpr's. */

import type { JsonObject } from '../../core/json.ts'
import { isObject } from '../../core/json.ts'
import { FilterError } from './error.ts'
import { parseFilter } from './parse.ts'
import type { Collection, Expression, Match } from './parse.ts'
import { patternOf } from './pattern.ts'
import { equals, itemsOf, pathText, resolve, root } from './values.ts'
import type { Found } from './values.ts'

export { FilterError } from './error.ts'

/** A name bound by `any` or `all`: a shorter way to a value, or the key or position itself. */
type Local = { readonly name: string } & ({ readonly path: readonly string[] } | { readonly constant: string | number })

interface Scope {
  readonly job: Found
  readonly locals: readonly Local[]
}

/**
 * The predicate of a filter over whole jobs (not over their summaries in the list). Throws {@link FilterError} for bad
 * syntax; the predicate does for unknown fields, values of the wrong type and bad regular expressions, which only show
 * when a job is looked at.
 */
export function compileFilter(expression: string): (job: JsonObject) => boolean {
  const tree = parseFilter(expression)
  return (job) => holds(tree, { job: root(job), locals: [] })
}

function holds(tree: Expression, scope: Scope): boolean {
  switch (tree.kind) {
    case 'not':
      return !holds(tree.operand, scope)
    case 'and':
      return holds(tree.left, scope) && holds(tree.right, scope)
    case 'or':
      return holds(tree.left, scope) || holds(tree.right, scope)
    case 'match':
      return compared(tree, lookUp(tree.selector.path, scope)) !== tree.negated
    default:
      return holdsWithin(tree, scope)
  }
}

/** A missing key of a map is empty and nil, and otherwise matches nothing. */
function compared(match: Match, found: Found | undefined): boolean {
  const { operator, value: text } = match
  if (found === undefined) return operator === 'empty' || operator === 'nil'
  const { kind, value } = found
  switch (operator) {
    case 'equal':
      return equals(text, found)
    case 'in':
      return contains(match, found)
    case 'matches':
      if (kind !== 'string') throw unfit(match, found)
      return expressionOf(text).test(String(value))
    case 'empty':
      if (kind !== 'map' && kind !== 'list' && kind !== 'string') throw unfit(match, found)
      return value === null || Object.keys(value).length === 0
    default:
      if (kind !== 'map' && kind !== 'list' && kind !== 'struct' && kind !== 'null') throw unfit(match, found)
      return value === null
  }
}

function contains(match: Match, found: Found): boolean {
  const { kind, value } = found
  if (kind === 'string') return String(value).includes(match.value)
  if (kind === 'map') return isObject(value) && Object.hasOwn(value, match.value)
  if (kind !== 'list') throw unfit(match, found)
  const items = itemsOf(found).map(({ item }) => item)
  if (items.some((item) => item.kind === 'struct')) throw unfit(match, found)
  return items.some((item) => String(item.value) === match.value)
}

const operations = { equal: 'equality', in: 'in/contains', matches: 'matches', empty: 'is-empty', nil: 'is-nil' }

function unfit({ operator, selector }: Match, { kind }: Found): FilterError {
  const selected = JSON.stringify(selector.text)
  return new FilterError(`cannot perform ${operations[operator]} operations on type ${kind} for selector: ${selected}`)
}

function expressionOf(text: string): ReturnType<typeof patternOf> {
  try {
    return patternOf(text)
  } catch (error) {
    throw new FilterError(`failed to compile regular expression ${JSON.stringify(text)}: ${(error as Error).message}`)
  }
}

function holdsWithin(tree: Collection, scope: Scope): boolean {
  const found = lookUp(tree.selector.path, scope)
  if (found === undefined) return tree.kind === 'all'
  const isMap = found.kind === 'map'
  if (!isMap && found.kind !== 'list') throw new FilterError(`${tree.selector.text} is not a list or a map`)
  const { names, selector, inner } = tree
  if (names.index !== undefined && names.index === names.item) {
    throw new FilterError(`"${names.index}" cannot be used as a placeholder for both the index and the value`)
  }
  const test = ({ label }: { label: string }): boolean => {
    const way = { path: [...selector.path, label] }
    const key = { constant: isMap ? label : Number(label) }
    const locals = [...named(names.each, isMap ? key : way), ...named(names.index, key), ...named(names.item, way)]
    return holds(inner, { ...scope, locals: [...scope.locals, ...locals] })
  }
  return tree.kind === 'any' ? itemsOf(found).some(test) : itemsOf(found).every(test)
}

function named(name: string | undefined, meaning: { path: string[] } | { constant: string | number }): Local[] {
  return name === undefined ? [] : [{ name, ...meaning }]
}

/** The value of a selector. Inner names hide outer ones, and may stand for paths that begin with them. */
function lookUp(selector: readonly string[], scope: Scope): Found | undefined {
  let path = selector
  for (const local of scope.locals.toReversed()) {
    if (local.name !== path[0]) continue
    if ('path' in local) path = [...local.path, ...path.slice(1)]
    else return constantOf(local.constant, path)
  }
  return resolve(scope.job, path)
}

function constantOf(constant: string | number, path: readonly string[]): Found {
  const kind = typeof constant === 'string' ? 'string' : 'number'
  if (path.length > 1) throw new FilterError(`/${path[0]} references a ${kind} so ${pathText(path)} is invalid`)
  return { value: constant, kind, name: '', free: false }
}
