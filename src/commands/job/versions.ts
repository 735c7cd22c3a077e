import type { Job } from '../../api/job-shapes.ts'
import type { Diff } from '../../api/plan-shapes.ts'
import { sameJson } from '../../core/json.ts'
import * as jobs from '../../api/jobs.ts'
import { asJson, changed } from '../../core/answer.ts'
import { cell, list } from '../../core/command.ts'
import { fromNanoseconds } from './facts/nanoseconds.ts'
import type { Column } from '../../core/output.ts'
import { query } from '../../core/param.ts'
import type { Infer } from '../../core/shape.ts'
import { cells } from '../../output/width.ts'
import { ageColumn, countColumn, momentColumn, plainColumn } from './cells.ts'
import { maskedDiff, showValuesFlag } from './plan/masks.ts'
import { bareJob, documentDiff } from './plan/documents.ts'
import { changesOf } from './plan/changes.ts'
import type { DiffNode } from './plan/tree.ts'
import { changesIn, changeWords, markOf } from './plan/tree.ts'
import { jobArgument } from './jobs.ts'
import { read } from '../../read/read.ts'

type Answer = Infer<typeof jobs.versions.answers>

/** A version, and how it differs from the one before. */
interface VersionRow extends Pick<Job, 'Version' | 'SubmitTime' | 'JobModifyIndex' | 'VersionTag'> {
  readonly Stable: boolean
  readonly Change: string
  readonly Changes: readonly string[]
}

/** Diffs in the answer are masked already. */
function rowsOf({ Versions, Diffs }: Answer, showValues: boolean): VersionRow[] {
  const differences = (before: Job, job: Job) => changeLines(documentDiff(before, job), showValues).join('; ')
  return Versions.map((job, index) => ({
    ...job,
    Stable: job.Stable === true,
    Change: changeOf(Versions, index, Diffs?.[index] ? undefined : differences),
    Changes: changeLines(Diffs?.[index], true),
  }))
}

const versionColumns: Column<VersionRow>[] = [
  countColumn('version', 'Version'),
  plainColumn('stable', 'Stable', { show: ({ Stable }) => (Stable ? cell('stable', 'good') : '') }),
  ageColumn('submitted', 'SubmitTime'),
  plainColumn('change', 'Change', {
    // `changed, tagged v1.2`: few versions have a tag, so it has a column in wide tables only.
    show: ({ Change, VersionTag }, { wide }) =>
      [Change, wide || !VersionTag?.Name ? '' : `tagged ${VersionTag.Name}`].filter((part) => part !== '').join(', '),
  }),
  { name: 'tag', value: ({ VersionTag }) => VersionTag?.Name, wide: true },
  momentColumn('tagged', ({ VersionTag }) => fromNanoseconds(VersionTag?.TaggedTime), { wide: true }),
  countColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
]

/** The changes in one cell; a table shows them below each version. */
const changes: Column<VersionRow> = {
  name: 'changes',
  title: 'diff',
  value: ({ Changes }) => Changes.join('; '),
}

const withDiffs = {
  columns: versionColumns.filter(({ wide }) => wide !== true).length,
  always: true,
  below: ({ Changes }: VersionRow) => Changes,
}

/** The answer with complete diffs, which include what the server omits, masked unless `showValues`. */
function withWholeDiffs(answer: Answer, showValues: boolean): unknown {
  if (!answer.Diffs) return answer
  const diffs = answer.Diffs.map((diff, index) => {
    const [job, before] = [answer.Versions[index], answer.Versions[index + 1]]
    const whole = diff && job && before ? changesOf(before, job, diff) : diff
    return whole && !showValues ? maskedDiff(whole) : whole
  })
  return changed(asJson(answer), { Diffs: asJson(diffs) })
}

export const versions = read({
  name: 'versions',
  summary: "List a job's versions, the newest first, and how each differs from the one before",
  description:
    'The change: stopped, started, the same as an older version, or what differs from the one before. The server keeps six versions and those with a tag.',
  endpoint: jobs.versions,
  params: { job: jobArgument, diffs: query.boolean('with the changes between versions'), showValues: showValuesFlag },
  select: (answer, input) => withWholeDiffs(answer, input.showValues === true),
  view: ({ diffs, showValues }) =>
    list<VersionRow, Answer>(
      diffs === true ? [...versionColumns, changes] : versionColumns,
      ({ Version }) => String(Version ?? ''),
      {
        rows: (body) => rowsOf(body, showValues === true),
        ...(diffs === true ? { folded: withDiffs } : {}),
      },
    ),
  examples: [
    { line: 'job versions web', note: 'versions to revert to' },
    { line: 'job versions web --diffs', note: 'and what changed; values that look secret stay hidden' },
  ],
})

/**
 * How a version (of `all`, newest first) differs from the one before: `stopped`, `started`, `same as 1`, `new` for the first, their
 * `differences`, or `changed`. '' for the oldest one that is kept, whose predecessor is gone.
 */
export function changeOf(
  all: readonly Job[],
  index: number,
  differences: (before: Job, job: Job) => string = () => '',
): string {
  const job = all[index]
  const before = all[index + 1]
  if (job === undefined) return ''
  if (before === undefined) return job.Version === 0 ? 'new' : ''
  const own = bareJob(job)
  const isSame = sameJson(own, bareJob(before))
  const toggled = (job.Stop === true) === (before.Stop === true) ? '' : job.Stop === true ? 'stopped' : 'started'
  if (isSame) return toggled === '' ? `same as ${before.Version ?? ''}` : toggled
  const older = all.slice(index + 2).find((other) => sameJson(own, bareJob(other)))
  const change = older !== undefined ? `same as ${older.Version ?? ''}` : differences(before, job) || 'changed'
  return toggled === '' ? change : `${change}, ${toggled}`
}

/** Wider values are omitted; the line still names the field. */
const longestValue = 60

/**
 * A version's diff in brief, in the words of the job file and a line each for job, group and task: `app: count 2 → 3`,
 * `app.srv: config.image app:1 → app:2, env.TOKEN (masked, differs)`.
 */
export function changeLines(diff: Diff | null | undefined, showValues: boolean): string[] {
  if (diff === undefined || diff === null) return []
  return [
    ...placed('', diff, showValues),
    ...(diff.TaskGroups ?? []).flatMap((group) => {
      const name = group.Name ?? ''
      const whole = wholeWords('group', name, group)
      if (whole !== undefined) return [whole]
      const tasks = (group.Tasks ?? []).flatMap((task) => {
        const path = `${name}.${task.Name ?? ''}`
        const all = wholeWords('task', path, task)
        return all === undefined ? placed(path, task, showValues) : [all]
      })
      return [...placed(name, group, showValues), ...tasks]
    }),
  ]
}

/** An added or deleted group or task is one change, whatever it contains. */
function wholeWords(kind: string, name: string, diff: Diff): string | undefined {
  const mark = markOf(diff)
  return mark === '+' || mark === '-' ? `${kind} ${name} ${changeWords[mark]}` : undefined
}

function placed(place: string, diff: Diff, showValues: boolean): string[] {
  const words = changesIn(diff, showValues).map(briefly).join(', ')
  return words === '' ? [] : [place === '' ? words : `${place}: ${words}`]
}

function briefly({ mark, label, value = '', children }: DiffNode): string {
  if (mark !== '~') return `${label} ${changeWords[mark]}`
  const inner = children.map(briefly)
  if (inner.length > 0) return `${label} ${inner.length === 1 ? inner.join('') : `(${inner.join(', ')})`}`
  return value === '' || cells(value) > longestValue ? `${label} changed` : `${label} ${value}`
}
