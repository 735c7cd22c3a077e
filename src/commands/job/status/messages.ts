import type { Context } from '../../../core/context.ts'
import type { TugError } from '../../../core/errors.ts'
import { usageError } from '../../../core/errors.ts'
import { didYouMean } from '../../../core/words.ts'

type Lines = Pick<Context, 'commandLine'>

export const forAllJobs = (flag: string) => usageError(`${flag} is for all jobs; omit the job`)

// A job
export const notFoundNear = ({ commandLine }: Lines, error: TugError, job: string, near: string, names: string[]) =>
  error.with({ message: `${error.message}${didYouMean(job, names)}`, hints: [commandLine('job status', near)] })
export const whatChanged = ({ commandLine }: Lines, version: number, job: string) =>
  `what version ${version} changed: ${commandLine('job versions', job, ['--diffs'])}`
export const childrenOf = ({ commandLine }: Lines, count: number, job: string) =>
  `${count} ${count === 1 ? 'child' : 'children'}: ${commandLine('job list', ['--prefix', `${job}/`])}`
