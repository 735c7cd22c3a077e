import type { Job } from '../../../api/job-shapes.ts'
import * as jobs from '../../../api/jobs.ts'
import { asJson, changed } from '../../../core/answer.ts'
import { cell, list } from '../../../core/command.ts'
import { fromNanoseconds } from '../../../core/duration.ts'
import type { Column, Showing } from '../../../core/output.ts'
import { query } from '../../../core/param.ts'
import type { Infer } from '../../../core/shape.ts'
import { ageColumn, countColumn, momentColumn, plainColumn } from '../cells.ts'
import type { Mask } from '../plan/masks.ts'
import { maskedDiff, maskFlags, maskOf } from '../plan/masks.ts'
import { jobArgument, watchable } from '../reads.ts'
import { documentDiff, changeLines, changeOf } from './changes.ts'

type Answer = Infer<typeof jobs.versions.answers>

/** A version, and how it differs from the one before. */
interface Row extends Pick<Job, 'Version' | 'SubmitTime' | 'JobModifyIndex' | 'VersionTag'> {
  readonly Stable: boolean
  readonly Change: string
  readonly Changes: readonly string[]
}

/** The server's diffs are masked already. */
function versionRows({ Versions, Diffs }: Answer, mask: Mask): Row[] {
  const differences = (before: Job, job: Job) => changeLines(documentDiff(before, job), mask).join('; ')
  return Versions.map((job, index) => ({
    ...job,
    Stable: job.Stable === true,
    Change: changeOf(Versions, index, Diffs?.[index] ? undefined : differences),
    Changes: changeLines(Diffs?.[index], 'none'),
  }))
}

const versionColumns: Column<Row>[] = [
  countColumn('version', 'Version'),
  plainColumn('stable', 'Stable', { show: ({ Stable }) => (Stable ? cell('stable', 'good') : '') }),
  ageColumn('submitted', 'SubmitTime'),
  plainColumn('change', 'Change', { show: changeAndTag }),
  { name: 'tag', value: ({ VersionTag }) => VersionTag?.Name, wide: true },
  momentColumn('tagged', ({ VersionTag }) => fromNanoseconds(VersionTag?.TaggedTime), { wide: true }),
  countColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
]

/** `changed, tagged v1.2`: few versions have a tag, so it has a column in wide tables only. */
function changeAndTag({ Change, VersionTag }: Row, { wide }: Pick<Showing, 'wide'>): string {
  const tag = VersionTag?.Name
  return [Change, wide || !tag ? '' : `tagged ${tag}`].filter((part) => part !== '').join(', ')
}

/** What changed, in one cell where rows have one line; a table has it below each version. */
const changes: Column<Row> = {
  name: 'changes',
  title: 'diff',
  value: ({ Changes }) => Changes.join('; '),
}

const withDiffs = {
  columns: versionColumns.filter(({ wide }) => wide !== true).length,
  always: true,
  below: ({ Changes }: Row) => Changes,
}

/** The answer with its diffs masked. */
function maskedVersions(answer: Answer, mask: Mask): unknown {
  if (!answer.Diffs) return answer
  return changed(asJson(answer), { Diffs: asJson(answer.Diffs.map((diff) => diff && maskedDiff(diff, mask))) })
}

export const versions = watchable({
  name: 'versions',
  summary: "List a job's versions, the newest first, and how each differs from the one before",
  description:
    'The change is what the versions themselves show: it was stopped or started, is the same as an older one, or what differs from the one before. The server keeps six versions and those with a tag.',
  endpoint: jobs.versions,
  params: { job: jobArgument, diffs: query.boolean('with the changes between versions'), ...maskFlags },
  select: (answer, input) => maskedVersions(answer, maskOf(input)),
  view: ({ diffs, ...masks }) =>
    list<Row, Answer>(
      diffs === true ? [...versionColumns, changes] : versionColumns,
      ({ Version }) => String(Version ?? ''),
      {
        rows: (body) => versionRows(body, maskOf(masks)),
        ...(diffs === true ? { folded: withDiffs } : {}),
      },
    ),
  examples: [
    { line: 'job versions web', note: 'versions to revert to' },
    { line: 'job versions web --diffs', note: 'and what changed; values that look secret stay hidden' },
  ],
})
