/** The text of a job file → the job in JSON. */

import type { JsonObject } from '../../core/json.ts'
import { bodyOf } from './body.ts'
import { applyDefaults } from './canonicalize.ts'
import { decodeBlock, labelled } from './decode.ts'
import { HclDiagnostics, firstOf, rangeText, similarName, throwAll } from './diagnostics.ts'
import type { Diagnostic } from './diagnostics.ts'
import { job } from './job.ts'
import { jobScope, localValues } from './locals.ts'
import type { Context } from './schema.ts'
import { parseFile } from './syntax.ts'
import { headerRange } from './tree.ts'
import type { Block, Body } from './tree.ts'
import { fileName, inputVariables } from './variables.ts'

export interface ParseOptions {
  /** `name = expression` lines, or a JSON object. */
  readonly variables: string
  /** Name → text, coerced by the declared type. */
  readonly variableFlags: Readonly<Record<string, string>>
  /** Whether to fill what the file leaves unset with the server's defaults. */
  readonly canonicalize: boolean
}

const topLevel = new Map([
  ['variables', 0],
  ['variable', 1],
  ['locals', 0],
  ['job', 1],
])

/**
 * Reads a job file in HCL, or in the JSON form of HCL. Members that the file does not set are null, or empty where the
 * server has no null. Throws {@link HclDiagnostics} worded as the server words them. (contract b.3)
 */
export function parseJobHcl(source: string, options: ParseOptions): JsonObject {
  const blocks = topLevelBlocks(source)
  const diagnostics: Diagnostic[] = []
  const input = inputVariables(blocks, options.variables, options.variableFlags, diagnostics)
  throwAll(diagnostics)
  const locals = localValues(blocks, input, diagnostics)
  throwAll(diagnostics)
  const late: Diagnostic[] = []
  const parsed = onlyJob(blocks, { scope: jobScope(input, locals), diagnostics, late })
  throwAll(diagnostics)
  throwFirst(late)
  return options.canonicalize ? applyDefaults(parsed) : parsed
}

function topLevelBlocks(source: string): readonly Block[] {
  const faults: Diagnostic[] = []
  const raw = parseFile({ file: fileName, text: source }, faults)
  throwFirst(faults)
  const diagnostics: Diagnostic[] = []
  const body = bodyOf(raw, topLevel, diagnostics)
  reportUnexpected(body, diagnostics)
  const known = body.blocks.filter((block) => topLevel.has(block.type))
  for (const block of known) labelled(block, { labels: topLevel.get(block.type) as number }, { diagnostics })
  throwAll(diagnostics)
  return known
}

function reportUnexpected(body: Body, diagnostics: Diagnostic[]): void {
  for (const { name, nameRange } of body.attributes.values()) {
    const hint = topLevel.has(name) ? ` Did you mean to define a block of type "${name}"?` : ''
    const detail = `An argument named "${name}" is not expected here.${hint}`
    diagnostics.push({ summary: 'Unsupported argument', detail, range: nameRange })
  }
  for (const block of body.blocks.filter(({ type }) => !topLevel.has(type))) {
    const similar = similarName(block.type, [...topLevel.keys()])
    const hint = similar === undefined ? '' : ` Did you mean "${similar}"?`
    const detail = `Blocks of type "${block.type}" are not expected here.${hint}`
    diagnostics.push({ summary: 'Unsupported block type', detail, range: block.typeRange })
  }
}

function onlyJob(blocks: readonly Block[], context: Context): JsonObject {
  const [first, ...others] = blocks.filter(({ type }) => type === 'job')
  if (first === undefined) {
    context.diagnostics.push({ summary: 'Missing job block', detail: 'A job block is required' })
    return {}
  }
  const parsed = decodeBlock(first, job, context)
  for (const block of others) {
    const detail = `Only one block of type "job" is allowed. Previous definition was at ${rangeText(headerRange(first))}.`
    context.diagnostics.push({ summary: 'Duplicate job block', detail, range: headerRange(block) })
  }
  return parsed
}

function throwFirst([first, ...others]: readonly Diagnostic[]): void {
  if (first !== undefined) throw new HclDiagnostics(firstOf([first, ...others]))
}
