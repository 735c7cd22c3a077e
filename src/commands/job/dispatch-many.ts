import { createHash, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { CsvError, parse as parseCsv } from 'csv-parse/sync'
import { blockingQuery } from '../../api/blocking.ts'
import * as api from '../../api/jobs.ts'
import type { Bulk } from '../../bulk/engine.ts'
import { openBulk, openReads } from '../../bulk/engine.ts'
import type { BulkInput } from '../../bulk/flags.ts'
import type { PlanStep } from '../../bulk/plan.ts'
import { planResult } from '../../bulk/plan.ts'
import type { Result } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, isObject, jsonOrNothing, keysOf, objectFrom, stringifyJson } from '../../core/json.ts'
import { plural } from '../../core/words.ts'
import { dispatchRequest, largestPayload } from './dispatch.ts'
import { jobsAtOnce, runMany } from './many.ts'
import {
  badMeta,
  cellCount,
  largePayload,
  noRows,
  notARow,
  notCsv,
  otherRows,
  repeatedColumn,
  unknownMember,
} from './messages.ts'
import { keepVariableSecrets } from './secrets.ts'
import type { WaitInput } from './wait/params.ts'
import { sendWork } from './writes.ts'

/** What the flags say of a dispatch of rows. */
interface RowsInput extends WaitInput, BulkInput {
  readonly job: string
  readonly from: string
  /** For every row; a row's own counts more. */
  readonly meta: readonly (readonly [key: string, value: string])[]
  readonly idPrefixTemplate: string | undefined
  readonly idempotencyToken: string | undefined
  readonly plan: boolean | undefined
  readonly exitCode: boolean | undefined
}

/** Starts an instance for each row; with `--parallel` no more than so many run at a time. */
export async function dispatchMany(context: Context, input: RowsInput): Promise<Result> {
  const { job, from, idPrefixTemplate } = input
  const source = await context.io.readText(from)
  const rows = dispatchRows(from, source)
  for (const { meta } of rows)
    keepVariableSecrets(
      context.io,
      entriesOf(meta).map(([key, value]) => [key, String(value)] as const),
    )
  if (input.plan === true) return planRows(await openReads(context, input), rows, input)
  const bulk = await openBulk(
    context,
    { ...input },
    { action: 'job dispatch', parallel: jobsAtOnce, typedOnly: true, unguarded: true },
  )
  refuseOtherRows(bulk, rows, input)
  const tokenOf = tokens(context, input)
  const { parallel } = context.settings.typedLimits
  const turn = parallel === undefined ? async () => {} : throttle(context, job, parallel)
  const children = new Map<string, string>()
  // For a known token the answer is the earlier instance, without an evaluation. A random one can be known only from a retry.
  const isKnownToken = [input.idempotencyToken, input.journal, input.resume].some((given) => given !== undefined)
  let repeated = 0
  return runMany<DispatchRow>(bulk, input, {
    what: `dispatching ${job}`,
    action: 'dispatch',
    items: rows,
    noun: 'row',
    send: async (here, row) => {
      await turn()
      const started = await sendWork(here, {
        kind: 'dispatch',
        request: dispatchRequest(context, job, {
          token: tokenOf(row),
          payload: row.payload?.toString('base64'),
          meta: objectFrom([...input.meta, ...entriesOf(row.meta)]),
          idPrefixTemplate,
        }),
        jobId: ({ DispatchedJobID }) => DispatchedJobID ?? job,
        message: ({ DispatchedJobID }) => `started ${DispatchedJobID ?? job}`,
      })
      children.set(row.name, started.jobId)
      if (started.evalId === '' && isKnownToken) repeated += 1
      return started
    },
    before: (row) => digestOf(row, job),
    done: ({ counts }) => {
      const before = repeated === 0 ? '' : `; ${repeated} had been started already`
      return `started ${plural(counts.done - repeated, 'instance')} of ${job}${before}`
    },
    dataOf: ({ name }) => ({ row: name, job: children.get(name) ?? null }),
  })
}

/** Names of meta only: its values may be secret. */
function planRows(bulk: Bulk, rows: readonly DispatchRow[], { meta, job }: RowsInput): Result {
  const stepOf = async (row: DispatchRow): Promise<PlanStep> => {
    const keys = keysOf(objectFrom([...meta, ...entriesOf(row.meta)]))
    const words = [
      ...(keys.length === 0 ? [] : [`meta ${keys.join(', ')}`]),
      ...(row.payload === undefined ? [] : [`payload of ${plural(row.payload.length, 'byte')}`]),
    ]
    const facts = { meta: keys, payload_bytes: row.payload?.length ?? null }
    return { item: row.name, action: 'start', words: words.join(', '), facts }
  }
  const end = `no instance of ${job} was started`
  return planResult(bulk, { what: 'planning', items: rows, stepOf, noun: 'row', end })
}

/** The journal names rows by their place. Only those that failed may have changed: the others were started, or may have been. */
function refuseOtherRows({ past }: Bulk, rows: readonly DispatchRow[], { job, from, resume }: RowsInput): void {
  for (const row of rows) {
    const before = past?.before.get(row.name)
    const outcome = past?.outcomes.get(row.name)
    if (outcome === 'failed' || typeof before !== 'string' || before === digestOf(row, job)) continue
    throw otherRows(resume, from, row.name, outcome === 'unknown')
  }
}

