import * as jobs from '../../api/jobs.ts'
import type { StepEvent, ValueResult } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { commonCode, TugError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Input } from '../../core/param.ts'
import { flag } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import type { Failure } from '../../read/bulk.ts'
import { below, failureLines } from '../../read/bulk.ts'
import { jobsArgument } from './targets.ts'
import { inForce, waitForJobs } from './wait/many.ts'
import { checkCompletes, waitEndpoints, waitParams } from './wait/params.ts'
import { outcomeView, step } from './wait/wait.ts'
import { named } from './wait/write.ts'
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
    'Exit 0 when every group has its count of allocations of the current version, healthy or complete; 8, with the reason, if that has failed or can no longer happen. Canaries that only a person can promote end the wait with 0, unless --until healthy. A job that is changed meanwhile is followed to its new version. --until dead waits until nothing of a job runs, however it ended.\n\nResumes a --wait that was interrupted or timed out. Nothing is ever changed.',
  params,
  also: [...waitEndpoints, jobs.list, jobs.summary],
  examples: [
    { line: 'job wait web --wait-timeout 10m', note: 'until it is healthy' },
    { line: 'job wait batch-report --until complete', note: 'a batch job to its end' },
    { line: 'job wait web api', note: 'several: 0 only if all are' },
    { line: 'job wait legacy --until dead', note: 'until its allocations are down' },
  ],
  run: async (input, context) => ({
    events: followJobs(withDeadline(context, input), input, [...new Set(input.jobs)]),
  }),
})

/** Follows jobs by one list, one alone by queries of its own; what happens to each is reported as it happens. */
async function* followJobs(
  context: Context,
  input: WaitForInput,
  ids: readonly string[],
): AsyncGenerator<StepEvent, ValueResult> {
  const isOnly = ids.length === 1
  const steps: StepEvent[] = []
  let wake = () => {}
  const report = (id: string, one: StepEvent) => {
    steps.push(isOnly ? one : named(one, id))
    wake()
  }
  const waiting = waitForJobs(context, { ...input, isOnly, onStep: ({ jobId }, one) => report(jobId, one) })
  const ends = Promise.all(
    ids.map(async (id) => {
      try {
        // To a wait, a job that doesn't exist has been purged.
        checkCompletes((await context.http.send(jobs.read({ job: id }))).value, input)
        const { record, message, error } = await waiting.follow(inForce(id, undefined, true))
        if (record !== undefined) return { data: record, words: error?.message ?? `${id}: ${message}`, error }
        throw error
      } catch (error) {
        if (isOnly || !(error instanceof TugError) || error.code === 'interrupted' || error.facts.endsRun === true)
          throw error
        const name = context.io.withoutSecrets(id, id)
        const data: JsonObject = { job: name, outcome: null, reason: error.message }
        report(name, step(context, 'error', data))
        return { data, words: failureLines({ item: name, error }).join('; '), error }
      }
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
  const failures = all.flatMap(({ error }, index) => (error === undefined ? [] : { item: ids[index] ?? '', error }))
  const { format } = context.settings
  // Scripts get the outcome as an object, too.
  if (isOnly && format !== 'json' && format !== 'yaml' && failures[0] !== undefined) throw failures[0].error
  const records = all.map(({ data }) => data)
  return {
    data: isOnly ? (records[0] ?? null) : records,
    view: outcomeView(
      all.map(({ words }) => words),
      records,
    ),
    ...(failures.length > 0 && { finish: () => failTogether(failures, all.length) }),
  }
}

function failTogether(failures: readonly Failure[], count: number): never {
  const [first] = failures as [Failure]
  if (count === 1) throw first.error
  const code = commonCode(new Set(failures.map(({ error }) => error.code)), failures.length === count)
  const lines = below(`${failures.length} of ${plural(count, 'job')} failed`, failures.flatMap(failureLines))
  throw new TugError(code, lines, { hints: first.error.hints })
}
