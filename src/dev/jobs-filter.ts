import type { Json, JsonObject } from '../core/json.ts'
import { isObject } from '../core/json.ts'
import { FilterError } from './jobs-filter-error.ts'
import type { Collection, Expression, Match } from './jobs-filter-grammar.ts'
import { parseFilter } from './jobs-filter-grammar.ts'
import { patternOf } from './jobs-filter-pattern.ts'
import type { Found, Kind } from './jobs-filter-values.ts'
import {
  equals,
  isTextList,
  itemsOf,
  parsedBoolean,
  parsedInteger,
  pathText,
  quoted,
  resolve,
  root,
} from './jobs-filter-values.ts'

export { FilterError } from './jobs-filter-error.ts'

/** A name that `any` or `all` gave: another way to a value, or the value of a key or position. */
type Local = { readonly name: string } & ({ readonly path: readonly string[] } | { readonly constant: string | number })

interface Scope {
  readonly job: Found
  readonly locals: readonly Local[]
  readonly patterns: Map<string, RegExp>
}

/**
 * The predicate of a filter expression over whole jobs (not stubs). Throws {@link FilterError} for bad syntax; so does
 * the predicate for unknown fields, unfit values and bad regular expressions, which only show when a job is looked at.
 * contract b.1, c.
 */
export function compileFilter(expression: string): (job: JsonObject) => boolean {
  const tree = parseFilter(expression)
  if (typeof tree === 'string') {
    throw new FilterError(`failed to read filter expression: ${tree}`, 'failed to create result paginator')
  }
  const patterns = new Map<string, RegExp>()
  return (job) => holds(tree, { job: root(job), locals: [], patterns })
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
      return matches(tree, scope)
    default:
      return holdsWithin(tree, scope)
  }
}

function matches(match: Match, scope: Scope): boolean {
  const found = lookUp(match.selector.path, scope)
  return compared(match, found, scope.patterns) !== match.negated
}

/** A missing key of a map is empty and nil, and otherwise matches nothing. */
function compared(match: Match, found: Found | undefined, patterns: Map<string, RegExp>): boolean {
  if (found === undefined) return match.operator === 'empty' || match.operator === 'nil'
  switch (match.operator) {
    case 'equal':
      return equals(match.value, found.kind, found.value)
    case 'in':
      return contains(match, found)
    case 'empty':
      return isEmpty(match, found)
    case 'nil':
      return isNil(match, found)
    case 'matches':
      return fits(match, found, patterns)
    default:
      return false
  }
}

function contains({ value: text, selector }: Match, found: Found): boolean {
  const { kind, value } = found
  if (kind === 'string') return String(value).includes(text)
  if (kind === 'map') return isObject(value) && Object.hasOwn(value, text)
  if (kind === 'slice') return listContains(text, found)
  if (kind === 'bool') parsedBoolean(text)
  if (kind === 'int' || kind === 'int64' || kind === 'uint64') parsedInteger(text, kind === 'uint64')
  throw unfit('in/contains', kind, selector.text)
}

function listContains(text: string, found: Found): boolean {
  if (!isTextList(found)) {
    throw new FilterError('unable to find suitable primitive comparison function for "in" comparison')
  }
  return itemsOf(found).some(({ item }) => String(item.value) === text)
}

function isEmpty({ selector }: Match, { kind, value }: Found): boolean {
  if (kind !== 'map' && kind !== 'slice' && kind !== 'string') throw unfit('is-empty', kind, selector.text)
  return value === null || Object.keys(value).length === 0
}

function isNil({ selector }: Match, { kind, value }: Found): boolean {
  if (kind === 'invalid') return true
  if (kind === 'struct') return false
  if (kind === 'map' || kind === 'slice') return value === null
  throw unfit('is-nil', kind, selector.text)
}

function unfit(operations: string, kind: Kind, selector: string): FilterError {
  return new FilterError(`cannot perform ${operations} operations on type ${kind} for selector: ${quoted(selector)}`)
}

function fits({ value: text }: Match, { kind, value }: Found, patterns: Map<string, RegExp>): boolean {
  if (kind !== 'string') throw new FilterError(`value of type ${kind} is not convertible to []byte`)
  const pattern = patterns.get(text) ?? patternOf(text)
  patterns.set(text, pattern)
  return pattern.test(String(value))
}

function holdsWithin(tree: Collection, scope: Scope): boolean {
  const found = lookUp(tree.selector.path, scope)
  if (found === undefined) return tree.kind === 'all'
  if (found.kind !== 'map' && found.kind !== 'slice') {
    throw new FilterError(`${tree.selector.text} is not a list or a map`)
  }
  const { names, selector, inner } = tree
  const each = itemsOf(found).map(({ label }) => {
    if (names.index !== undefined && names.index === names.item) {
      throw new FilterError(`${quoted(names.index)} cannot be used as a placeholder for both the index and the value`)
    }
    const way = { path: [...selector.path, label] }
    const key = { constant: found.kind === 'map' ? label : Number(label) }
    const locals = [
      ...named(names.each, found.kind === 'map' ? key : way),
      ...named(names.index, key),
      ...named(names.item, way),
    ]
    return () => holds(inner, { ...scope, locals: [...scope.locals, ...locals] })
  })
  return tree.kind === 'any' ? each.some((test) => test()) : each.every((test) => test())
}

function named(name: string | undefined, meaning: { path: string[] } | { constant: string | number }): Local[] {
  return name === undefined ? [] : [{ name, ...meaning }]
}

/** The value of a selector, the innermost names first; they may stand for paths that begin with outer ones. */
function lookUp(selector: readonly string[], scope: Scope): Found | undefined {
  let path = selector
  for (const local of scope.locals.toReversed()) {
    if (local.name !== path[0]) continue
    if ('path' in local) path = [...local.path, ...path.slice(1)]
    else return constantOf(local.name, local.constant, path)
  }
  return resolve(scope.job, path)
}

function constantOf(name: string, constant: string | number, path: readonly string[]): Found {
  const kind = typeof constant === 'string' ? 'string' : 'int'
  if (path.length > 1) throw new FilterError(`/${name} references a ${kind} so ${pathText(path)} is invalid`)
  return { value: constant satisfies Json, kind, free: false, name }
}
