import { shown } from '../../api/scheduler-dialect.ts'
import { asJson } from '../../core/answer.ts'
import type { DocumentView } from '../../core/command.ts'
import { list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { HttpResponse } from '../../core/connection.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { JsonNumber, JsonObject } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import type { HttpRequest } from '../../core/request.ts'
import { plainColumn, shortId } from './cells.ts'
import type { StartedWork } from './wait/params.ts'
import { warningsOf } from './jobs.ts'

/**
 * How the answer to a write with an evaluation is shown: one line; `-o name` prints the job. If no version was made, the
 * answer's index isn't the one for `--check-index` (docs/servers.md, Check-and-set indexes).
 */
function startedView(jobId: string, message: string, hasVersion: boolean): DocumentView {
  const index = ({ JobModifyIndex }: Started) => asJson(hasVersion ? (JobModifyIndex ?? null) : null)
  const view = list<Started>(
    [
      { name: 'job', value: () => jobId },
      plainColumn('evaluation', 'EvalID'),
      { name: 'job_modify_index', value: index },
    ],
    () => jobId,
  )
  const text = (answer: Started, width: number | undefined) => {
    const { EvalID, JobModifyIndex } = answer
    const line = index(answer) === null ? message : `${message} (job_modify_index ${String(JobModifyIndex)})`
    return width === undefined ? line : line.replace(EvalID ?? '', shortId(EvalID ?? ''))
  }
  return { kind: 'document', text: (_paint, { width }, answer) => text(answer as Started, width), rows: { view } }
}

/** What the answers to writes that start work may have. */
export interface Started {
  readonly EvalID?: string | null | undefined
  readonly EvalCreateIndex?: number | JsonNumber | null | undefined
  readonly JobModifyIndex?: number | JsonNumber | null | undefined
  readonly Warnings?: string | null | undefined
  /** Of a dispatch. */
  readonly DispatchedJobID?: string | null | undefined
}

/** A write and how to report its answer. */
export interface Write {
  readonly request: HttpRequest<Started>
  readonly kind: StartedWork['kind']
  /** The job to follow: that of the path, or the one in the answer. */
  readonly jobId: (answer: Started) => string
  readonly namespace?: string | undefined
  /** One line about what happened. The evaluation, given as it is printed, is added unless it is what was made. */
  readonly message: (answer: Started, evaluation: string) => string
  /** A hint on how to repeat it safely if the outcome is unknown. */
  readonly repeatedBy?: string
  /** Why nothing may have changed, for writes that can change nothing: `it is already registered like this`. */
  readonly unchanged?: string
  /** Warnings of the server that were printed before. */
  readonly warned?: readonly string[]
  /** The index that was enforced. */
  readonly checkIndex?: number
  /** Checks the answer first: reports oddities, and throws if it isn't a success after all. */
  readonly check?: (answer: Started) => void
}

/** Sends a write and prints the server's warnings; returns what was started, to be followed. */
export async function sendWork(context: Context, write: Write): Promise<StartedWork> {
  const response = await context.http.send(write.request).catch((error: unknown) => {
    const isUnknown = error instanceof TugError && error.reason === 'in_doubt'
    throw isUnknown && write.repeatedBy !== undefined
      ? error.with({ hints: [...error.hints, write.repeatedBy] })
      : error
  })
  const answer = response.value
  write.check?.(answer)
  for (const warning of warningsOf(answer)) if (write.warned?.includes(warning) !== true) context.io.warn(warning)
  return started(context, write, response, answer)
}

function started(
  { io, settings }: Context,
  write: Write,
  response: HttpResponse<Started>,
  answer: Started,
): StartedWork {
  const evalId = answer.EvalID ?? ''
  const jobId = write.jobId(answer)
  const isSame = isUnchanged(response, write, answer)
  const withEvaluation = (id: string) => {
    const done = isSame ? `${jobId} is unchanged: ${write.unchanged}; re-evaluated` : write.message(answer, id)
    return evalId === '' || (write.kind === 'evaluate' && !isSame) ? done : `${done}, evaluation ${id}`
  }
  return {
    jobId,
    namespace: write.namespace,
    evalId,
    evalIndex: evalId === '' ? undefined : Number(answer.EvalCreateIndex ?? 0),
    kind: write.kind,
    answer,
    rawBody: response.body,
    view: startedView(
      jobId,
      withEvaluation(evalId),
      settings.dialect === 'neutral' || hasIndexOfVersion(write, answer),
    ),
    message: withEvaluation(io.terminal.stderr ? shortId(evalId) : evalId),
    isUnchanged: isSame,
  }
}

/**
 * True if the answer proves that nothing changed: it has the index that was enforced. Product servers' answers prove it also
 * by an index older than that of the evaluation, which the documentation doesn't promise (docs/servers.md, Registering).
 */
function isUnchanged({ headers }: HttpResponse, { unchanged, checkIndex }: Write, answer: Started): boolean {
  if (unchanged === undefined || checkIndex === 0 || !answer.EvalID) return false
  const isEnforced = checkIndex !== undefined && answer.JobModifyIndex?.valueOf() === checkIndex
  return isEnforced || (shown(headers) === 'hashicorp' && hasOlderIndex(answer))
}

/** True if the answer's index is the one for `--check-index`: not if a product made no version. */
function hasIndexOfVersion({ kind, unchanged }: Write, answer: Started): boolean {
  return kind !== 'evaluate' && (unchanged === undefined || !hasOlderIndex(answer))
}

/** True if the index in the answer is older than the evaluation. */
function hasOlderIndex({ JobModifyIndex, EvalCreateIndex }: Started): boolean {
  const job = Number(JobModifyIndex ?? 0)
  return job > 0 && job < Number(EvalCreateIndex ?? 0)
}

/** `key=value` as a pair. Throws RangeError for anything else. */
export function readMeta(typed: string): [key: string, value: string] {
  const end = typed.indexOf('=')
  if (end === -1) throw new RangeError(`'${typed}' has no value: write ${typed}=<value>`)
  if (end === 0) throw new RangeError(`'${typed}' has no key before the =`)
  return [typed.slice(0, end), typed.slice(end + 1)]
}

/** Pairs as an object. Throws a usage error for a duplicate key. */
export function metaOf(given: readonly (readonly [string, string])[]): JsonObject {
  const twice = given.find(([key], index) => given.findIndex(([other]) => other === key) < index)
  if (twice !== undefined) throw usageError(`--meta: duplicate key '${twice[0]}'`)
  return objectFrom(given)
}
