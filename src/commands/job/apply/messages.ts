import type { Failure } from '../../../bulk/account.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { firstNames, plural } from '../../../core/words.ts'

// Files and their plans
export const noFileNamed = ({ commandLine }: Context) =>
  usageError('name a job file or a folder', commandLine('job apply', 'jobs/'))

/** The error for files that cannot be planned. */
export function notPlanned(problems: readonly Failure[], total: number): TugError {
  const [first] = problems
  if (total === 1 && first !== undefined) return first.error
  const [code = 'failed', ...others] = new Set(problems.map(({ error }) => error.code))
  const head = `${problems.length} of ${plural(total, 'file')} cannot be planned; nothing was registered`
  const lines = problems.map(({ item, error: { message } }) =>
    message.includes(item) ? message : `${item}: ${message}`,
  )
  const hints = [...new Set(problems.flatMap(({ error }) => error.hints))]
  return new TugError(others.length === 0 ? code : 'failed', [head, ...lines].join('\n'), { hints })
}

// Before anything is changed
type Named = readonly { readonly name: string }[]
const namesOf = (jobs: Named) => firstNames(jobs.map(({ name }) => name))
export const stopQuestion = (jobs: Named) =>
  `Stop ${plural(jobs.length, 'job')} that ${jobs.length === 1 ? 'is' : 'are'} in none of the files: ${namesOf(jobs)}?`
export const savedQuestion = (counts: string, jobs: Named) => `${counts} as saved: ${namesOf(jobs)}`
export const changedSincePlan = ({ commandLine }: Context, name: string, path: string) =>
  `${name} has changed since it was planned; see: ${commandLine('job plan', path)}`

// Saved plans
export const savedToOutput = () => usageError('--save: a saved plan has secrets, so it goes to a file only: name one')
export const applyExactly = (line: string) => `apply exactly this plan: ${line}`
export const notASavedPlan = (file: string, why: string) => usageError(`${file} is not a saved plan: ${why}`)
export const otherVersion = (file: string) => usageError(`${file} is a saved plan of another version of the program`)
export const otherNamespace = (file: string, planned: string, namespace: string | undefined) =>
  usageError(`${file} was planned for namespace ${planned}, not ${namespace}: omit -n`)
export const otherServer = (file: string, planned: string, server: string) =>
  `${file} was planned on ${planned}; it is applied on ${server}`
export const changedFile = (file: string) => `${file} has changed since it was planned; what was planned is applied`
