import type { Job, TaskGroup, UpdateBlock } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import { asJson, text } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import { dateIn } from '../../core/duration.ts'
import type { Input } from '../../core/param.ts'
import { flag } from '../../core/param.ts'
import { firstNames, plural } from '../../core/words.ts'
import type { Decision, Shown, Work } from '../../write/work.ts'
import { stage } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { inNamespace, isBatchJob, isParentJob, isSystemJob, namespaceName } from './jobs.ts'
import { stamped, stampKey } from './plan/planned.ts'
import { registerAgain } from './register.ts'
import type { Target } from './targets.ts'
import { indexIn, noteInstances, onlyJob, readTarget, targetParams, targetsOf, withoutInstances } from './targets.ts'
import { followParams, waitEndpoints } from './wait/params.ts'
import type { FollowWork } from './wait/write.ts'
import { followsJob, followWrites, startsWork } from './wait/write.ts'

const params = {
  ...targetParams,
  allowDowntime: flag.boolean('restart even if that causes an outage'),
  run: flag.of('continue the run of this time, without the jobs that it has restarted', readRun, {
    placeholder: 'time',
  }),
  noWait: flag.boolean("don't wait for the outcome", { excludes: ['waitTimeout'] }),
  waitTimeout: followParams.waitTimeout,
} as const

type RestartInput = Input<typeof params>

/** The time of a run, as `job restart` prints it. Throws RangeError. */
function readRun(typed: string): string {
  const time = typed.includes('T') ? dateIn(typed) : undefined
  if (time === undefined) throw new RangeError(`'${typed}' is not the time of a run, such as 2026-11-21T07:30:00.000Z`)
  return time.toISOString()
}

export const restart = write({
  name: 'restart',
  summary: 'Restart the allocations of jobs, a few at a time, by their update blocks',
  description:
    'Registers the job as it is with the time in its meta (restarted_at), which replaces its allocations like any other change: health-checked, and rolled back if its update block has auto_revert. Its file, variables and counts stay. A job that cannot restart without an outage is rejected with the reason: one without a rolling update, a group whose allocations would all be down at once, batch work that would be killed or run again. Jobs that a periodic or parameterized job started are left out of --filter, and counted. Waits, one job at a time; the first whose restart fails stops what was not begun. The time is printed as the run.',
  params,
  endpoint: [],
  also: [api.list, api.read, api.register, ...waitEndpoints.filter((one) => one !== api.read)],
  repeats: 'restarts the jobs again, unless --run names the run',
  examples: [
    { line: 'job restart web', note: 'asks first, and waits until it is healthy again' },
    { line: `job restart --filter 'Name == "web"' --yes --no-wait`, note: 'the jobs that match' },
    { line: 'job restart web --plan', note: 'can it restart without an outage?' },
  ],
  async open(input, context): Promise<Work> {
    const only = onlyJob(input)
    const isOnly = only.one !== undefined
    const { own, leftOut } = withoutInstances(await targetsOf(context, input))
    noteInstances(context, leftOut)
    const { typedLimits } = context.settings
    let time = input.run
    /** By the server's clock, which the first read shows. */
    const run = () => (time ??= input.plan === true ? undefined : context.now().toISOString())
    const follow = input.noWait === true ? undefined : followWrites(context, input, { isOnly })
    return {
      action: 'restart',
      target: 'job',
      noun: 'job',
      ...only,
      progress: 'restarting jobs',
      columns: ['namespace'],
      // The limits of all commands are for work that disturbs nobody.
      limits: { parallel: typedLimits.parallel ?? 1, maxFailures: typedLimits.maxFailures ?? 1 },
      showsDecisions: !isOnly,
      get data() {
        const named = run()
        return { ...(named === undefined ? {} : { run: named }), ...(isOnly ? {} : { left_out: leftOut }) }
      },
      again: () => context.typedLine({ run: run() }),
      stages: [
        stage<Target>({
          targets: own,
          nameOf: ({ name }) => name,
          decide: (target) => decideRestart({ context, input, run, follow }, target),
          ask: questionOf,
        }),
      ],
      close: ({ isPlan, done, notSent }) =>
        isPlan || done + notSent < 2 ? {} : { hint: `to continue this run, add --run ${run()}` },
    }
  },
})

interface RestartRun {
  readonly context: Context
  readonly input: RestartInput
  /** The time that is stamped; undefined for a plan without one. */
  readonly run: () => string | undefined
  readonly follow: FollowWork | undefined
}

