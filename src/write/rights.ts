import { forEachOf } from '../core/each-of.ts'
import { TugError, DryRunEnd } from '../core/errors.ts'
import type { Run } from './decide.ts'
import { itemRun } from './follow.ts'
import { UnsentWrite, watchItem } from './item.ts'
import type { Row } from './rows.ts'
import type { Decision } from './work.ts'

/** A row of a plan, with the decision to check. */
export interface Due {
  readonly row: Row
  readonly decision: Decision
}

/**
 * Adds to each row the error that the run would have for lack of rights. The service is asked about the first write of `apply`. If it
 * would refuse that, `apply` runs again, and either fails with the refusal or sends something else. Later writes are not checked.
 */
export async function findRefusals(run: Run, due: readonly Due[]): Promise<void> {
  let open = due
  while (open.length > 0 && run.rights !== 'unknown') {
    const asked: (readonly [Due, UnsentWrite])[] = []
    const rehearseEach = async (one: Due) => {
      const unsent = await rehearse(run, one)
      if (unsent !== undefined) asked.push([one, unsent])
    }
    await forEachOf(open, rehearseEach, run.parallel)
    const refused = new Set<UnsentWrite>()
    for (const http of new Set(asked.map(([, { http: one }]) => one))) {
      const writes = asked.map(([, unsent]) => unsent).filter((one) => one.http === http)
      const refusalOf = await http.rights(writes.map(({ request }) => request))
      if (refusalOf === undefined) return void (run.rights = 'unknown')
      for (const unsent of writes) {
        const refusal = refusalOf(unsent.request)
        if (refusal === undefined) continue
        unsent.refuse(refusal)
        refused.add(unsent)
      }
    }
    if (run.rights === 'unasked') run.rights = 'checked'
    if (asked.some(([{ decision }, unsent]) => decision.sendsMore === true && !refused.has(unsent)))
      run.rights = 'partly'
    open = asked.flatMap(([one, unsent]) => (refused.has(unsent) ? [one] : []))
  }
}

/** Carries out a decision up to the first write that was not checked yet. */
async function rehearse(run: Run, { row, decision }: Due): Promise<UnsentWrite | undefined> {
  try {
    const applied = await decision.apply?.(itemRun(run, watchItem(run.context), row))
    if (applied?.failure !== undefined) throw applied.failure
  } catch (error) {
    if (error instanceof UnsentWrite) return error
    if (error instanceof TugError && error.code !== 'interrupted') {
      row.error = error
      row.verdictWords = error.code === 'not_allowed' ? 'not allowed' : error.message
    } else if (!(error instanceof DryRunEnd)) throw error
  }
  return undefined
}
