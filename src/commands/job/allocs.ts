import * as jobs from '../../api/jobs.ts'
import { at, items, number, text, truth } from '../../core/answer.ts'
import { cell, list } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isNumber, isObject } from '../../core/json.ts'
import type { Cell } from '../../core/output.ts'
import { query } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import { ageColumn, countColumn, idOf, newestFirst, plainColumn, statusCell } from './cells.ts'
import { jobArgument, watchable } from './reads.ts'

/** `running`, `stopping`, `running (canary)`: the client's status and the desired one. */
function allocationStatus(row: Json): string {
  const status = text(row, 'ClientStatus') ?? ''
  if (text(row, 'DesiredStatus') !== 'run' && (status === 'running' || status === 'pending')) return 'stopping'
  return truth(row, 'DeploymentStatus', 'Canary') ? `${status} (canary)` : status
}

function health(row: Json): Cell | string {
  const healthy = at(row, 'DeploymentStatus', 'Healthy')
  if (healthy === true) return statusCell('healthy')
  return healthy === false ? statusCell('unhealthy') : ''
}

/**
 * The last event of the task that matters most: one that failed, else the one with the newest event. With several
 * tasks, the task is named.
 */
function lastEvent(allocation: Json): string {
  const states = at(allocation, 'TaskStates')
  if (!isObject(states)) return text(allocation, 'ClientDescription') ?? ''
  const tasks = entriesOf(states).map(([name, state]) => ({
    name,
    failed: truth(state, 'Failed'),
    event: tellingEvent(state),
  }))
  const found = tasks
    .filter(({ event }) => event !== undefined)
    .toSorted((one, other) => Number(other.failed) - Number(one.failed) || timeOf(other.event) - timeOf(one.event))[0]
  if (found === undefined) return ''
  const words = eventWords(found.event as Json)
  return tasks.length === 1 ? words : `${found.name}: ${words}`
}

/** Events about the end of a task follow those with the reason, which is what people want. */
const echoes = new Set(['Not Restarting', 'Killing', 'Killed', 'Sibling Task Failed', 'Alloc Unhealthy', 'Restarting'])

function tellingEvent(state: Json): Json | undefined {
  const events = items(state, 'Events')
  const last = events.at(-1)
  if (!truth(state, 'Failed')) return last
  return events.findLast((event) => !echoes.has(text(event, 'Type') ?? '')) ?? last
}

/** Events whose message adds nothing to their name. */
const plainEvents = new Set(['Received', 'Started', 'Killed'])

/** `Terminated: exit 7`, `Driver Failure: image not found`. */
function eventWords(event: Json): string {
  const type = text(event, 'Type') ?? ''
  const code = number(event, 'ExitCode') ?? 0
  const words = code !== 0 ? `exit ${code}` : text(event, 'DisplayMessage') || text(event, 'Message') || ''
  return words === '' || plainEvents.has(type) ? type : `${type}: ${words}`
}

function timeOf(event: Json | undefined): number {
  return number(event, 'Time') ?? 0
}

