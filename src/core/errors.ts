import type { Json } from './json.ts'

/** Error codes that scripts can branch on, with their exit statuses. The only table of exit codes. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  not_found: 3,
  not_allowed: 4,
  conflict: 5,
  invalid: 6,
  unreachable: 7,
  outcome_failed: 8,
  differences: 9,
  partial: 10,
  wait_timeout: 124,
  tug_failed: 125,
  hung_up: 129,
  interrupted: 130,
  closed_pipe: 141,
  terminated: 143,
} as const

export type ErrorCode = keyof typeof exitCodes

/** Meanings of the exit codes, as `tug help exit-codes`, the manual and docs/reference.md show them. */
export const exitMeanings: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done; an empty list is done'],
  ['1', 'failed for another reason: 5xx after retries, a malformed response, local files'],
  [
    '2',
    'usage: unknown command or flag, invalid or contradicting values, no address configured, unanswered confirmation, two inputs from standard input; nothing was changed',
  ],
  ['3', 'not found, including a secret version that is deleted or destroyed, and a missing --field'],
  ['4', 'not allowed (401, 403), or a required token is missing'],
  [
    '5',
    'conflict: check-and-set, enforce-index, prior version, active deployment, destination exists, patch of a deleted secret',
  ],
  ['6', 'rejected as invalid by the server (400, 422 and the like)'],
  ['7', 'could not reach the service: refused, DNS, TLS, time-out, still rate-limited after all retries (429)'],
  ['8', 'the awaited operation failed; of several, if everything was sent and only outcomes failed'],
  ['9', 'differences or findings, only with --exit-code (kv verify: always)'],
  ['10', 'part of a bulk operation failed; successes and failures are reported'],
  ['124', '--wait-timeout ran out; nothing was cancelled; of several, if everything was sent and only time ran out'],
  [
    '125',
    "in pass-through commands: tug itself failed after the action or child had started; any other code is that program's own",
  ],
  ['129, 130, 141, 143', 'SIGHUP (the terminal was closed), SIGINT, closed pipe, SIGTERM'],
]

/** Specific reasons, for code that handles one kind of failure differently; docs/reference.md lists them all. */
export const reasons = {
  unexpected_response: 'a successful status with a malformed body',
  in_doubt: 'the write may or may not have been carried out',
  unavailable: 'the service cannot work now: it is sealed, or has no leader. Nothing was done',
  standby_behind: 'a standby has not caught up with the active server (412). Nothing was done',
  query_aborted: 'the explorer aborted the query after its time limit of 60 s',
  body_too_large: 'the response body is larger than --max-body',
  read_only: 'the request could change something, and the run is read-only. It was not sent',
  invalid_token: 'the server does not know the token: it is wrong, expired, revoked or used up',
  no_secret: 'the secret or the version does not exist',
  version_deleted: 'the version was deleted',
  version_destroyed: 'the version was destroyed',
  folder: 'the path names a folder, not a secret',
  version_1: 'the mount is a version 1 key-value engine, which has no versions of secrets',
  no_mount: 'nothing, or a different engine, is mounted at that path',
  not_a_job: 'the file contains no job: no job block, or no ID',
  nothing_to_revert_to: 'no earlier version of the job was healthy, runs, and differs from the current one',
  nothing_there: 'not found, without details from the server',
} as const

export type Reason = keyof typeof reasons

/** Facts about a failure beyond its message. */
export interface ErrorFacts {
  readonly reason?: Reason
  readonly hints?: readonly string[]
  /** The HTTP status of the failed response. */
  readonly status?: number
  readonly service?: string
  readonly method?: string
  readonly path?: string
  readonly requestId?: string
  /** The dialect of the response. */
  readonly dialect?: 'neutral' | 'hashicorp' | undefined
  /** The version of a secret that was deleted or destroyed. */
  readonly version?: string
  /** The headers of the failed response. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body of the failed response, for `--raw`. */
  readonly body?: string
  /** Set for a bulk request if the server is down, or may be: it can be decided and sent again. */
  readonly isDown?: 'surely' | 'perhaps'
  /** True if no other request of a bulk run would succeed: it stops. */
  readonly endsRun?: true
  /** True for the refusal of a write that the server was only asked about. */
  readonly isAsked?: true
  /** True if the request was not sent, because the server is down. */
  readonly unsent?: true
  /** True if an earlier write of this run was carried out; false if the server accepted one that had no effect. */
  readonly applied?: boolean
  /** True if the rows of the result show what the lines after the first say. */
  readonly listsRows?: true
  /** True if it was not tried again because the command's time is over. */
  readonly isLate?: true
  /** True if the target of the failed write could not be read: no hint advises to read it. */
  readonly isUnseen?: true
  /** Asks the server about the refusal; the same error with what was found. Called only for an error that is shown. */
  readonly explain?: (error: TugError) => Promise<TugError>
  readonly cause?: unknown
}

