import { at, ifKnown, text } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import type { JobFile } from '../job-file.ts'
import { warningsOf } from '../warnings.ts'
import { planDocument } from './diff.ts'
import { planJob } from './planned.ts'

/** What was planned and confirmed. */
export interface ConfirmedPlan {
  /** The index that makes sure that the job is still the one that was planned. */
  readonly index: Json
  /** False if registering would change nothing. */
  readonly hasChanges: boolean
  /** The server's, which the plan has shown. */
  readonly warnings: readonly string[]
}

/** Shows the plan of a job file on stderr and asks whether to apply it. Throws a conflict if the job isn't at `checkIndex`. */
export async function planFirst(
  context: Context,
  input: { readonly policyOverride?: boolean | undefined; readonly checkIndex?: number | undefined },
  file: JobFile,
  job: Json,
): Promise<ConfirmedPlan> {
  const { io } = context
  const { policyOverride, checkIndex } = input
  const { answer, isChanged } = await planJob(context, { policyOverride }, file, job)
  const index = at(answer, 'JobModifyIndex') ?? 0
  let hasChanges = true
  let shown = ''
  ifKnown(answer, () => {
    const id = text(job, 'ID') ?? ''
    if (checkIndex !== undefined && text(answer, 'JobModifyIndex') !== String(checkIndex)) {
      throw new TugError('conflict', `the index of ${id} is ${text(answer, 'JobModifyIndex')}, not ${checkIndex}`, {
        hints: [
          'nothing was registered; without --check-index, the plan itself makes sure that nothing changes meanwhile',
        ],
      })
    }
    hasChanges = isChanged
    const width = io.terminal.stderr ? io.columns : undefined
    const view = planDocument(answer, { job, isChanged, showValues: false, applyLine: undefined })
    shown = view.text(io.paint, { now: context.now(), width } as Parameters<typeof view.text>[1], answer)
  })
  if (shown !== '') await io.write('stderr', `${shown.trimEnd()}\n`)
  if (hasChanges) await io.confirm(`Register ${text(job, 'ID') ?? ''} as planned?`)
  return { index, hasChanges, warnings: warningsOf(answer) }
}
