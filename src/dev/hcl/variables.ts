/** `variable` and `variables` blocks, and the values that a request gives to variables. */

import { bodyOf } from './body.ts'
import { HclDiagnostics, firstOf, rangeText } from './diagnostics.ts'
import type { Diagnostic, Range } from './diagnostics.ts'
import { evaluate } from './evaluate.ts'
import type { Scope } from './evaluate.ts'
import { parseExpression, parseFile } from './syntax.ts'
import { headerRange, variablesIn } from './tree.ts'
import type { Block, Expression } from './tree.ts'
import { ConversionError, anyType, boolType, convert, typeFrom } from './types.ts'
import type { Type } from './types.ts'
import { Mapping, unknown } from './values.ts'
import type { Value } from './values.ts'

interface Variable {
  readonly name: string
  readonly type: Type | undefined
  readonly validations: readonly Validation[]
  value?: Value
  /** How the server names the source of the value, and where it stands. */
  from?: string
  place?: Range
}

interface Validation {
  readonly condition: Expression
  readonly message: string
  readonly range: Range
}

/** File name in every diagnostic, for the job as for its variables (contract b.3). */
export const fileName = 'input.hcl'

const moreAbout = 'https://developer.hashicorp.com/nomad/docs/reference/hcl2/variables '

/** `var`: what variables are worth after defaults, `Variables` text and flags, each overriding what came before. */
export function inputVariables(
  blocks: readonly Block[],
  text: string,
  flags: Readonly<Record<string, string>>,
  diagnostics: Diagnostic[],
): Mapping {
  const variables = new Map<string, Variable>()
  for (const block of blocks) {
    if (block.type === 'variable') declare(variables, block, diagnostics)
    if (block.type === 'variables') declareDefaults(variables, block, diagnostics)
  }
  assignText(variables, text, diagnostics)
  assignFlags(variables, flags, diagnostics)
  for (const variable of variables.values()) check(variable, diagnostics)
  return new Mapping(
    'object',
    [...variables].map(([name, { value }]): [string, Value] => [name, value === undefined ? unknown : value]),
  )
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
  if (preset === undefined) return
  const value = evaluate(preset, undefined, diagnostics)
  try {
    assign(variable, convert(value, type ?? anyType), 'default', preset.range)
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    const detail = `This default value is not compatible with the variable's type constraint: ${error.message}.`
    diagnostics.push({ summary: 'Invalid default value for variable', detail, range: preset.range })
    assign(variable, unknown, 'default', preset.range)
  }
}

/** In JSON a type is written as text: `"type": "list(string)"`. */
function unquoted(expression: Expression): Expression {
  if (expression.kind !== 'template' || expression.parts.length !== 1) return expression
  const [part] = expression.parts
  if (part?.kind !== 'literal' || typeof part.value !== 'string') return expression
  return parseExpression({ file: fileName, text: part.value }, []) ?? expression
}

function validation(name: string, block: Block, diagnostics: Diagnostic[]): Validation[] {
  const range = headerRange(block)
  const body = bodyOf(block.body, new Map(), diagnostics)
  for (const required of ['condition', 'error_message']) {
    if (body.attributes.has(required)) continue
    const detail = `The argument "${required}" is required, but no definition was found.`
    diagnostics.push({ summary: 'Missing required argument', detail, range: body.start })
  }
  const condition = body.attributes.get('condition')?.value
  const errorMessage = body.attributes.get('error_message')?.value
  if (condition === undefined || errorMessage === undefined) return []
  const references = variablesIn(condition)
  const foreign = references.filter(({ name: root, steps: [step] }) => {
    return !(root === 'var' && step?.kind === 'attribute' && step.name === name)
  })
  for (const reference of foreign) {
    const detail = `The condition for variable "${name}" can only refer to the variable itself, using var.${name}.`
    diagnostics.push({ summary: 'Invalid reference in variable validation', detail, range: reference.range })
  }
  if (references.length === foreign.length) {
    const detail = `The condition for variable "${name}" must refer to var.${name} in order to test incoming values.`
    diagnostics.push({ summary: 'Invalid variable validation condition', detail, range: condition.range })
  }
  const message = evaluate(errorMessage, undefined, diagnostics)
  if (typeof message !== 'string' || !/^\P{Ll}.*[.?!]$/su.test(message)) {
    const detail =
      message === ''
        ? 'An empty string is not a valid nor useful error message.'
        : 'Validation error message must be at least one full sentence starting with an uppercase letter ( if the alphabet permits it ) and ending with a period or question mark.'
    diagnostics.push({ summary: 'Invalid validation error message', detail, range: errorMessage.range })
    return []
  }
  return [{ condition, message, range }]
}

