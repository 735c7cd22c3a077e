import type { Plan } from '../../../api/plan-shapes.ts'
import * as api from '../../../api/jobs.ts'
import { asJson, changed } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes, TugError, usageError } from '../../../core/errors.ts'
import type { Input } from '../../../core/param.ts'
import { argument, flag } from '../../../core/param.ts'
import { counted } from '../../../output/progress.ts'
import type { JobFile, Problem } from '../file/file.ts'
import { isOneFile, jobFileFlags, jobFilesOf, readJobFile, readJobFiles, variablesBeside } from '../file/file.ts'
import { jobsAtOnce } from '../targets.ts'
import { diffFlag, planDocument } from './view.ts'
import { isCompared } from './groups.ts'
import { maskedDiff, showValuesFlag } from './masks.ts'
import { planResult } from './overview.ts'
import type { FilePlan } from './planned.ts'
import { countFlags, fileLine, goFlags, notPlanned, planCompared, planFile, sameJob } from './planned.ts'

const params = {
  files: argument.texts('job files and folders (-: standard input)', {
    required: true,
    placeholder: 'file|folder',
    complete: 'file',
  }),
  ...jobFileFlags,
  noDiff: flag.boolean('omit the diff; show only what the scheduler would do'),
  policyOverride: flag.boolean('override soft mandatory policies'),
  exitCode: flag.boolean('exit with 9 if there are changes'),
  ...countFlags,
  save: flag.text('write the plan to this file for job apply --saved; it contains secrets (0600)', {
    placeholder: 'file',
    complete: 'file',
  }),
  showValues: showValuesFlag,
  diff: diffFlag,
} as const

type PlanInput = Input<typeof params>

export const plan = command({
  name: 'plan',
  summary: 'Show what registering job files would change, and change nothing',
  description:
    'Values that look secret, headers and tokens are masked in every format, templates line by line, so a plan can be shared; differences stay visible. With --exit-code, the exit code is 9 if a field of the job differs or allocations are not placed; what the scheduler always reports of system, periodic and parameterized jobs does not count. A group without a count has one allocation.',
  params,
  endpoint: api.plan,
  also: [api.parse, api.read],
  examples: [
    { line: 'job plan web.hcl', note: 'what would change' },
    { line: 'job plan web.hcl --exit-code', note: 'for scripts: 9 if there are changes' },
    { line: 'job plan web.hcl --keep-counts', note: 'a scaled group stays as large as it is' },
    {
      line: 'job plan jobs/ --save plan.json',
      note: 'a line per job, and what job apply --saved applies after a review',
    },
    { line: 'job plan web.hcl -o md', note: 'for a comment on a pull request' },
  ],
  run: async (input, context) => {
    const { files, save, noDiff } = input
    const [file = ''] = files
    if (save === '-') throw usageError('--save needs a file: a saved plan contains secrets')
    if (save === undefined && isOneFile(context.io.cwd, files)) return planOne({ ...input, file }, context)
    if (noDiff === true) throw usageError('--no-diff is for one file: several are compared by their differences')
    return planMany(input, context)
  },
})

/** Plans several files, a line each, and saves the plans with `--save`. */
async function planMany(input: PlanInput, context: Context): Promise<Result> {
  const paths = jobFilesOf(context.io.cwd, input.files)
  const { files, problems } = await readJobFiles(context, input, paths)
  const plans: FilePlan[] = []
  const planSafely = (file: JobFile) =>
    planCompared(context, input, file).catch((error: unknown): Problem => {
      if (error instanceof TugError && error.code !== 'interrupted') return { item: file.file, error }
      throw error
    })
  const parallel = context.settings.limits.parallel ?? jobsAtOnce
  const { eachOf } = await import('../../../core/each-of.ts')
  const planned = eachOf(files, planSafely, { parallel })
  for await (const one of counted(context.io, 'planning jobs', planned, files.length)) {
    if ('error' in one) problems.push(one)
    // What the server would refuse is applied as little as what it cannot plan.
    else if (one.refused !== undefined) problems.push({ item: one.path, error: one.refused })
    else plans.push(one)
  }
  const twice = sameJob(plans)
  if (twice !== undefined) throw twice
  const { save } = input
  if (save !== undefined) {
    if (problems.length > 0) throw notPlanned(problems, paths.length)
    const changing = plans.filter(({ action }) => action !== 'unchanged')
    const { savePlans } = await import('../apply/saved.ts')
    await savePlans(context, save, changing, input)
    context.io.note(`apply exactly this plan: ${context.commandLine('job apply', ['--saved', save])}`)
  }
  const isLeft = ({ action, path }: FilePlan) => action === 'start' && !input.files.includes(path)
  const stopped = plans.filter(isLeft)
  const others = plans.filter((one) => !isLeft(one))
  // As for one file, an unchanged job that cannot be placed counts too.
  const differs = input.exitCode === true && others.some(({ change }) => change !== 'none')
  return planResult(
    { plans: others, stopped, problems, showValues: input.showValues === true, diff: input.diff },
    differs,
  )
}

async function planOne(input: PlanInput & { readonly file: string }, context: Context): Promise<Result> {
  const own = variablesBeside(context.io.cwd, input.file)
  const file = await readJobFile(context, input, { ownVariables: own })
  // Only a diff shows whether the job changes: the counts are not zero for some unchanged jobs (docs/servers.md, Plans).
  const noDiff = input.noDiff === true && input.exitCode !== true
  const planned = await planFile(context, { ...input, noDiff }, file)
  const { job, action, change, rawBody, refused } = planned
  const isChanged = change !== 'none'
  const isNothing = isCompared(planned.answer) && !isChanged
  const answer = input.noDiff === true ? (changed(asJson(planned.answer), { Diff: null }) as Plan) : planned.answer
  const applyLine = isNothing || refused !== undefined ? undefined : runLineFor(input, answer, context)
  const showValues = input.showValues === true
  // The diff of an unchanged job is empty, and proves it.
  const shown = isChanged ? answer : planned.answer
  const view = planDocument({
    answer: shown,
    job,
    isChanged,
    showValues,
    applyLine,
    refused: refused?.message,
    diff: input.diff,
  })
  const Diff = answer.Diff && asJson(showValues ? answer.Diff : maskedDiff(answer.Diff))
  return {
    data: Diff ? changed(asJson(answer), { Diff }) : asJson(answer),
    view,
    rawBody,
    finish: () => {
      if (refused !== undefined) throw refused
      if (applyLine === undefined) return
      const goFlag = goFlags[action]
      const line = context.commandLine(
        'job apply',
        ...(goFlag === undefined ? [] : [[goFlag] as const]),
        ...fileLine(input),
      )
      context.io.note(`plan it again, confirm, and wait: ${line}`)
      context.io.note(`apply exactly this plan: ${applyLine}`)
    },
    ...(input.exitCode === true && isChanged ? { exitCode: exitCodes.differences } : {}),
  }
}

/** The command that registers exactly what was planned, or refuses if the job has changed meanwhile. */
function runLineFor(input: PlanInput & { readonly file: string }, answer: Plan, { commandLine }: Context): string {
  return commandLine('job run', ['--check-index', String(answer.JobModifyIndex ?? 0)], ...fileLine(input))
}
