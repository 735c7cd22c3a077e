import { compile, tokenize } from '@jmespath-community/jmespath'
import type { Json } from '../core/json.ts'
import { parseJson } from '../core/json.ts'

type Node = ReturnType<typeof compile>

/** Compiles an expression whose long number literals keep their digits: the library reads them as doubles. */
export function compileExactly(expression: string): Node {
  const tree = compile(expression)
  if (!longLiteral.test(expression)) return tree
  const exact = new Map<string, Json>()
  let marked = ''
  let done = 0
  for (const { start } of tokenize(expression)) {
    const found = longLiteral.exec(expression.slice(start))
    if (found?.index !== 0) continue
    const mark = `\0${exact.size}`
    exact.set(mark, parseJson(found[1] as string))
    marked += `${expression.slice(done, start)}\`${JSON.stringify(mark)}\``
    done = start + found[0].length
  }
  return withExact(compile(marked + expression.slice(done)), exact) as Node
}

const longLiteral = /`\s*(-?\d{16,})\s*`/

function withExact(node: unknown, exact: ReadonlyMap<string, Json>): unknown {
  if (Array.isArray(node)) return node.map((child) => withExact(child, exact))
  if (typeof node !== 'object' || node === null) return node
  const { type, value } = node as { type?: unknown; value?: unknown }
  if (type === 'Literal') return { ...node, value: typeof value === 'string' ? (exact.get(value) ?? value) : value }
  return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, withExact(child, exact)]))
}
