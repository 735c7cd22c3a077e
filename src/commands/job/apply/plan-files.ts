import type { Context } from '../../../core/context.ts'
import { eachOf } from '../../../core/each-of.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Input } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import { counted } from '../../../output/progress.ts'
import type { JobFile, jobFileFlags, Problem } from '../file/file.ts'
import { readJobFiles } from '../file/file.ts'
import { isCompared } from '../plan/groups.ts'
import type { FilePlan } from '../plan/planned.ts'
import { planFile } from '../plan/planned.ts'
import { jobsAtOnce } from '../targets.ts'

/** Flags that decide what is planned. */
export type PlanningInput = Input<typeof jobFileFlags> & {
  readonly keepCounts?: boolean | undefined
  readonly policyOverride?: boolean | undefined
}

/** Plans the files; `problems` are those that cannot be. Throws usage errors: no file can be read, two describe the same job. */
export async function planFiles(
  context: Context,
  input: PlanningInput,
  paths: readonly string[],
): Promise<{ plans: FilePlan[]; problems: Problem[] }> {
  const { files, problems } = await readJobFiles(context, input, paths)
  const plans: FilePlan[] = []
  const plan = (file: JobFile) =>
    planCompared(context, input, file).catch((error: unknown): Problem => {
      if (error instanceof TugError && error.code !== 'interrupted') return { item: file.file, error }
      throw error
    })
  const parallel = context.settings.limits.parallel ?? jobsAtOnce
  const planned = eachOf(files, plan, { parallel, ordered: true })
  for await (const one of counted(context.io, 'planning jobs', planned, files.length)) {
    if ('error' in one) problems.push(one)
    // What the server would refuse is applied as little as what it cannot plan.
    else if (one.refused !== undefined) problems.push({ item: one.path, error: one.refused })
    else plans.push(one)
  }
  const twice = sameJob(plans)
  if (twice !== undefined) throw twice
  return { plans, problems }
}

/** {@link planFile}, whose answer has a comparison. */
export async function planCompared(context: Context, input: PlanningInput, file: JobFile): Promise<FilePlan> {
  const plan = await planFile(context, input, file)
  if (isCompared(plan.answer)) return plan
  const facts = { reason: 'unexpected_response', service: 'scheduler' } as const
  throw new TugError('failed', 'the plan has no diff, although one was requested; nothing was registered', facts)
}

/** The usage error for two files that describe the same job. */
export function sameJob(plans: Iterable<Pick<FilePlan, 'name' | 'path'>>): TugError | undefined {
  const seen = new Map<string, string>()
  for (const { name, path } of plans) {
    const other = seen.get(name)
    if (other !== undefined)
      return usageError(`${other} and ${path} both describe the job ${name}; nothing was registered`)
    seen.set(name, path)
  }
  return undefined
}

/** The error for files that cannot be planned. */
export function notPlanned(problems: readonly Problem[], total: number): TugError {
  const [first] = problems
  if (total === 1 && first !== undefined) return first.error
  const [code = 'failed', ...others] = new Set(problems.map(({ error }) => error.code))
  const head = `${problems.length} of ${plural(total, 'file')} cannot be planned; nothing was registered`
  const lines = problems.map(({ item, error: { message } }) =>
    message.includes(item) ? message : `${item}: ${message}`,
  )
  const hints = [...new Set(problems.flatMap(({ error }) => error.hints))]
  return new TugError(others.length === 0 ? code : 'partial', [head, ...lines].join('\n'), { hints })
}

/** `1 new and 2 changed jobs`. */
export function changeCounts(plans: readonly { readonly action: string }[]): string {
  const created = plans.filter(({ action }) => action === 'create').length
  const changed = plans.length - created
  if (changed === 0) return plural(created, 'new job')
  if (created === 0) return plural(changed, 'changed job')
  return `${created} new and ${changed} changed jobs`
}
