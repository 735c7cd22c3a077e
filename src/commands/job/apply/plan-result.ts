import type { Result } from '../../../core/command.ts'
import { exitCodes, TugError } from '../../../core/errors.ts'
import { plural } from '../../../core/words.ts'
import type { Overview } from './overview.ts'
import { overviewData, overviewView } from './overview.ts'
import type { Problem } from './plan-files.ts'

/** The plans of several files as a result, with the exit status of differences if `differs`; files without a plan are its error. */
export function planResult(overview: Overview, differs: boolean): Result {
  const { plans, problems } = overview
  return {
    data: overviewData(overview),
    view: overviewView(overview),
    finish: () => {
      if (problems.length > 0) throw stoppedBy(problems, plans.length + problems.length)
    },
    ...(differs ? { exitCode: exitCodes.differences } : {}),
  }
}

/** The error for files that cannot be planned. */
export function stoppedBy(problems: readonly Problem[], total: number): TugError {
  const [first] = problems
  if (total === 1 && first !== undefined) return first.error
  const codes = new Set(problems.map(({ error }) => error.code))
  const lines = problems.map(({ path, error: { message } }) =>
    message.includes(path) ? message : `${path}: ${message}`,
  )
  const head = `${problems.length} of ${plural(total, 'file')} cannot be planned; nothing was registered`
  return new TugError(
    codes.size === 1 && first !== undefined ? first.error.code : 'failed',
    [head, ...lines].join('\n'),
    {
      hints: [...new Set(problems.flatMap(({ error }) => error.hints))],
    },
  )
}
