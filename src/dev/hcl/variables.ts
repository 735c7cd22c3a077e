/** `variable`, `variables` and `locals` blocks, and the values that a request gives to variables. */

import { HclDiagnostics, diagnosticText, rangeText } from './diagnostics.ts'
import type { Diagnostic, Range } from './diagnostics.ts'
import { Evaluation, evaluate } from './evaluation/evaluate.ts'
import type { Scope } from './evaluation/evaluator.ts'
import { ConversionError, anyType, boolType, convert, typeFrom } from './evaluation/types.ts'
import type { Type } from './evaluation/types.ts'
import { mapOf, unknown } from './evaluation/values.ts'
import type { Value, ValueMap } from './evaluation/values.ts'
import { bodyOf } from './schema/body.ts'
import { parseExpressionText, parseFile } from './syntax/parse.ts'
import { expressionsIn, headerRange, literalText } from './syntax/tree.ts'
import type { Block, Body, Expression } from './syntax/tree.ts'

interface Variable {
  readonly name: string
  readonly type: Type | undefined
  readonly validations: readonly Validation[]
  value?: Value
  /** How the server names the source of the value, and where in its text the value is. */
  from?: 'default' | 'varfile' | 'cmd'
  place?: Range
}

interface Validation {
  readonly condition: Expression
  readonly message: string
  readonly range: Range
}

/** File name in every diagnostic, for the job as for its variables. */
export const fileName = 'input.hcl'

/** `var`: defaults, overridden by the text of variable files, overridden by flags. */
export function inputVariables(
  blocks: readonly Block[],
  text: string,
  flags: Readonly<Record<string, string>>,
  diagnostics: Diagnostic[],
): ValueMap {
  const variables = new Map<string, Variable>()
  for (const block of blocks) {
    if (block.type === 'variable') declare(variables, block, diagnostics)
    if (block.type === 'variables') declareDefaults(variables, block, diagnostics)
  }
  assignText(variables, text, diagnostics)
  for (const [name, flag] of Object.entries(flags)) assignFlag(variables.get(name), name, flag, diagnostics)
  for (const variable of variables.values()) check(variable, diagnostics)
  return mapOf([...variables].map(([name, { value }]) => [name, value === undefined ? unknown : value]))
}

function declare(variables: Map<string, Variable>, block: Block, diagnostics: Diagnostic[]): void {
  const name = block.labels[0]?.text ?? ''
  if (duplicate(variables, name, undefined, diagnostics)) return
  const body = bodyOf(block.body, new Map([['validation', 0]]), diagnostics)
  for (const attribute of body.attributes.values()) {
    if (['description', 'default', 'type', 'sensitive', 'nullable'].includes(attribute.name)) continue
    const detail = `An argument named "${attribute.name}" is not expected here.`
    diagnostics.push({ summary: 'Unsupported argument', detail, range: attribute.nameRange })
  }
  const typeExpression = body.attributes.get('type')?.value
  const type = typeExpression && typeFrom(unquoted(typeExpression), diagnostics)
  const validations = body.blocks.flatMap((inner) => validation(name, inner, diagnostics))
  const variable: Variable = { name, type, validations }
  variables.set(name, variable)
  const preset = body.attributes.get('default')?.value
  if (preset !== undefined) assign(variable, preset, 'default', diagnostics)
}

function duplicate(
  variables: ReadonlyMap<string, Variable>,
  name: string,
  range: Range | undefined,
  diagnostics: Diagnostic[],
): boolean {
  if (!variables.has(name)) return false
  const detail = `Duplicate ${name} variable definition found.`
  diagnostics.push({ summary: 'Duplicate variable', detail, ...(range && { range }) })
  return true
}

/** In JSON a type is written as text: `"type": "list(string)"`. */
function unquoted(expression: Expression): Expression {
  const text = literalText(expression)
  const parsed = text === undefined ? expression : parseExpressionText({ file: fileName, text })
  return 'kind' in parsed ? parsed : expression
}

/** `variables { name = default }`. */
function declareDefaults(variables: Map<string, Variable>, block: Block, diagnostics: Diagnostic[]): void {
  for (const { name, nameRange, value } of bodyOf(block.body, new Map(), diagnostics).attributes.values()) {
    if (duplicate(variables, name, nameRange, diagnostics)) continue
    const variable: Variable = { name, type: undefined, validations: [] }
    variables.set(name, variable)
    assign(variable, value, 'default', diagnostics)
  }
}

/** `name = expression` lines or a JSON object. As on real servers, names that the job does not declare are ignored. */
function assignText(variables: ReadonlyMap<string, Variable>, text: string, diagnostics: Diagnostic[]): void {
  const parsed = parseFile({ file: fileName, text })
  if ('summary' in parsed) throw new HclDiagnostics(`unable to parse var content: ${diagnosticText(parsed)}`)
  const body = bodyOf(parsed, new Map(), diagnostics)
  for (const { type, typeRange } of body.blocks) {
    diagnostics.push({
      summary: `Unexpected "${type}" block`,
      detail: 'Blocks are not allowed here.',
      range: typeRange,
    })
  }
  for (const { name, value } of body.attributes.values()) {
    const variable = variables.get(name)
    if (variable !== undefined) assign(variable, value, 'varfile', diagnostics)
  }
}

