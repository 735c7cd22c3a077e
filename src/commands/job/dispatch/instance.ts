import type { Job } from '../../../api/job-shapes.ts'
import * as api from '../../../api/jobs.ts'
import type { Context, Io } from '../../../core/context.ts'
import { asJson, text } from '../../../core/answer.ts'
import { isForbidden, TugError, usageError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { entriesOf, keysOf } from '../../../core/json.ts'
import { flagText } from '../../../core/shell.ts'
import { plural } from '../../../core/words.ts'
import type { Facts } from '../../../write/work.ts'
import { isParameterized } from '../jobs.ts'
import { readIfAllowed, readTarget } from '../targets.ts'
import { keepVariableSecrets } from '../secrets.ts'
import type { Started, Write } from '../writes.ts'

// One instance of a parameterized job: what may be sent, and how it is started.

/** The maximum size of a payload, before base64. */
const largestPayload = 16_384

/** An instance to start. */
export interface Instance {
  /** Of several requests with the same token, only the first starts an instance. */
  readonly token: string
  readonly payload: Uint8Array | undefined
  readonly meta: JsonObject
  readonly idPrefixTemplate: string | undefined
  readonly priority?: number | undefined
  /** True for the answer of a token that has started its instance before. */
  readonly isRepeat?: (answer: Started) => boolean
  /** False to name the token in a hint if the outcome is unknown. */
  readonly hasRun?: boolean
}

/** The write that starts an instance. */
export function dispatchWrite(context: Context, job: string, instance: Instance): Write {
  const { token, payload, meta, idPrefixTemplate, priority, isRepeat, hasRun = false } = instance
  return {
    kind: 'dispatch',
    request: api.dispatch(
      { job },
      {
        query: [['IdempotencyToken', token]],
        policy: { guarded: true },
        secretBody: ['Payload', 'Meta'],
        checkCommand: context.commandLine('job list', ['--prefix', `${job}/dispatch-`]),
        body: {
          ...(payload === undefined ? {} : { Payload: Buffer.from(payload).toString('base64') }),
          ...(keysOf(meta).length === 0 ? {} : { Meta: meta }),
          ...(idPrefixTemplate === undefined ? {} : { IdPrefixTemplate: idPrefixTemplate }),
          ...(priority === undefined ? {} : { Priority: priority }),
        },
      },
    ),
    job,
    ...(hasRun
      ? {}
      : { repeatedBy: `repeat it with ${flagText(['--idempotency-token', token])}, which starts no second instance` }),
    message: (answer) => {
      const child = answer.DispatchedJobID ?? job
      return isRepeat?.(answer) === true ? wasStarted(child) : `started ${child}`
    },
  }
}

/** Reports an instance of an earlier call with the same token. */
export function wasStarted(child: string): string {
  return `${child} was already started with this token`
}

/** The instance that the token has started before: null if there is none, undefined if that cannot be read. */
export async function startedBefore(context: Context, job: string, token: string): Promise<string | null | undefined> {
  // A filter has no escapes.
  if (/["\\]/.test(token)) return undefined
  const query = [
    ['prefix', `${job}/dispatch-`],
    ['filter', `DispatchIdempotencyToken == "${token}"`],
  ] as const
  try {
    const [found] = (await context.http.send(api.list({}, { query }))).value ?? []
    if (found === undefined) return null
    // A server may ignore the filter.
    const shown = asJson(await readTarget(context, { id: found.ID }))
    return text(shown, 'DispatchIdempotencyToken') === token ? found.ID : undefined
  } catch (error) {
    if (isForbidden(error) || (error instanceof TugError && error.code === 'invalid')) return undefined
    throw error
  }
}

/** Throws a usage error for a payload that is too large; `what` begins the message. */
export function checkPayload(what: string, { length }: Uint8Array): void {
  if (length <= largestPayload) return
  throw usageError(
    `${what} has ${length.toLocaleString('en')} bytes; at most 16,384 are allowed`,
    'store it where the job can fetch it, and pass the address in meta',
  )
}

/** Keeps meta and payload off stderr, where a server's error may repeat them. */
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

/** Describes an instance without values, which may be secret: the keys of its meta and the size of its payload. */
export function describe(meta: JsonObject, payload: Uint8Array | undefined): { words: string; facts: Facts } {
  const keys = keysOf(meta)
  const words = [
    ...(keys.length === 0 ? [] : [`meta ${keys.join(', ')}`]),
    ...(payload === undefined ? [] : [`payload of ${plural(payload.length, 'byte')}`]),
  ]
  return { words: words.join(', '), facts: { meta: keys, payload_bytes: payload?.length ?? null } }
}

/** Returns a check that throws if the parent job shows that the server would refuse an instance. The parent is read once, if allowed. */
export function parentCheck(
  context: Context,
  job: string,
  earlier?: Promise<Job | undefined>,
): (content: Pick<Instance, 'meta' | 'payload'>) => Promise<void> {
  const { commandLine } = context
  let reading = earlier
  const refuse = (message: string, hint: string) => {
    throw new TugError('invalid', message, { hints: [hint] })
  }
  return async ({ meta, payload }) => {
    const parent = await (reading ??= readIfAllowed(context, { id: job }))
    if (parent === undefined) return
    const { ParameterizedJob, Stop } = parent
    if (!isParameterized(parent))
      refuse(`${job} is not a parameterized job`, 'only jobs with a parameterized block can be dispatched')
    if (Stop === true) refuse(`${job} is stopped`, `start it again: ${commandLine('job start', job)}`)
    const { MetaRequired, MetaOptional, Payload } = ParameterizedJob ?? {}
    const keys = keysOf(meta)
    const required = MetaRequired ?? []
    const missing = required.filter((key) => !keys.includes(key))
    const takes = `its parameters: ${commandLine('job get', job)}`
    if (missing.length > 0) refuse(`required meta is missing: ${missing.join(', ')}`, takes)
    const unpermitted = keys.filter((key) => !required.includes(key) && MetaOptional?.includes(key) !== true)
    if (unpermitted.length > 0) refuse(`meta is not permitted: ${unpermitted.join(', ')}`, takes)
    const isEmpty = payload === undefined || payload.length === 0
    if (Payload === 'required' && isEmpty) refuse('the job requires a payload', takes)
    if (Payload === 'forbidden' && !isEmpty) refuse('the job takes no payload', takes)
  }
}
