import { parseSync } from 'oxc-parser'
import type { Node } from 'oxc-parser'

/** A string literal of a source file, with its escapes. */
export interface Literal {
  /** The text; each `${…}` of a template is `${n}`, with n its index in `inserted`. */
  readonly text: string
  /** The expressions of a template. */
  readonly inserted: readonly string[]
}

/** Every string and template of a TypeScript source, including those inside templates. */
export function literalsOf(source: string): Literal[] {
  const found: Literal[] = []
  const { program, errors } = parseSync('source.ts', source)
  if (errors.length > 0) throw new Error(errors[0]?.message)
  // oxc-parser's own visitor does not load in Node 20.18.
  function visit(part: unknown): void {
    if (typeof part !== 'object' || part === null) return
    const node = part as Node
    if (node.type === 'Literal' && typeof node.value === 'string') {
      found.push({ text: source.slice(node.start + 1, node.end - 1), inserted: [] })
    } else if (node.type === 'TemplateLiteral') {
      const { quasis, expressions } = node
      const text = quasis.map(({ value }, index) => `${index === 0 ? '' : `\${${index - 1}}`}${value.raw}`).join('')
      found.push({ text, inserted: expressions.map(({ start, end }) => source.slice(start, end)) })
    }
    for (const child of Object.values(part)) visit(child)
  }
  visit(program)
  return found
}
