import * as jobs from '../../api/jobs.ts'
import { at, items, number, text, truth } from '../../core/answer.ts'
import { cell, command, list, record } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject } from '../../core/json.ts'
import type { Column } from '../../core/output.ts'
import { countColumn, idOf, newestFirst, plainColumn, statusCell, timeColumn } from './cells.ts'
import { jobArgument, watchable } from './reads.ts'

/** `batch`, `batch periodic`, `service` …: the kind of a stub or job. */
export function kindOf(job: Json): string {
  const words = [text(job, 'Type') ?? '']
  if (isOn(at(job, 'Periodic'))) words.push('periodic')
  if (isOn(at(job, 'ParameterizedJob')) && !truth(job, 'Dispatched')) words.push('parameterized')
  return words.join(' ').trim()
}

/** A periodic or parameterized job: it starts other jobs, and has no allocations itself. */
export function isStarter(job: Json): boolean {
  return isOn(at(job, 'Periodic')) || (isOn(at(job, 'ParameterizedJob')) && !truth(job, 'Dispatched'))
}

/** Stubs carry true or false, jobs the block itself or null. */
function isOn(value: Json | undefined): boolean {
  return value === true || isObject(value)
}

/** `running`, `dead` and, if somebody stopped it, `running (stopping)` or `dead (stopped)`. */
export function jobStatus(job: Json): string {
  const status = text(job, 'Status') ?? ''
  if (!truth(job, 'Stop')) return status
  return `${status} (${status === 'dead' ? 'stopped' : 'stopping'})`
}

/** The kind in a list: `periodic` and `parameterized` jobs are batch jobs unless it says otherwise. */
export function shortKind(job: Json): string {
  return kindOf(job).replace(/^batch (?=p)/, '')
}

/** `app 3, side 1`: the groups with their counts. */
function groupCounts(job: Json): string {
  return items(job, 'TaskGroups')
    .map((group) => `${text(group, 'Name') ?? ''} ${text(group, 'Count') ?? ''}`)
    .join(', ')
}

/** A map in one line: `owner=team-a, tier=1`. */
export function pairs(value: Json | undefined): string {
  return isObject(value)
    ? entriesOf(value)
        .map(([key, item]) => `${key}=${text(item) ?? ''}`)
        .join(', ')
    : ''
}

/** When a periodic job is launched: `15 3 * * * (UTC)`; '' for any other. */
export function periodicTimes(job: Json): string {
  const specs = items(job, 'Periodic', 'Specs').map((spec) => text(spec) ?? '')
  const zone = text(job, 'Periodic', 'TimeZone')
  const times = specs.length > 0 ? specs.join('; ') : (text(job, 'Periodic', 'Spec') ?? '')
  return times === '' || zone === undefined || zone === '' ? times : `${times} (${zone})`
}

/** What a dispatch takes: `payload optional; meta day`; '' for a job that isn't parameterized. */
export function parameters(job: Json): string {
  if (!isObject(at(job, 'ParameterizedJob'))) return ''
  const names = (key: string) => items(job, 'ParameterizedJob', key).map((name) => text(name) ?? '')
  const required = names('MetaRequired')
  const optional = names('MetaOptional')
  return [
    `payload ${text(job, 'ParameterizedJob', 'Payload') || 'optional'}`,
    ...(required.length > 0 ? [`meta ${required.join(', ')}`] : []),
    ...(optional.length > 0 ? [`optional meta ${optional.join(', ')}`] : []),
  ].join('; ')
}

const jobColumns: readonly Column<Json>[] = [
  plainColumn('id', 'ID', { whole: true }),
  {
    ...plainColumn('name', 'Name'),
    show: (job) => (text(job, 'Name') === idOf(job) ? '' : (text(job, 'Name') ?? '')),
    wide: true,
  },
  plainColumn('namespace', 'Namespace'),
  { name: 'type', value: (job) => at(job, 'Type'), show: kindOf },
  { name: 'status', value: (job) => at(job, 'Status'), show: (job) => statusCell(jobStatus(job)) },
  plainColumn('version', 'Version'),
  { name: 'stable', value: (job) => at(job, 'Stable'), show: (job) => (truth(job, 'Stable') ? 'yes' : 'no') },
  timeColumn('submitted', 'SubmitTime'),
  plainColumn('priority', 'Priority'),
  plainColumn('datacenters', 'Datacenters'),
  plainColumn('node_pool', 'NodePool'),
  { name: 'groups', value: groupCounts },
  { name: 'periodic', value: periodicTimes, wide: true },
  { name: 'parameterized', value: parameters, wide: true },
  plainColumn('parent', 'ParentID', { whole: true, wide: true }),
  { name: 'meta', value: (job) => at(job, 'Meta'), show: (job) => pairs(at(job, 'Meta')), wide: true },
  {
    name: 'job_modify_index',
    value: (job) => at(job, 'JobModifyIndex'),
    show: (job) => `${text(job, 'JobModifyIndex') ?? ''} (for --check-index)`,
  },
]

