import * as jobs from '../../api/jobs.ts'
import { at, items, text } from '../../core/answer.ts'
import type { ListView } from '../../core/command.ts'
import { cell, list } from '../../core/command.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { ageColumn, countColumn, noticedColumn, plainColumn } from './cells.ts'
import { groupRows, pairs } from './jobs.ts'
import { jobArgument, watchable } from './reads.ts'

export const scaleStatus = watchable({
  name: 'scale-status',
  summary: "Show a job's desired and actual counts and its last scaling events",
  endpoint: jobs.scaleStatus,
  params: { job: jobArgument },
  view: statusView(),
  examples: [
    { line: 'job scale-status web', note: 'for each group' },
    { line: 'job scale-status web --watch', note: 'live, until Ctrl-C' },
  ],
})

function statusView(): ListView {
  return list<Json>(
    [
      plainColumn('group', 'Group', { whole: true }),
      countColumn('desired', 'Desired'),
      countColumn('placed', 'Placed'),
      countColumn('running', 'Running'),
      countColumn('healthy', 'Healthy'),
      noticedColumn('unhealthy', 'Unhealthy', 'bad'),
      {
        name: 'last_event',
        value: (row) => eventWords(items(row, 'Events')[0]),
        show: (row) => {
          const event = items(row, 'Events')[0]
          return isError(event) ? cell(eventWords(event), 'bad') : eventWords(event)
        },
      },
      ageColumn('when', 'LastTime'),
      { name: 'events', value: earlierEvents, wide: true, long: true },
    ],
    (row) => text(row, 'Group') ?? '',
    {
      empty: 'no groups',
      rows: (body) =>
        groupRows('TaskGroups')(body).map((row) => ({
          ...(row as JsonObject),
          LastTime: at(items(row, 'Events')[0], 'Time') ?? null,
        })),
    },
  )
}

/** The events before the last one, the newest first. */
function earlierEvents(row: Json): string {
  return items(row, 'Events').slice(1).map(eventWords).join(' | ')
}

/** `2 → 3: scaled to 3 by ann@host through tug`, `error: quota exceeded`, with the event's meta in brackets. */
function eventWords(event: Json | undefined): string {
  if (event === undefined) return ''
  const to = text(event, 'Count')
  const counts = to === undefined ? '' : `${text(event, 'PreviousCount') ?? ''} → ${to}`
  const error = at(event, 'Error')
  // Some servers hold the text of an error in Error, others in Message, where Error is true.
  const words = typeof error === 'string' && error !== '' ? [`error: ${error}`] : error === true ? ['error'] : []
  const message = text(event, 'Message') ?? ''
  const facts = pairs(at(event, 'Meta'))
  const said = [counts, ...words, message].filter((part) => part !== '').join(': ')
  return facts === '' ? said : `${said} (${facts})`
}

/** True for an event that records an error, as a truth value or as a text. */
function isError(event: Json | undefined): boolean {
  const error = at(event, 'Error')
  return error === true || (typeof error === 'string' && error !== '')
}
