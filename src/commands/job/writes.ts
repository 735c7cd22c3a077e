import { shown } from '../../api/scheduler-dialect.ts'
import { at, isPlaceholder, known, number, text } from '../../core/answer.ts'
import type { DocumentView, Result } from '../../core/command.ts'
import { list } from '../../core/command.ts'
import type { Context, HttpResponse } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import type { HttpRequest } from '../../core/request.ts'
import { plainColumn, shortId } from './cells.ts'
import { followOutcome } from './wait/wait.ts'
import type { StartedWork, WaitInput } from './wait/params.ts'
import { warningsOf } from './jobs.ts'

/**
 * How the answer to a write with an evaluation is shown: one line; `-o name` prints the job. If no version was made, the
 * answer's index isn't the one for `--check-index` (docs/servers.md, Check-and-set indexes).
 */
function startedView(jobId: string, message: string, hasVersion: boolean): DocumentView {
  const index = (answer: Json) => (hasVersion ? (at(answer, 'JobModifyIndex') ?? null) : null)
  const view = list<Json>(
    [
      { name: 'job', value: () => jobId },
      plainColumn('evaluation', 'EvalID'),
      { name: 'job_modify_index', value: index },
    ],
    () => jobId,
  )
  const evalId = (answer: Json) => text(answer, 'EvalID') ?? ''
  const fitted = (words: string, width: number | undefined, answer: Json) =>
    width === undefined ? words : words.replace(evalId(answer), shortId(evalId(answer)))
  const line = (answer: Json) =>
    index(answer) === null ? message : `${message} (job_modify_index ${text(answer, 'JobModifyIndex')})`
  return { kind: 'document', text: (_paint, { width }, answer) => fitted(line(answer), width, answer), rows: { view } }
}

/** A write and how to report its answer. */
export interface Write {
  readonly request: HttpRequest
  readonly kind: StartedWork['kind']
  /** The job to follow: that of the path, or the one in the answer. */
  readonly jobId: (answer: Json) => string
  readonly namespace?: string | undefined
  /** One line about what happened, without the evaluation. */
  readonly message: (answer: Json) => string
  /** A hint on how to repeat it safely if the outcome is unknown. */
  readonly repeatedBy?: string
  /** Why nothing may have changed, for writes that can change nothing: `it is already registered like this`. */
  readonly unchanged?: string
  /** Warnings of the server that were printed before. */
  readonly warned?: readonly string[]
  /** The index that was enforced. */
  readonly checkIndex?: number
  /** Checks the answer first: reports oddities, and throws if it isn't a success after all. */
  readonly check?: (answer: Json, response: HttpResponse) => void
  /** With `--wait`: purges the job once it has stopped. */
  readonly purge?: HttpRequest
}

/** Sends a write, prints the server's warnings and what was started, and follows it with `--wait`. */
export async function startWork(context: Context, input: WaitInput, write: Write): Promise<Result | undefined> {
  return followOutcome(input, await sendWork(context, write), context)
}

/** Sends a write and prints the server's warnings; returns what was started, to be followed. */
export async function sendWork(context: Context, write: Write): Promise<StartedWork> {
  const response = await context.http.send(write.request).catch((error: unknown) => {
    const isUnknown = error instanceof TugError && error.reason === 'in_doubt'
    throw isUnknown && write.repeatedBy !== undefined
      ? error.with({ hints: [...error.hints, write.repeatedBy] })
      : error
  })
  const body = response.json()
  // A dry run shows what comes after the wait, too.
  if (isPlaceholder(body) && write.purge !== undefined) await context.http.send(write.purge)
  const answer = known(body)
  write.check?.(answer, response)
  for (const warning of warningsOf(answer)) if (write.warned?.includes(warning) !== true) context.io.warn(warning)
  return started(context, write, response, answer)
}

function started({ io }: Context, write: Write, response: HttpResponse, answer: Json): StartedWork {
  const evalId = text(answer, 'EvalID') ?? ''
  const jobId = write.jobId(answer)
  const isSame = isUnchanged(response, write, answer)
  const done = isSame ? `${jobId} is unchanged: ${write.unchanged}; re-evaluated` : write.message(answer)
  const withEvaluation = (id: string) => (evalId === '' ? done : `${done}, evaluation ${id}`)
  return {
    jobId,
    namespace: write.namespace,
    evalId,
    evalIndex: evalId === '' ? undefined : number(answer, 'EvalCreateIndex'),
    kind: write.kind,
    answer,
    rawBody: response.body,
    view: startedView(jobId, withEvaluation(evalId), hasIndexOfVersion(write, answer)),
    message: withEvaluation(io.terminal.stderr ? shortId(evalId) : evalId),
    isUnchanged: isSame,
    ...(write.purge === undefined ? {} : { purge: write.purge }),
  }
}

/**
 * True if the answer proves that nothing changed: it has the index that was enforced. Product servers' answers prove it also
 * by an index older than that of the evaluation, which the documentation doesn't promise (docs/servers.md, Registering).
 */
function isUnchanged({ headers }: HttpResponse, { unchanged, checkIndex }: Write, answer: Json): boolean {
  if (unchanged === undefined || checkIndex === 0 || (text(answer, 'EvalID') ?? '') === '') return false
  const isEnforced = checkIndex !== undefined && number(answer, 'JobModifyIndex') === checkIndex
  return isEnforced || (shown(headers) === 'hashicorp' && hasOlderIndex(answer))
}

/** True if the answer's index is the one for `--check-index`: not if no version was made. */
function hasIndexOfVersion({ kind, unchanged }: Write, answer: Json): boolean {
  return kind !== 'evaluate' && (unchanged === undefined || !hasOlderIndex(answer))
}

/** True if the index in the answer is older than the evaluation. */
function hasOlderIndex(answer: Json): boolean {
  const job = number(answer, 'JobModifyIndex') ?? 0
  return job > 0 && job < (number(answer, 'EvalCreateIndex') ?? 0)
}