function declareDefaults(variables: Map<string, Variable>, block: Block, diagnostics: Diagnostic[]): void {
  for (const { name, nameRange, value } of bodyOf(block.body, new Map(), diagnostics).attributes.values()) {
    if (duplicate(variables, name, nameRange, diagnostics)) continue
    const variable: Variable = { name, type: undefined, validations: [] }
    assign(variable, evaluate(value, undefined, diagnostics), 'default', value.range)
    variables.set(name, variable)
  }
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

/** `name = expression` lines or a JSON object; names that no block declares are ignored. (contract f) */
function assignText(variables: ReadonlyMap<string, Variable>, text: string, diagnostics: Diagnostic[]): void {
  const faults: Diagnostic[] = []
  const body = bodyOf(parseFile({ file: fileName, text }, faults), new Map(), faults)
  const [first, ...others] = faults
  if (first !== undefined) throw new HclDiagnostics(`unable to parse var content: ${firstOf([first, ...others])}`)
  for (const block of body.blocks) {
    const detail = 'Blocks are not allowed here.'
    diagnostics.push({ summary: `Unexpected "${block.type}" block`, detail, range: block.typeRange })
  }
  for (const { name, value } of body.attributes.values()) {
    const variable = variables.get(name)
    if (variable !== undefined) assignExpression(variable, value, 'varfile', diagnostics)
  }
}

/** Flags are text; for lists, maps and bools the text is an expression. */
function assignFlags(
  variables: ReadonlyMap<string, Variable>,
  flags: Readonly<Record<string, string>>,
  diagnostics: Diagnostic[],
): void {
  for (const [name, text] of Object.entries(flags)) {
    const variable = variables.get(name)
    if (variable === undefined) continue
    const source = { file: `<value for var.${name} from arguments>`, text }
    const range = { source, start: 0, end: text.length }
    const isText = variable.type === undefined || variable.type.kind === 'string' || variable.type.kind === 'number'
    const expression = isText
      ? ({ kind: 'literal', value: text, range } as const)
      : parseExpression(source, diagnostics)
    if (expression !== undefined) assignExpression(variable, expression, 'cmd', diagnostics)
  }
}

function assignExpression(variable: Variable, expression: Expression, from: string, diagnostics: Diagnostic[]): void {
  const value = evaluate(expression, undefined, diagnostics)
  try {
    assign(variable, convert(value, variable.type ?? anyType), from, expression.range)
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error
    const detail = `The value for ${variable.name} is not compatible with the variable's type constraint: ${error.message}.`
    diagnostics.push({ summary: 'Invalid value for variable', detail, range: expression.range })
    assign(variable, unknown, from, expression.range)
  }
}

function assign(variable: Variable, value: Value, from: string, place: Range): void {
  Object.assign(variable, { value, from, place })
}

function check(variable: Variable, diagnostics: Diagnostic[]): void {
  const { name, value } = variable
  if (value === undefined) {
    const detail = `A used variable must be set or have a default value; see ${moreAbout} for details.`
    diagnostics.push({ summary: `Unset variable "${name}"`, detail })
    return
  }
  const scope: Scope = { variables: new Map([['var', new Mapping('object', [[name, value]])]]) }
  for (const { condition, message, range } of variable.validations) {
    const summary = 'Invalid variable validation result'
    const result = evaluate(condition, scope, diagnostics)
    if (result === unknown) continue
    if (result === null) {
      const detail = 'Validation condition expression must return either true or false, not null.'
      diagnostics.push({ summary, detail, range: condition.range })
      continue
    }
    try {
      if (convert(result, boolType) === true) continue
      const detail = `${message}\n\nThis was checked by the validation rule at ${rangeText(range)}.`
      const subject = variable.place ?? range
      diagnostics.push({ summary: `Invalid value for ${variable.from ?? 'default'} variable`, detail, range: subject })
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error
      const detail = `Invalid validation condition result value: ${error.message}.`
      diagnostics.push({ summary, detail, range: condition.range })
    }
  }
}