/** Recognizes a row of a job; too short to reveal its content. */
function digestOf({ meta, payload }: DispatchRow, job: string): string {
  return sha256(`${job}\n${stringifyJson(meta)}\n`, payload ?? '').slice(0, 8)
}

/**
 * The idempotency token of each row. A run that goes on from a journal has the same for each row that hasn't changed, so that one
 * whose fate is unknown starts no second instance.
 */
function tokens({ io }: Context, { idempotencyToken, journal, resume, job }: RowsInput): (row: DispatchRow) => string {
  const placeOf = ({ name }: DispatchRow) => name.replace(' ', '-')
  if (idempotencyToken !== undefined) return (row) => `${idempotencyToken}/${placeOf(row)}`
  const file = resume ?? journal
  const run = file === undefined ? randomUUID() : sha256(`${resolve(io.cwd, file)}\n${job}`).slice(0, 24)
  return (row) => `${run}/${placeOf(row)}-${digestOf(row, job)}`
}

function sha256(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** Resolves once fewer than `limit` children run; each caller counts as one more. */
function throttle(context: Context, job: string, limit: number): () => Promise<void> {
  let free = 0
  let last = Promise.resolve()
  const next = async () => {
    for (; free <= 0;) free = limit - (await running(context, job, limit))
    free -= 1
  }
  return () => (last = last.then(next))
}

async function running(context: Context, job: string, limit: number): Promise<number> {
  for await (const { value } of blockingQuery(context, api.summary({ job }))) {
    const { Pending, Running } = value.Children ?? {}
    const count = (Pending ?? 0) + (Running ?? 0)
    if (count < limit) return count
  }
  return limit
}

/** A row of a file: what one instance of a parameterized job gets. */
interface DispatchRow {
  /** `row 1`, by its place in the file. */
  readonly name: string
  readonly meta: JsonObject
  /** Undefined for none. */
  readonly payload: Buffer | undefined
}

/** The rows of NDJSON (`{"meta": {…}, "payload": …}`) or CSV (columns `meta.<key>` and `payload`). Throws usage errors. */
export function dispatchRows(file: string, text: string): DispatchRow[] {
  const records = /\.csv$/i.test(file) ? csvRecords(file, text) : lineRecords(file, text)
  if (records.length === 0) throw noRows(file)
  return records.map(({ row, place }, index) => rowOf(row, place, `row ${index + 1}`))
}

interface Entry {
  readonly row: JsonObject
  /** `rows.ndjson:3`. */
  readonly place: string
}

function lineRecords(file: string, text: string): Entry[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const place = `${file}:${index + 1}`
    const row = jsonOrNothing(line)
    if (!isObject(row)) throw notARow(place)
    return [{ row, place }]
  })
}

function csvRecords(file: string, text: string): Entry[] {
  const [header = [], ...rows] = csvRows(file, text)
  const unknown = header.find((name) => name !== 'payload' && !/^meta\../.test(name))
  if (unknown !== undefined) throw unknownMember(file, unknown, `call it meta.${unknown}`)
  const repeated = header.find((name, column) => header.indexOf(name) !== column)
  if (repeated !== undefined) throw repeatedColumn(file, repeated)
  return rows.map((cells, index) => {
    const place = `${file}: row ${index + 1}`
    if (cells.length !== header.length) throw cellCount(place, cells.length, header.length)
    const pairs = header.map((name, column) => [name, cells[column] ?? ''] as const)
    const meta = pairs.flatMap(([name, cell]): [string, Json][] =>
      name === 'payload' || cell === '' ? [] : [[name.slice('meta.'.length), cell]],
    )
    const payload = pairs.find(([name, cell]) => name === 'payload' && cell !== '')?.[1]
    return { place, row: { meta: objectFrom(meta), ...(payload === undefined ? {} : { payload }) } }
  })
}

function csvRows(file: string, text: string): string[][] {
  try {
    return parseCsv(text, { bom: true, skip_empty_lines: true, relax_column_count: true })
  } catch (error) {
    throw error instanceof CsvError ? notCsv(file, Number(error['lines'])) : error
  }
}

function rowOf(row: JsonObject, place: string, name: string): DispatchRow {
  const unknown = entriesOf(row).find(([key]) => key !== 'meta' && key !== 'payload')
  if (unknown !== undefined) throw unknownMember(place, unknown[0])
  const { meta = {}, payload } = row
  if (!isObject(meta)) throw badMeta(place)
  const bytes = payload === undefined || payload === null ? undefined : Buffer.from(textOf(payload))
  if (bytes !== undefined && bytes.length > largestPayload) throw largePayload(`${place}: the payload`, bytes.length)
  const given = entriesOf(meta).filter(([, value]) => value !== null)
  return { name, meta: objectFrom(given.map(([key, value]) => [key, textOf(value)])), payload: bytes }
}

/** Anything but a text is passed as JSON; null is nothing. */
function textOf(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}
