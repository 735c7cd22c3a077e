import { at, text, truth } from '../../core/answer.ts'
import { cell } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import type { Cell, Column } from '../../core/output.ts'
import { ageColumn, countColumn, idColumn, plainColumn, statusCell } from './cells.ts'
import { failureReason } from './reasons.ts'
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
  ageColumn('changed', 'ModifyTime'),
  {
    name: 'event',
    title: 'last event',
    value: eventOrReason,
    show: (row) => cell(eventOrReason(row), text(row, 'ClientStatus') === 'failed' ? 'bad' : 'dim'),
  },
  plainColumn('client_description', 'ClientDescription', { wide: true }),
  plainColumn('desired_description', 'DesiredDescription', { wide: true }),
  plainColumn('name', 'Name', { wide: true }),
  idColumn('eval', 'EvalID', { wide: true }),
  idColumn('node_id', 'NodeID', { wide: true }),
  idColumn('previous', 'PreviousAllocation', { wide: true }),
  idColumn('next', 'NextAllocation', { wide: true }),
  { name: 'tasks', value: taskStories, wide: true, long: true },
]
