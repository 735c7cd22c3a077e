import { createHash, randomBytes } from 'node:crypto'
import { blockingQuery } from '../../../api/blocking.ts'
import type { Stub } from '../../../api/job-shapes.ts'
import * as api from '../../../api/jobs.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { entriesOf, objectFrom, stringifyJson } from '../../../core/json.ts'
import type { Decision, ItemRun, Verdict, Work } from '../../../write/work.ts'
import { stage } from '../../../write/work.ts'
import type { DispatchRow } from './rows.ts'
import { dispatchRows } from './rows.ts'
import { byName, namespaceName } from '../jobs.ts'
import { describe, dispatchWrite, keepContent, parentCheck } from './instance.ts'
import { readIfAllowed } from '../targets.ts'
import { inForce, judgeNow } from '../wait/many.ts'
import type { StartedWork, WaitInput } from '../wait/params.ts'
import { waits } from '../wait/params.ts'
import type { FollowWork } from '../wait/write.ts'
import { appliedBy, followWrites } from '../wait/write.ts'
import { sendWork } from '../writes.ts'

/** The flags of a dispatch of rows. */
interface RowsInput extends WaitInput {
  readonly job: string
  readonly from: string
  /** For every row; that of the row takes precedence. */
  readonly meta: JsonObject
  readonly idPrefixTemplate: string | undefined
  readonly priority: number | undefined
  readonly run: string | undefined
  readonly retryFailed: boolean | undefined
  readonly plan: boolean | undefined
}

/** How many requests are sent at a time if nothing limits the running instances. */
const sendsAtOnce = 4

/** Nomad may garbage-collect an ended instance four hours after its start, without a trace. */
const collectedAfter = 3 * 60 * 60 * 1000

/** A row, and a digest of what is sent for it. */
interface SentRow extends DispatchRow {
  readonly digest: string
}

/** An instance that the run has started. */
interface Instance {
  readonly id: string
  readonly digest: string
  readonly attempt: number
  readonly stub: Stub
}

/** What the rows of a run share. */
interface RowsRun {
  readonly context: Context
  readonly input: RowsInput
  readonly namespace: string
  /** The ID of the run; undefined for a plan without one. */
  readonly run: string | undefined
  /** The last attempt of each row that was started, by the row's place. */
  readonly instances: ReadonlyMap<number, Instance>
  /** Instances of rows that have changed since, by the digest of their former content. */
  readonly moved: ReadonlyMap<string, { readonly place: number; readonly id: string }>
  /** True if the server may have forgotten instances of the run. */
  readonly isOld: boolean
  readonly takeSlot: () => Promise<void>
  readonly checkParent: ReturnType<typeof parentCheck>
  readonly follow: FollowWork | undefined
  /** The attempts that were sent, by the row's place: after a lost response, a list shows whether they were started. */
  readonly sent: Map<number, number>
  /** How many instances have failed. */
  failed: number
}

/** Starts an instance for each row; with `--parallel` no more of them run at a time. */
export async function dispatchMany(context: Context, input: RowsInput): Promise<Work> {
  const { io, settings } = context
  const { job, from, plan: isPlan = false } = input
  const started = input.run === undefined ? undefined : startOf(input.run)
  const rows = dispatchRows(from, await io.readText(from)).map((row): SentRow => {
    const meta = objectFrom([...entriesOf(input.meta), ...entriesOf(row.meta)])
    return { ...row, meta, digest: digestOf(job, meta, row.payload) }
  })
  for (const { meta, payload } of rows) keepContent(io, meta, payload)
  // A run is named by the time of the server, which its first response shows.
  const parent = input.run === undefined && !isPlan ? readIfAllowed(context, { id: job }) : undefined
  await parent?.catch(() => undefined)
  const run = input.run ?? (isPlan ? undefined : newRun(context.now()))
  if (run !== undefined && input.run === undefined) io.note(`run ${run}`)
  const instances = input.run === undefined ? new Map<number, Instance>() : await listInstances(context, job, input.run)
  const others = [...instances].filter(([place, { digest }]) => rows[place - 1]?.digest !== digest)
  const { parallel: limit, maxFailures = Infinity } = settings.typedLimits
  const isUnlimited = limit === undefined || run === undefined || io.isDryRun
  const rowsRun: RowsRun = {
    context,
    input,
    namespace: namespaceName(context),
    run,
    instances,
    moved: new Map(others.map(([place, { id, digest }]) => [digest, { place, id }])),
    isOld: started !== undefined && context.now().getTime() - started.getTime() > collectedAfter,
    takeSlot: isUnlimited ? async () => {} : slots(context, { job, run, limit, instances }),
    checkParent: parentCheck(context, job, parent),
    follow: waits(input) ? followWrites(context, input, { isOnly: false }) : undefined,
    sent: new Map(),
    failed: 0,
  }
  const again = run === undefined ? {} : { run }
  return {
    action: 'dispatch',
    target: 'row',
    noun: 'row',
    progress: `dispatching ${job}`,
    columns: ['job', 'attempt'],
    data: { job, run: run ?? null },
    // With a limit one after the other, so that a list shows all that were started before.
    limits: { parallel: limit === undefined ? sendsAtOnce : 1, maxFailures },
    followsApart: true,
    ...(run === undefined ? {} : { again: () => context.typedLine(again) }),
    stages: [stage<SentRow>({ targets: rows, nameOf, decide: (row) => decideRow(rowsRun, row) })],
    close: () => {
      if (rowsRun.failed === 0) return undefined
      return { hint: `to start failed instances again: ${context.typedLine({ ...again, retryFailed: 'true' })}` }
    },
  }
}

