import * as api from '../../api/jobs.ts'
import { bulkFlags } from '../../bulk/flags.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { JsonObject } from '../../core/json.ts'
import { keysOf } from '../../core/json.ts'
import type { HttpRequest } from '../../core/request.ts'
import { shellQuote } from '../../core/shell.ts'
import { argument, flag, needing, readFilled } from '../../core/param.ts'
import { planFlag, planManyFlags } from './many.ts'
import { largePayload } from './messages.ts'
import { jobArgument } from './reads.ts'
import { keepVariableSecrets } from './secrets.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import type { Started } from './writes.ts'
import { metaOf, readMeta, startWork } from './writes.ts'

/** The maximum size of a payload, before base64. */
export const largestPayload = 16_384

export const dispatch = command({
  name: 'dispatch',
  summary: 'Start an instance of a parameterized job',
  description:
    'Each call sends an idempotency token, so a retry never starts a second instance. Pass your own token to get the same across several runs. With --from each row has a token of its own; a journal remembers the rows that are done, so that --resume starts none of them twice.',
  params: {
    job: jobArgument,
    payload: argument.text('file with the payload, at most 16,384 bytes (-: standard input)', {
      placeholder: 'payload-file',
      complete: 'file',
    }),
    meta: flag.each('meta for this instance', readMeta, { placeholder: 'key=value' }),
    priority: flag.integer('priority of this instance, 1 to 100; servers of the specification ignore it', {
      min: 1,
      max: 100,
    }),
    idPrefixTemplate: flag.text('prefix for the ID of the instance', { placeholder: 'text' }),
    idempotencyToken: flag.of('start only one instance per token', readFilled, { placeholder: 'token' }),
    from: flag.text(
      'start an instance for each row: NDJSON ({"meta": {…}, "payload": …}), or CSV with columns meta.<key> and payload',
      {
        placeholder: 'rows.ndjson|csv',
        complete: 'file',
        excludes: ['payload'],
      },
    ),
    ...waitParams,
    ...needing(
      {
        ...planManyFlags,
        plan: planFlag('with --from, show which instances would be started, and start none'),
        ...bulkFlags,
      },
      'from',
    ),
  },
  endpoint: api.dispatch,
  also: [...waitEndpoints, api.summary],
  examples: [
    { line: 'job dispatch nightly rows.ndjson --meta source=orders --wait', note: 'follow it to its end' },
    {
      line: 'job dispatch nightly --meta source=orders --idempotency-token 2026-11-20',
      note: 'once a day, however often it runs',
    },
    {
      line: 'job dispatch nightly rows.gz --meta source=orders --id-prefix-template import',
      note: 'a payload may be any bytes',
    },
    {
      line: 'job dispatch nightly --from orders.csv --parallel 10 --journal done.ndjson',
      note: 'an instance for each row, ten at a time',
    },
  ],
  run: async (input, context) => {
    const { job, idPrefixTemplate, idempotencyToken, priority } = input
    const meta = metaOf(input.meta)
    const { from } = input
    if (from !== undefined) {
      const { dispatchMany } = await import('./dispatch-many.ts')
      return dispatchMany(context, { ...input, from })
    }
    const bytes = input.payload === undefined ? undefined : await readPayload(context, input.payload)
    keepVariableSecrets(context.io, input.meta)
    // A server may echo it; nothing prints it, so a log needs no mask.
    const payload = bytes === undefined ? undefined : Buffer.from(bytes).toString('base64')
    if (payload !== undefined) context.io.secret(payload, { mask: false })
    const token = idempotencyToken ?? (await import('node:crypto')).randomUUID()
    return startWork(context, input, {
      kind: 'dispatch',
      request: dispatchRequest(context, job, { token, payload, meta, idPrefixTemplate, priority }),
      jobId: ({ DispatchedJobID }) => DispatchedJobID ?? job,
      repeatedBy: `repeat it with --idempotency-token ${shellQuote(token)}: that starts no second instance`,
      message: ({ DispatchedJobID, EvalID }) => {
        const child = DispatchedJobID ?? job
        // For a known token the answer is the earlier instance, without an evaluation. Our own token can be known only from a retry.
        const isRepeat = idempotencyToken !== undefined && !EvalID
        return isRepeat ? `${child} was already started with this token` : `started ${child}`
      },
    })
  },
})

/** What one instance is started with. */
interface Instance {
  /** Of several requests with the same token, only the first starts an instance. */
  readonly token: string
  /** In base64. */
  readonly payload: string | undefined
  readonly meta: JsonObject
  readonly idPrefixTemplate: string | undefined
  readonly priority?: number | undefined
}

/** The request that starts an instance of a job. */
export function dispatchRequest(
  { commandLine }: Context,
  job: string,
  { token, payload, meta, idPrefixTemplate, priority }: Instance,
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

async function readPayload({ io }: Context, file: string): Promise<Uint8Array> {
  const bytes = await io.readFile(file)
  if (bytes.length > largestPayload) throw largePayload('the payload', bytes.length)
  return bytes
}
