import * as api from '../../api/jobs.ts'
import type { Job } from '../../api/job-shapes.ts'
import { asJson } from '../../core/answer.ts'
import type { DocumentView } from '../../core/command.ts'
import { command, list } from '../../core/command.ts'
import { usageError } from '../../core/errors.ts'
import { stringifyJson } from '../../core/json.ts'
import type { Column } from '../../core/output.ts'
import { flag } from '../../core/param.ts'
import { fileWords } from '../../core/words.ts'
import { escapeJson, withoutCommandsInJson } from '../../output/safe.ts'
import { idOf, plainColumn } from './cells.ts'
import { jobFileParams, readJobFile } from './file/file.ts'
import { parseJobFile } from './file/parse.ts'
import { kindOf } from './jobs.ts'

const params = {
  ...jobFileParams,
  canonicalize: flag.boolean('fill in defaults'),
  hcl1: flag.boolean('read the file as HCL version 1'),
} as const

export const parse = command({
  name: 'parse',
  summary: 'Convert an HCL job file to JSON',
  description: 'Only the syntax is checked.',
  params,
  endpoint: api.parse,
  examples: [
    { line: 'job parse web.hcl > web.json', note: 'run and plan accept it unchanged' },
    { line: "job parse web.hcl --canonicalize --query 'TaskGroups[].Count'", note: 'with every default' },
  ],
  run: async (input, context) => {
    const file = await readJobFile(context, input, { mayLackJob: true })
    if (file.job !== undefined)
      throw usageError(
        `${fileWords(file.file)} is JSON already; only HCL can be parsed`,
        'job run and job plan accept JSON',
      )
    const { job, rawBody } = await parseJobFile(
      context,
      input.hcl1 === true ? { ...file, format: 'hcl1' } : file,
      input.canonicalize === true,
    )
    return { data: asJson(job), view: parsedView(job), ...(rawBody === undefined ? {} : { rawBody }) }
  },
})

/** Indented JSON for people too, because it may be stored as a job file; neither a terminal nor a CI log interprets its strings. */
function parsedView(job: Job): DocumentView {
  const columns: Column<Job>[] = [
    plainColumn('id', 'ID'),
    { name: 'type', value: kindOf },
    plainColumn('namespace', 'Namespace'),
  ]
  return {
    kind: 'document',
    text: () => withoutCommandsInJson(escapeJson(stringifyJson(job, 2))),
    rows: { view: list<Job>(columns, idOf), data: [asJson(job)] },
  }
}