export const get = watchable({
  name: 'get',
  summary: 'Show a job',
  endpoint: jobs.read,
  params: { job: jobArgument },
  view: record(jobColumns, idOf),
  examples: [
    { line: 'job get web', note: 'its type, counts and version' },
    { line: 'job get web -o json > web.json', note: 'the whole job, which run accepts unchanged' },
    { line: 'job get nightly/dispatch-1795236412-b2c4d6e8 --watch', note: 'follow a dispatched job' },
  ],
})

/** The rows of an answer keyed by group, with the group's name as `Group`. */
export function groupRows(...keys: readonly string[]): (body: Json) => Json[] {
  return (body) => {
    const groups = at(body, ...keys)
    if (!isObject(groups)) return []
    return entriesOf(groups)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, facts]) => ({ Group: name, ...(isObject(facts) ? facts : {}) }))
  }
}

/** A count that stands out if it isn't 0. */
function noticed(name: string, key: string, tone: 'bad' | 'warn'): Column<Json> {
  return countColumn(name, key, {
    show: (row) => ((number(row, key) ?? 0) > 0 ? cell(text(row, key) ?? '', tone) : (text(row, key) ?? '')),
  })
}

export const summary = watchable({
  name: 'summary',
  summary: "Count a job's allocations by state, for each group",
  endpoint: jobs.summary,
  params: { job: jobArgument },
  view: list<Json>(
    [
      plainColumn('group', 'Group', { whole: true }),
      noticed('queued', 'Queued', 'warn'),
      countColumn('starting', 'Starting'),
      countColumn('running', 'Running'),
      countColumn('complete', 'Complete'),
      noticed('failed', 'Failed', 'bad'),
      noticed('lost', 'Lost', 'bad'),
      noticed('unknown', 'Unknown', 'warn'),
    ],
    (row) => text(row, 'Group') ?? '',
    {
      empty: 'no groups yet',
      rows: (body) => {
        const children = at(body, 'Children')
        const any = ['Pending', 'Running', 'Dead'].some((key) => (number(children, key) ?? 0) > 0)
        const rows = groupRows('Summary')(body)
        if (!any || !isObject(children)) return rows
        return [
          ...rows,
          {
            Group: '(children)',
            Queued: at(children, 'Pending') ?? 0,
            Running: at(children, 'Running') ?? 0,
            Complete: at(children, 'Dead') ?? 0,
          },
        ]
      },
    },
  ),
  examples: [
    { line: 'job summary web', note: 'how many run, wait or failed' },
    { line: 'job summary web --watch', note: 'live, until Ctrl-C' },
  ],
})

export const services = watchable({
  name: 'services',
  summary: "List the addresses of a job's services",
  endpoint: jobs.services,
  params: { job: jobArgument },
  view: list<Json>(
    [
      plainColumn('service', 'ServiceName', { whole: true }),
      {
        name: 'address',
        value: (row) => `${text(row, 'Address') ?? ''}:${text(row, 'Port') ?? ''}`,
        whole: true,
      },
      plainColumn('tags', 'Tags'),
      plainColumn('datacenter', 'Datacenter'),
      plainColumn('alloc', 'AllocID', { whole: true }),
      plainColumn('node', 'NodeID', { whole: true, wide: true }),
      plainColumn('id', 'ID', { whole: true, wide: true }),
    ],
    idOf,
    {
      empty: "no services (only the scheduler's own service discovery is shown)",
      order: (one, other) =>
        compareText(text(one, 'ServiceName'), text(other, 'ServiceName')) || newestFirst(other, one),
    },
  ),
  examples: [
    { line: 'job services web', note: 'address and port of every instance' },
    { line: 'job services web --query "[].{address: Address, port: Port}" -o csv', note: 'for a load balancer' },
  ],
})

function compareText(one = '', other = ''): number {
  return one === other ? 0 : one < other ? -1 : 1
}

export const actions = command({
  name: 'actions',
  summary: "List a job's actions",
  endpoint: jobs.actions,
  params: { job: jobArgument },
  output: list<Json>(
    [
      plainColumn('action', 'Name', { whole: true }),
      plainColumn('group', 'TaskGroupName', { whole: true }),
      plainColumn('task', 'TaskName', { whole: true }),
      {
        name: 'command',
        value: (row) => [text(row, 'Command') ?? '', ...items(row, 'Args').map((word) => text(word) ?? '')].join(' '),
      },
    ],
    (row) => text(row, 'Name') ?? '',
    { empty: 'this job has no actions' },
  ),
  examples: [{ line: 'job actions web', note: 'then: tug job action web <action>' }],
})
