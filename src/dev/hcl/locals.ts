/** `locals` blocks, and the names that a job may use. */

import { bodyOf } from './body.ts'
import type { Diagnostic } from './diagnostics.ts'
import { evaluate } from './evaluate.ts'
import type { Scope } from './evaluate.ts'
import type { Block, Expression } from './tree.ts'
import { Mapping } from './values.ts'
import type { Value } from './values.ts'

/** `local`: evaluated in whatever order lets each use the others. */
export function localValues(blocks: readonly Block[], input: Mapping, diagnostics: Diagnostic[]): Mapping {
  const pending = new Map<string, Expression>()
  for (const block of blocks.filter(({ type }) => type === 'locals')) {
    for (const { name, nameRange, value } of bodyOf(block.body, new Map(), diagnostics).attributes.values()) {
      if (pending.has(name)) {
        const detail = `Duplicate ${name} definition found.`
        diagnostics.push({ summary: 'Duplicate value in locals', detail, range: nameRange })
      } else {
        pending.set(name, value)
      }
    }
  }
  const values = new Map<string, Value>()
  for (let before = -1; before !== pending.size && pending.size > 0;) {
    before = pending.size
    for (const [name, expression] of pending) {
      const faults: Diagnostic[] = []
      const value = evaluate(expression, jobScope(input, new Mapping('object', values)), faults)
      if (faults.length > 0) continue
      values.set(name, value)
      pending.delete(name)
    }
  }
  const scope = jobScope(input, new Mapping('object', values))
  for (const expression of pending.values()) evaluate(expression, scope, diagnostics)
  return new Mapping('object', values)
}

/** The names that a job may use. */
export function jobScope(input: Mapping, locals: Mapping): Scope {
  return {
    variables: new Map([
      ['var', input],
      ['local', locals],
    ]),
  }
}
