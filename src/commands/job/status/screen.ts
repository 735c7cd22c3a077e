import type { Deployment } from '../../../api/allocation-shapes.ts'
import { formatAge, formatMinute, showMomentAndAge } from '../../../core/duration.ts'
import { fromNanoseconds } from '../facts/nanoseconds.ts'
import type { Cell, Paint, Showing, Table } from '../../../core/output.ts'
import { escapeControl } from '../../../output/safe.ts'
import { cells } from '../../../output/width.ts'
import { wrap } from '../../../core/words.ts'
import { idOf, newestFirst, shortId, statusCell, timeOf } from '../cells.ts'
import type { Answers, GroupCounts, Health } from '../state/index.ts'
import { liveAllocations, restartsOf } from '../facts/allocation.ts'
import { deploymentProgress, isOver } from '../facts/deployment.ts'
import { failedVersion, groupCounts } from '../state/index.ts'
import { isBatchJob, isParentJob, jobStatus, kindOf, parameters, periodicTimes } from '../jobs.ts'
import { allocationColumns } from '../allocs.ts'

export interface Status extends Omit<Answers, 'deployments'>, Health {
  /** The latest one; null for a job without any. */
  readonly deployment: Deployment | null
  /** The next launch of a periodic job (RFC 3339), if it can be computed. */
  readonly next_launch: string | null
}

/** `3h ago`; the moment itself with `-o wide`. */
function when(moment: Date, wide: boolean, now: Date): string {
  if (wide) return formatMinute(moment)
  const age = formatAge(moment, now)
  return age.startsWith('in ') ? age : `${age} ago`
}

interface Pen extends Showing {
  readonly paint: Paint
}

/** A job on one screen: the job, its groups, the latest deployment, what runs where, why it isn't healthy, what to do. */
export function statusScreen(status: Status, paint: Paint, showing: Showing): (string | Table)[] {
  const pen: Pen = { ...showing, paint }
  return [
    headline(status, pen),
    details(status, pen),
    isParentJob(status.job) ? parentLines(status, pen) : groupTable(status, pen),
    deploymentLine(status, pen),
    failedLine(status, pen),
    actionsLine(status, pen),
    allocationTable(status, pen),
    label('why', status.why, pen, 'bad'),
    label('next', status.next, pen),
  ]
}

function headline({ job }: Status, { paint, now, wide }: Pen): string {
  const submitted = fromNanoseconds(job.SubmitTime)
  const namespace = job.Namespace ?? 'default'
  return line([
    paint('strong', escapeControl(idOf(job))),
    escapeControl(kindOf(job)),
    painted(statusCell(jobStatus(job)), paint),
    `version ${job.Version ?? '?'}${job.Stable === true ? ' (stable)' : ''}`,
    ...(submitted === undefined ? [] : [`submitted ${when(submitted, wide, now)}`]),
    ...(namespace === 'default' ? [] : [`namespace ${escapeControl(namespace)}`]),
  ])
}

function details({ job }: Status, pen: Pen): string {
  const { ID, Name, Namespace, Region, Priority, Datacenters, NodePool } = job
  const facts = [
    ['name', Name === ID ? '' : Name],
    ...(pen.wide ? [['namespace', Namespace] as const, ['region', Region] as const] : []),
    ['priority', Priority],
    ['datacenters', Datacenters?.join(',')],
    ['node pool', NodePool],
  ] as const
  const shown = facts.flatMap(([fact, value]) => ((value ?? '') === '' ? [] : [`${fact} ${String(value)}`]))
  return label('scheduling', shown.join(', '), pen)
}

/** A periodic or parameterized job has children instead of allocations. */
function parentLines({ job, summary, next_launch }: Status, pen: Pen): string {
  const { Pending, Running, Dead } = summary.Children ?? {}
  return [
    label('launches', periodicTimes(job), pen),
    label('next launch', next_launch === null ? '' : showMomentAndAge(new Date(next_launch), pen), pen),
    label('takes', parameters(job), pen),
    label('children', `${Pending ?? 0} pending, ${Running ?? 0} running, ${Dead ?? 0} dead`, pen),
  ].join('')
}

function groupTable({ job, summary, allocations }: Status, pen: Pen): Table {
  const groups = groupCounts(job, summary, allocations ?? [])
  const columns: (keyof GroupCounts)[] = ['wanted', 'running', 'starting', 'queued', 'failed']
  if (isBatchJob(job) || pen.wide) columns.push('complete')
  for (const rare of ['lost', 'unknown'] as const)
    if (pen.wide || groups.some((group) => group[rare] > 0)) columns.push(rare)
  const shown = columns.filter((name) => name !== 'wanted' || groups.some(({ wanted }) => wanted !== undefined))
  return table(
    ['group', ...shown],
    groups.map((group) => [
      { text: group.name, whole: true },
      ...shown.map((name): Cell => {
        const count = group[name]
        const tone = count === 0 ? undefined : countTones[name]
        return { text: String(count ?? ''), ...(tone === undefined ? {} : { tone }) }
      }),
    ]),
    (name) => name !== 'group',
  )
}

const countTones: Readonly<Partial<Record<keyof GroupCounts, Cell['tone']>>> = {
  queued: 'warn',
  failed: 'bad',
  lost: 'bad',
  unknown: 'warn',
}

