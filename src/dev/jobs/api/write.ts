import { JsonSyntaxError, parseJson, withEntries, type Json, type JsonObject } from '../../../core/json.ts'
import type { DevReply, DevRequest, Dialect } from '../../http.ts'
import { answerWrite, Refusal } from './answers.ts'
import type { Launcher } from '../scheduler/launcher.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Store } from '../state/store.ts'
import type { Access } from './tokens.ts'
import { ShapeError, shaped } from '../../hcl/shape.ts'
import { job } from '../../hcl/job.ts'
import { block } from '../../hcl/schema.ts'
import { productNames, renamed } from './dialect.ts'

export interface Service {
  readonly store: Store
  readonly scheduler: Scheduler
  readonly launcher: Launcher
  readonly access: Access
}

/** A write to one job. Registering through `/v1/jobs` has an empty ID. */
export interface JobWrite extends Service {
  readonly request: DevRequest
  readonly namespace: string
  readonly id: string
}

export type WriteHandler = (write: JobWrite) => DevReply

export function bodyOf({ request }: JobWrite, name: RequestName): JsonObject {
  return decodeBody(request.body, name, request.dialect)
}

/** The answer that registering, reverting, scaling, stopping and evaluating share. */
export function registerReply(
  { request }: JobWrite,
  values: { evalId: string; evalIndex: number; jobIndex: number; index: number },
  more: Readonly<Record<string, Json | undefined>> = {},
): DevReply {
  const body: JsonObject = {
    EvalCreateIndex: values.evalIndex,
    EvalID: values.evalId,
    Index: values.index,
    JobModifyIndex: values.jobIndex,
    KnownLeader: false,
    LastContact: 0,
    NextToken: '',
  }
  return answerWrite(request, withEntries(body, more), values.index)
}

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
  'neutral scale': block({ ...scaling, text: ':Message :Error' }),
}

export type RequestName = keyof typeof requests

/**
 * Reads a request's body as real servers do: keys match in any case, unknown ones are dropped, and a wrong type is refused
 * with the path of the member. Names of the neutral dialect become the product's. Throws {@link Refusal} (400).
 */
function decodeBody(body: Buffer, name: RequestName, dialect: Dialect): JsonObject {
  if (body.length === 0) throw new Refusal(400, 'Request body is empty')
  try {
    const value = parseJson(body.toString())
    return shaped(dialect === 'neutral' ? renamed(value, productNames) : value, requests[name])
  } catch (error) {
    if (!(error instanceof ShapeError || error instanceof JsonSyntaxError)) throw error
    throw new Refusal(400, `json: ${error.message}`)
  }
}
