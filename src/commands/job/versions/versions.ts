import * as jobs from '../../../api/jobs.ts'
import { asJson, at, changed, items, text, truth } from '../../../core/answer.ts'
import { cell, list } from '../../../core/command.ts'
import type { Json } from '../../../core/json.ts'
import type { Column, Showing } from '../../../core/output.ts'
import { query } from '../../../core/param.ts'
import { ageColumn, countColumn, plainColumn } from '../cells.ts'
import type { Mask } from '../plan/masks.ts'
import { maskedDiff, maskFlags, maskOf } from '../plan/masks.ts'
import { jobArgument, watchable } from '../reads.ts'
import { documentDiff } from './documents.ts'
import { changeLines, changeOf } from './story.ts'

/** A version's row: the job, and how it differs from the one before. The server's diffs are masked already. */
function versionRows(body: Json, mask: Mask): Json[] {
  const differences = (before: Json, job: Json) => changeLines(documentDiff(before, job), mask).join('; ')
  const versions = items(body, 'Versions')
  const diffs = items(body, 'Diffs')
  return versions.map((job, index) => ({
    Version: at(job, 'Version') ?? null,
    Stable: truth(job, 'Stable'),
    SubmitTime: at(job, 'SubmitTime') ?? null,
    JobModifyIndex: at(job, 'JobModifyIndex') ?? null,
    Tag: text(job, 'VersionTag', 'Name') ?? null,
    TaggedTime: at(job, 'VersionTag', 'TaggedTime') ?? null,
    Change: changeOf(versions, index, diffs[index] === undefined ? differences : undefined),
    Changes: changeLines(diffs[index], 'none'),
  }))
}

const versionColumns: Column<Json>[] = [
  countColumn('version', 'Version'),
  {
    name: 'stable',
    value: (row: Json) => at(row, 'Stable'),
    show: (row: Json) => (truth(row, 'Stable') ? cell('stable', 'good') : ''),
  },
  ageColumn('submitted', 'SubmitTime'),
  plainColumn('change', 'Change', { show: changeAndTag }),
  plainColumn('tag', 'Tag', { wide: true }),
  ageColumn('tagged', 'TaggedTime', { wide: true }),
  countColumn('job_modify_index', 'JobModifyIndex', { wide: true }),
]

/** `changed, tagged v1.2`: few versions have a tag, so it has a column in wide tables only. */
function changeAndTag(row: Json, { wide }: Pick<Showing, 'wide'>): string {
  const tag = wide ? undefined : text(row, 'Tag')
  return [text(row, 'Change') ?? '', ...(tag === undefined ? [] : [`tagged ${tag}`])].filter(Boolean).join(', ')
}

function linesOf(row: Json): string[] {
  return items(row, 'Changes').map((line) => text(line) ?? '')
}

/** What changed, in one cell where rows have one line; a table has it below each version. */
const changes = {
  name: 'changes',
  title: 'diff',
  value: (row: Json) => linesOf(row).join('; '),
}

const withDiffs = {
  columns: versionColumns.filter(({ wide }) => wide !== true).length,
  always: true,
  below: linesOf,
}

const nameOfVersion = (row: Json) => text(row, 'Version') ?? ''

/** The answer with its diffs masked. */
function maskedVersions(answer: Json, hidden: Mask): Json {
  const diffs = at(answer, 'Diffs')
  if (!Array.isArray(diffs)) return answer
  return changed(answer, { Diffs: diffs.map((diff) => maskedDiff(diff, hidden)) })
}

export const versions = watchable({
  name: 'versions',
  summary: "List a job's versions, the newest first, and how each differs from the one before",
  description:
    'The change is what the versions themselves show: it was stopped or started, is the same as an older one, or what differs from the one before. The server keeps six versions and those with a tag.',
  endpoint: jobs.versions,
  params: { job: jobArgument, diffs: query.boolean('with the changes between versions'), ...maskFlags },
  select: (answer, input) => maskedVersions(asJson(answer), maskOf(input)),
  view: ({ diffs, ...masks }) =>
    list<Json>(diffs === true ? [...versionColumns, changes] : versionColumns, nameOfVersion, {
      rows: (body) => versionRows(body, maskOf(masks)),
      ...(diffs === true ? { folded: withDiffs } : {}),
    }),
  examples: [
    { line: 'job versions web', note: 'versions to revert to' },
    { line: 'job versions web --diffs', note: 'and what changed; values that look secret stay hidden' },
  ],
})
