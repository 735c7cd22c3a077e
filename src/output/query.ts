import { TreeInterpreter, compile, tokenize } from '@jmespath-community/jmespath'
import { TugError, usageError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { JsonNumber, isNumber, isObject, keysOf, objectFrom, parseJson, sameJson } from '../core/json.ts'
import { didYouMean } from '../core/words.ts'
import { numberOrder, queryFunctions, typeOf } from './query-functions.ts'

// oxlint-disable no-underscore-dangle -- the library's members have such names

type Node = ReturnType<typeof compile>
type Interpreter = typeof TreeInterpreter

/**
 * Applies a JMESPath expression to `data`. Numbers are compared and sorted by value and keep their digits; objects keep their key order.
 * Throws a usage error for an invalid expression, and for one that doesn't match the data.
 */
export function applyQuery(expression: string, data: Json): Json {
  try {
    const tree = compileQuery(expression)
    return new LosslessInterpreter().search(tree, data as never)
  } catch (error) {
    throw error instanceof TugError ? error : usageError(`--query: ${reason(error)}`, theExpression(expression))
  }
}

/** The hint with the expression; long ones are truncated. */
function theExpression(expression: string): string {
  return `the expression: ${expression.length > 200 ? `${expression.slice(0, 200)}…` : expression}`
}

/**
 * True if the expression ends with a projection that selects only nulls from existing items: the result of `[].nmae` is an empty list,
 * as if there were no rows. `found` is the result of the expression.
 */
export function dropsEverything(expression: string, data: Json, found: Json): boolean {
  if (!isEmptyList(found)) return false
  const tree = compileQuery(expression)
  if (tree.type !== 'Projection' && tree.type !== 'FilterProjection' && tree.type !== 'ValueProjection') return false
  const items = new LosslessInterpreter().search({ ...tree, right: { type: 'Identity' } }, data as never) as Json
  return !isEmptyList(items)
}

/** Suggests `[].ID` for `ID`, if the data is a list of objects with that field: a field name alone selects nothing from a list. */
export function itemQuery(expression: string, data: Json): string | undefined {
  const tree = compileQuery(expression)
  if (tree.type !== 'Field' || !Array.isArray(data)) return undefined
  return data.some((item) => isObject(item) && Object.hasOwn(item, tree.name)) ? `[].${expression.trim()}` : undefined
}

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0
}

/** The expression's syntax tree. Throws the usage errors of {@link applyQuery} that don't depend on data. */
export function compileQuery(expression: string): Node {
  try {
    const tree = compileExactly(expression)
    checkFunctions(tree, Object.keys(new LosslessInterpreter().runtime._functionTable))
    return tree
  } catch (error) {
    throw error instanceof TugError
      ? error
      : usageError(`--query: ${fault(expression, reason(error))}`, theExpression(expression))
  }
}

function checkFunctions(node: unknown, functions: readonly string[]): void {
  if (typeof node !== 'object' || node === null) return
  const { type, name } = node as { type?: unknown; name?: unknown }
  if (type === 'Literal') return
  if (type === 'Function' && !functions.includes(String(name))) {
    throw usageError(`--query: unknown function '${String(name)}'${didYouMean(String(name), functions)}`)
  }
  for (const child of Object.values(node)) checkFunctions(child, functions)
}

