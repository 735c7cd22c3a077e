/** The text of a job file → the job in JSON. */

import type { JsonObject } from '../../core/json.ts'
import { applyDefaults } from './canonicalize.ts'
import { Decoder, hasLabels } from './decode.ts'
import { convert, evaluate, typeFrom, type Type, type Value, type ValueMap } from './evaluate.ts'
import { job } from './job.ts'
import { diagnostic, fail, HclError, parseFile, placeOf, type Block, type Body, type Expression } from './syntax.ts'

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
  try {
    return parse(text, options)
  } catch (error) {
    if (error instanceof RangeError) fail('Nested too deeply', 'The file is nested too deeply.')
    throw error
  }
}

function parse(text: string, { legacy = false, ...options }: ParseOptions): JsonObject {
  const body = parseFile({ text, legacy })
  const { blocks } = body
  refuseUnexpected(body, [], legacy ? ['job'] : ['variable', 'locals', 'job'], legacy ? [] : ['variables'])
  for (const block of blocks) hasLabels(block, block.type === 'job' || block.type === 'variable' ? 1 : 0)
  const input = inputVariables(blocks, options.variables, options.variableFlags)
  // Each local value may use those before it.
  const locals = new Map<string, Value>()
  const scope = new Map<string, Value>([
    ['var', input],
    ['local', locals],
  ])
  for (const { body: inner } of blocks.filter(({ type }) => type === 'locals')) {
    for (const { name, value } of argumentsOf(inner)) locals.set(name, evaluate(value, scope))
  }
  const [first, other] = blocks.filter(({ type }) => type === 'job')
  if (first === undefined) return fail('Missing job block', 'A job block is required')
  if (other !== undefined) {
    const detail = `Only one block of type "job" is allowed. Previous definition was at ${placeOf(first.range)}.`
    fail('Duplicate job block', detail, other.range)
  }
  const decoder = new Decoder(legacy ? undefined : scope)
  const parsed = decoder.block(first, job)
  decoder.finish()
  return options.canonicalize ? applyDefaults(parsed) : parsed
}

function refuseUnexpected(...expected: Parameters<Decoder['refuseUnexpected']>): void {
  const decoder = new Decoder(undefined)
  decoder.refuseUnexpected(...expected)
  decoder.finish()
}

/** The arguments of a body that may have any, but no blocks. */
function argumentsOf(body: Body) {
  refuseUnexpected(body, [...body.attributes.keys()])
  return body.attributes.values()
}

interface Variable {
  readonly name: string
  readonly type: Type
  readonly isTyped: boolean
  value?: Value
}

/** `var`: defaults, overridden by the text of variable files, overridden by flags. */
function inputVariables(blocks: readonly Block[], text: string, flags: Readonly<Record<string, string>>): ValueMap {
  const declared = blocks.filter(({ type }) => type === 'variable').map(declaration)
  const variables = new Map(declared.map((variable) => [variable.name, variable]))
  const again = declared.find((variable) => variables.get(variable.name) !== variable)
  if (again !== undefined) fail('Duplicate variable', `Duplicate ${again.name} variable definition found.`)
  // As on real servers, names that the job does not declare are ignored.
  for (const { name, value } of argumentsOf(parseVariables(text))) {
    const variable = variables.get(name)
    if (variable !== undefined) variable.value = assigned(variable, value)
  }
  for (const [name, flag] of Object.entries(flags)) assignFlag(variables.get(name), name, flag)
  const unset = declared.filter(({ value }) => value === undefined)
  const detail = 'A used variable must be set or have a default value.'
  if (unset.length > 0) {
    throw new HclError(unset.map(({ name }) => diagnostic(`Unset variable "${name}"`, detail)).join('\n'))
  }
  return new Map(declared.map(({ name, value = null }) => [name, value]))
}

/** A `variable` block. Its validation rules are not checked. */
function declaration({ labels: [name = ''], body }: Block): Variable {
  refuseUnexpected(body, ['description', 'default', 'type', 'sensitive', 'nullable'], ['validation'])
  const type = body.attributes.get('type')?.value
  const preset = body.attributes.get('default')?.value
  const variable = {
    name,
    type: type === undefined ? { kind: 'any' as const } : typeFrom(type),
    isTyped: type !== undefined,
  }
  return preset === undefined ? variable : { ...variable, value: assigned(variable, preset, true) }
}

function parseVariables(text: string): Body {
  try {
    return parseFile({ text })
  } catch (error) {
    throw error instanceof HclError ? new HclError(`unable to parse var content: ${error.message}`) : error
  }
}

function assignFlag(variable: Variable | undefined, name: string, text: string): void {
  if (variable === undefined) {
    return fail('Undefined -var variable', `The job file declares no variable "${name}".`)
  }
  // As on the command line of the scheduler's own tool, the declared type decides how a value is read.
  const { type, isTyped, value: preset } = variable
  const isText = isTyped ? ['string', 'number', 'bool'].includes(type.kind) : (preset ?? '') !== Object(preset)
  const range = { source: { text }, start: 0, end: text.length }
  const typed = isText ? undefined : parseFile({ text: `${name} = ${text}` }).attributes.get(name)?.value
  variable.value = assigned(variable, typed ?? { kind: 'literal', value: text, range })
}

function assigned({ name, type }: Variable, expression: Expression, isDefault = false): Value {
  const subject = isDefault ? 'This default value' : `The value for ${name}`
  return convert(evaluate(expression, undefined), type, (detail) =>
    fail(
      `Invalid ${isDefault ? 'default value' : 'value'} for variable`,
      `${subject} is not compatible with the variable's type constraint: ${detail}.`,
      expression.range,
    ),
  )
}
