import * as jobs from '../../api/jobs.ts'
import { asJson, at, text, truth } from '../../core/answer.ts'
import { record } from '../../core/command.ts'
import { showMomentAndAge } from '../../core/duration.ts'
import type { Json } from '../../core/json.ts'
import { isObject } from '../../core/json.ts'
import type { Column } from '../../core/output.ts'
import { idOf, plainColumn, statusCell, timeColumn } from './cells.ts'
import { constraints, groupsAndTasks, updateStrategy } from './definition.ts'
import { jobStatus, kindOf, pairs, parameters, periodicTimes } from './jobs.ts'
import type { LaunchOf } from './next-launch.ts'
import { jobArgument, watchable } from './reads.ts'

/** A member that only `-o wide` shows. */
function wideColumn(name: string, key: string): Column<Json> {
  return { ...plainColumn(name, key), show: (job, { wide }) => (wide ? (text(job, key) ?? '') : ''), wide: true }
}

function jobColumns(launchOf: LaunchOf | undefined): readonly Column<Json>[] {
  return [
    plainColumn('id', 'ID', { whole: true }),
    {
      ...plainColumn('name', 'Name'),
      show: (job) => (text(job, 'Name') === idOf(job) ? '' : (text(job, 'Name') ?? '')),
      wide: true,
    },
    plainColumn('namespace', 'Namespace'),
    wideColumn('region', 'Region'),
    { name: 'type', value: (job) => at(job, 'Type'), show: kindOf },
    { name: 'status', value: (job) => at(job, 'Status'), show: (job) => statusCell(jobStatus(job)) },
    plainColumn('status_description', 'StatusDescription', { wide: true }),
    plainColumn('version', 'Version'),
    { name: 'stable', value: (job) => at(job, 'Stable'), show: (job) => (truth(job, 'Stable') ? 'yes' : 'no') },
    timeColumn('submitted', 'SubmitTime'),
    plainColumn('priority', 'Priority'),
    plainColumn('datacenters', 'Datacenters'),
    plainColumn('node_pool', 'NodePool'),
    { name: 'groups', value: groupsAndTasks, list: '; ' },
    { name: 'constraints', value: constraints, wide: true, list: '; ' },
    { name: 'update', value: updateStrategy, wide: true, list: '; ' },
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
    { name: 'meta', value: (job) => at(job, 'Meta'), show: (job) => pairs(at(job, 'Meta')), wide: true },
    {
      name: 'job_modify_index',
      value: (job) => at(job, 'JobModifyIndex'),
      show: (job) => `${text(job, 'JobModifyIndex') ?? ''} (for --check-index)`,
    },
    wideColumn('create_index', 'CreateIndex'),
    wideColumn('modify_index', 'ModifyIndex'),
  ]
}

export const get = watchable({
  name: 'get',
  summary: 'Show a job',
  endpoint: jobs.read,
  params: { job: jobArgument },
  view: async (_input, _context, body) => {
    const mayLaunch = body === undefined || isObject(at(asJson(body), 'Periodic'))
    const launchOf = mayLaunch ? await (await import('./next-launch.ts')).loadLaunches() : undefined
    return record(jobColumns(launchOf), idOf)
  },
  examples: [
    { line: 'job get web', note: 'its type, groups and version' },
    { line: 'job get cleanup', note: 'when a periodic job is launched next' },
    { line: 'job get web -o json > web.json', note: 'the whole job, which run accepts unchanged' },
    { line: 'job get nightly/dispatch-1795236412-b2c4d6e8 --watch', note: 'follow a dispatched job' },
  ],
})
