/** The text of a job file → the job in JSON. */

import type { JsonObject } from '../../core/json.ts'
import { applyDefaults } from './canonical/defaults.ts'
import { fail, rangeText, throwAll } from './diagnostics.ts'
import type { Diagnostic } from './diagnostics.ts'
import { decodeBlock } from './schema/decode.ts'
import { hasLabels, unexpected } from './schema/faults.ts'
import { job } from './schema/job.ts'
import { parseFile } from './syntax/parse.ts'
import { headerRange } from './syntax/tree.ts'
import type { Block } from './syntax/tree.ts'
import { fileName, inputVariables, localValues } from './variables.ts'

export interface ParseOptions {
  /** `name = expression` lines. */
  readonly variables: string
  /** Name → text, converted to the declared type. */
  readonly variableFlags: Readonly<Record<string, string>>
  /** Whether to fill what the file leaves unset with the server's defaults. */
  readonly canonicalize: boolean
}

/**
 * Reads a job file. Members that the file does not set are null, or empty where the server has no null.
 * Throws {@link HclError}.
 */
export function parseJobHcl(text: string, options: ParseOptions): JsonObject {
  const body = parseFile({ file: fileName, text })
  throwAll(unexpected(body, [], ['variable', 'locals', 'job']))
  for (const block of body.blocks) hasLabels(block, block.type === 'job' || block.type === 'variable' ? 1 : 0)
  const input = inputVariables(body.blocks, options.variables, options.variableFlags)
  const variables = new Map([
    ['var', input],
    ['local', localValues(body.blocks, input)],
  ])
  const diagnostics: Diagnostic[] = []
  const parsed = decodeBlock(onlyJob(body.blocks), job, { scope: { variables }, diagnostics })
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
