import * as api from '../../api/jobs.ts'
import { command } from '../../core/command.ts'
import { flag } from '../../core/param.ts'
import { manyFlags } from './many.ts'
import { targetParams } from './targets.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import type { Input } from '../../core/param.ts'

const params = {
  ...targetParams,
  allowDowntime: flag.boolean('restart also what cannot restart without an outage'),
  noWait: flag.boolean('do not follow the restart to its outcome'),
  ...waitParams,
  ...manyFlags,
  parallel: flag.integer('how many jobs at once', { min: 1, max: 256, defaultText: '1' }),
} as const

export type RestartInput = Input<typeof params>

export const restart = command({
  name: 'restart',
  summary: 'Restart the allocations of jobs, a few at a time, as their update blocks say',
  description:
    'Registers the job as it is with the time in its meta (restarted_at), which replaces its allocations like any other change: health-checked, and rolled back if the job says so. Its file, variables and counts stay. A job that cannot restart without an outage is refused with the reason: one without a rolling update, a group whose allocations would all be down at once, batch work that would be killed or run again. --allow-downtime restarts it all the same. Waits, one job at a time; the first that fails stops what was not begun.',
  params,
  also: [api.list, api.read, api.register, ...waitEndpoints.filter((one) => one !== api.read)],
  examples: [
    { line: 'job restart web', note: 'asks first, and waits until it is healthy again' },
    { line: `job restart --filter 'Name == "web"' --yes --no-wait`, note: 'the jobs that match' },
  ],
  async run(input, context) {
    const { restartJobs } = await import('./restart-run.ts')
    return restartJobs(input, context)
  },
})
