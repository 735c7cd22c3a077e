import * as api from '../../../api/jobs.ts'
import { text } from '../../../core/answer.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import type { Input } from '../../../core/param.ts'
import { flag } from '../../../core/param.ts'
import { looksSecret } from '../../../output/redact.ts'
import { jobFileParams, readJobFile } from '../job-file.ts'
import { parseJobFile } from '../parsed-job.ts'
import { isCompared } from './counts.ts'
import { planDocument } from './diff.ts'
import { keepCounts, planJob, withLiveCounts } from './planned.ts'

const params = {
  ...jobFileParams,
  noDiff: flag.boolean('omit the diff; show only what the scheduler would do'),
  policyOverride: flag.boolean('override soft mandatory policies'),
  exitCode: flag.boolean('exit with 9 if there are changes'),
  keepCounts,
  showValues: flag.boolean('show values of env, templates, meta and tokens'),
} as const

export const plan = command({
  name: 'plan',
  summary: 'Show what registering a job file would change, and change nothing',
  description:
    'Values of env, templates, meta and tokens are masked, so a plan can be shared; differences stay visible. With --exit-code, the exit code is 9 if a field of the job differs or allocations are not placed; what the scheduler always reports of system, periodic and parameterized jobs does not count. A file without count means 1: --keep-counts plans with the counts that the groups have now.',
  params,
  endpoint: api.plan,
  also: [api.parse, api.read],
  examples: [
    { line: 'job plan web.hcl', note: 'what would change' },
    { line: 'job plan web.hcl --exit-code', note: 'for scripts: 9 if there are changes' },
    { line: 'job plan web.hcl --keep-counts', note: 'a scaled group stays as large as it is' },
    { line: 'job plan web.hcl -o md', note: 'for a comment on a pull request' },
  ],
  run: async (input, context) => {
    const file = await readJobFile(context, input)
    const parsed = (await parseJobFile(context, file, true)).job
    const wanted = input.keepCounts === true ? await withLiveCounts(context, file, parsed) : parsed
    const { answer, job, isChanged, rawBody } = await planJob(context, input, file, wanted)
    const isNothing = isCompared(answer) && !isChanged
    const applyLine = isNothing ? undefined : applyLineFor(input, answer, context)
    const view = planDocument(answer, { job, isChanged, showValues: input.showValues === true, applyLine })
    return {
      data: answer,
      view,
      rawBody,
      ...(applyLine === undefined ? {} : { finish: () => context.io.note(`apply exactly this plan: ${applyLine}`) }),
      ...(input.exitCode === true && isChanged ? { exitCode: exitCodes.differences } : {}),
    }
  },
})

/** The command that registers exactly what was planned, or refuses if the job has changed meanwhile. */
function applyLineFor(input: Input<typeof params>, answer: Json, { commandLine }: Context): string {
  const words = ['--check-index', text(answer, 'JobModifyIndex') ?? '0']
  for (const file of input.varFile) words.push('--var-file', file)
  for (const [name, value] of input.var) {
    const isHidden = input.showValues !== true && looksSecret(value, name)
    words.push('--var', `${name}=${isHidden ? '<redacted>' : value}`)
  }
  if (input.hcl1 === true) words.push('--hcl1')
  if (input.policyOverride === true) words.push('--policy-override')
  if (input.keepCounts === true) words.push('--keep-counts')
  words.push(input.file)
  return commandLine('job run', ...words)
}
