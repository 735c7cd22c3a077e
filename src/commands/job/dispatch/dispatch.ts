import * as api from '../../../api/jobs.ts'
import { argument, flag, readFilled } from '../../../core/param.ts'
import type { Work } from '../../../write/work.ts'
import { write } from '../../../write/write.ts'
import { jobArgument } from '../jobs.ts'
import { waitEndpoints, waitParams } from '../wait/params.ts'
import { followsJob } from '../wait/write.ts'
import type { Started } from '../writes.ts'
import { jobWork, metaOf, readMeta } from '../writes.ts'
import {
  checkPayload,
  describe,
  dispatchWrite,
  keepContent,
  parentCheck,
  startedBefore,
  wasStarted,
} from './instance.ts'

export const dispatch = write({
  name: 'dispatch',
  summary: 'Start an instance of a parameterized job',
  description: `Each call sends an idempotency token, so a retry never starts a second instance; your own token does that across calls.

The run of --from has an ID, which is printed first and is a part of each instance's ID. --run <id> continues an interrupted run: a row that has its instance is left alone (and followed with --wait), one without is started, and one whose content has changed since is a conflict. The server removes finished instances after a while, so three hours after the start of the run a row without an instance is unknown, and not started.

--plan reads the job, and rejects what its parameterized block does not permit. With --idempotency-token it shows the instance that the token has started.`,
  repeats: 'each call starts another instance',
  params: {
    job: jobArgument,
    payload: argument.text('file with the payload, at most 16,384 bytes (-: standard input)', {
      placeholder: 'payload-file',
      complete: 'file',
    }),
    meta: flag.each('meta for this instance', readMeta, { placeholder: 'key=value' }),
    priority: flag.integer('priority of this instance, 1 to 100; only Nomad uses it', {
      min: 1,
      max: 100,
    }),
    idPrefixTemplate: flag.text('prefix for the ID of the instance', { placeholder: 'text' }),
    idempotencyToken: flag.of('start only one instance per token', readFilled, { placeholder: 'token' }),
    from: flag.text(
      'an instance for each row: NDJSON ({"meta": {…}, "payload": …}), or CSV or TSV with columns meta.<key> and payload (-: standard input)',
      {
        placeholder: 'rows.ndjson|csv',
        complete: 'file',
        excludes: ['payload', 'idempotencyToken'],
      },
    ),
    run: flag.text('with --from, continue the run with this ID', { placeholder: 'id', needs: ['from'] }),
    retryFailed: flag.boolean('with --run, start rows again whose instance has failed', { needs: ['run'] }),
    ...waitParams,
  },
  endpoint: api.dispatch,
  also: [...waitEndpoints, api.list, api.summary],
  examples: [
    { line: 'job dispatch nightly rows.ndjson --meta source=orders --wait', note: 'wait for its outcome' },
    {
      line: 'job dispatch nightly --meta source=orders --idempotency-token 2026-11-20',
      note: 'once a day, however often it runs',
    },
    {
      line: 'job dispatch nightly rows.gz --meta source=orders --id-prefix-template import',
      note: 'a payload may be any bytes',
    },
    {
      line: 'job dispatch nightly --from orders.csv --parallel 10',
      note: 'an instance for each row, at most ten running at a time',
    },
  ],
  async open(input, context): Promise<Work> {
    const { job, idPrefixTemplate, idempotencyToken, priority, from } = input
    const meta = metaOf(input.meta)
    if (from !== undefined) {
      const { dispatchMany } = await import('./many.ts')
      return dispatchMany(context, { ...input, meta, from })
    }
    const payload = input.payload === undefined ? undefined : await context.io.readFile(input.payload)
    if (payload !== undefined) checkPayload('the payload', payload)
    keepContent(context.io, meta, payload)
    const token = idempotencyToken ?? (await import('node:crypto')).randomUUID()
    const checkParent = parentCheck(context, job)
    return jobWork(context, 'dispatch', input, async ({ sends, follow }) => {
      if (input.plan === true) await checkParent({ meta, payload })
      const { words, facts } = describe(meta, payload)
      const repeats = idempotencyToken !== undefined
      // A generated token can be known only from a retry. Nomad answers a known one without an evaluation, others need not.
      const looks = repeats && (input.plan === true || context.settings.dialect !== 'hashicorp')
      const earlier = looks ? await startedBefore(context, job, token) : null
      if (input.plan === true && earlier)
        return { action: 'unchanged', words: wasStarted(earlier), facts, ...followsJob(follow, earlier) }
      const isRepeat = ({ EvalID, DispatchedJobID }: Started) => repeats && (!EvalID || DispatchedJobID === earlier)
      const work = sends(dispatchWrite(context, job, { token, payload, meta, idPrefixTemplate, priority, isRepeat }))
      const unread = earlier === undefined ? ['not read: whether the token has started an instance'] : []
      return {
        action: 'dispatch',
        words: [...(words === '' ? [] : [words]), ...unread].join('; '),
        facts,
        ...work,
        apply: async (item) => {
          const applied = await work.apply(item)
          return isRepeat(applied?.facts ?? {}) ? { ...applied, action: 'unchanged', outcome: 'unchanged' } : applied
        },
      }
    })
  },
})
