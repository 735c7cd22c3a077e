/** Calls of functions: arguments are counted, converted and passed on. */

import { similarName } from './diagnostics.ts'
import { Evaluation } from './evaluate.ts'
import { fileFunctions, functions } from './functions.ts'
import { FunctionError } from './function-types.ts'
import type { Parameter } from './function-types.ts'

import { startRange } from './tree.ts'
import type { Expression } from './tree.ts'
import { ConversionError, convert, typeFrom } from './types.ts'
import { Sequence, unknown } from './values.ts'
import type { Value } from './values.ts'

type Call = Expression & { kind: 'call' }

/** The result of a call; functions that read files fail, as they do on a server (contract b.3). */
export function callFunction(call: Call, evaluation: Evaluation): Value {
  if (evaluation.scope === undefined) {
    return evaluation.fail('Function calls not allowed', 'Functions may not be called here.', call.range)
  }
  if (call.name === 'try' || call.name === 'can') return attempt(call, evaluation)
  if (call.name === 'convert') return converted(call, evaluation)
  if (fileFunctions.includes(call.name)) return failed(call, 'filesystem function disabled', evaluation)
  const known = functions.get(call.name)
  if (known === undefined) return unknownFunction(call, evaluation)
  const before = evaluation.diagnostics.length
  const items = expanded(call, evaluation)
  if (items === undefined || !counted(call, items, known.parameters, known.rest, evaluation)) return unknown
  const values = items.map(({ expression, value }, index) => {
    const parameter = (known.parameters[index] ?? known.rest) as Parameter
    return argument(parameter, expression, value ?? evaluation.value(expression), evaluation)
  })
  if (evaluation.diagnostics.length > before || values.includes(unknown)) return unknown
  try {
    return known.run(...(values as never[]))
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error
    return failed(call, error.message, evaluation)
  }
}

interface Argument {
  readonly expression: Expression
  /** Set for an element of the list that `...` spreads. */
  readonly value?: Value
}

function expanded(call: Call, evaluation: Evaluation): Argument[] | undefined {
  const items = call.items.map((expression): Argument => ({ expression }))
  if (!call.expand) return items
  const { expression } = items.pop() as Argument
  const list = evaluation.value(expression)
  if (list instanceof Sequence) return [...items, ...list.items.map((value): Argument => ({ expression, value }))]
  if (list === unknown) return undefined
  const rule = list === null ? 'must not be null' : 'must be of a tuple, list, or set type'
  const detail = `The expanding argument (indicated by ...) ${rule}.`
  evaluation.fail('Invalid expanding argument value', detail, expression.range)
  return undefined
}

function counted(
  call: Call,
  items: readonly Argument[],
  parameters: readonly Parameter[],
  rest: Parameter | undefined,
  evaluation: Evaluation,
): boolean {
  const missing = parameters[items.length]
  if (missing !== undefined) {
    const least = rest === undefined ? '' : ' at least'
    const detail = `Function "${call.name}" expects${least} ${parameters.length} argument(s). Missing value for "${missing.name}".`
    evaluation.fail('Not enough function arguments', detail, call.close)
    return false
  }
  const extra = items[parameters.length]
  if (extra !== undefined && rest === undefined) {
    const detail = `Function "${call.name}" expects only ${parameters.length} argument(s).`
    evaluation.fail('Too many function arguments', detail, startRange(extra.expression))
    return false
  }
  return true
}

function argument(parameter: Parameter, expression: Expression, value: Value, evaluation: Evaluation): Value {
  const summary = 'Invalid function argument'
  const detail = (reason: string): string => `Invalid value for "${parameter.name}" parameter: ${reason}.`
  if (value === null && !parameter.nullable) {
    return evaluation.fail(summary, detail('argument must not be null'), startRange(expression))
  }
  return evaluation.converted(value, parameter.type, startRange(expression), summary, detail)
}

function attempt(call: Call, evaluation: Evaluation): Value {
  for (const expression of call.items) {
    const trial = new Evaluation(evaluation.scope, [])
    const value = trial.value(expression)
    if (call.name === 'can') return trial.diagnostics.length === 0
    if (trial.diagnostics.length === 0) return value
  }
  return failed(call, 'no expression succeeded', evaluation)
}

function converted(call: Call, evaluation: Evaluation): Value {
  const [expression, typeExpression] = call.items
  if (expression === undefined || typeExpression === undefined)
    return failed(call, 'a value and a type are required', evaluation)
  const type = typeFrom(typeExpression, evaluation.diagnostics)
  if (type === undefined) return unknown
  try {
    return convert(evaluation.value(expression), type)
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    return failed(call, error.message, evaluation)
  }
}

function unknownFunction(call: Call, evaluation: Evaluation): Value {
  const suggestion = similarName(call.name, [...functions.keys(), ...fileFunctions])
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
  return evaluation.fail(
    'Call to unknown function',
    `There is no function named "${call.name}".${hint}`,
    call.nameRange,
  )
}

function failed(call: Call, reason: string, evaluation: Evaluation): Value {
  return evaluation.fail(
    'Error in function call',
    `Call to function "${call.name}" failed: ${reason}.`,
    startRange(call),
  )
}