function deploymentLine({ job, deployment }: Status, pen: Pen): string {
  if (deployment === null) return ''
  const { ID, JobVersion, StatusDescription, CreateTime, ModifyTime } = deployment
  const status = statusCell(deployment.Status ?? '')
  const isDone = isOver(deployment)
  const moment = fromNanoseconds(isDone ? ModifyTime : CreateTime)
  const since = moment === undefined ? '' : `${isDone ? ' ' : ', started '}${when(moment, pen.wide, pen.now)}`
  const id = shownId(ID, pen)
  const head = line([
    `${pen.paint('dim', 'deployment'.padEnd(labelWidth))} ${id}`,
    `${painted(status, pen.paint)}${since}`,
  ]).trimEnd()
  const rest = [
    deploymentProgress(deployment, true),
    JobVersion === undefined || JobVersion === job.Version ? '' : `of version ${JobVersion}`,
    pen.wide ? (StatusDescription ?? '') : '',
    deadline(deployment, pen),
  ]
  const facts = rest.filter((part) => part !== '').join('  ')
  const room = pen.wide ? Infinity : (pen.width ?? Infinity)
  const fits = labelWidth + 1 + cells(`${id}  ${escapeControl(status.text)}${since}  ${facts}`) <= room
  const shown = fits ? line([head, escapeControl(facts)]) : `${head}\n${label('', facts, pen)}`
  const isUsual = pen.wide || usualDescriptions.has(StatusDescription ?? '')
  return shown + (isUsual ? '' : label('', StatusDescription ?? '', pen))
}

/** `version 3, 2m ago: task srv exited with status 7`: what the current version replaced. */
function failedLine({ job, allocations }: Status, pen: Pen): string {
  const failed = failedVersion(job, allocations ?? [])
  if (failed === undefined) return ''
  const since = failed.since === undefined ? '' : `, ${when(failed.since, pen.wide, pen.now)}`
  return label('failed', `version ${failed.version}${since}: ${failed.reason}`, pen, 'bad')
}

/** What a deployment's status shows as well. */
const usualDescriptions = new Set([
  '',
  'Deployment completed successfully',
  'Deployment is running',
  'Failed due to unhealthy allocations',
])

/** Until when the rollout must make progress, while it runs; without `-o wide` only if that is still to come. */
function deadline({ Status, TaskGroups }: Deployment, { wide, now }: Pen): string {
  if (Status !== 'running') return ''
  const times = Object.values(TaskGroups ?? {}).flatMap(
    ({ RequireProgressBy }) => timeOf(RequireProgressBy ?? undefined) ?? [],
  )
  const [first] = times.toSorted((one, other) => one.getTime() - other.getTime())
  if (first === undefined) return ''
  if (wide) return `must progress by ${formatMinute(first)}`
  const age = formatAge(first, now)
  return age.startsWith('in ') ? `must progress ${age}` : ''
}

/** `hello, migrate (app/srv)`: the actions of each task. */
function actionsLine({ job }: Status, pen: Pen): string {
  const parts = (job.TaskGroups ?? []).flatMap((group) =>
    (group.Tasks ?? []).flatMap((task) => {
      const names = (task.Actions ?? []).map(({ Name }) => Name ?? '')
      return names.length === 0 ? [] : [`${names.join(', ')} (${group.Name}/${task.Name})`]
    }),
  )
  return label('actions', parts.join('; '), pen)
}

/** The versions are shown when one of them is not the job's current version, as after a failed rollout. */
function allocationTable({ job, allocations }: Status, pen: Pen): Table | '' {
  const rows = liveAllocations(allocations ?? []).toSorted(newestFirst)
  if (rows.length === 0) return ''
  const isMixed = rows.some(({ JobVersion }) => JobVersion !== undefined && JobVersion !== job.Version)
  const hasRestarts = pen.wide || rows.some((row) => restartsOf(row).count > 0)
  const names = allColumns.filter(
    (name) =>
      (name !== 'restarts' || hasRestarts) &&
      (name !== 'version' || isMixed || pen.wide) &&
      (pen.wide || !widerColumns.has(name)),
  )
  const columns = names.flatMap((name) => allocationColumns.find((column) => column.name === name) ?? [])
  return table(
    columns.map(({ name, title = name }) => (name === 'id' ? 'alloc' : title)),
    rows.map((row) =>
      columns.map((column): Cell => {
        if (column.name === 'id') return { text: shownId(row.ID, pen), whole: true }
        const shown = column.show?.(row, pen) ?? String(column.value(row) ?? '')
        return typeof shown === 'string' ? { text: shown } : shown
      }),
    ),
    (name) => name === 'version',
  )
}

const allColumns = ['id', 'group', 'node', 'status', 'version', 'created', 'changed', 'restarts', 'event', 'tasks']
const widerColumns = new Set(['changed', 'tasks'])

function shownId(id: string, { wide }: Pen): string {
  return escapeControl(wide ? id : shortId(id))
}

/** A table on a screen; headers decide how columns are cut. */
export function table(headers: readonly string[], rows: Table['rows'], isNumber: (name: string) => boolean): Table {
  return {
    headers,
    rows,
    align: headers.map((name) => (isNumber(name) ? 'right' : 'left')),
    whole: headers.map((name) => ['alloc', 'group', 'job', 'next'].includes(name)),
    truncateFirst: headers.map((name) => name === 'why'),
  }
}

function painted({ text, tone }: { readonly text: string; readonly tone?: Cell['tone'] }, paint: Paint): string {
  const shown = escapeControl(text)
  return tone === undefined ? shown : paint(tone, shown)
}

function line(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('  ')}\n`
}

function label(name: string, words: string, { paint, wide, width }: Pen, tone?: Cell['tone']): string {
  if (words === '') return ''
  const shown = escapeControl(words)
  const lines = width === undefined || wide ? [shown] : wrap(shown, width - labelWidth - 1, cells)
  return lines
    .map((part, index) => {
      const head = index === 0 ? paint('dim', name.padEnd(labelWidth)) : ' '.repeat(labelWidth)
      return `${head} ${painted({ text: part, tone }, paint)}\n`
    })
    .join('')
}

const labelWidth = 'next launch'.length
