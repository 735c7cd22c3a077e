import * as api from '../../api/jobs.ts'
import { known, text, whenKnown } from '../../core/answer.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Json } from '../../core/json.ts'
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
    'Servers also make the marked version the current one: what it contains takes the place of the current version. So a version other than the current one asks first.',
  params,
  endpoint: api.markStable,
  also: [api.read],
  examples: [
    { line: 'job stable web 2', note: 'automatic reverts may go back to it' },
    { line: 'job stable web 2 --unset', note: 'no longer' },
  ],
  run: async ({ job, version, unset = false }, context) => {
    const before = await readJob(context, job)
    const current = text(before, 'Version') ?? ''
    const mark = unset ? 'not stable' : 'stable'
    const isCurrent = whenKnown(
      before,
      () => current === String(version),
      () => true,
    )
    if (!isCurrent) {
      await context.io.confirm(
        `The current version of ${job} is ${current}. Marking version ${version} as ${mark} makes servers put it in its place. Mark it?`,
      )
    }
    const response = await context.http.send(
      api.markStable(
        { job },
        {
          findOut: context.commandLine('job versions', job),
          body: { JobID: job, JobVersion: version, Stable: !unset },
        },
      ),
    )
    const body = known(response.json())
    const now = isCurrent ? current : text(await readJob(context, job), 'Version')
    const done = `marked version ${version} of ${job} as ${mark}; the current version is ${now ?? 'unknown'}`
    return { done, data: body, rawBody: response.body }
  },
})

async function readJob({ http }: Context, job: string): Promise<Json> {
  return (await http.send(api.read({ job }))).json()
}
