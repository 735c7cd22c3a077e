import * as api from '../../../api/jobs.ts'
import { entries, known, number, text } from '../../../core/answer.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import type { Input } from '../../../core/param.ts'
import { flag } from '../../../core/param.ts'
import type { HttpRequest } from '../../../core/request.ts'
import { looksSecret } from '../../../output/redact.ts'
import type { JobFile } from '../job-file.ts'
import { inNamespace, jobFileParams, namespaceOf, readJobFile } from '../job-file.ts'
import { parseJobFile } from '../parsed-job.ts'
import { registrationSecrets } from '../secrets.ts'
import { isBlocked } from './counts.ts'
import { planDocument } from './diff.ts'

const params = {
  ...jobFileParams,
  noDiff: flag.boolean('omit the diff; show only what the scheduler would do'),
  policyOverride: flag.boolean('override soft mandatory policies'),
  exitCode: flag.boolean('exit with 9 if there are changes'),
  showValues: flag.boolean('show values of env, templates, meta and tokens'),
} as const

export const plan = command({
  name: 'plan',
  summary: 'Show what registering a job file would change, and change nothing',
  description:
    'Values of env, templates, meta and tokens are masked, so a plan can be shared; differences stay visible. With --exit-code, the exit code is 9 if the job differs or the scheduler would do anything.',
  params,
  endpoint: api.plan,
  also: [api.parse],
  examples: [
    { line: 'job plan web.hcl', note: 'what would change' },
    { line: 'job plan web.hcl --exit-code', note: 'for scripts: 9 if there are changes' },
    { line: 'job plan web.hcl -o md', note: 'for a comment on a pull request' },
  ],
  run: async (input, context) => {
    const file = await readJobFile(context, input)
    const { job } = await parseJobFile(context, file, true)
    const response = await context.http.send(planRequest(context, input, file, job))
    const answer = known(response.json())
    const applyLine = isNothing(answer) ? undefined : applyLineFor(input, answer, context)
    const view = planDocument(answer, { job, showValues: input.showValues === true, applyLine })
    return {
      data: answer,
      view,
      rawBody: response.body,
      ...(applyLine === undefined ? {} : { finish: () => context.io.note(`apply exactly this plan: ${applyLine}`) }),
      ...(input.exitCode === true && differs(answer) ? { exitCode: exitCodes.differences } : {}),
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
  words.push(input.file)
  return commandLine('job run', ...words)
}

/** The request to plan a job file. */
export function planRequest(
  context: Context,
  { noDiff, policyOverride }: { readonly noDiff?: boolean | undefined; readonly policyOverride?: boolean | undefined },
  file: JobFile,
  job: Json,
): HttpRequest {
  return api.plan(
    { job: text(job, 'ID') ?? '' },
    {
      ...inNamespace(context, namespaceOf(file, job)),
      secretBody: registrationSecrets,
      body: {
        Job: job,
        Diff: noDiff !== true,
        ...(policyOverride === undefined ? {} : { PolicyOverride: policyOverride }),
      },
    },
  )
}

/** True if registering would change nothing, as far as a plan with a diff shows. */
export function isNothing(answer: Json): boolean {
  return text(answer, 'Diff', 'Type') === 'None' && !differs(answer) && !isBlocked(answer)
}

/** True if the job differs or a count other than Ignore isn't 0. */
function differs(answer: Json): boolean {
  const type = text(answer, 'Diff', 'Type')
  if (type !== undefined && type !== 'None') return true
  return entries(answer, 'Annotations', 'DesiredTGUpdates').some(([, counts]) =>
    entries(counts).some(([key, count]) => key !== 'Ignore' && (number(count) ?? 0) !== 0),
  )
}
