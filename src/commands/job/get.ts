import type { Job } from '../../api/job-shapes.ts'
import * as jobs from '../../api/jobs.ts'
import { record } from '../../core/command.ts'
import { showMomentAndAge } from '../../core/duration.ts'
import type { Column } from '../../core/output.ts'
import { idOf, plainColumn, statusCell, timeColumn } from './cells.ts'
import * as definition from './definition.ts'
import type { LaunchOf } from './jobs.ts'
import { jobStatus, kindOf, loadLaunches, pairs, parameters, periodicTimes } from './jobs.ts'
import { jobArgument, watchable } from './reads.ts'

/** A fact that only `-o wide` shows. */
function wideColumn(name: string, value: (job: Job) => string): Column<Job> {
  return { name, value, show: (job, { wide }) => (wide ? value(job) : ''), wide: true, list: '; ' }
}

function jobColumns(launchOf: LaunchOf | undefined): readonly Column<Job>[] {
  return [
    plainColumn('id', 'ID', { whole: true }),
    plainColumn('name', 'Name', { show: ({ ID, Name }) => (Name === ID ? '' : (Name ?? '')), wide: true }),
    plainColumn('namespace', 'Namespace'),
    wideColumn('region', ({ Region }) => Region ?? ''),
    { name: 'type', value: ({ Type }) => Type ?? null, show: kindOf },
    { name: 'status', value: ({ Status }) => Status ?? null, show: (job) => statusCell(jobStatus(job)) },
    plainColumn('status_description', 'StatusDescription', { wide: true }),
    plainColumn('version', 'Version'),
    plainColumn('stable', 'Stable', { show: ({ Stable }) => (Stable === true ? 'yes' : 'no') }),
    timeColumn('submitted', 'SubmitTime'),
    plainColumn('priority', 'Priority'),
    plainColumn('datacenters', 'Datacenters'),
    plainColumn('node_pool', 'NodePool'),
    { name: 'groups', value: definition.groupsAndTasks, list: '; ' },
    { name: 'constraints', value: definition.constraints, wide: true, list: '; ' },
    { name: 'affinities', value: definition.affinities, wide: true, list: '; ' },
    { name: 'spreads', value: definition.spreads, wide: true, list: '; ' },
    { name: 'update', value: definition.updateStrategy, wide: true, list: '; ' },
    wideColumn('restart', definition.restartPolicies),
    wideColumn('reschedule', definition.reschedulePolicies),
    wideColumn('scaling', definition.scalingLimits),
    wideColumn('resources', definition.resources),
    wideColumn('networks', definition.networks),
    wideColumn('services', definition.jobServices),
    wideColumn('env', definition.environment),
    wideColumn('templates', definition.templates),
    wideColumn('artifacts', definition.artifacts),
    wideColumn('volumes', definition.volumes),
    wideColumn('lifecycle', definition.lifecycles),
    { name: 'periodic', value: periodicTimes, wide: true },
    {
      name: 'next_launch',
      // The moment depends on when it is asked for, so it is for people only.
      value: () => null,
      show: (job, showing) => {
        const next = launchOf?.(job, showing.now)
        return next === undefined ? '' : showMomentAndAge(next, showing)
      },
      wide: true,
    },
    { name: 'parameterized', value: parameters, wide: true },
    plainColumn('parent', 'ParentID', { whole: true, wide: true }),
    plainColumn('meta', 'Meta', { show: ({ Meta }) => pairs(Meta), wide: true }),
    plainColumn('job_modify_index', 'JobModifyIndex', {
      show: ({ JobModifyIndex }) => `${String(JobModifyIndex ?? '')} (for --check-index)`,
    }),
    wideColumn('create_index', ({ CreateIndex }) => String(CreateIndex ?? '')),
    wideColumn('modify_index', ({ ModifyIndex }) => String(ModifyIndex ?? '')),
  ]
}

export const get = watchable({
  name: 'get',
  summary: 'Show a job',
  endpoint: jobs.read,
  params: { job: jobArgument },
  view: async (_input, _context, job) => {
    const mayLaunch = job === undefined || (job.Periodic ?? null) !== null
    return record(jobColumns(mayLaunch ? await loadLaunches() : undefined), idOf)
  },
  examples: [
    { line: 'job get web', note: 'its type, groups and version' },
    { line: 'job get web -o wide', note: 'and what its groups and tasks are made of' },
    { line: 'job get cleanup', note: 'when a periodic job is launched next' },
    { line: 'job get web -o json > web.json', note: 'the whole job, which run accepts unchanged' },
    { line: 'job get nightly/dispatch-1795236412-b2c4d6e8 --watch', note: 'follow a dispatched job' },
  ],
})
