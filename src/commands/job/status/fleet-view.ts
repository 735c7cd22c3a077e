import type { ScreenView } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import type { CommandSettings } from '../../../core/context.ts'
import type { Json } from '../../../core/json.ts'
import type { Paint, Table } from '../../../core/output.ts'
import { plural } from '../../../core/words.ts'

/** What is printed as JSON. */
export interface FleetStatus {
  readonly jobs: number
  readonly healthy: number
  readonly stopped: number
  /** Finished jobs whose allocations the server no longer lists. */
  readonly unknown?: number
  /** With `--by why` a row for each kind of trouble. */
  readonly unhealthy: readonly (UnhealthyJob | Trouble)[]
}

interface UnhealthyJob {
  readonly namespace: string
  readonly job: string
  readonly why: string
  readonly next: string
}

interface Trouble {
  readonly why: string
  readonly count: number
  /** With their namespaces: `prod/web`. */
  readonly jobs: readonly string[]
}

/** How the state of all jobs is shown: a line of counts, then those that are not healthy. */
export function fleetView({ namespace }: CommandSettings, by: 'why' | undefined): ScreenView {
  const showsNamespace = namespace === '*'
  const nameOf = (row: UnhealthyJob) => (showsNamespace ? `${row.namespace}/${row.job}` : row.job)
  const names = by === 'why' ? ['why', 'count', 'jobs'] : ['namespace', 'job', 'why', 'next']
  const columns = names.map((name) => ({ name, value: (row: Json) => machineValue(row, name) }))
  const rowName = (row: Json) =>
    by === 'why' ? (row as unknown as Trouble).why : nameOf(row as unknown as UnhealthyJob)
  return {
    kind: 'screen',
    blocks: (paint, _showing, data) => {
      const status = data as unknown as FleetStatus
      const { unhealthy } = status
      const headers = by === 'why' ? ['why', 'count', 'jobs'] : ['job', 'why', 'next']
      const rows = unhealthy.map((row) =>
        'job' in row
          ? [{ text: nameOf(row) }, { text: row.why }, { text: row.next }]
          : [{ text: row.why }, { text: String(row.count) }, { text: row.jobs.join(', '), items: row.jobs }],
      )
      return [`${countsLine(status, paint)}\n`, ...(rows.length === 0 ? [] : [table(headers, rows)])]
    },
    rows: {
      view: { ...list<Json>(columns, rowName), rows: (data: Json) => (data as { unhealthy: Json[] }).unhealthy },
    },
  }
}

function machineValue(row: Json, name: string): Json | undefined {
  const value = (row as Readonly<Record<string, Json>>)[name]
  return Array.isArray(value) ? value.join(' ') : value
}

/** `291 jobs: 284 healthy, 3 unhealthy, 4 stopped`. */
function countsLine({ jobs, healthy, stopped, unknown = 0, unhealthy }: FleetStatus, paint: Paint): string {
  const bad = unhealthy.reduce((sum, row) => sum + ('count' in row ? row.count : 1), 0)
  const counts = [
    `${healthy} healthy`,
    bad === 0 ? '' : paint('bad', `${bad} unhealthy`),
    stopped === 0 ? '' : `${stopped} stopped`,
    unknown === 0 ? '' : `${unknown} unknown`,
  ]
  return jobs === 0 ? 'no jobs' : `${plural(jobs, 'job')}: ${counts.filter((words) => words !== '').join(', ')}`
}

function table(headers: readonly string[], rows: Table['rows']): Table {
  return {
    headers,
    rows,
    align: headers.map((name) => (name === 'count' ? 'right' : 'left')),
    whole: headers.map((name) => name === 'job' || name === 'next'),
    truncateFirst: headers.map((name) => name === 'why'),
  }
}
