import { at, number, text } from '../../core/answer.ts'
import type { RecordView, Result } from '../../core/command.ts'
import { record } from '../../core/command.ts'
import type { Context, HttpResponse } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { isObject } from '../../core/json.ts'
import type { HttpRequest } from '../../core/request.ts'
import { leavesDoubt } from '../../http/network-failure.ts'
import { typedJob } from '../../api/scheduler-hints.ts'
import { plainColumn } from './cells.ts'
import { followOutcome } from './wait/wait.ts'
import type { StartedWork, WaitInput } from './wait/params.ts'

/** The capabilities for registering, changing or stopping a job. */
export const submitCapability = 'namespace:submit-job'

/**
 * How the answer to a write with an evaluation is shown; `-o name` prints the job. If no version was made, the answer's index
 * isn't the one for `--check-index` (docs/servers.md, Check-and-set indexes).
 */
function startedView(jobId: string, hasVersion: boolean): RecordView {
  return record<Json>(
    [
      { name: 'job', value: (answer) => text(answer, 'DispatchedJobID') ?? jobId, whole: true },
      plainColumn('evaluation', 'EvalID', { whole: true, wide: true }),
      {
        name: 'job_modify_index',
        value: (answer) => (hasVersion ? (at(answer, 'JobModifyIndex') ?? null) : null),
        wide: true,
      },
    ],
    (answer) => text(answer, 'DispatchedJobID') ?? jobId,
  )
}

/** A write and how to report its answer. */
export interface Write {
  readonly request: HttpRequest
  readonly kind: StartedWork['kind']
  /** The job to follow: that of the path, or the one in the answer. */
  readonly jobId: (answer: Json) => string
  readonly namespace?: string | undefined
  /** One line about what happened, without the evaluation. */
  readonly said: (answer: Json) => string
  /** How to repeat it safely if no answer came: `to start nothing twice: --idempotency-token …`. */
  readonly repeatedBy?: string
  /** Why nothing may have changed, for writes that can change nothing: `it is registered like this already`. */
  readonly unchanged?: string
  /** Checks the answer first: reports oddities, and throws if it isn't a success after all. */
  readonly check?: (answer: Json) => void
  /** With `--wait`: purges the job once it has stopped. */
  readonly purge?: HttpRequest
}

/** Sends a write, prints the server's warnings and what was started, and follows it with `--wait`. */
export async function startWork(context: Context, input: WaitInput, write: Write): Promise<Result | undefined> {
  const response = await context.http.send(write.request).catch((error: unknown) => {
    throw unanswered(error, write, context)
  })
  if (context.http.dryRun) {
    if (write.purge !== undefined) await context.http.send(write.purge)
    return undefined
  }
  const answer = response.json()
  if (!isObject(answer)) {
    const { method, path } = write.request
    const facts = { service: 'scheduler', status: response.status, method, path }
    throw new TugError('failed', 'the answer makes no sense', { ...facts, hints: [doubt(write, context)] })
  }
  write.check?.(answer)
  for (const warning of warningsOf(answer)) context.io.warn(warning)
  return followOutcome(input, started(write, response, answer), context)
}

/** A request that was sent and got no answer may have been carried out. */
function unanswered(error: unknown, write: Write, context: Context): unknown {
  if (!(error instanceof TugError)) return error
  const { cause, status = 0 } = error.facts
  if (!leavesDoubt(cause) && status !== 502 && status !== 504) return error
  return error.with({ hints: [...error.hints, doubt(write, context)] })
}

function doubt({ repeatedBy, jobId }: Write, { settings }: Context): string {
  const next = repeatedBy ?? `see: tug job get ${typedJob(jobId(null), settings.namespace)}`
  return `it may have been done all the same; ${next}`
}

function started(write: Write, response: HttpResponse, answer: Json): StartedWork {
  const evalId = text(answer, 'EvalID') ?? ''
  const jobId = write.jobId(answer)
  const isSame = write.unchanged !== undefined && isUnchanged(answer)
  const said = isSame
    ? `${jobId} is unchanged: ${write.unchanged}, no new version was made; evaluated again`
    : write.said(answer)
  return {
    jobId,
    namespace: write.namespace,
    evalId,
    evalIndex: evalId === '' ? undefined : number(answer, 'EvalCreateIndex'),
    kind: write.kind,
    answer,
    rawBody: response.body,
    view: startedView(jobId, !isSame && write.kind !== 'evaluate'),
    said: evalId === '' ? said : `${said}, evaluation ${evalId}`,
    isUnchanged: isSame,
    ...(write.purge === undefined ? {} : { purge: write.purge }),
  }
}

/** The server's warnings, one per line; they arrive as one text, `1 warning:\n\n* text`. */
export function warningsOf(answer: Json): string[] {
  const warnings = text(answer, 'Warnings') ?? ''
  return warnings
    .split('\n')
    .map((line) => line.replace(/^\s*\*\s*/, '').trim())
    .filter((line) => line !== '' && !/^\d+ warnings?:$/.test(line))
}

/**
 * True if the answer to a registration or revert shows that nothing changed: there is an evaluation, but the job's index is
 * older. Periodic and parameterized jobs have no evaluation, so nothing can be said (docs/servers.md, Registering).
 */
function isUnchanged(answer: Json): boolean {
  const evaluation = number(answer, 'EvalCreateIndex') ?? 0
  const job = number(answer, 'JobModifyIndex') ?? 0
  return (text(answer, 'EvalID') ?? '') !== '' && job > 0 && job < evaluation
}