/** A flag is text; for lists, maps and bools the text is an expression. */
function assignFlag(variable: Variable | undefined, name: string, text: string, diagnostics: Diagnostic[]): void {
  if (variable === undefined) {
    const detail = `A "${name}" variable was passed in the command line but was not found in known variables. To declare variable "${name}", place this block in your job file`
    diagnostics.push({ summary: 'Undefined -var variable', detail })
    return
  }
  const source = { file: `<value for var.${name} from arguments>`, text }
  const range = { source, start: 0, end: text.length }
  const isText = ['string', 'number'].includes(variable.type?.kind ?? 'string')
  const parsed = isText ? ({ kind: 'literal', value: text, range, at: range } as const) : parseExpressionText(source)
  if ('kind' in parsed) assign(variable, parsed, 'cmd', diagnostics)
  else diagnostics.push(parsed)
}

function assign(
  variable: Variable,
  expression: Expression,
  from: NonNullable<Variable['from']>,
  diagnostics: Diagnostic[],
): void {
  let value = evaluate(expression, undefined, diagnostics)
  try {
    value = convert(value, variable.type ?? anyType)
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    const subject = from === 'default' ? 'This default value' : `The value for ${variable.name}`
    const detail = `${subject} is not compatible with the variable's type constraint: ${error.message}.`
    const summary = `Invalid ${from === 'default' ? 'default value' : 'value'} for variable`
    diagnostics.push({ summary, detail, range: expression.range })
    value = unknown
  }
  Object.assign(variable, { value, from, place: expression.range })
}

function validation(name: string, block: Block, diagnostics: Diagnostic[]): Validation[] {
  const body = bodyOf(block.body, new Map(), diagnostics)
  const condition = required(body, 'condition', diagnostics)
  const errorMessage = required(body, 'error_message', diagnostics)
  if (condition === undefined || errorMessage === undefined) return []
  if (!refersTo(name, condition)) {
    const detail = `The condition for variable "${name}" must refer to var.${name}, and to no other variable.`
    diagnostics.push({ summary: 'Invalid variable validation condition', detail, range: condition.range })
  }
  const message = evaluate(errorMessage, undefined, diagnostics)
  if (typeof message === 'string' && /^\P{Ll}.*[.?!]$/su.test(message)) {
    return [{ condition, message, range: headerRange(block) }]
  }
  const detail = 'The error message must be a full sentence: it starts with an uppercase letter and ends with a period.'
  diagnostics.push({ summary: 'Invalid validation error message', detail, range: errorMessage.range })
  return []
}

function required(body: Body, name: string, diagnostics: Diagnostic[]): Expression | undefined {
  const found = body.attributes.get(name)?.value
  const detail = `The argument "${name}" is required, but no definition was found.`
  if (found === undefined) diagnostics.push({ summary: 'Missing required argument', detail, range: body.start })
  return found
}

/** Whether `var.name` is in the expression, and no other member of `var`. */
function refersTo(name: string, condition: Expression): boolean {
  const names = [...expressionsIn(condition)].flatMap(({ expression }) => {
    if (expression.kind !== 'index' || expression.of.kind !== 'variable' || expression.of.name !== 'var') return []
    return [literalText(expression.key)]
  })
  return names.length > 0 && names.every((other) => other === name)
}

function check(variable: Variable, diagnostics: Diagnostic[]): void {
  const { name, value } = variable
  if (value === undefined) {
    const detail = 'A used variable must be set or have a default value.'
    diagnostics.push({ summary: `Unset variable "${name}"`, detail })
    return
  }
  const scope: Scope = { variables: new Map([['var', mapOf([[name, value]])]]) }
  const evaluation = new Evaluation(scope, diagnostics)
  for (const { condition, message, range } of variable.validations) {
    const summary = 'Invalid variable validation result'
    const passes = evaluation.required(evaluation.value(condition), boolType, condition.range, summary, 'The condition')
    if (passes !== false) continue
    const detail = `${message}\n\nThis was checked by the validation rule at ${rangeText(range)}.`
    diagnostics.push({ summary: `Invalid value for ${variable.from} variable`, detail, range: variable.place ?? range })
  }
}

/** `local`: evaluated in whatever order lets each use the others. */
export function localValues(blocks: readonly Block[], input: ValueMap, diagnostics: Diagnostic[]): ValueMap {
  const pending = new Map<string, Expression>()
  for (const block of blocks.filter(({ type }) => type === 'locals')) {
    for (const { name, nameRange, value } of bodyOf(block.body, new Map(), diagnostics).attributes.values()) {
      const detail = `Duplicate ${name} definition found.`
      if (pending.has(name)) diagnostics.push({ summary: 'Duplicate value in locals', detail, range: nameRange })
      else pending.set(name, value)
    }
  }
  const values = new Map<string, Value>()
  for (let before = -1; before !== pending.size && pending.size > 0;) {
    before = pending.size
    for (const [name, expression] of pending) {
      const faults: Diagnostic[] = []
      const value = evaluate(expression, jobScope(input, values), faults)
      if (faults.length > 0) continue
      values.set(name, value)
      pending.delete(name)
    }
  }
  for (const expression of pending.values()) evaluate(expression, jobScope(input, values), diagnostics)
  return mapOf(values)
}

/** The names that a job may use. */
export function jobScope(input: ValueMap, locals: ValueMap): Scope {
  return {
    variables: new Map([
      ['var', input],
      ['local', locals],
    ]),
  }
}
