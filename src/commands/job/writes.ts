import { shown } from '../../api/scheduler-dialect.ts'
import { asJson } from '../../core/answer.ts'
import type { DocumentView } from '../../core/command.ts'
import { list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Json, JsonNumber, JsonObject } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import type { HttpRequest } from '../../core/request.ts'
import type { Decision, Stage, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { plainColumn, shortId } from './cells.ts'
import { namespaceName, warningsOf } from './jobs.ts'
import { readIfAllowed } from './targets.ts'
import type { StartedWork, WaitInput } from './wait/params.ts'
import { checkCompletes, waits } from './wait/params.ts'
import type { FollowWork } from './wait/write.ts'
import { followWrites, startsWork } from './wait/write.ts'

/** Shows the answer to a write with an evaluation in one line; `-o name` prints the job. */
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

/** The answer to a write that starts work. */
export interface Started {
  readonly EvalID?: string | null | undefined
  readonly EvalCreateIndex?: number | JsonNumber | null | undefined
  readonly JobModifyIndex?: number | JsonNumber | null | undefined
  readonly Warnings?: string | null | undefined
  /** Of a dispatch. */
  readonly DispatchedJobID?: string | null | undefined
}

/** A write that starts work, and how to report its answer. */
export interface Write {
  readonly request: HttpRequest<Started>
  readonly kind: StartedWork['kind']
  /** The job that is written. A dispatch is followed to the child that its answer names. */
  readonly job: string
  readonly namespace?: string | undefined
  /** One line about what happened; the evaluation is added to it, unless the write only created that. */
  readonly message: (answer: Started, evaluation: string) => string
  /** A hint on how to repeat the write safely if its outcome is unknown. */
  readonly repeatedBy?: string
  /** The reason to report if nothing has changed: `the registered job is equal`. */
  readonly unchanged?: string
  /** Warnings that were printed before. */
  readonly warned?: readonly string[]
  /** The index that was enforced. */
  readonly checkIndex?: number
  /** Checks the answer first; throws if it isn't a success after all. */
  readonly check?: (answer: Started) => void
}

/** How the write of a decision is sent, and followed if the line asks for that. */
export interface Sender {
  readonly sends: (write: Write) => ReturnType<typeof startsWork>
  /** Undefined if the outcome is not waited for. */
  readonly follow: FollowWork | undefined
}

/** The work of a line with the wait flags that sends one write about the one job that it names. */
export function jobWork(
  context: Context,
  action: string,
  input: WaitInput & { readonly job: string },
  decide: (sender: Sender) => Promise<Decision>,
  ask?: Stage['ask'],
): Work {
  const follow = waits(input) ? followWrites(context, input, { isOnly: true }) : undefined
  const sends = (write: Write) => startsWork(follow, (here) => sendWork(here, write))
  return {
    action,
    target: 'job',
    noun: 'job',
    ...onlyTarget(input.job, {
      decide: async () => {
        // A job file shows its type.
        if (input.until === 'complete' && action !== 'register')
          checkCompletes((await readIfAllowed(context, { id: input.job })) ?? {}, input)
        const decision = await decide({ sends, follow })
        return { ...decision, facts: { namespace: namespaceName(context), ...decision.facts } }
      },
      ...(ask && { ask }),
    }),
  }
}

/** Throws a conflict unless the job is at the index of `--check-index`, if both are known. */
export function requireIndex({ commandLine }: Context, job: string, index?: number, required?: number): void {
  if (index === undefined || required === undefined || index === required) return
  throw new TugError('conflict', `the index of ${job} is ${index}, not ${required}`, {
    hints: [`what changed: ${commandLine('job versions', job, ['--diffs'])}`],
  })
}

/** Sends a write and prints the server's warnings; returns what was started, to be followed. */
export async function sendWork(context: Context, write: Write): Promise<StartedWork> {
  const { io, settings } = context
  const response = await context.http.send(write.request).catch((error: unknown) => {
    const isUnknown = error instanceof TugError && error.reason === 'in_doubt'
    throw isUnknown && write.repeatedBy !== undefined
      ? error.with({ hints: [...error.hints, write.repeatedBy] })
      : error
  })
  const answer = response.value
  write.check?.(answer)
  for (const warning of warningsOf(answer)) if (write.warned?.includes(warning) !== true) io.warn(warning)
  const { kind, unchanged, checkIndex } = write
  const evalId = answer.EvalID ?? ''
  const jobId = answer.DispatchedJobID ?? write.job
  // Nomad's answers prove that nothing changed also by an index older than that of the evaluation, which the documentation doesn't
  // promise (docs/servers.md, Registering).
  const isEnforced = checkIndex !== undefined && answer.JobModifyIndex?.valueOf() === checkIndex
  const isProof = isEnforced || (shown(response.headers) === 'hashicorp' && hasOlderIndex(answer))
  const isUnchanged = unchanged !== undefined && checkIndex !== 0 && evalId !== '' && isProof
  // If Nomad made no version, the answer's index isn't the one for --check-index (docs/servers.md, Check-and-set indexes).
  const hasVersion =
    settings.dialect === 'neutral' || (kind !== 'evaluate' && (unchanged === undefined || !hasOlderIndex(answer)))
  const withEvaluation = (id: string) => {
    const done = isUnchanged ? `${jobId} is unchanged: ${unchanged}; re-evaluated` : write.message(answer, id)
    return evalId === '' || (kind === 'evaluate' && !isUnchanged) ? done : `${done}, evaluation ${id}`
  }
  return {
    jobId,
    namespace: write.namespace,
    evalId,
    evalIndex: evalId === '' ? undefined : Number(answer.EvalCreateIndex ?? 0),
    kind,
    answer,
    rawBody: response.body,
    view: startedView(jobId, withEvaluation(evalId), hasVersion),
    message: withEvaluation(io.terminal.stderr ? shortId(evalId) : evalId),
    isUnchanged,
  }
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
export function metaOf(given: readonly (readonly [string, Json])[]): JsonObject {
  const twice = given.find(([key], index) => given.findIndex(([other]) => other === key) < index)
  if (twice !== undefined) throw usageError(`--meta: duplicate key '${twice[0]}'`)
  return objectFrom(given)
}
