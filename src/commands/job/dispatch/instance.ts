import type { Job } from '../../../api/job-shapes.ts'
import * as api from '../../../api/jobs.ts'
import type { Context, Io } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { entriesOf, keysOf } from '../../../core/json.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { flagText } from '../../../core/shell.ts'
import { plural } from '../../../core/words.ts'
import type { Facts } from '../../../write/work.ts'
import { isParameterized } from '../jobs.ts'
import { keepVariableSecrets } from '../secrets.ts'
import type { Started } from '../writes.ts'
import { sendWork } from '../writes.ts'

// One instance of a parameterized job: what may be sent, and how it is started.

/** The maximum size of a payload, before base64. */
const largestPayload = 16_384

/** What one instance is started with. */
export interface Instance {
  /** Of several requests with the same token, only the first starts an instance. */
  readonly token: string
  readonly payload: Uint8Array | undefined
  readonly meta: JsonObject
  readonly idPrefixTemplate: string | undefined
  readonly priority?: number | undefined
  /** True if the server may know the token from an earlier call. */
  readonly repeated?: boolean
  /** Without it, a hint names the token where the outcome is unknown. */
  readonly hasRun?: boolean
}

/** Starts an instance. */
export async function sendDispatch(context: Context, job: string, instance: Instance) {
  const { token, payload, repeated = false, hasRun = false } = instance
  const base64 = payload === undefined ? undefined : Buffer.from(payload).toString('base64')
  return sendWork(context, {
    kind: 'dispatch',
    request: dispatchRequest(context, job, instance, base64),
    jobId: ({ DispatchedJobID }) => DispatchedJobID ?? job,
    ...(hasRun
      ? {}
      : { repeatedBy: `repeat it with ${flagText(['--idempotency-token', token])}: that starts no second instance` }),
    message: ({ DispatchedJobID, EvalID }) => {
      const child = DispatchedJobID ?? job
      return repeated && !EvalID ? `${child} was already started with this token` : `started ${child}`
    },
  })
}

function dispatchRequest(
  { commandLine }: Context,
  job: string,
  { token, meta, idPrefixTemplate, priority }: Instance,
  payload: string | undefined,
): HttpRequest<Started> {
  return api.dispatch(
    { job },
    {
      query: [['IdempotencyToken', token]],
      policy: { guarded: true },
      secretBody: ['Payload', 'Meta'],
      checkCommand: commandLine('job list', ['--prefix', `${job}/dispatch-`]),
      body: {
        ...(payload === undefined ? {} : { Payload: payload }),
        ...(keysOf(meta).length === 0 ? {} : { Meta: meta }),
        ...(idPrefixTemplate === undefined ? {} : { IdPrefixTemplate: idPrefixTemplate }),
        ...(priority === undefined ? {} : { Priority: priority }),
      },
    },
  )
}

/** Throws a usage error for a payload that is too large; `what` begins the message. */
export function checkPayload(what: string, { length }: Uint8Array): void {
  if (length <= largestPayload) return
  throw usageError(
    `${what} has ${length.toLocaleString('en')} bytes; at most 16,384 are allowed`,
    'store it where the job can fetch it, and pass the address in meta',
  )
}

/** Keeps what a server may repeat of an instance off stderr. */
export function keepContent(io: Io, meta: JsonObject, payload: Uint8Array | undefined): void {
  keepVariableSecrets(
    io,
    entriesOf(meta).map(([key, value]) => [key, String(value)] as const),
  )
  if (payload === undefined) return
  const bytes = Buffer.from(payload)
  // Nothing prints it, so a log needs no mask.
  for (const encoding of ['base64', 'utf8'] as const) io.secret(bytes.toString(encoding).trim(), { mask: false })
}

type Content = Pick<Instance, 'meta' | 'payload'>

/** What a row shows of an instance: the names of its meta and the size of its payload, whose values may be secret. */
export function describe(meta: JsonObject, payload: Uint8Array | undefined): { words: string; facts: Facts } {
  const keys = keysOf(meta)
  const words = [
    ...(keys.length === 0 ? [] : [`meta ${keys.join(', ')}`]),
    ...(payload === undefined ? [] : [`payload of ${plural(payload.length, 'byte')}`]),
  ]
  return { words: words.join(', '), facts: { meta: keys, payload_bytes: payload?.length ?? null } }
}

/**
 * Throws if the server would refuse an instance, as far as its parent shows. The parent is read once; where that is not
 * allowed nothing is refused.
 */
export function parentCheck(context: Context, job: string): (content: Content) => Promise<void> {
  let reading: Promise<Job | undefined> | undefined
  const read = async () => {
    try {
      return (await context.http.send(api.read({ job }))).value
    } catch (error) {
      if (error instanceof TugError && error.code === 'not_allowed') return undefined
      throw error
    }
  }
  return async (content) => {
    const parent = await (reading ??= read())
    if (parent !== undefined) checkContent(context, job, { parent, content })
  }
}

function checkContent(
  { commandLine }: Context,
  job: string,
  { parent, content }: { readonly parent: Job; readonly content: Content },
): void {
  const { meta, payload } = content
  const refuse = (message: string, hint: string) => {
    throw new TugError('invalid', message, { hints: [hint] })
  }
  const { ParameterizedJob, Stop } = parent
  if (!isParameterized(parent))
    refuse(`${job} is not a parameterized job`, 'only jobs with a parameterized block can be dispatched')
  if (Stop === true) refuse(`${job} is stopped`, `start it again: ${commandLine('job start', job)}`)
  const { MetaRequired, MetaOptional, Payload } = ParameterizedJob ?? {}
  const keys = keysOf(meta)
  const required = MetaRequired ?? []
  const missing = required.filter((key) => !keys.includes(key))
  const takes = `what it takes: ${commandLine('job get', job)}`
  if (missing.length > 0) refuse(`required meta is missing: ${missing.join(', ')}`, takes)
  const unpermitted = keys.filter((key) => !required.includes(key) && MetaOptional?.includes(key) !== true)
  if (unpermitted.length > 0) refuse(`meta is not permitted: ${unpermitted.join(', ')}`, takes)
  const isEmpty = payload === undefined || payload.length === 0
  if (Payload === 'required' && isEmpty) refuse('the job requires a payload', takes)
  if (Payload === 'forbidden' && !isEmpty) refuse('the job takes no payload', takes)
}
