import type { Job, TaskGroup } from '../../api/job-shapes.ts'
import * as jobs from '../../api/jobs.ts'
import { asJson, at, changed } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { firstNames } from '../../core/words.ts'
import type { Decision, Work } from '../../write/work.ts'
import { stage } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { jobStatus, starterNote, versionsOf, namespaceName } from './jobs.ts'
import { registerAgain } from './register.ts'
import { indexIn, jobsArgument, jobsAtOnce, onlyJob } from './targets.ts'
import type { WaitInput } from './wait/params.ts'
import { checkCompletes, waitEndpoints, waitParams, waits } from './wait/params.ts'
import type { FollowWork } from './wait/write.ts'
import { followsJob, followWrites, startsWork } from './wait/write.ts'

export const start = write({
  name: 'start',
  summary: 'Start stopped jobs again',
  description:
    'Registers the job as it was when it was stopped, as a new version. Scaling policies that the stop disabled are enabled again if the version before had them enabled. If somebody changes the job meanwhile, nothing is started (exit 5). A job that is not stopped is left alone, and with --wait followed.',
  params: { jobs: jobsArgument, ...waitParams },
  endpoint: [],
  also: [jobs.read, jobs.register, ...waitEndpoints.filter((one) => one !== jobs.read)],
  examples: [
    { line: 'job start legacy', note: 'what job stop stopped' },
    { line: 'job start legacy --wait --wait-timeout 10m', note: 'until it is healthy' },
    { line: 'job start legacy --plan', note: 'which scaling policies would that enable?' },
  ],
  async open(input, context): Promise<Work> {
    const only = onlyJob({ jobs: input.jobs, filter: undefined })
    const follow = waits(input) ? followWrites(context, input, { isOnly: only.one !== undefined }) : undefined
    return {
      action: 'start',
      target: 'job',
      noun: 'job',
      ...only,
      progress: 'starting jobs',
      parallel: jobsAtOnce,
      columns: ['namespace', 'status'],
      stages: [
        stage<string>({
          targets: [...new Set(input.jobs)],
          nameOf: (id) => id,
          decide: (id) => decideStart(context, id, input, follow),
        }),
      ],
    }
  },
})

async function decideStart(
  context: Context,
  id: string,
  goal: WaitInput,
  follow: FollowWork | undefined,
): Promise<Decision> {
  const live = (await context.http.send(jobs.read({ job: id }))).value
  checkCompletes(live, goal)
  const status = jobStatus(live)
  const facts = { namespace: namespaceName(context, live.Namespace), status }
  if (live.Stop !== true)
    return { action: 'unchanged', words: `not stopped (${status})`, facts, ...followsJob(follow, id) }
  // A server refuses to register a dispatched job again (docs/servers.md, Registering).
  if (live.Dispatched === true)
    throw new TugError('invalid', `${id} was dispatched by ${live.ParentID ?? ''}, and cannot be started again`, {
      hints: [`start a new instance: ${context.commandLine('job dispatch', live.ParentID ?? '')}`],
    })
  const { enabled, lost } = await policiesBefore(context, id, live)
  const note = (verb: string) =>
    [
      starterNote(live),
      ...(enabled.length > 0 ? [`; ${verb} the scaling ${policies(enabled)}`] : []),
      ...(lost.length > 0
        ? [
            `; the scaling ${policies(lost)} stay${lost.length === 1 ? 's' : ''} disabled: the version before the stop is gone`,
          ]
        : []),
    ].join('')
  const groups = (live.TaskGroups ?? []).map((group) => {
    const json = asJson(group)
    if (!enabled.includes(group.Name ?? '')) return json
    return changed(json, { Scaling: changed(at(json, 'Scaling') as Json, { Enabled: true }) })
  })
  const job = changed(asJson(live), { Stop: false, ...(enabled.length > 0 ? { TaskGroups: groups } : {}) })
  return {
    action: 'start',
    words: `start${note('enables')}`,
    facts: {
      ...facts,
      ...(enabled.length > 0 ? { scaling_enabled: enabled } : {}),
      ...(lost.length > 0 ? { scaling_disabled: lost } : {}),
    },
    ...indexIn(live),
    enforced: true,
    ...startsWork(follow, (here) => registerAgain(here, { id, live, job, message: `started ${id}${note('enabled')}` })),
  }
}

function policies(groups: readonly string[]): string {
  return `${groups.length === 1 ? 'policy of group' : 'policies of groups'} ${firstNames(groups)}`
}

/**
 * The groups whose scaling policy is disabled: `enabled` are those that the newest version before the stop had enabled; `lost` is all
 * of them if that version is gone.
 */
async function policiesBefore(context: Context, id: string, live: Job): Promise<{ enabled: string[]; lost: string[] }> {
  const disabled = (live.TaskGroups ?? []).filter((group) => isEnabled(group) === false).map(({ Name }) => Name ?? '')
  if (disabled.length === 0) return { enabled: [], lost: [] }
  const before = (await versionsOf(context, id)).find(
    ({ Stop, Version }) => Stop !== true && (Version ?? 0) < (live.Version ?? 0),
  )
  if (before === undefined) return { enabled: [], lost: disabled }
  const wasEnabled = (name: string) => {
    const group = before.TaskGroups?.find(({ Name }) => Name === name)
    return group !== undefined && isEnabled(group) === true
  }
  return { enabled: disabled.filter(wasEnabled), lost: [] }
}

/** Whether the scaling policy of a group is enabled; undefined if it has none. */
function isEnabled(group: TaskGroup): Json | undefined {
  return at(asJson(group), 'Scaling', 'Enabled')
}
