import type { Allocation, TaskEvent, TaskState } from '../../api/allocation-shapes.ts'
import * as jobs from '../../api/jobs.ts'
import { cell, list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { formatAge, formatMinute } from '../../core/duration.ts'
import { fromNanoseconds } from './facts/nanoseconds.ts'
import type { Cell, Column, Showing } from '../../core/output.ts'
import { query } from '../../core/param.ts'
import {
  ageColumn,
  countColumn,
  idColumn,
  idOf,
  momentColumn,
  newestFirst,
  plainColumn,
  shortId,
  statusCell,
  spanOf,
  timeOf,
} from './cells.ts'
import { endedBadly, liveAllocations, momentsOf, restartsOf } from './facts/allocation.ts'
import { failureReason, shortReason } from './facts/reasons.ts'
import { jobArgument } from './jobs.ts'
import { read } from '../../read/read.ts'
import { entriesOf } from '../../core/json.ts'
import { largest } from '../../core/lists.ts'
import { plural } from '../../core/words.ts'

/** `running`, `running (canary)`, or `stopping` for one that the server has told to stop. */
function allocationStatus({ ClientStatus, DesiredStatus, DeploymentStatus }: Allocation): string {
  const status = ClientStatus ?? ''
  if (DesiredStatus !== 'run' && (status === 'running' || status === 'pending')) return 'stopping'
  return DeploymentStatus?.Canary === true ? `${status} (canary)` : status
}

/** Why a failed allocation failed; else its last event. */
function eventOrReason(row: Allocation): string {
  return (row.ClientStatus === 'failed' ? failureReason(row) : undefined) ?? lastEvent(row)
}

/** In a terminal's narrow table the short reason of a failure, which is not truncated if it fits {@link longestWhole}. */
function eventCell(row: Allocation, { width, wide, absoluteTimes }: Showing): Cell {
  const failed = row.ClientStatus === 'failed'
  const tone = failed ? 'bad' : 'dim'
  const short = failed && width !== undefined && !wide && !absoluteTimes ? shortReason(row) : undefined
  if (short === undefined) return cell(eventOrReason(row), tone)
  return { text: short, tone, whole: short.length <= longestWhole }
}

const longestWhole = 24

/** The restarts of an allocation and the age of the last: `14 (10s ago)`. */
function restartCell(allocation: Allocation, { now, wide, absoluteTimes }: Showing): Cell {
  const { count, last } = restartsOf(allocation)
  if (count === 0) return { text: '0' }
  // Clocks differ: what is still to come has just happened.
  const ago = last === undefined || wide || absoluteTimes ? '' : ` (${formatAge(last > now ? now : last, now)} ago)`
  return { text: `${count}${ago}`, tone: 'warn' }
}

/** Why an allocation failed or is unhealthy, then the events of each task. */
function troubleOf(row: Allocation): string[] {
  if (!endedBadly(row) && row.DeploymentStatus?.Healthy !== false) return []
  const reason = failureReason(row) ?? row.ClientDescription ?? ''
  return [...(reason === '' ? [] : [reason]), ...taskStories(row)]
}

/** `2026-11-21 07:05 UTC after 30s from 1bb123cc on node 5c2e91d0`: how it was rescheduled, the latest first. */
function reschedules({ RescheduleTracker }: Allocation): string {
  const events = (RescheduleTracker?.Events ?? []).map(({ RescheduleTime, Delay, PrevAllocID, PrevNodeID }) => {
    const moment = fromNanoseconds(RescheduleTime)
    const delay = spanOf(Delay)
    return [
      moment === undefined ? '' : formatMinute(moment),
      ...(delay === '' ? [] : [`after ${delay}`]),
      ...(PrevAllocID ? [`from ${shortId(PrevAllocID)}`] : []),
      ...(PrevNodeID ? [`on node ${shortId(PrevNodeID)}`] : []),
    ].join(' ')
  })
  return events.toReversed().join(' | ')
}

/** The columns of a list of allocations; `-o wide` has all of them. */
export const allocationColumns: readonly Column<Allocation>[] = [
  idColumn('id', 'ID'),
  plainColumn('group', 'TaskGroup'),
  plainColumn('node', 'NodeName'),
  { name: 'status', value: (row) => row.ClientStatus ?? null, show: (row) => statusCell(allocationStatus(row)) },
  { name: 'desired', value: (row) => row.DesiredStatus ?? null, wide: true },
  {
    name: 'health',
    value: (row) => row.DeploymentStatus?.Healthy ?? null,
    show: ({ DeploymentStatus }) => {
      const isHealthy = DeploymentStatus?.Healthy ?? undefined
      return isHealthy === undefined ? '' : statusCell(isHealthy ? 'healthy' : 'unhealthy')
    },
    wide: true,
  },
  countColumn('version', 'JobVersion'),
  ageColumn('created', 'CreateTime', { title: 'age' }),
  ageColumn('changed', 'ModifyTime', { wide: true }),
  { name: 'restarts', value: (row) => restartsOf(row).count, show: restartCell, whole: true },
  momentColumn('last_restart', (row) => restartsOf(row).last, { wide: true }),
  { name: 'event', title: 'last event', value: eventOrReason, show: eventCell },
  plainColumn('client_description', 'ClientDescription', { wide: true }),
  plainColumn('desired_description', 'DesiredDescription', { wide: true }),
  plainColumn('name', 'Name', { wide: true }),
  idColumn('eval', 'EvalID', { wide: true }),
  idColumn('node_id', 'NodeID', { wide: true }),
  idColumn('previous', 'PreviousAllocation', { wide: true }),
  idColumn('next', 'NextAllocation', { wide: true }),
  { name: 'rescheduled', value: reschedules, wide: true },
  countColumn('create_index', 'CreateIndex', { wide: true }),
  countColumn('modify_index', 'ModifyIndex', { wide: true }),
  { name: 'canary', value: ({ DeploymentStatus }) => DeploymentStatus?.Canary ?? null, wide: true },
  momentColumn('health_time', ({ DeploymentStatus }) => timeOf(DeploymentStatus?.Timestamp ?? undefined), {
    wide: true,
  }),
  momentColumn('started', (row) => momentsOf([row], 'StartedAt')[0], { wide: true }),
  momentColumn('finished', (row) => momentsOf([row], 'FinishedAt').at(-1), { wide: true }),
  momentColumn(
    'last_event',
    ({ TaskStates }) =>
      fromNanoseconds(largest(Object.values(TaskStates ?? {}).flatMap(({ Events }) => (Events ?? []).map(eventTime)))),
    { wide: true },
  ),
  idColumn('followup_eval', 'FollowupEvalID', { wide: true }),
  idColumn('preempted_by', 'PreemptedByAllocation', { wide: true }),
  { name: 'tasks', value: (row) => taskStories(row).join(' | '), wide: true, long: true },
]

/** True to show only live allocations: in a terminal's table. Every other output has all. */
function folds({ all }: { readonly all: boolean | undefined }, context: Context): boolean {
  return all !== true && isForPeople(context)
}

function isForPeople({ settings, io }: Context): boolean {
  return ['table', 'box'].includes(settings.format) && io.terminal.stdout
}

/** What happened to failed allocations, below each; a pipe has one line per allocation. */
const withTrouble = {
  columns: allocationColumns.filter(({ wide }) => wide !== true).length,
  always: true,
  below: troubleOf,
}

/** Notes how many allocations a view of the live ones omits, and how to list them. */
export function noteStopped(context: Context, allocations: readonly Allocation[], job: string): void {
  const count = allocations.length - liveAllocations(allocations).length
  if (count > 0)
    context.io.note(`${plural(count, 'stopped allocation')}: ${context.commandLine('job allocs', job, ['--all'])}`)
}

/** Live ones first, then the newest first. */
function liveFirst(rows: readonly Allocation[]): Allocation[] {
  const live = new Set(liveAllocations(rows))
  const rank = (row: Allocation) => (live.has(row) ? 0 : 1)
  return rows.toSorted((one, other) => rank(one) - rank(other) || newestFirst(one, other))
}

export const allocs = read({
  name: 'allocs',
  summary: "List a job's allocations, the live ones first",
  description:
    "On a terminal, allocations that were stopped or replaced are only counted. Below each failed or unhealthy allocation it shows what happened, task by task; -o wide shows that for every allocation.\n\nFor an unknown job the server returns an empty list. JSON keeps the server's order.",
  endpoint: jobs.allocations,
  params: {
    job: jobArgument,
    all: query.boolean('include stopped ones, and those of an earlier job with the same ID'),
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

/** Members of an event with a message, the most specific first. */
const messageMembers = [
  'DriverError',
  'SetupError',
  'ValidationError',
  'DownloadError',
  'SecretsError',
  'VaultError',
  'KillError',
  'KillReason',
  'RestartReason',
  'TaskSignalReason',
  'DriverMessage',
] as const

/** Events whose message adds nothing to their name. */
const plainEvents = new Set(['Received', 'Started', 'Killed'])

/** `Terminated: exit 137, signal 9`, `Driver Failure: image not found`: everything that an event reports. */
export function eventWords(event: TaskEvent): string {
  const type = event.Type ?? ''
  const numbers = numbersOf(event)
  // Where there are numbers, the message only repeats them.
  const facts = [...numbers, ...messagesOf(event, numbers.length > 0 || plainEvents.has(type))]
  return facts.length === 0 ? type : `${type}: ${facts.join(', ')}`
}

function numbersOf(event: TaskEvent): string[] {
  const [exit, signal, disk] = [event.ExitCode, event.Signal, event.DiskLimit].map((value) => Number(value ?? 0))
  const delay = spanOf(event.StartDelay)
  const timeout = spanOf(event.KillTimeout)
  const sibling = event.FailedSibling ?? ''
  const sent = event.TaskSignal ?? ''
  const hasEnded = event.Type === 'Terminated' && signal === 0
  return [
    ...(exit === 0 && !hasEnded ? [] : [`exit ${exit}`]),
    ...(signal === 0 ? [] : [`signal ${signal}`]),
    ...(disk === 0 ? [] : [`disk limit ${disk}`]),
    ...(sibling === '' ? [] : [`task ${sibling} failed`]),
    ...(sent === '' ? [] : [sent]),
    ...(delay === '' ? [] : [`again in ${delay}`]),
    ...(timeout === '' ? [] : [`has ${timeout} to end`]),
    ...(event.FailsTask === true ? ['fails the task'] : []),
  ]
}

/** The specific messages of an event, else its general one, in the server's words unless `isPlain`. */
function messagesOf(event: TaskEvent, isPlain: boolean): string[] {
  const found = messageMembers.flatMap((key) => words(event[key]))
  if (found.length > 0) return [...new Set(found)]
  if (isPlain) return words(event.Message)
  return [...words(event.DisplayMessage), ...words(event.Message)].slice(0, 1)
}

function words(message: string | null | undefined): string[] {
  const found = (message ?? '').trim()
  return found === '' ? [] : [found]
}

/** The last event of a task that failed, else of the task with the newest event; with several tasks, the task is named. */
export function lastEvent(allocation: Pick<Allocation, 'TaskStates' | 'ClientDescription'>): string {
  const tasks = entriesOf(allocation.TaskStates ?? {}).map(([name, state]) => ({
    name,
    failed: state.Failed === true,
    event: lastEventOf(state),
  }))
  const found = tasks
    .filter(({ event }) => event !== undefined)
    .toSorted(
      (one, other) => Number(other.failed) - Number(one.failed) || eventTime(other.event) - eventTime(one.event),
    )[0]
  if (found?.event === undefined) return allocation.ClientDescription ?? ''
  return tasks.length === 1 ? eventWords(found.event) : `${found.name}: ${eventWords(found.event)}`
}

/** Events that follow the one with the reason why a task ended. */
const echoes = new Set(['Not Restarting', 'Killing', 'Killed', 'Sibling Task Failed', 'Alloc Unhealthy', 'Restarting'])

/** The last event of a task; of a failed one, the last that shows why. */
function lastEventOf(state: TaskState): TaskEvent | undefined {
  const events = state.Events ?? []
  const last = events.at(-1)
  if (state.Failed !== true) return last
  return events.findLast(({ Type }) => !echoes.has(Type ?? '')) ?? last
}

function eventTime(event: TaskEvent | undefined): number {
  return Number(event?.Time ?? 0)
}

/** Task by task, state and every event: `srv dead (failed): Started; Terminated: exit 7; Not Restarting: …`. */
export function taskStories({ TaskStates }: Pick<Allocation, 'TaskStates'>): string[] {
  return entriesOf(TaskStates ?? {}).map(([name, { State, Failed, Events }]) => {
    const how = `${name} ${State ?? ''}${Failed === true ? ' (failed)' : ''}`.trim()
    const events = (Events ?? []).map(eventWords)
    return events.length === 0 ? how : `${how}: ${events.join('; ')}`
  })
}
