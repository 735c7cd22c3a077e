import { at as memberOf } from './core/answer.ts'
import type { Result } from './core/command.ts'
import { TugError } from './core/errors.ts'

/** The error of an invocation that failed after a write. If its result couldn't be printed, the error describes the write. */
export function afterWrite(error: unknown, result: Result | undefined): unknown {
  if (!(error instanceof TugError) || error.facts.applied === false) return error
  // A usage error means that nothing was changed.
  const code = error.code === 'usage' ? 'failed' : error.code
  const isOfOutput = error.facts.status === undefined && error.facts.service === undefined
  const isReported = result === undefined || 'carryOut' in result || result.failure === error || waitCodes.has(code)
  const written = isReported || !isOfOutput ? '' : writtenText(result)
  return error.with({ applied: true, code, ...(written === '' ? {} : { message: `${written}, but ${error.message}` }) })
}

/** Codes of waits, which have already reported their write. */
const waitCodes: ReadonlySet<string> = new Set(['interrupted', 'outcome_failed', 'wait_timeout'])

/** Describes a write by the identifiers in its response. */
function writtenText(result: Result): string {
  const data = 'data' in result ? result.data : null
  const names = ['DispatchedJobID', 'EvalID', 'serial_number', 'id', 'name'].flatMap((key) => {
    const value = memberOf(data, key)
    return typeof value === 'string' && value !== '' ? [`${key} ${value}`] : []
  })
  return `the write was carried out${names.length === 0 ? '' : ` (${names.join(', ')})`}`
}