/** Decides a row by the instance that the run has started for it, if there is one. */
async function decideRow(rows: RowsRun, row: SentRow): Promise<Decision> {
  const { context, input, namespace, run, follow } = rows
  const sent = rows.sent.get(row.place)
  const instances =
    sent === undefined || run === undefined ? rows.instances : await listInstances(context, input.job, run)
  const found = instances.get(row.place)
  if (sent !== undefined && (found === undefined || found.attempt < sent)) return decideStart(rows, row, sent)
  if (found === undefined) {
    const moved = rows.moved.get(row.digest)
    if (moved !== undefined)
      throw new TugError(
        'conflict',
        `its content was started as row ${moved.place} (${moved.id}); rows were inserted or removed`,
      )
    if (!rows.isOld) return decideStart(rows, row, 1)
    const message = `whether it was started is unknown: run ${run} is more than three hours old`
    const hints = ['to start all of its rows as a new run, omit --run']
    const error = new TugError('failed', message, { reason: 'in_doubt', hints })
    return { action: 'unknown', words: 'no instance is left', facts: { namespace }, error }
  }
  const { id, attempt, digest, stub } = found
  if (digest !== row.digest) throw new TugError('conflict', `its content has changed since ${id} was started`)
  const facts = { namespace, job: id, attempt }
  const failure = mayHaveFailed(stub) ? await failureOf(context, id) : undefined
  if (failure !== undefined && failure.code !== 'outcome_failed') {
    const message = `${id} was started, and cannot be read: ${failure.message}`
    return { action: 'unknown', words: id, facts, error: failure.with({ reason: 'in_doubt', message }) }
  }
  if (failure !== undefined && input.retryFailed === true && sent === undefined)
    return decideStart(rows, row, attempt + 1)
  if (failure !== undefined && follow === undefined) rows.failed += 1
  const state = failure === undefined ? (stub.Status ?? '') : 'failed'
  return {
    action: 'unchanged',
    words: `${id} (${state})`,
    facts,
    ...(follow && { follow: async (item) => counted(rows, await follow(item, inForce(id), nameOf(row))) }),
  }
}

async function decideStart(rows: RowsRun, row: SentRow, attempt: number): Promise<Decision> {
  const { input, namespace } = rows
  const { meta, payload, place, digest } = row
  await rows.checkParent(row)
  let sent: StartedWork | undefined
  const { words, facts } = describe(meta, payload)
  return {
    action: 'dispatch',
    words,
    facts: { namespace, ...facts, attempt },
    apply: async ({ context }) => {
      await rows.takeSlot()
      rows.sent.set(place, attempt)
      const mark = `${rows.run}-${place}-${digest}-${attempt}`
      const { idPrefixTemplate: prefix, priority } = input
      const idPrefixTemplate = prefix === undefined ? mark : `${prefix}-${mark}`
      const instance = { token: mark, payload, meta, idPrefixTemplate, priority, hasRun: true }
      sent = await sendWork(context, dispatchWrite(context, input.job, instance)).catch((error: unknown) => {
        // It is the same for all rows.
        const isOfAll = error instanceof TugError && (error.code === 'not_found' || error.code === 'not_allowed')
        throw isOfAll ? error.with({ endsRun: true }) : error
      })
      return { ...appliedBy(sent), facts: { job: sent.jobId } }
    },
    follow: async (item): Promise<Verdict> => (sent === undefined ? { words: '' } : followSent(rows, item, row, sent)),
  }
}

