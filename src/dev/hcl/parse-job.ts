import type { JsonObject } from '../../core/json.ts'
import { applyDefaults } from './canonical/canonicalize.ts'
import { fail, HclError, rangeText, throwAll, type Diagnostic } from './diagnostics.ts'
import { decodeBlock, hasLabels, unexpected } from './schema/decode.ts'
import { job } from './schema/job.ts'
import { parseFile } from './syntax/parse.ts'
import { headerRange, type Block, type Body, type Expression } from './syntax/tree.ts'
import { evaluate, placed, convert, typeFrom, type Type, type Value, type ValueMap } from './evaluation/evaluate.ts'

/** The text of a job file → the job in JSON. */

export interface ParseOptions {
  /** `name = expression` lines. */
  readonly variables: string
  /** Name → text, converted to the declared type. */
  readonly variableFlags: Readonly<Record<string, string>>
  /** Whether to fill what the file leaves unset with the server's defaults. */
  readonly canonicalize: boolean
  /** Read it as HCL 1, which has no variables, functions or interpolation. */
  readonly legacy?: boolean
}

/**
 * Reads a job file. Members that the file does not set are null, or empty where the server has no null.
 * Throws {@link HclError}.
 */
export function parseJobHcl(text: string, options: ParseOptions): JsonObject {
  const legacy = options.legacy === true
  const body = parseFile({ file: fileName, text, legacy })
  throwAll(unexpected(body, [], legacy ? ['job'] : ['variable', 'locals', 'job'], legacy ? [] : ['variables']))
  for (const block of body.blocks) hasLabels(block, block.type === 'job' || block.type === 'variable' ? 1 : 0)
  const input = inputVariables(body.blocks, options.variables, options.variableFlags)
  const variables = new Map([
    ['var', input],
    ['local', localValues(body.blocks, input)],
  ])
  const diagnostics: Diagnostic[] = []
  const scope = legacy ? undefined : { variables }
  const parsed = decodeBlock(onlyJob(body.blocks), job, { scope, diagnostics })
  throwAll(diagnostics)
  return options.canonicalize ? applyDefaults(parsed) : parsed
}

function onlyJob(blocks: readonly Block[]): Block {
  const [first, other] = blocks.filter(({ type }) => type === 'job')
  if (first === undefined) return fail('Missing job block', 'A job block is required')
  if (other === undefined) return first
  const detail = `Only one block of type "job" is allowed. Previous definition was at ${rangeText(headerRange(first))}.`
  return fail('Duplicate job block', detail, headerRange(other))
}

interface Variable {
  readonly name: string
  readonly type: Type
  value?: Value
}

const anyType: Type = { kind: 'any' }

/** File name in every diagnostic, for the job as for its variables. */
const fileName = 'input.hcl'

/** `var`: defaults, overridden by the text of variable files, overridden by flags. Throws {@link HclError}. */
function inputVariables(blocks: readonly Block[], text: string, flags: Readonly<Record<string, string>>): ValueMap {
  const declared = blocks.filter(({ type }) => type === 'variable').map(declaration)
  const variables = new Map(declared.map((variable) => [variable.name, variable]))
  const again = declared.find((variable) => variables.get(variable.name) !== variable)
  if (again !== undefined) fail('Duplicate variable', `Duplicate ${again.name} variable definition found.`)
  assignText(variables, text)
  for (const [name, flag] of Object.entries(flags)) assignFlag(variables.get(name), name, flag)
  const unset: Diagnostic[] = []
  for (const { name, value } of declared) {
    const detail = 'A used variable must be set or have a default value.'
    if (value === undefined) unset.push({ summary: `Unset variable "${name}"`, detail })
  }
  throwAll(unset)
  return new Map(declared.map(({ name, value = null }) => [name, value]))
}

/** A `variable` block. Its validation rules are not checked. */
function declaration({ labels, body }: Block): Variable {
  const name = labels[0]?.text ?? ''
  throwAll(unexpected(body, ['description', 'default', 'type', 'sensitive', 'nullable'], ['validation']))
  const type = body.attributes.get('type')?.value
  const variable = { name, type: type === undefined ? anyType : typeFrom(type) }
  const preset = body.attributes.get('default')?.value
  return preset === undefined ? variable : { ...variable, value: assigned(variable, preset, true) }
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
    if (variable !== undefined) variable.value = assigned(variable, value)
  }
}

function parseVariables(text: string): Body {
  try {
    return parseFile({ file: fileName, text })
  } catch (error) {
    throw error instanceof HclError ? new HclError(error.diagnostics, 'unable to parse var content: ') : error
  }
}

function assignFlag(variable: Variable | undefined, name: string, text: string): void {
  if (variable === undefined) {
    const detail = `A "${name}" variable was passed in the command line but was not found in known variables. To declare variable "${name}", place this block in your job file`
    return fail('Undefined -var variable', detail)
  }
  const source = { file: `<value for var.${name} from arguments>`, text }
  const range = { source, start: 0, end: text.length }
  // As on the command line of the scheduler's own tool, the declared type decides how a value is read.
  const { type, value: preset } = variable
  const isText =
    (type === anyType && (preset ?? '') !== Object(preset)) || ['string', 'number', 'bool'].includes(type.kind)
  const typed = isText ? undefined : parseFile({ ...source, text: `${name} = ${text}` }).attributes.get(name)
  variable.value = assigned(variable, typed?.value ?? { kind: 'literal', value: text, range })
}

function assigned({ name, type }: Variable, expression: Expression, isDefault = false): Value {
  const subject = isDefault ? 'This default value' : `The value for ${name}`
  const summary = `Invalid ${isDefault ? 'default value' : 'value'} for variable`
  const mismatch = `${subject} is not compatible with the variable's type constraint: `
  return placed(expression.range, summary, mismatch, () => convert(evaluate(expression, undefined), type))
}

/** `local`: each may use those before it. Throws {@link HclError}. */
function localValues(blocks: readonly Block[], input: ValueMap): ValueMap {
  const values = new Map<string, Value>()
  const variables = new Map([
    ['var', input],
    ['local', values],
  ])
  for (const { body } of blocks.filter(({ type }) => type === 'locals')) {
    for (const { name, value } of argumentsOf(body).values()) values.set(name, evaluate(value, { variables }))
  }
  return values
}
