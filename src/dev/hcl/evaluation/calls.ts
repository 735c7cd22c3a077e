/** Calls of functions: arguments are counted, converted and passed on. */

import { suggestion } from '../diagnostics.ts'
import type { Expression } from '../syntax/tree.ts'
import type { Evaluator } from './evaluator.ts'
import { fileFunctions, functions } from './functions.ts'
import { FunctionError } from './function-types.ts'
import type { Parameter } from './function-types.ts'
import { ConversionError, convert, typeFrom } from './types.ts'
import { itemsIn, unknown } from './values.ts'
import type { Value } from './values.ts'

type Call = Expression & { kind: 'call' }

/** The result of a call. Functions that read files fail, as they do on a server. */
export function callFunction(call: Call, evaluation: Evaluator): Value {
  const { name, range, at } = call
  if (evaluation.scope === undefined) {
    return evaluation.fail('Function calls not allowed', 'Functions may not be called here.', range)
  }
  try {
    if (name === 'try' || name === 'can') return attempt(call, evaluation)
    if (name === 'convert') return converted(call, evaluation)
    if (fileFunctions.includes(name)) throw new FunctionError('filesystem function disabled')
    const known = functions.get(name)
    if (known !== undefined) {
      const values = argumentsOf(call, known.parameters, evaluation)
      return values === undefined ? unknown : known.run(...(values as never[]))
    }
  } catch (error) {
    const expected = error instanceof FunctionError || error instanceof ConversionError || error instanceof RangeError
    if (!expected) throw error
    return evaluation.fail('Error in function call', `Call to function "${name}" failed: ${error.message}.`, at)
  }
  const hint = suggestion(name, [...functions.keys(), ...fileFunctions])
  const nameRange = { ...range, end: range.start + name.length }
  return evaluation.fail('Call to unknown function', `There is no function named "${name}".${hint}`, nameRange)
}

/** The converted arguments; undefined after a report. */
function argumentsOf(call: Call, parameters: readonly Parameter[], evaluation: Evaluator): Value[] | undefined {
  const given = expanded(call, evaluation)
  if (given === undefined) return undefined
  const fixed = parameters.filter(({ rest }) => !rest)
  const rest = parameters.find((parameter) => parameter.rest)
  if (given.length < fixed.length || (rest === undefined && given.length > fixed.length)) {
    const count = `${rest === undefined ? '' : 'at least '}${fixed.length} argument(s)`
    const few = given.length < fixed.length
    const summary = few ? 'Not enough function arguments' : 'Too many function arguments'
    const place = few ? call.close : (given[fixed.length]?.expression.at ?? call.at)
    evaluation.fail(summary, `Function "${call.name}" expects ${count}.`, place)
    return undefined
  }
  const values = given.map(({ expression, value }, index) => {
    const { type, nullable } = (fixed[index] ?? rest) as Parameter
    if (value === null && nullable) return null
    return evaluation.required(value, type, expression.at, 'Invalid function argument', `Argument ${index + 1}`)
  })
  return values.includes(unknown) ? undefined : values
}

interface Argument {
  readonly expression: Expression
  readonly value: Value
}

function expanded(call: Call, evaluation: Evaluator): Argument[] | undefined {
  const given = call.items.map((expression): Argument => ({ expression, value: evaluation.value(expression) }))
  const last = given.at(-1)
  if (!call.expand || last === undefined) return given
  const items = itemsIn(last.value)
  if (items !== undefined) return [...given.slice(0, -1), ...items.map((value): Argument => ({ ...last, value }))]
  const detail = 'Only a list, tuple or set can be expanded with "...".'
  if (last.value !== unknown) evaluation.fail('Invalid expanding argument value', detail, last.expression.range)
  return undefined
}

function attempt(call: Call, evaluation: Evaluator): Value {
  for (const expression of call.items) {
    const trial = evaluation.trial()
    const value = trial.value(expression)
    if (call.name === 'can') return trial.diagnostics.length === 0
    if (trial.diagnostics.length === 0) return value
  }
  throw new FunctionError('no expression succeeded')
}

function converted(call: Call, evaluation: Evaluator): Value {
  const [expression, typeExpression] = call.items
  if (expression === undefined || typeExpression === undefined)
    throw new FunctionError('a value and a type are required')
  const type = typeFrom(typeExpression, evaluation.diagnostics)
  return type === undefined ? unknown : convert(evaluation.value(expression), type)
}
