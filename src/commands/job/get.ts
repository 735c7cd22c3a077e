import type { Job } from '../../api/job-shapes.ts'
import * as jobs from '../../api/jobs.ts'
import { record } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { showMomentAndAge } from '../../core/duration.ts'
import { fromNanoseconds } from './facts/nanoseconds.ts'
import type { Column } from '../../core/output.ts'
import { flag } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import { idOf, momentColumn, plainColumn, statusCell, timeColumn } from './cells.ts'
import { affinities, constraints, groupsAndTasks, spreads, updateStrategy } from './definition.ts'
import type { LaunchOf } from './jobs.ts'
import {
  jobStatus,
  kindOf,
  loadLaunches,
  pairs,
  parameters,
  periodicTimes,
  jobArgument,
  versionNamed,
  versionsOf,
} from './jobs.ts'
import { read } from '../../read/read.ts'

/** A block wherever the job has it, in the words of its file. */
type BlockWords = (job: Job, block: string) => string

/**
 * A card without `-o wide` (`isCard`) summarizes blocks that would be long. Without `blockWords`, what only `-o wide` and `--columns`
 * show is empty.
 */
function jobColumns(
  launchOf: LaunchOf | undefined,
  blockWords: BlockWords | undefined,
  isCard: boolean,
): readonly Column<Job>[] {
  const wideColumn = (name: string, value: (job: Job) => string): Column<Job> => ({
    name,
    value: (job) => (blockWords === undefined ? '' : value(job)),
    wide: true,
    list: '; ',
  })
  const block = (name: string, member: string) => wideColumn(name, (job) => blockWords?.(job, member) ?? '')
  const fact = (name: string, member: string, short: (job: Job) => string): Column<Job> =>
    isCard ? { name, value: short, wide: true, list: '; ' } : block(name, member)
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
    { name: 'groups', value: groupsAndTasks, list: '; ' },
    fact('constraints', 'Constraints', constraints),
    fact('affinities', 'Affinities', affinities),
    fact('spreads', 'Spreads', spreads),
    fact('update', 'Update', updateStrategy),
    block('restart', 'RestartPolicy'),
    block('reschedule', 'ReschedulePolicy'),
    block('scaling', 'Scaling'),
    block('config', 'Config'),
    block('resources', 'Resources'),
    block('networks', 'Networks'),
    block('services', 'Services'),
    block('env', 'Env'),
    block('templates', 'Templates'),
    block('artifacts', 'Artifacts'),
    block('volumes', 'Volumes'),
    block('volume_mounts', 'VolumeMounts'),
    block('lifecycle', 'Lifecycle'),
    block('migrate', 'Migrate'),
    block('ephemeral_disk', 'EphemeralDisk'),
    block('logs', 'LogConfig'),
    block('dispatch_payload', 'DispatchPayload'),
    block('csi_plugin', 'CSIPluginConfig'),
    block('task_scaling', 'ScalingPolicies'),
    wideColumn('settings', (job) => settingsWords(job, blockWords)),
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
    wideColumn('stop', ({ Stop }) => (Stop === true ? 'yes' : '')),
    wideColumn('dispatched', ({ Dispatched }) => (Dispatched === true ? 'yes' : '')),
    wideColumn('payload', ({ Payload }) => (Payload ? plural(Buffer.from(Payload, 'base64').length, 'byte') : '')),
    { name: 'tag', value: ({ VersionTag }) => VersionTag?.Name ?? null, wide: true },
    momentColumn('tagged', ({ VersionTag }) => fromNanoseconds(VersionTag?.TaggedTime), { wide: true }),
    block('actions', 'Actions'),
    wideColumn('group_meta', (job) => blockWords?.({ ...job, Meta: null }, 'Meta') ?? ''),
    wideColumn('token_id', ({ SchedulerTokenID, NomadTokenID }) => SchedulerTokenID ?? NomadTokenID ?? ''),
    wideColumn('secrets_namespace', ({ SecretsNamespace, VaultNamespace }) => SecretsNamespace ?? VaultNamespace ?? ''),
    block('multiregion', 'Multiregion'),
    wideColumn('all_at_once', ({ AllAtOnce }) => (AllAtOnce === true ? 'yes' : '')),
    wideColumn('create_index', ({ CreateIndex }) => String(CreateIndex ?? '')),
    wideColumn('modify_index', ({ ModifyIndex }) => String(ModifyIndex ?? '')),
  ]
}

/** Settings of groups and tasks that are a single value. */
const taskSettings = {
  user: 'User',
  leader: 'Leader',
  kind: 'Kind',
  kill_timeout: 'KillTimeout',
  kill_signal: 'KillSignal',
  shutdown_delay: 'ShutdownDelay',
  stop_after_client_disconnect: 'StopAfterClientDisconnect',
  max_client_disconnect: 'MaxClientDisconnect',
} as const

function settingsWords(job: Job, blockWords: BlockWords | undefined): string {
  return Object.entries(taskSettings)
    .flatMap(([name, member]) => {
      const words = blockWords?.(job, member) ?? ''
      return words === '' ? [] : [`${name} ${words}`]
    })
    .join('; ')
}

export const get = read({
  name: 'get',
  summary: 'Show a job',
  endpoint: jobs.read,
  also: [jobs.versions],
  params: {
    job: jobArgument,
    version: flag.text('an older version: its number or tag', {
      placeholder: 'version|tag',
      complete: 'job-version',
      excludes: ['watch', 'stale'],
    }),
  },
  async send(context, request, { job: id, version }) {
    if (version === undefined) return context.http.send(request)
    return { value: versionNamed(await versionsOf(context, id), id, version) }
  },
  view: (_, context, job) => viewOf(context, job),
  examples: [
    { line: 'job get web', note: 'its type, groups and version' },
    { line: 'job get web -o wide', note: 'and what its groups and tasks are made of' },
    { line: 'job get web --version 2 -o json', note: 'an older version, or one with a tag' },
    { line: 'job get cleanup', note: 'when a periodic job is launched next' },
    { line: 'job get web -o json > web.json', note: 'the whole job, which run accepts unchanged' },
    { line: 'job get nightly/dispatch-1795236412-b2c4d6e8 --watch', note: 'follow a dispatched job' },
  ],
})

async function viewOf({ settings }: Context, job: Job | undefined) {
  const mayLaunch = job === undefined || (job.Periodic ?? null) !== null
  const launchOf = mayLaunch ? await loadLaunches() : undefined
  const isCard = !['wide', 'csv', 'tsv'].includes(settings.format)
  const showsAll = !isCard || settings.outputFlags.columns !== undefined
  const documents = showsAll ? await import('./plan/documents.ts') : undefined
  return record(jobColumns(launchOf, documents?.blockWords, isCard), idOf)
}
