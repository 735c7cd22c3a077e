import { createHash, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { blockingQuery } from '../../api/blocking.ts'
import * as api from '../../api/jobs.ts'
import { openBulk } from '../../bulk/engine.ts'
import type { BulkInput } from '../../bulk/flags.ts'
import type { DoneResult } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { JsonObject } from '../../core/json.ts'
import { entriesOf, objectFrom } from '../../core/json.ts'
import { plural } from '../../core/words.ts'
import type { DispatchRow } from './dispatch-rows.ts'
import { dispatchRows } from './dispatch-rows.ts'
import { jobsAtOnce, runMany } from './many.ts'
import { keepVariableSecrets } from './secrets.ts'
import type { WaitInput } from './wait/params.ts'
import { sendWork } from './writes.ts'

/** What the flags say of a dispatch of rows. */
interface RowsInput extends WaitInput, BulkInput {
  readonly job: string
  readonly from: string
  /** For every row; a row's own counts more. */
  readonly meta: readonly (readonly [key: string, value: string])[]
  readonly idPrefixTemplate: string | undefined
  readonly idempotencyToken: string | undefined
}

/** Starts an instance for each row; with `--parallel` no more than so many run at a time. */
export async function dispatchMany(context: Context, input: RowsInput): Promise<DoneResult> {
  const { job, from, idPrefixTemplate } = input
  const source = await context.io.readText(from)
  const rows = dispatchRows(from, source)
  for (const { meta } of rows)
    keepVariableSecrets(
      context.io,
      entriesOf(meta).map(([key, value]) => [key, String(value)] as const),
    )
  const bulk = await openBulk(
    context,
    { ...input },
    {
      action: 'job dispatch',
      parallel: jobsAtOnce,
      unguarded: true,
    },
  )
  const batch = batchOf(context, input, source)
  const turn = input.parallel === undefined ? async () => {} : throttle(context, job, input.parallel)
  const children = new Map<string, string>()
  return runMany<DispatchRow>(bulk, input, {
    what: `dispatching ${job}`,
    action: 'dispatch',
    items: rows,
    noun: 'row',
    send: async (here, row) => {
      await turn()
      const started = await sendWork(here, {
        kind: 'dispatch',
        request: api.dispatch(
          { job },
          {
            query: [['IdempotencyToken', `${batch}/${row.name.replace(' ', '-')}`]],
            policy: { guarded: true, bulk: true },
            secretBody: ['Payload', 'Meta'],
            checkCommand: context.commandLine('job list', '--prefix', `${job}/dispatch-`),
            body: {
              ...(row.payload === undefined ? {} : { Payload: row.payload.toString('base64') }),
              ...metaFor(input, row),
              ...(idPrefixTemplate === undefined ? {} : { IdPrefixTemplate: idPrefixTemplate }),
            },
          },
        ),
        jobId: ({ DispatchedJobID }) => DispatchedJobID ?? job,
        message: ({ DispatchedJobID }) => `started ${DispatchedJobID ?? job}`,
      })
      children.set(row.name, started.jobId)
      return started
    },
    done: ({ counts }) => `started ${plural(counts.done, 'instance')} of ${job}`,
    dataOf: ({ name }) => ({ row: name, job: children.get(name) ?? null }),
  })
}

function metaFor({ meta }: RowsInput, row: DispatchRow): JsonObject {
  const all = [...meta, ...entriesOf(row.meta)]
  return all.length === 0 ? {} : { Meta: objectFrom(all) }
}

/** The same for a run that goes on from a journal, so that a row whose fate is unknown starts no second instance. */
function batchOf({ io }: Context, { idempotencyToken, journal, resume, job }: RowsInput, source: string): string {
  if (idempotencyToken !== undefined) return idempotencyToken
  const file = resume ?? journal
  if (file === undefined) return randomUUID()
  return createHash('sha256')
    .update(`${resolve(io.cwd, file)}\n${job}\n${source}`)
    .digest('hex')
    .slice(0, 24)
}

/** Resolves once fewer than `limit` children run; each caller counts as one more. */
function throttle(context: Context, job: string, limit: number): () => Promise<void> {
  let free = 0
  let last = Promise.resolve()
  const next = async () => {
    for (; free <= 0;) free = limit - (await running(context, job, limit))
    free -= 1
  }
  return () => (last = last.then(next))
}

async function running(context: Context, job: string, limit: number): Promise<number> {
  for await (const { value } of blockingQuery(context, api.summary({ job }))) {
    const { Pending, Running } = value.Children ?? {}
    const count = (Pending ?? 0) + (Running ?? 0)
    if (count < limit) return count
  }
  return limit
}
