/** The text of a job file → the job in JSON. */

import type { JsonObject } from '../../core/json.ts'
import { applyDefaults } from './canonical/defaults.ts'
import { HclDiagnostics, diagnosticText, rangeText, suggestion, throwAll } from './diagnostics.ts'
import type { Diagnostic } from './diagnostics.ts'
import { bodyOf } from './schema/body.ts'
import { decodeBlock, hasLabels } from './schema/decode.ts'
import { job } from './schema/job.ts'
import type { Context } from './schema/schema.ts'
import { parseFile } from './syntax/parse.ts'
import { headerRange } from './syntax/tree.ts'
import type { Block, Body } from './syntax/tree.ts'
import { fileName, inputVariables, jobScope, localValues } from './variables.ts'

export interface ParseOptions {
  /** `name = expression` lines, or a JSON object. */
  readonly variables: string
  /** Name → text, converted to the declared type. */
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
 * server has no null. Throws {@link HclDiagnostics}.
 */
export function parseJobHcl(source: string, options: ParseOptions): JsonObject {
  const diagnostics: Diagnostic[] = []
  const blocks = topLevelBlocks(source, diagnostics)
  throwAll(diagnostics)
  const input = inputVariables(blocks, options.variables, options.variableFlags, diagnostics)
  throwAll(diagnostics)
  const locals = localValues(blocks, input, diagnostics)
  throwAll(diagnostics)
  const late: Diagnostic[] = []
  const parsed = onlyJob(blocks, { scope: jobScope(input, locals), diagnostics, late })
  throwAll(diagnostics)
  throwAll(late)
  return options.canonicalize ? applyDefaults(parsed) : parsed
}

function topLevelBlocks(text: string, diagnostics: Diagnostic[]): readonly Block[] {
  const parsed = parseFile({ file: fileName, text })
  if ('summary' in parsed) throw new HclDiagnostics(diagnosticText(parsed))
  const body = bodyOf(parsed, topLevel, diagnostics)
  reportUnexpected(body, diagnostics)
  for (const block of body.blocks) {
    const labels = topLevel.get(block.type)
    if (labels !== undefined) hasLabels(block, labels, diagnostics)
  }
  return body.blocks
}

function reportUnexpected(body: Body, diagnostics: Diagnostic[]): void {
  for (const { name, nameRange } of body.attributes.values()) {
    const hint = topLevel.has(name) ? ` Did you mean to define a block of type "${name}"?` : ''
    const detail = `An argument named "${name}" is not expected here.${hint}`
    diagnostics.push({ summary: 'Unsupported argument', detail, range: nameRange })
  }
  for (const { type, typeRange } of body.blocks.filter((block) => !topLevel.has(block.type))) {
    const detail = `Blocks of type "${type}" are not expected here.${suggestion(type, [...topLevel.keys()])}`
    diagnostics.push({ summary: 'Unsupported block type', detail, range: typeRange })
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
