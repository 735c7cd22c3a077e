import * as jobs from '../../api/jobs.ts'
import type { DocumentView, StepEvent, ValueResult } from '../../core/command.ts'
import { cell, command, list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { isObject } from '../../core/json.ts'
import type { Input } from '../../core/param.ts'
import { flag } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import { jobsArgument } from './targets.ts'
import { inForce, waitForJobs } from './wait/many.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { reportSteps, startWait, step } from './wait/wait.ts'
import { withDeadline } from '../../write/write.ts'

const params = {
  jobs: jobsArgument,
  until: flag.choice('how far to wait (default: healthy; of batch jobs complete)', [
    'placed',
    'running',
    'canary-ready',
    'healthy',
    'complete',
    'dead',
  ]),
  waitForCapacity: {
    ...waitParams.waitForCapacity,
    summary: 'keep waiting for capacity if nothing can be placed now',
  },
  waitTimeout: { ...waitParams.waitTimeout, summary: 'stop waiting after this long (exit 124)' },
} as const

type WaitForInput = Input<typeof params>

export const wait = command({
  name: 'wait',
  summary: 'Wait until jobs are healthy, complete or dead',
  description:
    'Follows each job as it is now, whoever changed it last: exit 0 when every group has its count of allocations of the current version, healthy or complete; 8 if that has failed or can no longer happen, with the reason. Canaries that only a person can promote end the wait with 0, unless --until healthy. A job that is changed meanwhile is followed to its new version. --until dead waits until nothing of a job runs, however it ended.\n\nThis is how to resume a --wait that was interrupted or timed out. Nothing is ever changed.',
  params,
  also: [...waitEndpoints, jobs.list, jobs.summary],
  examples: [
    { line: 'job wait web --wait-timeout 10m', note: 'until it is healthy' },
    { line: 'job wait batch-report --until complete', note: 'a batch job to its end' },
    { line: 'job wait web api', note: 'several: 0 only if all are' },
    { line: 'job wait legacy --until dead', note: 'until its allocations are down' },
  ],
  run: async (input, unlimited) => {
    const context = withDeadline(unlimited, input)
    const [id = '', ...others] = new Set(input.jobs)
    if (others.length > 0) return { events: followAll(context, input, [id, ...others]) }
    const waiting = startWait(input, inForce(id, undefined, true), context)
    await read(context, id)
    return { events: reportSteps(waiting) }
  },
})

/** Throws if there is no such job: to a wait, a job that isn't there has been purged. */
async function read(context: Context, job: string): Promise<void> {
  await context.http.send(jobs.read({ job }))
}

/** Follows several jobs by one list; what happens to each is reported as it happens. */
async function* followAll(
  context: Context,
  input: WaitForInput,
  ids: readonly string[],
): AsyncGenerator<StepEvent, ValueResult> {
  const steps: StepEvent[] = []
  let wake = () => {}
  const report = (id: string, { data, line, ...more }: StepEvent) => {
    const named = line?.replace(/^(\S+ {2})?/, `$1${id}  `)
    steps.push({ ...more, data: { job: id, ...(isObject(data) ? data : {}) }, ...(named && { line: named }) })
    wake()
  }
  const waiting = waitForJobs(context, { ...input, onStep: ({ jobId }, one) => report(jobId, one) })
  const ends = Promise.all(
    ids.map(async (id) => {
      const end = await read(context, id)
        .then(() => waiting.follow(inForce(id, undefined, true)))
        .catch((error: unknown) => {
          if (!(error instanceof TugError) || error.code === 'interrupted') throw error
          return { message: error.message, record: undefined, error }
        })
      const { message, record, error } = end
      const data: JsonObject = record ?? { job: id, outcome: null, reason: error?.message ?? message }
      const words = error?.message ?? `${id}: ${message}`
      report(id, step(context, typeof data['outcome'] === 'string' ? data['outcome'] : 'error', data))
      return { data, words, error }
    }),
  )
  let isDone = false
  const finished = ends.finally(() => {
    isDone = true
    wake()
  })
  finished.catch(() => undefined)
  for (;;) {
    const next = steps.shift()
    if (next !== undefined) yield next
    else if (isDone) break
    else await new Promise<void>((resolve) => (wake = resolve))
  }
  const all = await finished
  const errors = all.flatMap(({ error }) => error ?? [])
  return {
    data: all.map(({ data }) => data),
    view: outcomesView(all.map(({ words }) => words)),
    ...(errors.length > 0 && { finish: () => failTogether(errors, all.length) }),
  }
}

/** The one code of all failures, if every job failed alike or all were outcomes or time-outs; else "partial". */
function failTogether(errors: readonly TugError[], count: number): never {
  const [first] = errors as [TugError]
  const codes = new Set(errors.map(({ code }) => code))
  const isOne =
    codes.size === 1 && (errors.length === count || codes.has('outcome_failed') || codes.has('wait_timeout'))
  const message = `${errors.length} of ${plural(count, 'job')} failed; the first: ${first.message}`
  throw new TugError(isOne ? first.code : 'partial', message, { hints: first.hints })
}

function outcomesView(lines: readonly string[]): DocumentView {
  const names = ['job', 'outcome', 'reason', 'version', 'deployment', 'seconds'] as const
  const view = list<JsonObject>(
    names.map((name) => ({ name, value: (one) => one[name] ?? null, show: (one) => cell(String(one[name] ?? '')) })),
    ({ job = '' }) => String(job),
    { rows: (data) => data as JsonObject[] },
  )
  return { kind: 'document', text: () => lines.map((line) => `${line}\n`).join(''), rows: { view } }
}
