import type { Failure } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import { isPlaceholder } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Input } from '../../../core/param.ts'
import type { JobFile, jobFileFlags } from '../job-file.ts'
import { readJobFiles } from '../job-files.ts'
import { isCompared } from '../plan/groups.ts'
import type { FilePlan } from '../plan/planned.ts'
import { planFile } from '../plan/planned.ts'

/** Flags that decide what is planned. */
export type PlanningInput = Input<typeof jobFileFlags> & {
  readonly keepCounts?: boolean | undefined
  readonly policyOverride?: boolean | undefined
}

/** Plans the files; `problems` are those that cannot be. Throws usage errors: no file can be read, two describe the same job. */
export async function planFiles(
  bulk: Bulk,
  input: PlanningInput,
  paths: readonly string[],
): Promise<{ plans: FilePlan[]; problems: Failure[] }> {
  const { context } = bulk
  const { files, problems } = await readJobFiles(context, input, paths)
  const plans: FilePlan[] = []
  const work = (file: JobFile) => planCompared(context, input, file)
  const planSome = async (some: readonly JobFile[]) => {
    for await (const outcome of bulk.read('planning jobs', some, work)) {
      // What the server would refuse is applied as little as what it cannot plan.
      const refused = 'value' in outcome ? outcome.value.refused : undefined
      if (refused !== undefined) problems.push({ item: outcome.item.file, error: refused })
      else if ('value' in outcome) plans.push(outcome.value)
      else problems.push({ item: outcome.item.file, error: outcome.error })
    }
  }
  const [first, ...rest] = files
  if (first !== undefined) await planSome([first])
  // A dry run counts its requests: one after the other.
  if (isDryRun(plans)) for (const file of rest) await planSome([file])
  else await planSome(rest)
  refuseSameJobs(plans)
  return { plans, problems }
}

async function planCompared(context: Context, input: PlanningInput, file: JobFile): Promise<FilePlan> {
  const plan = await planFile(context, input, file)
  if (isPlaceholder(plan.answer) || isCompared(plan.answer)) return plan
  const facts = { reason: 'unexpected_response', service: 'scheduler' } as const
  throw new TugError('failed', 'the plan has no diff, although one was requested', facts)
}

/** True if nothing was sent, so that no plan says anything. */
export function isDryRun(plans: readonly FilePlan[]): boolean {
  return plans.some(({ answer }) => isPlaceholder(answer))
}

function refuseSameJobs(plans: readonly FilePlan[]): void {
  if (isDryRun(plans)) return
  const seen = new Map<string, string>()
  for (const { name, path } of plans) {
    const other = seen.get(name)
    if (other !== undefined)
      throw usageError(`${other} and ${path} both describe the job ${name}; nothing was registered`)
    seen.set(name, path)
  }
}
