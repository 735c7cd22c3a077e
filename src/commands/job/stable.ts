import * as api from '../../api/jobs.ts'
import type { Placeholder } from '../../core/answer.ts'
import { isPlaceholder, known } from '../../core/answer.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import { argument, flag } from '../../core/param.ts'
import { jobArgument } from './reads.ts'

const params = {
  job: jobArgument,
  version: argument.integer('the version', { required: true, min: 0, complete: 'job-version' }),
  unset: flag.boolean('mark it as not stable'),
} as const

export const stable = command({
  name: 'stable',
  summary: 'Mark a version of a job as stable, so that a failed deployment may go back to it',
  description:
    'Nomad also makes the marked version the current one. So this command asks first, unless it is the current version already. It also asks if you may not read the job.',
  params,
  endpoint: api.markStable,
  also: [api.read],
  examples: [
    { line: 'job stable web 2', note: 'automatic reverts may go back to it' },
    { line: 'job stable web 2 --unset', note: 'no longer' },
  ],
  run: async ({ job, version, unset = false }, context) => {
    const before = await currentVersion(context, job)
    const isCurrent = isPlaceholder(before) || before === String(version)
    const mark = unset ? 'not stable' : 'stable'
    // Only products make the marked version the current one.
    const isProduct = context.settings.dialect !== 'neutral'
    if (!isCurrent && isProduct) {
      const situation =
        before === undefined
          ? `You may not read which version of ${job} is the current one`
          : `The current version of ${job} is ${before}`
      await context.io.confirm(`${situation}. Marking version ${version} as ${mark} makes it the current one. Mark it?`)
    }
    const response = await context.http.send(
      api.markStable(
        { job },
        {
          checkCommand: context.commandLine('job versions', job),
          body: { JobID: job, JobVersion: version, Stable: !unset },
        },
      ),
    )
    const body = known(response.json())
    const done = `marked version ${version} of ${job} as ${mark}`
    if (isCurrent || !isProduct || before === undefined) return { done, data: body, rawBody: response.body }
    const hint = `version ${before} was the current one before; to see which is now: ${context.commandLine('job get', job)}`
    return { done, hint, data: body, rawBody: response.body }
  },
})

/** A placeholder in a dry run; undefined if the token may not read the job. */
async function currentVersion({ http }: Context, job: string): Promise<Placeholder | string | undefined> {
  try {
    const { value } = await http.send(api.read({ job }))
    return isPlaceholder(value) ? value : String(value.Version ?? '')
  } catch (error) {
    if (error instanceof TugError && error.code === 'not_allowed') return undefined
    throw error
  }
}
