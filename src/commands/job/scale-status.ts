import type { ScaledGroup, ScalingEvent } from '../../api/job-shapes.ts'
import * as jobs from '../../api/jobs.ts'
import { cell, list } from '../../core/command.ts'
import { fromNanoseconds } from './facts/nanoseconds.ts'
import type { Infer } from '../../core/shape.ts'
import { countColumn, momentColumn, noticedColumn, plainColumn } from './cells.ts'
import { byName, pairs, jobArgument } from './jobs.ts'
import { read } from '../../read/read.ts'

type Scaling = Infer<typeof jobs.scaleStatus.answers>
type GroupRow = ScaledGroup &
  Pick<Scaling, 'JobCreateIndex' | 'JobModifyIndex'> & { readonly Group: string; readonly JobStopped: boolean }

const view = list<GroupRow, Scaling>(
  [
    plainColumn('group', 'Group', { whole: true }),
    countColumn('desired', 'Desired'),
    countColumn('placed', 'Placed'),
    countColumn('running', 'Running'),
    countColumn('healthy', 'Healthy'),
    noticedColumn('unhealthy', 'Unhealthy', 'bad'),
    {
      name: 'last_event',
      value: ({ Events }) => eventWords(Events?.[0]),
      // An event that records an error has a text or true in Error.
      show: ({ Events }) => cell(eventWords(Events?.[0]), Events?.[0]?.Error ? 'bad' : undefined),
    },
    momentColumn('when', ({ Events }) => fromNanoseconds(Events?.[0]?.Time)),
    {
      name: 'job_stopped',
      value: ({ JobStopped }) => JobStopped,
      show: ({ JobStopped }) => (JobStopped ? 'yes' : 'no'),
      wide: true,
    },
    countColumn('job_create_index', 'JobCreateIndex', { wide: true }),
    countColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
    // The events before the last one, the newest first.
    {
      name: 'events',
      value: ({ Events }) => (Events ?? []).slice(1).map(eventWords).join(' | '),
      wide: true,
      long: true,
    },
  ],
  ({ Group }) => Group,
  {
    empty: 'no groups',
    rows: ({ TaskGroups, JobStopped, JobCreateIndex, JobModifyIndex }) =>
      byName(TaskGroups).map(([Group, group]) => ({
        ...group,
        Group,
        JobStopped: JobStopped === true,
        JobCreateIndex,
        JobModifyIndex,
      })),
  },
)

export const scaleStatus = read({
  name: 'scale-status',
  summary: "Show a job's desired and actual counts and its last scaling events",
  endpoint: jobs.scaleStatus,
  params: { job: jobArgument },
  view,
  finish: ({ JobStopped }, { job }, { io }) => {
    if (JobStopped === true) io.note(`${job} is stopped`)
  },
  examples: [
    { line: 'job scale-status web', note: 'for each group' },
    { line: 'job scale-status web --watch', note: 'live, until Ctrl-C' },
  ],
})

/** `2 → 3: scaled to 3 by ann@host through tug`, `error: quota exceeded`, with the event's meta in brackets. */
function eventWords(event: ScalingEvent | undefined): string {
  if (event === undefined) return ''
  const { Count, PreviousCount, Error, Message, Meta } = event
  const counts = Count === undefined || Count === null ? '' : `${PreviousCount ?? ''} → ${Count}`
  // Some servers put the text of an error in Error; others set Error to true and use Message.
  const error = typeof Error === 'string' && Error !== '' ? `error: ${Error}` : Error === true ? 'error' : ''
  const words = [counts, error, Message ?? ''].filter((part) => part !== '').join(': ')
  const facts = pairs(Meta)
  return facts === '' ? words : `${words} (${facts})`
}