/**
 * The one error that `tug` shows: `tug: <message>`, then a `hint:` line for each hint. A message of several lines is given line by line:
 * a line feed inside a line, which a server may have put into a name, is shown escaped.
 */
export class TugError extends Error {
  readonly code: ErrorCode
  readonly facts: ErrorFacts
  readonly lines: readonly string[]

  constructor(code: ErrorCode, message: string | readonly string[], facts: ErrorFacts = {}) {
    const lines = [message].flat()
    super(lines.join('\n'), { cause: facts.cause })
    this.lines = lines
    this.name = 'TugError'
    this.code = code
    this.facts = facts
  }

  /** The exit status. */
  get exit(): number {
    return exitCodes[this.code]
  }

  get reason(): Reason | undefined {
    return this.facts.reason
  }

  get hints(): readonly string[] {
    return this.facts.hints ?? []
  }

  /** The same error with another message or more facts. */
  with(changes: ErrorFacts & { code?: ErrorCode; message?: string | readonly string[] }): TugError {
    const { code = this.code, message = this.lines, ...facts } = changes
    return new TugError(code, message, { ...this.facts, ...facts })
  }

  /** The shape that `-o json` prints on stderr, under `error`. */
  toRecord(): { [key: string]: Json } {
    const { status, service, method, path, requestId, applied } = this.facts
    return {
      code: this.code,
      reason: this.reason ?? null,
      exit: this.exit,
      message: this.message,
      hint: this.hints.length > 0 ? this.hints.join('\n') : null,
      status: status ?? null,
      service: service ?? null,
      method: method ?? null,
      path: path ?? null,
      requestId: requestId ?? null,
      ...(applied === true ? { applied } : {}),
    }
  }
}

/** Ends a dry run: the request was printed, not sent, so there is no response to continue with. */
export class DryRunEnd extends Error {}

/** True for failures that may be temporary. */
export function isTransient(error: unknown): error is TugError {
  if (!(error instanceof TugError)) return false
  return error.code === 'unreachable' || error.facts.isLate === true || (error.facts.status ?? 0) >= 500
}

/** True if the server rejected the request for lack of rights; false if there was no token to send, or the token is invalid (401). */
export function isForbidden(error: unknown): error is TugError {
  if (!(error instanceof TugError) || error.reason === 'invalid_token' || error.facts.status === 401) return false
  return error.code === 'not_allowed' && error.facts.status !== undefined
}

/** For `catch`: ignores a forbidden read that a write can do without. */
export function unlessForbidden(error: unknown): undefined {
  if (isForbidden(error)) return undefined
  throw error
}

/** A signal ended a read or wait. Exit 130, unless `interrupts.ts` replaces it by the signal's own status. */
export function interrupted(): TugError {
  return new TugError('interrupted', 'interrupted')
}

/**
 * Waits for `work`, unless a signal arrives meanwhile: a stopped reader such as a pager, or a pipe without a writer, must not keep the
 * program running. Work begun after the signal is waited for.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((done, fail) => {
    const leave = () => fail(interrupted())
    signal.addEventListener('abort', leave)
    void work.then(done, fail).then(() => signal.removeEventListener('abort', leave))
  })
}

/** A usage error: exit 2, nothing was sent. */
export function usageError(message: string, ...hints: string[]): TugError {
  return new TugError('usage', message, { hints })
}

/**
 * The common code of several failures if nothing succeeded, or if they are outcomes (8) or time-outs (124); otherwise "partial".
 */
export function commonCode(codes: ReadonlySet<ErrorCode>, nothingSucceeded: boolean): ErrorCode {
  const [code = 'partial'] = codes
  return codes.size === 1 && (nothingSucceeded || code === 'outcome_failed' || code === 'wait_timeout')
    ? code
    : 'partial'
}
