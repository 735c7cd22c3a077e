import type { Allocation } from '../../api/job-shapes.ts'
import * as jobs from '../../api/jobs.ts'
import { cell, list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { showMoment } from '../../core/duration.ts'
import type { Cell, Column, Showing } from '../../core/output.ts'
import { query } from '../../core/param.ts'
import { ageColumn, countColumn, idColumn, idOf, newestFirst, plainColumn, statusCell } from './cells.ts'
import { endedBadly, liveAllocations, noteStopped } from './live.ts'
import { failureReason, shortReason } from './reasons.ts'
import { jobArgument, watchable } from './reads.ts'
import { restartCell, restartCount, restartsOf } from './restarts.ts'
import { lastEvent, taskStories } from './task-events.ts'

/** `running`, `running (stopping)`, `running (canary)`: the client's status, and the server's wish if it differs. */
function allocationStatus({ ClientStatus, DesiredStatus, DeploymentStatus }: Allocation): string {
  const status = ClientStatus ?? ''
  if (DesiredStatus !== 'run' && (status === 'running' || status === 'pending')) return 'stopping'
  return DeploymentStatus?.Canary === true ? `${status} (canary)` : status
}

function health({ DeploymentStatus }: Allocation): Cell | string {
  const healthy = DeploymentStatus?.Healthy
  if (healthy === true) return statusCell('healthy')
  return healthy === false ? statusCell('unhealthy') : ''
}

/** Why a failed allocation failed; else its last event. */
function eventOrReason(row: Allocation): string {
  return (row.ClientStatus === 'failed' ? failureReason(row) : undefined) ?? lastEvent(row)
}

/** In the columns of a terminal the fact alone, and a short one is never cut. */
function eventCell(row: Allocation, { width, wide, absoluteTimes }: Showing): Cell {
  const failed = row.ClientStatus === 'failed'
  const tone = failed ? 'bad' : 'dim'
  const short = failed && width !== undefined && !wide && !absoluteTimes ? shortReason(row) : undefined
  if (short === undefined) return cell(eventOrReason(row), tone)
  return { text: short, tone, whole: short.length <= longestWhole }
}

const longestWhole = 24

/** What happened to an allocation that came to a bad end or isn't healthy: why, then the events of each task. */
function troubleOf(row: Allocation): string[] {
  if (!endedBadly(row) && row.DeploymentStatus?.Healthy !== false) return []
  const reason = failureReason(row) ?? row.ClientDescription ?? ''
  return [...(reason === '' ? [] : [reason]), ...taskStories(row)]
}

/** The columns of a list of allocations; `-o wide` has all of them. */
export const allocationColumns: readonly Column<Allocation>[] = [
  idColumn('id', 'ID'),
  plainColumn('group', 'TaskGroup'),
  plainColumn('node', 'NodeName'),
  { name: 'status', value: (row) => row.ClientStatus ?? null, show: (row) => statusCell(allocationStatus(row)) },
  { name: 'desired', value: (row) => row.DesiredStatus ?? null, wide: true },
  { name: 'health', value: (row) => row.DeploymentStatus?.Healthy ?? null, show: health, wide: true },
  countColumn('version', 'JobVersion'),
  ageColumn('created', 'CreateTime', { title: 'age' }),
  ageColumn('changed', 'ModifyTime', { wide: true }),
  { name: 'restarts', value: restartCount, show: restartCell, whole: true },
  {
    name: 'last_restart',
    value: (row) => restartsOf(row)[0]?.last?.toISOString() ?? null,
    show: (row, showing) => {
      const last = restartsOf(row)[0]?.last
      return last === undefined ? '' : showMoment(last, showing)
    },
    wide: true,
  },
  {
    name: 'event',
    title: 'last event',
    value: eventOrReason,
    show: eventCell,
  },
  plainColumn('client_description', 'ClientDescription', { wide: true }),
  plainColumn('desired_description', 'DesiredDescription', { wide: true }),
  plainColumn('name', 'Name', { wide: true }),
  idColumn('eval', 'EvalID', { wide: true }),
  idColumn('node_id', 'NodeID', { wide: true }),
  idColumn('previous', 'PreviousAllocation', { wide: true }),
  idColumn('next', 'NextAllocation', { wide: true }),
  { name: 'tasks', value: (row) => taskStories(row).join(' | '), wide: true, long: true },
]

/** A terminal's table shows what matters now; every other output has everything that the server answered. */
function folds({ all }: { readonly all: boolean | undefined }, context: Context): boolean {
  return all !== true && isForPeople(context)
}

function isForPeople({ settings, io }: Context): boolean {
  return ['table', 'box'].includes(settings.format) && io.terminal.stdout
}

/** Below each allocation in trouble: what happened. A pipe has one line for each allocation. */
const withTrouble = {
  columns: allocationColumns.filter(({ wide }) => wide !== true).length,
  always: true,
  below: troubleOf,
}

/** Live ones first, then the newest first. */
function liveFirst(rows: readonly Allocation[]): Allocation[] {
  const live = new Set(liveAllocations(rows))
  const rank = (row: Allocation) => (live.has(row) ? 0 : 1)
  return rows.toSorted((one, other) => rank(one) - rank(other) || newestFirst(one, other))
}

export const allocs = watchable({
  name: 'allocs',
  summary: "List a job's allocations, the live ones first",
  description:
    "On a terminal, allocations that were stopped or replaced are only counted; --all lists them, together with those of an earlier registration of the same ID. Below one that failed or is not healthy it shows what happened, task by task; -o wide has that of every allocation.\n\nThe server's answer for an unknown job is an empty list. JSON keeps the server's order, which means nothing.",
  endpoint: jobs.allocations,
  params: {
    job: jobArgument,
    all: query.boolean('stopped ones too, and those of an earlier registration of the same ID'),
  },
  view: (input, context) =>
    list<Allocation, readonly Allocation[] | null>(allocationColumns, idOf, {
      empty: 'no allocations, or no such job',
      ...(isForPeople(context) ? { folded: withTrouble } : {}),
      rows: (all) => (folds(input, context) ? liveAllocations(all ?? []).toSorted(newestFirst) : liveFirst(all ?? [])),
    }),
  finish: (body, input, context) => {
    if (folds(input, context)) noteStopped(context, body ?? [], input.job)
  },
  examples: [
    { line: 'job allocs web', note: 'what runs where' },
    { line: 'job allocs batch-broken', note: 'why something failed, task by task' },
    { line: 'job allocs web --watch', note: 'live, until Ctrl-C' },
    {
      line: `job allocs web --query "[?ClientStatus=='running'].ID" -o name`,
      note: 'the IDs of those that run',
    },
  ],
})
