import { asJson } from '../../../core/answer.ts'
import type { StepEvent } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import type { Json } from '../../../core/json.ts'
import { isObject } from '../../../core/json.ts'
import type { Applied, Decision, ItemRun, Verdict } from '../../../write/work.ts'
import type { Goal } from '../state/index.ts'
import { inForce, judgeNow, waitForJobs } from './many.ts'
import type { StartedWork } from './params.ts'
import { outcomeView } from './wait.ts'

/** Follows the work on one job to its outcome, as the last part of a write. */
export type FollowWork = (item: ItemRun, started: StartedWork, name?: string) => Promise<Verdict>

/**
 * Follows what the items of one write start, all together. Its steps are those of the item: lines on stderr, events in ndjson. A plan
 * judges the job once, and reports only a failure.
 */
export function followWrites(context: Context, goal: Goal, { isOnly }: { readonly isOnly: boolean }): FollowWork {
  const reports = new Map<StartedWork, (step: StepEvent) => void>()
  const wait = waitForJobs(context, { ...goal, isOnly, onStep: (started, one) => reports.get(started)?.(one) })
  return async (item, started, name = started.jobId) => {
    const { jobId } = started
    if (item.isPlan) {
      const end = await judgeNow(item.context, started, goal)
      return { words: '', ...(end?.error === undefined ? {} : { error: end.error }) }
    }
    reports.set(started, (one) => item.report(isOnly ? one : named(one, name, jobId)))
    try {
      const { record, message, error } = await wait.follow(started)
      if (record === undefined) return { words: '', ...(error && { error }) }
      const { job, outcome, ...rest } = record
      const about = {
        ...(job === jobId ? {} : { followed: job ?? null }),
        // In a row of several, `outcome` is what became of the item.
        ...(isOnly ? { outcome: outcome ?? null } : { verdict: outcome ?? null }),
        ...rest,
      }
      return {
        words: error === undefined ? message : '',
        facts: about,
        view: outcomeView([`${String(job)}: ${message}`], [record]),
        ...(error && { error }),
      }
    } finally {
      reports.delete(started)
    }
  }
}

/** A step of one of several jobs: with the job's name before the line. That it begins is not worth a line. */
export function named({ data, line, ...more }: StepEvent, name: string, job = name): StepEvent {
  const isShown = line !== undefined && more.event !== 'started'
  return { ...more, data: { job, ...(isObject(data) ? data : {}) }, ...(isShown && { line: `${name}  ${line}` }) }
}

/** How a decision is carried out that sends one write which starts work, and how that is followed if the command waits. */
export function startsWork(
  follow: FollowWork | undefined,
  send: (context: Context) => Promise<StartedWork>,
): Required<Pick<Decision, 'apply'>> & Pick<Decision, 'follow'> {
  let started: StartedWork | undefined
  return {
    apply: async (item) => appliedBy((started = await send(item.context))),
    ...(follow && {
      follow: async (item) => (started === undefined ? { words: '' } : follow(item, started)),
    }),
  }
}

/** How a job is followed that needs no write: it is judged as it is now, whoever made it so. */
export function followsJob(
  follow: FollowWork | undefined,
  id: string,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string } = {},
): Pick<Decision, 'follow'> {
  if (follow === undefined) return {}
  return {
    follow(item, applied) {
      const started = inForce(id, namespace)
      // It was written, but the response was lost.
      return follow(item, applied === undefined ? started : { ...started, message: `following ${id}` }, name)
    },
  }
}

/** The answer to a write that has started work. */
export function appliedBy({ message, view, answer, rawBody, isUnchanged }: StartedWork): Applied {
  const facts = asJson(answer)
  const index = answer.JobModifyIndex
  const equal: Record<string, Json> = isUnchanged ? { equal: true } : {}
  return {
    words: message,
    view,
    facts: { ...(isObject(facts) ? facts : {}), ...equal },
    guard: index ? Number(index) : null,
    ...(rawBody && { rawBody }),
  }
}
