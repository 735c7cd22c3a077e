/** Calls of functions: arguments are counted, converted and passed on. */

import { HclError, fail, suggestion } from '../diagnostics.ts'
import type { Expression } from '../syntax/tree.ts'
import { evaluate, placed } from './evaluate.ts'
import type { Scope } from './evaluate.ts'
import { fileFunctions, functions } from './functions.ts'
import type { Parameter } from './function-types.ts'
import { convert, typeFrom } from './types.ts'
import { ValueError, itemsIn } from './values.ts'
import type { Value } from './values.ts'

type Call = Expression & { kind: 'call' }

/** The result of a call. Functions that read files fail, as they do on a server. */
export function callFunction(call: Call, scope: Scope | undefined): Value {
  const { name, range } = call
  if (scope === undefined) return fail('Function calls not allowed', 'Functions may not be called here.', range)
  return placed(range, 'Error in function call', `Call to function "${name}" failed: `, () => {
    if (name === 'try' || name === 'can') return attempt(call, scope)
    if (name === 'convert') return converted(call, scope)
    if (fileFunctions.includes(name)) throw new ValueError('filesystem function disabled')
    const known = functions.get(name)
    if (known !== undefined) return known.run(...(argumentsOf(call, known.parameters, scope) as never[]))
    const hint = suggestion(name, [...functions.keys(), ...fileFunctions])
    return fail('Call to unknown function', `There is no function named "${name}".${hint}`, range)
  })
}

function argumentsOf({ name, items, expand, range }: Call, parameters: readonly Parameter[], scope: Scope): Value[] {
  const given = items.map((item) => evaluate(item, scope))
  const values = expand ? [...given.slice(0, -1), ...expanded(given.at(-1) ?? null)] : given
  const fixed = parameters.filter(({ rest }) => !rest)
  const rest = parameters.find((parameter) => parameter.rest)
  if (values.length < fixed.length || (rest === undefined && values.length > fixed.length)) {
    const count = `${rest === undefined ? '' : 'at least '}${fixed.length} argument(s)`
    return fail('Wrong number of function arguments', `Function "${name}" expects ${count}.`, range)
  }
  return values.map((value, index) => {
    const { type, nullable } = (fixed[index] ?? rest) as Parameter
    if (value === null && !nullable) throw new ValueError(`argument ${index + 1} must not be null`)
    const place = items[Math.min(index, items.length - 1)]?.range ?? range
    return placed(place, 'Invalid function argument', `Argument ${index + 1}: `, () => convert(value, type))
  })
}

function expanded(last: Value): readonly Value[] {
  const items = itemsIn(last)
  if (items === undefined) throw new ValueError('only a list, tuple or set can be expanded with "..."')
  return items
}

function attempt({ name, items }: Call, scope: Scope): Value {
  for (const expression of items) {
    try {
      const value = evaluate(expression, scope)
      return name === 'can' ? true : value
    } catch (error) {
      if (!(error instanceof HclError)) throw error
      if (name === 'can') return false
    }
  }
  throw new ValueError('no expression succeeded')
}

function converted({ items: [expression, type] }: Call, scope: Scope): Value {
  if (expression === undefined || type === undefined) throw new ValueError('a value and a type are required')
  return convert(evaluate(expression, scope), typeFrom(type))
}
