/** `variable`, `variables` and `locals` blocks, and the values that a request gives to variables. */

import { HclError, collect, fail, rangeText, throwAll } from './diagnostics.ts'
import type { Diagnostic, Range } from './diagnostics.ts'
import { evaluate, evaluateAs, placed } from './evaluation/evaluate.ts'
import type { Scope } from './evaluation/evaluate.ts'
import { convert, typeFrom } from './evaluation/types.ts'
import type { Type } from './evaluation/types.ts'
import { mapOf } from './evaluation/values.ts'
import type { Value, ValueMap } from './evaluation/values.ts'
import { required, unexpected } from './schema/faults.ts'
import { parseExpressionText, parseFile } from './syntax/parse.ts'
import { headerRange } from './syntax/tree.ts'
import type { Block, Body, Expression } from './syntax/tree.ts'

interface Variable {
  readonly name: string
  readonly type: Type
  readonly rules: readonly Rule[]
  given?: Given
}

/** A value, how the server names its source, and where in that it is. */
interface Given {
  readonly value: Value
  readonly from: 'default' | 'varfile' | 'cmd'
  readonly place: Range
}

interface Rule {
  readonly condition: Expression
  readonly message: string
  readonly range: Range
}

const anyType: Type = { kind: 'any' }

/** File name in every diagnostic, for the job as for its variables. */
export const fileName = 'input.hcl'

/** `var`: defaults, overridden by the text of variable files, overridden by flags. Throws {@link HclError}. */
export function inputVariables(
  blocks: readonly Block[],
  text: string,
  flags: Readonly<Record<string, string>>,
): ValueMap {
  const declared = blocks.flatMap((block) => {
    if (block.type === 'variable') return [declaration(block)]
    return block.type === 'variables' ? [...argumentsOf(block.body).values()].map(untyped) : []
  })
  const variables = new Map(declared.map((variable) => [variable.name, variable]))
  const again = declared.find((variable) => variables.get(variable.name) !== variable)
  if (again !== undefined) fail('Duplicate variable', `Duplicate ${again.name} variable definition found.`)
  assignText(variables, text)
  for (const [name, flag] of Object.entries(flags)) assignFlag(variables.get(name), name, flag)
  const unset: Diagnostic[] = []
  const values = declared.map(({ name, given }): [string, Value] => [
    name,
    collect(unset, () => given ?? fail(`Unset variable "${name}"`, unsetDetail))?.value ?? null,
  ])
  throwAll(unset)
  for (const variable of declared) check(variable)
  return mapOf(values)
}

const unsetDetail = 'A used variable must be set or have a default value.'

function declaration({ labels, body }: Block): Variable {
  const name = labels[0]?.text ?? ''
  throwAll(unexpected(body, ['description', 'default', 'type', 'sensitive', 'nullable'], ['validation']))
  const type = body.attributes.get('type')?.value
  const rules = body.blocks.map(ruleFrom)
  const variable = { name, type: type === undefined ? anyType : typeFrom(type), rules }
  const preset = body.attributes.get('default')?.value
  return preset === undefined ? variable : { ...variable, given: assigned(variable, preset, 'default') }
}

/** A line of `variables { name = default }`. */
function untyped({ name, value }: { readonly name: string; readonly value: Expression }): Variable {
  const variable = { name, type: anyType, rules: [] }
  return { ...variable, given: assigned(variable, value, 'default') }
}

function argumentsOf(body: Body): Body['attributes'] {
  throwAll(unexpected(body, [...body.attributes.keys()]))
  return body.attributes
}

/** `name = expression` lines. As on real servers, names that the job does not declare are ignored. */
function assignText(variables: ReadonlyMap<string, Variable>, text: string): void {
  const body = parseVariables(text)
  for (const { name, value } of argumentsOf(body).values()) {
    const variable = variables.get(name)
    if (variable !== undefined) variable.given = assigned(variable, value, 'varfile')
  }
}

function parseVariables(text: string): Body {
  try {
    return parseFile({ file: fileName, text })
  } catch (error) {
    throw error instanceof HclError ? new HclError(error.diagnostics, 'unable to parse var content: ') : error
  }
}

/** A flag is text; for lists, maps and bools the text is an expression. */
function assignFlag(variable: Variable | undefined, name: string, text: string): void {
  if (variable === undefined) {
    const detail = `A "${name}" variable was passed in the command line but was not found in known variables. To declare variable "${name}", place this block in your job file`
    return fail('Undefined -var variable', detail)
  }
  const source = { file: `<value for var.${name} from arguments>`, text }
  const isText = ['any', 'string', 'number'].includes(variable.type.kind)
  const literal = { kind: 'literal', value: text, range: { source, start: 0, end: text.length } } as const
  variable.given = assigned(variable, isText ? literal : parseExpressionText(source), 'cmd')
}

function assigned({ name, type }: Pick<Variable, 'name' | 'type'>, expression: Expression, from: Given['from']): Given {
  const subject = from === 'default' ? 'This default value' : `The value for ${name}`
  const summary = `Invalid ${from === 'default' ? 'default value' : 'value'} for variable`
  const mismatch = `${subject} is not compatible with the variable's type constraint: `
  const value = placed(expression.range, summary, mismatch, () => convert(evaluate(expression, undefined), type))
  return { value, from, place: expression.range }
}

function ruleFrom({ body, ...block }: Block): Rule {
  return {
    condition: required(body, 'condition'),
    message: evaluateAs('string', required(body, 'error_message'), undefined, 'Invalid validation error message'),
    range: headerRange({ body, ...block }),
  }
}

function check({ name, rules, given }: Variable): void {
  if (given === undefined) return
  const scope: Scope = { variables: new Map([['var', mapOf([[name, given.value]])]]) }
  for (const { condition, message, range } of rules) {
    if (evaluateAs('bool', condition, scope, 'Invalid variable validation result')) continue
    const detail = `${message}\n\nThis was checked by the validation rule at ${rangeText(range)}.`
    fail(`Invalid value for ${given.from} variable`, detail, given.place)
  }
}

/** `local`: evaluated in whatever order lets each use the others. Throws {@link HclError}. */
export function localValues(blocks: readonly Block[], input: ValueMap): ValueMap {
  const pending = new Map<string, Expression>()
  for (const { body } of blocks.filter(({ type }) => type === 'locals')) {
    for (const { name, nameRange, value } of argumentsOf(body).values()) {
      if (pending.has(name)) fail('Duplicate value in locals', `Duplicate ${name} definition found.`, nameRange)
      pending.set(name, value)
    }
  }
  const values = new Map<string, Value>()
  while (pending.size > 0) {
    const before = pending.size
    const failures: Diagnostic[] = []
    for (const [name, expression] of pending) {
      const variables = new Map([
        ['var', input],
        ['local', mapOf(values)],
      ])
      const value = collect(failures, () => evaluate(expression, { variables }))
      if (value === undefined) continue
      values.set(name, value)
      pending.delete(name)
    }
    if (pending.size === before) throwAll(failures)
  }
  return mapOf(values)
}