/** The error in an expression, and its position. */
function fault(expression: string, message: string): string {
  // Finding the position takes quadratic time.
  if (expression.length > 2000) return message
  if (expression.trim() === '') return 'the expression is empty'
  const at = faultAt(expression, message)
  const where = `character ${Array.from(expression.slice(0, at)).length + 1}`
  if (at === expression.length) return `the expression ends too early, at ${where}`
  const [shown] = /\w+|["'`].*|[^\w\s]{1,2}|\s/s.exec(expression.slice(at)) as RegExpExecArray
  if (/^["'`]/.test(shown)) return `${shown} at ${where} is not closed, or is not a literal`
  return `unexpected '${shown}' at ${where}`
}

/**
 * The library doesn't report the position, but it parses from left to right: the position is the end of the shortest prefix that fails
 * with the same message.
 */
function faultAt(expression: string, message: string): number {
  const length = soundLength(expression)
  if (length < expression.length) return length
  if (failure(() => compile(`${expression} ]`)) !== message) return expression.length
  const starts = tokenize(expression).map(({ start }) => start)
  const isCause = (index: number) => failure(() => compile(expression.slice(0, starts[index + 1]))) === message
  return starts.find((_, index) => isCause(index)) as number
}

/** The length of the longest prefix that consists of tokens. */
function soundLength(expression: string): number {
  let { length } = expression
  while (failure(() => tokenize(expression.slice(0, length))) !== undefined) length -= 1
  return length
}

function failure(call: () => unknown): string | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    return reason(error)
  }
}

function reason(error: unknown): string {
  if (error instanceof RangeError) return 'the expression is nested too deeply'
  return (error as Error).message.replace(/./, (letter) => letter.toLowerCase())
}

/** The library's interpreter, with numbers that keep their digits and objects that keep their key order. */
class LosslessInterpreter extends (TreeInterpreter.constructor as new () => Interpreter) {
  constructor() {
    super()
    Object.assign(this.runtime, { getTypeName: typeOf })
    const visit = (node: unknown, value: Json) => this.visit(node as Node, value as never) as unknown as Json
    for (const [name, call] of Object.entries(queryFunctions(visit))) {
      Object.assign(this.runtime._functionTable[name] as object, { _func: call })
    }
  }

  override withScope(scope: Parameters<Interpreter['withScope']>[0]): Interpreter {
    const outer = super.withScope(scope) as unknown as { _rootValue: unknown; _scope: unknown }
    const { _rootValue, _scope } = outer
    return Object.assign(new LosslessInterpreter(), { _rootValue, _scope })
  }

  override visit(node: Node, value: never): never {
    return this.evaluate(node, value) as never
  }

  private evaluate(node: Node, value: Json): unknown {
    const at = (child: Node) => this.visit(child, value as never) as Json
    switch (node.type) {
      case 'Field':
        return isObject(value) && Object.hasOwn(value, node.name) ? (value[node.name] ?? null) : null
      case 'ValueProjection': {
        const base = at(node.left)
        return isObject(base) ? this.project(base, node.right) : null
      }
      case 'MultiSelectHash':
        return objectFrom(node.children.map((child) => [child.name, at(child.value)]))
      case 'Comparator':
        return compare(node.name, at(node.left), at(node.right))
      case 'Arithmetic':
        return super.visit(
          { ...node, left: literal(asDouble(at(node.left))), right: literal(asDouble(at(node.right))) },
          value as never,
        )
      case 'Unary': {
        const operand = at(node.operand)
        if (node.operator === 'Plus' && isNumber(operand)) return operand
        return super.visit({ ...node, operand: literal(asDouble(operand)) }, value as never)
      }
      default:
        return super.visit(node, value as never)
    }
  }

  private project(base: JsonObject, right: Node): Json[] {
    return keysOf(base)
      .map((key) => this.visit(right, base[key] as never) as Json)
      .filter((item) => item !== null)
  }
}

function literal(value: Json): Node {
  return { type: 'Literal', value: value as never }
}

function asDouble(value: Json): Json {
  return value instanceof JsonNumber ? value.valueOf() : value
}

function compare(operator: 'GT' | 'LT' | 'GTE' | 'LTE' | 'NE' | 'EQ', left: Json, right: Json): boolean | null {
  if (operator === 'EQ') return sameJson(left, right)
  if (operator === 'NE') return !sameJson(left, right)
  if (!isNumber(left) || !isNumber(right)) return null
  const order = numberOrder(left, right)
  if (operator === 'GT') return order > 0
  if (operator === 'GTE') return order >= 0
  return operator === 'LT' ? order < 0 : order <= 0
}

/** Compiles an expression. Long number literals keep their digits; the library alone would round them to doubles. */
function compileExactly(expression: string): Node {
  const tree = compile(expression)
  const exact = new Map<string, Json>()
  let marked = ''
  let done = 0
  for (const { start } of tokenize(expression)) {
    longLiteral.lastIndex = start
    const found = longLiteral.exec(expression)
    if (found === null) continue
    const mark = `\0${exact.size}`
    exact.set(mark, parseJson(found[1] as string))
    marked += `${expression.slice(done, start)}\`${JSON.stringify(mark)}\``
    done = start + found[0].length
  }
  if (exact.size === 0) return tree
  return withExact(compile(marked + expression.slice(done)), exact) as Node
}

const longLiteral = /`\s*(-?\d{16,})\s*`/y

function withExact(node: unknown, exact: ReadonlyMap<unknown, Json>): unknown {
  if (Array.isArray(node)) return node.map((child) => withExact(child, exact))
  if (typeof node !== 'object' || node === null) return node
  const { type, value } = node as { type?: unknown; value?: unknown }
  if (type === 'Literal') return { ...node, value: exact.get(value) ?? value }
  return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, withExact(child, exact)]))
}
