import { parseSync, Visitor } from 'oxc-parser'

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
  new Visitor({
    Literal({ value, start, end }) {
      if (typeof value === 'string') found.push({ text: source.slice(start + 1, end - 1), inserted: [] })
    },
    TemplateLiteral({ quasis, expressions }) {
      const text = quasis.map(({ value }, index) => `${index === 0 ? '' : `\${${index - 1}}`}${value.raw}`).join('')
      found.push({ text, inserted: expressions.map(({ start, end }) => source.slice(start, end)) })
    },
  }).visit(program)
  return found
}
