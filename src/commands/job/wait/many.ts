import { isDeepStrictEqual } from 'node:util'
import * as jobs from '../../../api/jobs.ts'
import { blockingRequest, indexOf, paceAnswer, rest, startPace } from '../../../api/blocking.ts'
import type { Stub } from '../../../api/job-shapes.ts'
import type { StepEvent } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { createLimiter } from '../../../core/limiter.ts'
import type { JobPlace } from './reader.ts'
import { createReader, withinLimit } from './reader.ts'
import type { Wait } from './wait.ts'
import { followWork, interruptedAt, nextOf, outcomeError, outcomeRecord, startWait } from './wait.ts'
import type { Goal, Part } from '../state/index.ts'
import { look, outcomeLine } from '../state/index.ts'
import type { StartedWork } from './params.ts'

/** How the work on one of many jobs ended. */
interface JobOutcome {
  /** In one line: `deployment f2b45234 succeeded`. */
  readonly message: string
  /** What `--wait -o json` prints of a single job; undefined if the wait failed before an outcome was seen. */
  readonly record: JsonObject | undefined
  /** What a wait for this job alone would fail with; undefined for a success. */
  readonly error: TugError | undefined
}

interface ManyOptions extends Goal {
  /** Gets every step of every job, as the events of `-o ndjson`; `line` is the line for people, without the job's name. */
  readonly onStep?: (started: StartedWork, step: StepEvent) => void
  /** True for a single job, which is followed by blocking queries of its own. */
  readonly isOnly?: boolean
}

/** Open requests about single jobs. */
const mostRequests = 8
/** At most one list a second. */
const listPause = 1000
/** How long a list is held; jobs that were added meanwhile may not be in what it watches. */
const listHold = 5000
/** A job is read again after so many lists even if they show no change: they don't show all. */
const mostSilentLists = 3
/** The pause where the jobs cannot be listed. */
const unlistedPause = 2000

/**
 * Waits for many jobs by one blocking list of all, and asks about single jobs only when the list shows a change, or while a
 * deployment runs. Each verdict is that of a wait for this job alone.
 *
 *     const wait = waitForJobs(context, { ...input, onStep: (work, { line }) => … })
 *     const outcomes = await Promise.all(registered.map((work) => wait.follow(work)))
 *
 * `sendWork` in `writes.ts` sends a write and returns what to follow. Nothing has to be closed: it reads while something is followed.
 */
export function waitForJobs(context: Context, options: ManyOptions) {
  const { onStep, isOnly = false, until, waitForCapacity, waitTimeout } = options
  const input: Goal = { until, waitForCapacity, waitTimeout }
  const followed = new Set<Wait>()
  const turn = createLimiter({ most: mostRequests }).run
  /** The last list by {@link keyOf}; undefined if the jobs could not be listed. */
  let stubs: ReadonlyMap<string, Stub> | undefined
  let listing: Promise<void> | undefined
  let pace = startPace()
  const isOver = ({ deadline }: Wait) => context.monotonic() >= deadline

  /** Follows work from now on; resolves when its outcome is known. Rejects only for Ctrl-C. */
  async function followJob(started: StartedWork): Promise<JobOutcome> {
    const wait = startWait(input, started, context)
    followed.add(wait)
    try {
      const shared = isOnly ? {} : { turn, change: changeOf(wait) }
      for await (const step of followWork(wait, shared)) onStep?.(started, step)
      return outcomeOf(wait)
    } catch (caught) {
      const error = interruptedAt(wait, caught)
      if (!(error instanceof TugError) || error.code === 'interrupted') throw error
      return { message: error.message, record: undefined, error }
    } finally {
      followed.delete(wait)
    }
  }

  /** Waits for a list that shows a change of a job, or that it is time to ask all the same. */
  function changeOf(wait: Wait): (part: Part) => Promise<boolean> {
    let last: Stub | undefined
    return async (part) => {
      const key = keyOf({ ID: wait.jobId, Namespace: wait.namespace })
      const isRollout = part === 'deployments'
      for (let lists = 0; ; lists += 1) {
        const stub = stubs?.get(key)
        if (stubs !== undefined && !isDeepStrictEqual(stub, last)) {
          last = stub
          return true
        }
        const isSilent = isRollout || stubs === undefined || lists === mostSilentLists
        if ((lists > 0 && isSilent) || isOver(wait)) return !isRollout
        listing ??= list().finally(() => (listing = undefined))
        await listing
      }
    }
  }

  /** Lists the jobs again. If they cannot be listed now, or not at all, each is read again after a while. */
  async function list(): Promise<void> {
    // One that is over reads once more, without a list.
    const deadline = Math.min(...[...followed].flatMap((wait) => (isOver(wait) ? [] : wait.deadline)))
    const left = () => Math.max(0, deadline - context.monotonic())
    await rest(context, Math.min(pace.pause, left()))
    const began = context.monotonic()
    try {
      const request = blockingRequest(listRequest([...followed]), pace.index, Math.min(listHold, left()))
      const policy = { ...request.policy, ...withinLimit(left()), retries: 0 }
      const response = await context.http.send({ ...request, policy })
      const listed = new Map(response.value?.map((stub) => [keyOf(stub), stub]))
      const isNew = !isDeepStrictEqual(listed, stubs)
      paceAnswer(pace, { found: indexOf(response), isNew, took: context.monotonic() - began })
      pace.pause = Math.max(pace.pause, listPause)
      stubs = listed
    } catch (error) {
      if (!(error instanceof TugError) || error.code === 'interrupted') throw error
      stubs = undefined
      pace = { ...startPace(), pause: unlistedPause }
    }
  }

  return { follow: followJob }
}