async function decideRestart({ context, input, run, follow }: RestartRun, target: Target): Promise<Decision> {
  const { id, namespace, name } = target
  const live = await readTarget(context, target)
  const facts = { namespace: namespaceName(context, live.Namespace ?? namespace) }
  const about = { facts, ...indexIn(live), enforced: true }
  const stamp = text(asJson(live.Meta), stampKey)
  if (input.run !== undefined && stamp !== undefined && new Date(stamp) >= new Date(input.run))
    return {
      ...about,
      action: 'unchanged',
      words: `was restarted at ${stamp}`,
      ...followsJob(follow, id, { namespace, name }),
    }
  const { isPossible, refusal, words, waitsForPromotion } = restartOf(live)
  if (!isPossible || (refusal !== undefined && input.allowDowntime !== true))
    return {
      action: 'refused',
      words: refusal ?? '',
      facts,
      error: usageError(`${name}: ${refusal ?? ''}`, ...(isPossible ? ['--allow-downtime restarts it anyway'] : [])),
    }
  return {
    ...about,
    action: 'restart',
    words: `restart ${words}${refusal === undefined ? '' : `: ${refusal}`}`,
    facts: { ...facts, ...(waitsForPromotion ? { waits_for_promotion: true } : {}) },
    ...startsWork(follow, (here) =>
      registerAgain(here, {
        ...inNamespace(here, namespace),
        id,
        namespace,
        live,
        job: asJson(stamped(live, run() ?? here.now().toISOString())),
        more: { PreserveCounts: true },
        isRestart: true,
        message: `restarted ${id}`,
      }),
    ),
  }
}

function questionOf(shown: readonly Shown<Target>[]): string {
  const due = shown.filter(({ hasWork }) => hasWork)
  const [only, ...others] = due
  if (only !== undefined && others.length === 0) return `Restart ${only.item} (${only.words.replace(/^restart /, '')})?`
  const waiting = due.filter(({ facts }) => facts['waits_for_promotion'] === true).map(({ item }) => item)
  const note = waiting.length === 0 ? '' : ` These wait for promotion: ${firstNames(waiting)}.`
  return `Restart ${plural(due.length, 'job')}: ${firstNames(due.map(({ item }) => item))}?${note}`
}

/** How a job would restart. */
interface RestartKind {
  /** False if there is nothing to restart. */
  readonly isPossible: boolean
  /** Why that is an outage, or impossible; undefined if it is neither. */
  readonly refusal: string | undefined
  /** For the question: `3 allocations, 1 at a time`. */
  readonly words: string
  /** True if somebody must promote the canaries. */
  readonly waitsForPromotion: boolean
}

/** How a job restarts, by its type and update blocks (docs/servers.md, Restarts). */
export function restartOf(job: Job): RestartKind {
  const kind = { isPossible: true, refusal: undefined, words: wordsOf(job), waitsForPromotion: false }
  const impossible = (refusal: string) => ({ ...kind, isPossible: false, refusal })
  if (job.Stop === true) return impossible('it is stopped; start it with job start')
  if (isParentJob(job)) return impossible('it has no allocations of its own; restart the jobs that it started')
  if (job.Dispatched === true)
    return impossible(`${job.ParentID ?? ''} dispatched it, and it cannot be registered again`)
  if (isBatchJob(job))
    return {
      ...kind,
      refusal:
        job.Status === 'dead'
          ? 'it is a batch job that has finished, and would run again'
          : 'it is a running batch job, which would be killed and start over',
    }
  if (isSystemJob(job)) return { ...kind, words: 'node by node' }
  const groups = job.TaskGroups ?? []
  const [refusal] = groups.flatMap((group) => outageOf(group, job))
  return { ...kind, refusal, waitsForPromotion: groups.some((group) => needsPromotion(updateOf(group, job))) }
}

/** Why a group would be down; nothing if some of its allocations always run. */
function outageOf(group: TaskGroup, job: Job): string[] {
  const name = group.Name ?? ''
  const count = group.Count ?? 1
  const update = updateOf(group, job)
  const atOnce = update?.MaxParallel ?? 1
  if (count === 0) return []
  if (atOnce === 0) return [`group ${name} has max_parallel 0: all its allocations restart at once`]
  const canaries = update?.Canary ?? 0
  if (count - atOnce + canaries > 0) return []
  const all = count === 1 ? 'its only allocation is' : `all ${count} allocations are`
  return [`group ${name} would be down: ${all} replaced at once (max_parallel ${atOnce})`]
}

function needsPromotion(update: UpdateBlock | null | undefined): boolean {
  return (update?.Canary ?? 0) > 0 && update?.AutoPromote !== true
}

/** The group's update block, else the job's. */
function updateOf(group: TaskGroup, job: Job): UpdateBlock | null | undefined {
  return group.Update ?? job.Update
}

function wordsOf(job: Job): string {
  const groups = job.TaskGroups ?? []
  const total = groups.reduce((sum, { Count }) => sum + (Count ?? 1), 0)
  const updates = groups.map((group) => updateOf(group, job))
  const steps = new Set(updates.map((update) => update?.MaxParallel ?? 1))
  const [step, ...others] = steps
  const pace = step === undefined || others.length > 0 ? '' : step === 0 ? ', all at once' : `, ${step} at a time`
  const promotion = updates.some(needsPromotion) ? '; canaries first, which wait for promotion' : ''
  return `${plural(total, 'allocation')}${pace}${promotion}`
}
