import * as api from '../../api/kv.ts'
import type { Failure } from '../../bulk/account.ts'
import { exitStatus, warnFailures } from '../../bulk/account.ts'
import type { Bulk } from '../../bulk/engine.ts'
import { openReads } from '../../bulk/engine.ts'
import { asJson } from '../../core/answer.ts'
import type { Result, Rows } from '../../core/command.ts'
import { cell, command, list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { parseMoment, readableTime, resolveMoment } from '../../core/duration.ts'
import type { Tone } from '../../core/output.ts'
import { flag } from '../../core/param.ts'
import { ifThere } from './latest.ts'
import { historyOfFolder, undatedVersions } from './folder-messages.ts'
import { explainMissing } from './missing.ts'
import { asFolder, isFolder, secretOrFolder } from './place.ts'
import { readMetadata } from './read.ts'
import type { Version, VersionState } from './versions.ts'
import { momentWords, versionsOf } from './versions.ts'
import { readFound, secretsIn } from './walk.ts'

const tones: Readonly<Record<VersionState | 'written', Tone>> = {
  live: 'good',
  written: 'good',
  deleted: 'warn',
  destroyed: 'bad',
}

const historyView = list<Version>(
  [
    { name: 'version', value: ({ version }) => version, align: 'right' },
    {
      name: 'state',
      value: ({ state }) => state,
      show: ({ state }) => cell(state, tones[state]),
    },
    {
      name: 'created_time',
      title: 'written',
      value: ({ created_time }) => created_time,
      show: ({ created_time }) => readableTime(created_time),
    },
    {
      name: 'deletion_time',
      title: 'deleted',
      value: ({ deletion_time }) => deletion_time,
      show: ({ state, deletion_time }) => {
        const time = readableTime(deletion_time)
        return time !== '' && state === 'live' ? `due ${time}` : time
      },
    },
  ],
  ({ version }) => String(version),
  { empty: 'no versions: the secret has metadata only' },
)

export const history = command({
  name: 'history',
  summary: 'List the versions of a secret, or what happened in a folder, and when',
  description: `For a secret: its versions, which are live, deleted or destroyed. For a folder, which ends with a slash: every version below it that was written, deleted or destroyed, newest first. Servers don't store when a version was destroyed, so these come last and are not in a list with --since.`,
  endpoint: [],
  also: [api.list, api.readMetadata, api.readMount],
  params: {
    path: secretOrFolder('path of the secret, or a folder with a slash at its end (/ for the whole mount)'),
    since: flag.of('only what happened since, such as 2h (ago) or 2026-11-20T14:00:00Z', parseMoment, {
      placeholder: 'time',
    }),
  },
  examples: [
    { line: 'kv history app/db', note: 'newest first' },
    { line: 'kv history team/ --since 7d', note: 'what was written or deleted in a folder this week' },
    { line: 'kv history app/db -o json --query "[?state==\'live\'].version"', note: 'the live ones, for a script' },
  ],
  async run({ path, since: typed }, context) {
    const since = typed === undefined ? undefined : resolveMoment(typed, context.now())
    if (isFolder(path)) return folderHistory(await openReads(context), asFolder(path), since)
    const explain = explainMissing(context, path, () => [historyOfFolder(context.lineAgain(path, `${path}/`))])
    const { metadata, moment: now, response } = await readMetadata(context, path).catch(explain)
    const versions = versionsOf(metadata, now).filter((version) => since === undefined || isSince(version, since, now))
    return { data: versions.map(asJson), view: historyView, rawBody: response.body }
  },
})

/** True if the version was written or deleted at that moment or later. */
function isSince({ created_time, deletion_time }: Version, since: Date, now: Date): boolean {
  return [created_time, deletion_time].some((time) => {
    const moment = Date.parse(time)
    return moment >= since.getTime() && moment <= now.getTime()
  })
}

/** Something that happened to a version. Servers don't store when a version was destroyed. */
interface VersionEvent {
  readonly moment: string | null
  readonly path: string
  readonly version: number
  readonly what: 'written' | 'deleted' | 'destroyed'
}

const eventsView = list<VersionEvent>(
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

/** Every version that was written, deleted or destroyed below a folder, newest first. */
async function folderHistory(bulk: Bulk, folder: string, since: Date | undefined): Promise<Result> {
  const { context } = bulk
  const found = await secretsIn(context, folder)
  const failures: Failure[] = []
  const events: VersionEvent[] = []
  let undated = 0
  const isMeant = ({ moment }: VersionEvent) =>
    since === undefined || (moment !== null && Date.parse(moment) >= since.getTime())
  const look = (path: string) => eventsAt(context, path)
  for await (const some of readFound(bulk, 'reading metadata', { found, failures }, look)) {
    undated += some.filter(({ moment }) => moment === null).length
    for (const event of some) if (isMeant(event)) events.push(event)
  }
  events.sort(newestFirst)
  return {
    rows: inBatches(events),
    view: eventsView,
    finish: () => {
      if (since !== undefined && undated > 0) context.io.note(undatedVersions(undated))
      warnFailures(context.io, failures)
      return exitStatus(failures.length > 0, false)
    },
  }
}

/** A folder has several events for each of its secrets: what is printed of them must not be in memory all at once. */
async function* inBatches(events: readonly VersionEvent[]): Rows {
  for (let start = 0; start < events.length; start += batchSize)
    yield events.slice(start, start + batchSize).map(asJson)
}

const batchSize = 1000

async function eventsAt(context: Context, path: string): Promise<VersionEvent[]> {
  const found = await ifThere(readMetadata(context, path))
  if (found === undefined) return []
  const { metadata, moment: now } = found
  return versionsOf(metadata, now).flatMap(({ version, state, created_time, deletion_time }) => {
    const events: VersionEvent[] = [{ moment: created_time, path, version, what: 'written' }]
    if (Date.parse(deletion_time) <= now.getTime())
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
