import { at, items, number, text } from '../../../core/answer.ts'
import type { DocumentView, Result } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { isObject } from '../../../core/json.ts'
import { countColumn, idOf, plainColumn } from '../cells.ts'
import { jobStatus } from '../jobs.ts'
import { liveAllocations, noteStopped } from '../live.ts'
import { restartCount } from '../restarts.ts'
import { groupCounts, total } from './counts.ts'
import { failedVersion } from './failed-version.ts'
import { healthOf } from './health.ts'
import type { Reading, Target } from './reading.ts'
import { readStatus, watchStatus } from './reading.ts'
import type { Status } from './screen.ts'
import { statusScreen } from './screen.ts'

/** Shows a job once. */
export async function lookOnce(context: Context, target: Target, usesExitCode: boolean): Promise<Result> {
  const found = await statusOf(await readStatus(context, target), context)
  return {
    data: { ...found },
    view,
    ...(usesExitCode && found.healthy !== true ? { exitCode: exitCodes.differences } : {}),
    finish: () => {
      if (!showsScreen(context)) return
      noteStopped(context, items(found.allocations), target.job)
      noteFailedVersion(context, found, target.job)
      noteChildren(context, found, target.job)
    },
  }
}

function noteFailedVersion({ io, commandLine }: Context, status: Status, job: string): void {
  const version = failedVersion(status)?.version
  if (version !== undefined) io.note(`what version ${version} changed: ${commandLine('job versions', job, '--diffs')}`)
}

/** The screen counts a parent's children; this is how to see them. */
function noteChildren({ io, commandLine }: Context, { summary }: Status, job: string): void {
  const children = ['Pending', 'Running', 'Dead'].map((key) => number(at(summary, 'Children'), key) ?? 0)
  const count = children.reduce((sum, one) => sum + one, 0)
  const words = count === 1 ? 'child' : 'children'
  if (count > 0) io.note(`${count} ${words}: ${commandLine('job list', '--prefix', `${job}/`)}`)
}

/** True for the screen, which leaves stopped allocations out; other formats have all of them, or a row for the job. */
function showsScreen({ settings: { format, outputFlags } }: Context): boolean {
  return (
    ['table', 'wide', 'box'].includes(format) && outputFlags.query === undefined && outputFlags.columns === undefined
  )
}

/** Shows a job again on every change. */
export function watchLook(context: Context, target: Target): Result {
  return { snapshots: watched(context, target), view }
}

async function* watched(context: Context, target: Target): AsyncIterable<Json> {
  for await (const reading of watchStatus(context, target)) yield { ...(await statusOf(reading, context, true)) }
}

async function statusOf(reading: Reading, context: Context, isWatched = false): Promise<Status> {
  const isPeriodic = isObject(at(reading.job, 'Periodic'))
  const launchOf = isPeriodic ? await (await import('../next-launch.ts')).loadLaunches() : undefined
  const next_launch = launchOf?.(reading.job, context.now())?.toISOString() ?? null
  const options = { line: context.commandLine, now: context.now(), isWatched }
  return { ...reading, next_launch, ...healthOf(reading, options) }
}

const counted = (key: 'wanted' | 'running' | 'starting' | 'waiting' | 'failed') =>
  countColumn(key, key, {
    value: (row) => {
      const { job, summary, allocations } = row as unknown as Status
      return total(groupCounts(job, summary, allocations), key)
    },
  })

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, one) => sum + one, 0)
}

const view: DocumentView = {
  kind: 'document',
  text: (paint, showing, data) => statusScreen(data as unknown as Status, paint, showing),
  rows: {
    view: list<Json>(
      [
        { name: 'id', value: (row) => idOf((row as unknown as Status).job), whole: true },
        { name: 'status', value: (row) => jobStatus((row as unknown as Status).job) },
        { name: 'version', value: (row) => text((row as unknown as Status).job, 'Version') },
        counted('wanted'),
        counted('running'),
        counted('starting'),
        counted('waiting'),
        counted('failed'),
        {
          name: 'restarts',
          value: (row) => sumOf(liveAllocations(items((row as unknown as Status).allocations)).map(restartCount)),
          align: 'right',
        },
        { name: 'deployment', value: (row) => text((row as unknown as Status).deployment, 'Status') },
        plainColumn('healthy', 'healthy'),
        plainColumn('why', 'why'),
        plainColumn('next', 'next'),
      ],
      (row) => idOf((row as unknown as Status).job),
    ),
  },
}
