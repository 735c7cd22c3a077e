import type { Plan } from '../../../api/job-shapes.ts'
import { asJson, changed, known } from '../../../core/answer.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes, usageError } from '../../../core/errors.ts'
import { looksSecret } from '../../../output/redact.ts'
import { jobFilesOf, isOneFile, variablesBeside, planFiles } from '../apply/plan-files.ts'
import { planResult, stoppedBy } from '../apply/overview.ts'
import { pinned, savePlans } from '../apply/registration.ts'
import { readJobFile } from '../job-file.ts'
import { jobsAtOnce } from '../many.ts'
import { parseJobFile } from '../parsed-job.ts'
import { isCompared } from './groups.ts'
import { planDocument } from './diff.ts'
import { maskedDiff, maskOf } from './masks.ts'
import { planJob, withLiveCounts } from './planned.ts'
import type { PlanInput } from './plan.ts'

/** The work of the command. */
export async function planJobs(input: PlanInput, context: Context): Promise<Result> {
  const { files, save, noDiff } = input
  const [file = ''] = files
  if (save === undefined && (await isOneFile(context.io.cwd, files))) return planOne({ ...input, file }, context)
  if (noDiff === true) throw usageError('--no-diff is for one file: several are compared by their differences')
  return planMany(input, context)
}

/** Several files in a line each; with `--save` also what is needed to apply exactly these plans. */
async function planMany(input: PlanInput, context: Context): Promise<Result> {
  const bulk = await openBulk(
    context,
    { parallel: input.parallel, rate: input.rate },
    { action: 'job plan', parallel: jobsAtOnce },
  )
  const paths = await jobFilesOf(context.io.cwd, input.files)
  const { plans, problems } = await planFiles(bulk, input, paths)
  const changing = plans.filter(({ action }) => action !== 'none')
  const overview = { plans, problems, pruned: [], heldBack: () => undefined, mask: maskOf(input) }
  const { save } = input
  if (save !== undefined) {
    if (problems.length > 0) throw stoppedBy(problems, paths.length)
    await savePlans(
      context,
      save,
      changing.map((one) => ({ plan: one, registration: pinned(input, one, true) })),
    )
    context.io.note(`apply exactly this plan: ${context.commandLine('job apply', '--saved', save)}`)
  }
  return planResult(overview, input.exitCode === true && changing.length > 0)
}

async function planOne(input: PlanInput & { readonly file: string }, context: Context): Promise<Result> {
  const own = await variablesBeside(context.io.cwd, input.file)
  const file = await readJobFile(context, input, { ownVariables: own })
  const parsed = (await parseJobFile(context, file, true)).job
  const wanted = input.keepCounts === true ? await withLiveCounts(context, file, parsed) : parsed
  const planned = await planJob(context, input, file, wanted)
  const { job, rawBody } = planned
  const answer = known(planned.answer)
  const isChanged = planned.change !== 'none'
  const isNothing = isCompared(answer) && !isChanged
  const applyLine = isNothing ? undefined : applyLineFor(input, answer, context)
  const view = planDocument(answer, { job, isChanged, mask: maskOf(input), applyLine })
  const Diff = answer.Diff && asJson(maskedDiff(answer.Diff, maskOf(input)))
  return {
    data: Diff ? changed(asJson(answer), { Diff }) : asJson(answer),
    view,
    rawBody,
    ...(applyLine === undefined ? {} : { finish: () => context.io.note(`apply exactly this plan: ${applyLine}`) }),
    ...(input.exitCode === true && isChanged ? { exitCode: exitCodes.differences } : {}),
  }
}

/** The command that registers exactly what was planned, or refuses if the job has changed meanwhile. */
function applyLineFor(input: PlanInput & { readonly file: string }, answer: Plan, { commandLine }: Context): string {
  const words = ['--check-index', String(answer.JobModifyIndex ?? 0)]
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