export const allocs = watchable({
  name: 'allocs',
  summary: "List a job's allocations, the newest first",
  description:
    'A job that is not there has no allocations: the server answers the same for both. JSON keeps the order of the server, which means nothing.',
  endpoint: jobs.allocations,
  params: {
    job: jobArgument,
    all: query.boolean('also those of an earlier registration of the same ID'),
  },
  view: list<Json>(
    [
      plainColumn('id', 'ID', { whole: true }),
      plainColumn('group', 'TaskGroup'),
      { name: 'status', value: (row) => at(row, 'ClientStatus'), show: (row) => statusCell(allocationStatus(row)) },
      { name: 'desired', value: (row) => at(row, 'DesiredStatus'), wide: true },
      { name: 'health', value: (row) => at(row, 'DeploymentStatus', 'Healthy'), show: health, wide: true },
      countColumn('version', 'JobVersion'),
      plainColumn('node', 'NodeName', { wide: true }),
      ageColumn('age', 'CreateTime'),
      ageColumn('changed', 'ModifyTime', { wide: true }),
      {
        name: 'event',
        value: lastEvent,
        show: (row) => cell(lastEvent(row), text(row, 'ClientStatus') === 'failed' ? 'bad' : 'dim'),
      },
      plainColumn('name', 'Name', { wide: true }),
      plainColumn('eval', 'EvalID', { wide: true, whole: true }),
      plainColumn('node_id', 'NodeID', { wide: true, whole: true }),
      plainColumn('previous', 'PreviousAllocation', { wide: true, whole: true }),
      plainColumn('next', 'NextAllocation', { wide: true, whole: true }),
    ],
    idOf,
    { order: newestFirst, empty: 'no allocations, or no such job' },
  ),
  examples: [
    { line: 'job allocs web', note: 'what runs where, and why something failed' },
    { line: 'job allocs web --watch', note: 'live, until Ctrl-C' },
    {
      line: `job allocs web --query "[?ClientStatus=='running'].ID" -o name`,
      note: 'the IDs of those that run',
    },
  ],
})

/** `app: 3 not placed (missing drivers: 1 node)`, for each group that could not be placed. */
function unplaced(evaluation: Json): string {
  const groups = at(evaluation, 'FailedTGAllocs')
  if (!isObject(groups)) return ''
  return entriesOf(groups)
    .map(([name, metric]) => {
      const count = (number(metric, 'CoalescedFailures') ?? 0) + 1
      const reason = placementReason(metric)
      return `${name}: ${count} not placed${reason === '' ? '' : ` (${reason})`}`
    })
    .join('; ')
}

function placementReason(metric: Json): string {
  const counted = (key: string, word: string) => {
    const map = at(metric, key)
    if (!isObject(map)) return []
    return entriesOf(map).map(([name, count]) => `${name}${word}: ${nodes(count)}`)
  }
  const reasons = [
    ...counted('ConstraintFiltered', ''),
    ...counted('DimensionExhausted', ' exhausted'),
    ...items(metric, 'QuotaExhausted').map((quota) => `quota ${text(quota) ?? ''}`),
  ]
  if (reasons.length === 0 && number(metric, 'NodesEvaluated') === 0) return 'no node was eligible'
  return reasons.join(', ')
}

function nodes(count: Json): string {
  return plural(isNumber(count) ? count.valueOf() : 0, 'node')
}

export const evals = watchable({
  name: 'evals',
  summary: "List a job's evaluations, the newest first",
  description: 'A job that is not there has no evaluations: the server answers the same for both.',
  endpoint: jobs.evaluations,
  params: { job: jobArgument },
  view: list<Json>(
    [
      plainColumn('id', 'ID', { whole: true }),
      plainColumn('triggered_by', 'TriggeredBy'),
      { name: 'status', value: (row) => at(row, 'Status'), show: (row) => statusCell(text(row, 'Status') ?? '') },
      ageColumn('age', 'CreateTime'),
      { name: 'unplaced', value: (row) => unplaced(row), show: (row) => cell(unplaced(row), 'bad') },
      plainColumn('description', 'StatusDescription', { wide: true }),
      countColumn('priority', 'Priority', { wide: true }),
      plainColumn('deployment', 'DeploymentID', { wide: true, whole: true }),
      plainColumn('previous', 'PreviousEval', { wide: true, whole: true }),
      plainColumn('next', 'NextEval', { wide: true, whole: true }),
      plainColumn('blocked_by', 'BlockedEval', { wide: true, whole: true }),
      countColumn('create_index', 'CreateIndex', { wide: true }),
    ],
    idOf,
    { order: newestFirst, empty: 'no evaluations, or no such job' },
  ),
  examples: [
    { line: 'job evals web', note: 'why the scheduler looked at it, and what it could not place' },
    { line: 'job evals web --watch -o ndjson', note: 'a line for every state, for a log' },
  ],
})
