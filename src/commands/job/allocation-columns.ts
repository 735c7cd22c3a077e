import { at, text, truth } from '../../core/answer.ts'
import { cell } from '../../core/command.ts'
import { showMoment } from '../../core/duration.ts'
import type { Json } from '../../core/json.ts'
import type { Cell, Column, Showing } from '../../core/output.ts'
import { ageColumn, countColumn, idColumn, plainColumn, statusCell } from './cells.ts'
import { endedBadly } from './live.ts'
import { restartCell, restartCount, restartsOf } from './restarts.ts'
import { failureReason, shortReason } from './reasons.ts'
import { lastEvent, taskStories } from './task-events.ts'

/** `running`, `running (stopping)`, `running (canary)`: the client's status, and the server's wish if it differs. */
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

/** Why a failed allocation failed; else its last event. */
function eventOrReason(row: Json): string {
  const failed = text(row, 'ClientStatus') === 'failed'
  return (failed ? failureReason(row) : undefined) ?? lastEvent(row)
}

/** In the columns of a terminal the fact alone, and a short one is never cut. */
function eventCell(row: Json, { width, wide, absoluteTimes }: Showing): Cell {
  const failed = text(row, 'ClientStatus') === 'failed'
  const tone = failed ? 'bad' : 'dim'
  const short = failed && width !== undefined && !wide && !absoluteTimes ? shortReason(row) : undefined
  if (short === undefined) return cell(eventOrReason(row), tone)
  return { text: short, tone, whole: short.length <= longestWhole }
}

const longestWhole = 24

/** What happened to an allocation that came to a bad end or isn't healthy: why, then the events of each task. */
export function troubleOf(row: Json): string[] {
  if (!endedBadly(row) && at(row, 'DeploymentStatus', 'Healthy') !== false) return []
  const reason = failureReason(row) ?? text(row, 'ClientDescription') ?? ''
  return [...(reason === '' ? [] : [reason]), ...taskStories(row)]
}

/** The columns of a list of allocations; `-o wide` has all of them. */
export const allocationColumns: readonly Column<Json>[] = [
  idColumn('id', 'ID'),
  plainColumn('group', 'TaskGroup'),
  plainColumn('node', 'NodeName'),
  { name: 'status', value: (row) => at(row, 'ClientStatus'), show: (row) => statusCell(allocationStatus(row)) },
  { name: 'desired', value: (row) => at(row, 'DesiredStatus'), wide: true },
  { name: 'health', value: (row) => at(row, 'DeploymentStatus', 'Healthy'), show: health, wide: true },
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
