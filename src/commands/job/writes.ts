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

/** What the spec asks of who registers, changes or stops a job. */
export const submitCapability = 'namespace:submit-job'

/**
 * What the answer to a write that makes an evaluation shows; `-o name` prints the job. Where no version was made, the index
 * under that name is another one, which no `--check-index` takes (contract b.2, b.16).
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

/** A write and what to make of its answer. */
export interface Write {
  readonly request: HttpRequest
  readonly kind: StartedWork['kind']
  /** The job to follow: that of the path, or what the answer names. */
  readonly jobId: (answer: Json) => string
  readonly namespace?: string | undefined
  /** One line that says what happened, without the evaluation. */
  readonly said: (answer: Json) => string
  /** How it is repeated safely where no answer came: `to start nothing twice: --idempotency-token …`. */
  readonly repeatedBy?: string
  /** Why nothing may have changed, where the write can turn out to change nothing: `it is registered like this already`. */
  readonly unchanged?: string
  /** Looks at the answer before anything is said of it: says what is odd, throws for a success that is none. */
  readonly check?: (answer: Json) => void
}

/** Sends a write, says the server's warnings and what was started, and follows it where `--wait` asks for that. */
export async function startWork(context: Context, input: WaitInput, write: Write): Promise<Result | undefined> {
  const response = await context.http.send(write.request).catch((error: unknown) => {
    throw unanswered(error, write, context)
  })
  if (context.http.dryRun) return undefined
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

/** Where the request was sent and no answer came, it may have been carried out. */
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
  }
}

/** The server's warnings, one a line: they come as one text, `1 warning:\n\n* text` (contract b.2). */
export function warningsOf(answer: Json): string[] {
  const warnings = text(answer, 'Warnings') ?? ''
  return warnings
    .split('\n')
    .map((line) => line.replace(/^\s*\*\s*/, '').trim())
    .filter((line) => line !== '' && !/^\d+ warnings?:$/.test(line))
}

/**
 * True where the answer to a register or revert tells that nothing changed: an evaluation was made, but the job's index is older (contract b.2).
 * Periodic and parameterized jobs have no evaluation: nothing is known of them.
 */
function isUnchanged(answer: Json): boolean {
  const evaluation = number(answer, 'EvalCreateIndex') ?? 0
  const job = number(answer, 'JobModifyIndex') ?? 0
  return (text(answer, 'EvalID') ?? '') !== '' && job > 0 && job < evaluation
}
