import { parseJson, type Json, type JsonObject } from '../../../core/json.ts'
import { ShapeError, shaped } from '../../hcl/canonical/shape.ts'
import { job } from '../../hcl/schema/job.ts'
import { block } from '../../hcl/schema/schema.ts'
import type { Dialect } from '../../http.ts'
import { productWords } from './dialect.ts'
import { Refusal } from './refusal.ts'

const scaling = {
  'integer?': ':Count',
  'any block': ':Target :Meta',
  text: ':Message',
  'bool?': ':PolicyOverride',
  'unsigned?': ':JobModifyIndex',
} as const

const requests = {
  register: block({
    one: {
      ':Job': job,
      ':Submission': block({ text: ':Source :Format :Variables', 'any block': ':VariableFlags' }),
    },
    'bool?': ':EnforceIndex :PolicyOverride :PreserveCounts :PreserveResources',
    'unsigned?': ':JobModifyIndex',
    'integer?': ':EvalPriority',
    'text?': ':Namespace :Region',
  }),
  plan: block({ one: { ':Job': job }, 'bool?': ':Diff :PolicyOverride', 'text?': ':Namespace :Region' }),
  parse: block({ text: ':JobHCL :Variables', 'bool?': ':Canonicalize :HCLv1', 'any block': ':VariableFlags' }),
  dispatch: block({
    text: ':JobID :Payload :IdPrefixTemplate :IdempotencyToken',
    'any block': ':Meta',
    'integer?': ':Priority',
  }),
  revert: block({ text: ':JobID', 'unsigned?': ':JobVersion :EnforcePriorVersion' }),
  stability: block({ text: ':JobID', 'unsigned?': ':JobVersion', 'bool?': ':Stable' }),
  evaluate: block({ text: ':JobID', one: { ':EvalOptions': block({ 'bool?': ':ForceReschedule' }) } }),
  scale: block({ ...scaling, bool: ':Error' }),
  /** In the neutral dialect the error is a text. */
  'neutral scale': block({ ...scaling, 'any?': ':Error' }),
}

export type RequestName = keyof typeof requests

/**
 * Reads a request's body as real servers do: keys match in any case, unknown ones are dropped, and a wrong type is refused
 * with the path of the member. Names of the neutral dialect become the product's. Throws {@link Refusal} (400).
 */
export function decodeBody(body: Buffer, name: RequestName, dialect: Dialect): JsonObject {
  if (body.length === 0) throw new Refusal(400, 'Request body is empty')
  const value = parsed(body.toString())
  try {
    return shaped(dialect === 'neutral' ? productWords(value) : value, requests[name])
  } catch (error) {
    throw error instanceof ShapeError ? new Refusal(400, `json: ${error.message}`) : error
  }
}

function parsed(source: string): Json {
  try {
    return parseJson(source)
  } catch (error) {
    throw new Refusal(400, `the request body is not JSON: ${(error as Error).message}`)
  }
}