/**
 * What to follow where nothing was written: the job as it is now. A deployment of the present version that failed is a failure,
 * one that runs is followed. Somebody else's change ends the wait as `superseded`; with `followsChanges` the job is followed to
 * whatever it becomes.
 */
export function inForce(jobId: string, namespace?: string, followsChanges = false): StartedWork {
  return {
    jobId,
    namespace,
    evalId: '',
    evalIndex: undefined,
    kind: followsChanges ? 'latest' : 'current',
    answer: {},
    view: { kind: 'document', text: () => '' },
    message: followsChanges ? `following ${jobId}` : `${jobId} is unchanged; following it`,
    isUnchanged: true,
  }
}

/** The outcome of a job as it is now, by one look, as a plan reports it; undefined while it is not final. */
export async function judgeNow(
  context: Context,
  { jobId, namespace }: Pick<StartedWork, 'jobId' | 'namespace'>,
  { until, waitForCapacity }: Goal = {},
): Promise<JobOutcome | undefined> {
  const goal: Goal = { until, waitForCapacity }
  const wait = startWait(goal, inForce(jobId, namespace), context)
  const reader = createReader(context, wait, { deadline: wait.deadline })
  wait.seen = await look(wait.expected, reader, { ...goal, now: context.now })
  return wait.seen.judgement.final ? outcomeOf(wait) : undefined
}

function outcomeOf(wait: Wait): JobOutcome {
  const { seen, jobId, context, milliseconds } = wait
  if (seen.judgement.warning !== undefined) context.io.warn(`${jobId}: ${seen.judgement.warning}`)
  return {
    message: outcomeLine(seen, milliseconds, nextOf(wait)),
    record: outcomeRecord(wait),
    error: seen.isSuccess ? undefined : outcomeError(wait),
  }
}

function keyOf({ ID, Namespace, JobSummary }: Pick<Stub, 'ID' | 'Namespace' | 'JobSummary'>): string {
  return `${Namespace ?? JobSummary?.Namespace ?? 'default'} ${ID}`
}

/** The list with all of them: of their namespace, and with what their IDs have in common. */
function listRequest(all: readonly JobPlace[]) {
  const [namespace, ...others] = new Set(all.map((one) => one.namespace))
  const where = others.length > 0 ? '*' : namespace
  let prefix = all[0]?.jobId ?? ''
  for (const { jobId } of all) while (!jobId.startsWith(prefix)) prefix = prefix.slice(0, -1)
  const query: [string, string][] = []
  if (where !== undefined) query.push(['namespace', where])
  if (prefix !== '') query.push(['prefix', prefix])
  return jobs.list({}, { query })
}
