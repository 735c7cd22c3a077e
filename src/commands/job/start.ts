import * as jobs from '../../api/jobs.ts'
import { at, changed, text } from '../../core/answer.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { jobStatus, starterNote } from './jobs.ts'
import { jobArgument } from './reads.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { startWork } from './writes.ts'

const params = { job: jobArgument, ...waitParams } as const

export const start = command({
  name: 'start',
  summary: 'Start a stopped job again',
  description:
    'Registers the job as it was when it was stopped, as a new version. If somebody changes the job in between, nothing is started (exit 5). A job that is not stopped is left alone.',
  params,
  also: [jobs.read, jobs.register, ...waitEndpoints.filter((one) => one !== jobs.read)],
  examples: [
    { line: 'job start legacy', note: 'what job stop stopped' },
    { line: 'job start legacy --wait --wait-timeout 10m', note: 'until it is healthy' },
  ],
  run: async (input, context) => {
    const id = input.job
    const job = (await context.http.send(jobs.read({ job: id }))).json()
    const isStopped = at(job, 'Stop') ?? false
    if (isStopped === false) return leftAlone(id, job)
    return startWork(context, input, {
      kind: 'register',
      request: jobs.register(
        {},
        {
          // The version in the job names the job file that the server keeps for the new version.
          body: {
            Job: changed(job, { Stop: false }),
            EnforceIndex: true,
            JobModifyIndex: at(job, 'JobModifyIndex') ?? null,
          },
          policy: { guarded: true },
          checkCommand: context.commandLine('job status', id),
        },
      ),
      jobId: () => id,
      said: () => `started ${id}${starterNote(job)}`,
    })
  },
})

function leftAlone(id: string, job: Json): Result {
  return {
    done: `${id} is not stopped (${jobStatus(job)}); nothing was changed`,
    data: { job: id, status: text(job, 'Status') ?? null, started: false },
  }
}