async function followSent(rows: RowsRun, item: ItemRun, row: SentRow, sent: StartedWork): Promise<Verdict> {
  if (rows.follow === undefined) return { words: `started ${sent.jobId}` }
  const verdict = counted(rows, await rows.follow(item, sent, nameOf(row)))
  const { error } = verdict
  if (error === undefined) return { ...verdict, words: `${sent.jobId}: ${verdict.words}` }
  if (['outcome_failed', 'wait_timeout', 'interrupted'].includes(error.code)) return verdict
  const message = `${sent.jobId} was started, and cannot be read: ${error.message}`
  return { ...verdict, error: error.with({ reason: 'in_doubt', message }) }
}

/** Counts a failed instance. */
function counted(rows: RowsRun, verdict: Verdict): Verdict {
  if (verdict.error?.code === 'outcome_failed') rows.failed += 1
  return verdict
}

/** The ID of a new run: its start, and 48 random bits. */
function newRun(now: Date): string {
  const [date = '', time = ''] = now
    .toISOString()
    .replace(/[-:]|\..*/g, '')
    .split('T')
  return `${date}-${time}-${randomBytes(6).toString('hex')}`
}

function nameOf({ place }: DispatchRow): string {
  return `row ${place}`
}

/** When a run was started. Throws a usage error if it isn't the ID of a run. */
function startOf(run: string): Date {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-[0-9a-f]{12}$/.exec(run) ?? []
  const start = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (!Number.isNaN(start.getTime())) return start
  throw usageError(
    `--run: '${run}' is not the ID of a run`,
    'it is printed first, such as 20261120-093000-5b2e91c4a07f',
  )
}

/** Identifies what is sent for a row. */
function digestOf(job: string, meta: JsonObject, payload: Buffer | undefined): string {
  const hash = createHash('sha256').update(
    `${stringifyJson([job, byName(meta)])}\n${payload === undefined ? '-' : '+'}`,
  )
  return hash
    .update(payload ?? '')
    .digest('hex')
    .slice(0, 12)
}

function childrenOf(job: string, run: string) {
  // The server decides where the prefix goes in the ID; Nomad's form is `<job>/dispatch-<prefix>-<seconds>-<random>`.
  return {
    request: api.list({}, { query: [['prefix', `${job}/`]] }),
    mark: new RegExp(`(?:^|[-/])${run}-(\\d+)-([0-9a-f]+)-(\\d+)(?:-|$)`),
  }
}

/** The last attempt of each row of a run, by the row's place. */
async function listInstances(context: Context, job: string, run: string): Promise<Map<number, Instance>> {
  const { request, mark } = childrenOf(job, run)
  const found = new Map<number, Instance>()
  for (const stub of (await context.http.send(request)).value ?? []) {
    const [, place, digest = '', attempt] = mark.exec(stub.ID) ?? []
    if (place === undefined) continue
    const instance = { id: stub.ID, digest, attempt: Number(attempt), stub }
    const before = found.get(Number(place))
    if (before === undefined || before.attempt < instance.attempt) found.set(Number(place), instance)
  }
  return found
}

/** Resolves once fewer than `limit` instances of the run are alive; each call then takes one place. */
function slots(
  context: Context,
  { job, run, limit, instances }: { job: string; run: string; limit: number; instances: ReadonlyMap<number, Instance> },
): () => Promise<void> {
  const { request, mark } = childrenOf(job, run)
  const isAlive = ({ Status }: Stub) => Status !== 'dead'
  let free = limit - [...instances.values()].filter(({ stub }) => isAlive(stub)).length
  return async () => {
    if (free <= 0)
      for await (const { value } of blockingQuery(context, request)) {
        free = limit - (value ?? []).filter((stub) => mark.test(stub.ID) && isAlive(stub)).length
        if (free > 0) break
      }
    free -= 1
  }
}

/** True for an ended instance, unless all its allocations completed. */
function mayHaveFailed({ Status, Stop, JobSummary }: Stub): boolean {
  const groups = Object.values(JobSummary?.Summary ?? {})
  const isClean = groups.length > 0 && groups.every(({ Failed, Lost }) => !Failed && !Lost)
  return Status === 'dead' && (Stop === true || !isClean)
}

/** Why an ended instance failed or cannot be judged; undefined if it completed. */
async function failureOf(context: Context, id: string): Promise<TugError | undefined> {
  try {
    return (await judgeNow(context, inForce(id)))?.error
  } catch (error) {
    if (error instanceof TugError && error.code !== 'interrupted') return error
    throw error
  }
}
