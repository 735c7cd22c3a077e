import { asJson } from '../../../core/answer.ts'
import type { Result, Rows } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes } from '../../../core/errors.ts'
import type { TugError } from '../../../core/errors.ts'
import type { Tone } from '../../../core/output.ts'
import { plural } from '../../../core/words.ts'
import type { SecretRecord } from '../backup/record.ts'
import { readOutlineIfThere } from '../backup/snapshot.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import type { FoundPath } from '../walk.ts'
import { secretsIn } from '../walk.ts'

/** Something that happened to a version. Servers don't store when a version was destroyed. */
interface VersionEvent {
  readonly moment: string | null
  readonly path: string
  readonly version: number
  readonly what: 'written' | 'deleted' | 'destroyed'
}

const tones: Readonly<Record<VersionEvent['what'], Tone>> = { written: 'good', deleted: 'warn', destroyed: 'bad' }

const view = list<VersionEvent>(
  [
    {
      name: 'moment',
      value: ({ moment }) => moment,
      show: ({ moment }) => momentWords(moment),
    },
    { name: 'path', value: ({ path }) => path, whole: true },
    { name: 'version', value: ({ version }) => version, align: 'right' },
    {
      name: 'what',
      value: ({ what }) => what,
      show: ({ what }) => cell(what, tones[what]),
    },
  ],
  ({ path }) => path,
  { empty: 'nothing was written or deleted' },
)

/** To the second: what happened in one minute has an order. */
export function momentWords(moment: string | null): string {
  const time = new Date(moment ?? '')
  if (moment === null) return 'unknown'
  return Number.isNaN(time.getTime()) ? moment : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Every version that was written, deleted or destroyed below a folder, newest first. */
export async function folderHistory(
  context: Context,
  folder: string,
  { since, pace }: { since: Date | undefined; pace: BulkInput },
): Promise<Result> {
  const bulk = await openBulk(context, pace, { action: 'history', parallel: secretsAtOnce })
  const found = await secretsIn(bulk.context, folder)
  const failures: { path: string; error: TugError }[] = []
  const events: VersionEvent[] = []
  let undated = 0
  const isMeant = ({ moment }: VersionEvent) =>
    since === undefined || (moment !== null && Date.parse(moment) >= since.getTime())
  for await (const outcome of bulk.read('reading metadata', found, (item) => eventsAt(bulk.context, item))) {
    if ('error' in outcome) failures.push({ path: outcome.item.path, error: outcome.error })
    else {
      undated += outcome.value.filter(({ moment }) => moment === null).length
      for (const event of outcome.value) if (isMeant(event)) events.push(event)
    }
  }
  events.sort(newestFirst)
  return {
    rows: inBatches(events),
    view,
    finish: () => {
      if (since !== undefined && undated > 0)
        context.io.note(`${plural(undated, 'version')} destroyed at a time that servers don't store`)
      for (const { path, error } of failures) context.io.warn(`${path}: ${error.message}`)
      return failures.length > 0 ? exitCodes.partial : undefined
    },
  }
}

/** A folder has several events for each of its secrets: what is printed of them must not be in memory all at once. */
async function* inBatches(events: readonly VersionEvent[]): Rows {
  for (let start = 0; start < events.length; start += batchSize)
    yield events.slice(start, start + batchSize).map(asJson)
}

const batchSize = 1000

async function eventsAt(context: Context, { path, failure }: FoundPath): Promise<VersionEvent[]> {
  if (failure !== undefined) throw failure
  const found = await readOutlineIfThere(context, path)
  return found === undefined ? [] : eventsOf(found.record, found.moment)
}

function eventsOf({ path, versions }: SecretRecord, now: Date): VersionEvent[] {
  return versions.flatMap(({ version, state, created_time, deletion_time }) => {
    const events: VersionEvent[] = [{ moment: created_time, path, version, what: 'written' }]
    if (deletion_time !== '' && Date.parse(deletion_time) <= now.getTime())
      events.push({ moment: deletion_time, path, version, what: 'deleted' })
    if (state === 'destroyed') events.push({ moment: null, path, version, what: 'destroyed' })
    return events
  })
}

/** Undated ones come last. */
function newestFirst(one: VersionEvent, other: VersionEvent): number {
  const time = ({ moment }: VersionEvent) => (moment === null ? -Infinity : Date.parse(moment))
  const order = time(other) - time(one)
  if (order !== 0 && !Number.isNaN(order)) return order
  return one.path === other.path ? other.version - one.version : one.path < other.path ? -1 : 1
}
