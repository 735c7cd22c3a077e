import { throwFailures } from '../../../bulk/account.ts'
import type { Failure } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import type { PlanStep } from '../../../bulk/plan.ts'
import { planResult } from '../../../bulk/plan.ts'
import type { ValueResult } from '../../../core/command.ts'
import { readPresent } from '../read.ts'
import type { Secrets } from './import-file.ts'
import { surplusSecrets } from './prune.ts'
import { planColumns, planItem, planRemoval } from './write-item.ts'

interface Options {
  readonly folder: string
  readonly prune: boolean
  readonly exitCode: boolean
}

/** Reads every secret of an import, and says what it would do to each; nothing is written and no value is shown. */
export async function planImport(bulk: Bulk, secrets: Secrets, options: Options): Promise<ValueResult> {
  const { folder, prune, exitCode } = options
  const { context } = bulk
  const steps: PlanStep[] = []
  const failures: Failure[] = []
  const read = (path: string) => readPresent(context, path)
  for await (const outcome of bulk.read('reading secrets', secrets.keys(), read, { total: secrets.size })) {
    if ('error' in outcome) failures.push(outcome)
    // What an import leaves alone without --update is shown as the change it would be.
    else steps.push(planItem(outcome.item, outcome.value, secrets.get(outcome.item) ?? null, 'update'))
  }
  const isKept = (path: string) => secrets.has(path)
  for (const path of prune ? await surplusSecrets(bulk, context, folder, isKept) : []) steps.push(planRemoval(path))
  if (steps.length === 0) throwFailures(failures, 0)
  return planResult(context, steps, { failures, exitCode, columns: planColumns })
}
