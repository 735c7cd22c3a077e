import * as api from '../../../api/jobs.ts'
import type { Job } from '../../../api/job-shapes.ts'
import type { Diff, Plan } from '../../../api/plan-shapes.ts'
import { asJson, at, changed, text } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { isForbidden, TugError, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { isObject } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import type { LineWord } from '../../../core/shell.ts'
import { plural } from '../../../core/words.ts'
import { looksSecret } from '../../../output/redact.ts'
import { idOf } from '../cells.ts'
import type { JobFile, Problem } from '../file/file.ts'
import {
  inNamespace,
  isBatchJob,
  isParameterized,
  isParentJob,
  isPeriodic,
  isSystemJob,
  overNamespace,
} from '../jobs.ts'
import { namespaceIn, namespaceOf } from '../file/file.ts'
import { parseJobFile } from '../file/parse.ts'
import { registrationSecrets } from '../secrets.ts'
import { changesOf, isUnchanged } from './changes.ts'
import { isBlocked, isCompared } from './groups.ts'

/** Flags that decide what is planned, and then registered. */
export const countFlags = {
  keepCounts: flag.boolean("keep the groups' current counts, not the file's"),
  keepScaledCounts: flag.boolean('the same, only for groups with a scaling block', {
    excludes: ['keepCounts'],
  }),
} as const

/** The flags and the file of a line that plans or applies a job file, for a hint. */
export function fileLine(
  input: PlanInput & {
    readonly file: string
    readonly var: readonly (readonly [name: string, value: string])[]
    readonly varFile: readonly string[]
    readonly showValues?: boolean | undefined
  },
): LineWord[] {
  const given = input.var.map(([name, value]): LineWord => {
    const isHidden = input.showValues !== true && looksSecret(value, name)
    return ['--var', `${name}=${isHidden ? '<redacted>' : value}`]
  })
  return [
    ...input.varFile.map((file): LineWord => ['--var-file', file]),
    ...given,
    ...(input.policyOverride === true ? [['--policy-override'] as const] : []),
    ...(input.keepCounts === true ? [['--keep-counts'] as const] : []),
    ...(input.keepScaledCounts === true ? [['--keep-scaled-counts'] as const] : []),
    input.file,
  ]
}

/** What applying a file would do to its job. */
export type Action = 'create' | 'change' | 'start' | 'rerun' | 'unchanged'

/** The flags of `job apply` without which it leaves such a job alone. */
export const goFlags: Readonly<Partial<Record<Action, string>>> = { start: '--start-stopped', rerun: '--rerun' }

/** A job file and what registering it would do. */
export interface FilePlan {
  /** The file, as named on the command line. */
  readonly path: string
  readonly file: JobFile
  /** `web`, or `team-a/web` where the namespace isn't the default one. */
  readonly name: string
  readonly id: string
  readonly namespace: string
  /** The document to register: the file's, with what is kept of the current job. */
  readonly job: Job
  /** The current job; undefined if it doesn't exist or cannot be read. */
  readonly live: Job | undefined
  /** The answer of POST /v1/job/:id/plan, its diff completed with what the scheduler omits. */
  readonly answer: Plan
  /** The JobModifyIndex at which it was planned; 0 for a new job. */
  readonly index: Json
  readonly action: Action
  /** What would change: fields of the job, only the placement of its allocations, or nothing. */
  readonly change: 'fields' | 'placement' | 'none'
  /** Why the server, which has planned the document, will refuse to register it. */
  readonly refused: TugError | undefined
  readonly rawBody: Uint8Array
}

interface PlanInput {
  readonly noDiff?: boolean | undefined
  readonly policyOverride?: boolean | undefined
  readonly keepCounts?: boolean | undefined
  readonly keepScaledCounts?: boolean | undefined
}

/** How often to plan a job again that others keep changing. */
const mostTries = 5

/** Plans the job of a file against the current one. */
export async function planFile(context: Context, input: PlanInput, file: JobFile): Promise<FilePlan> {
  const { job: parsed } = await parseJobFile(context, file, true)
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const live = await readLive(context, file, parsed)
    const own = withCountsOf(input, live, parsed)
    // The stamp of a restart, which no file has, is kept.
    const stamp = live === 'unreadable' ? undefined : text(asJson(live?.Meta), stampKey)
    const job = stamp === undefined || text(asJson(own.Meta), stampKey) !== undefined ? own : stamped(own, stamp)
    const { noDiff, policyOverride } = input
    const request = api.plan(
      { job: idOf(job) },
      {
        ...overNamespace(context, namespaceOf(file, job)),
        secretBody: registrationSecrets,
        body: {
          Job: asJson(job),
          Diff: noDiff !== true,
          ...(policyOverride === undefined ? {} : { PolicyOverride: policyOverride }),
        },
      },
    )
    const { value: answer, body: rawBody } = await context.http.send(request)
    const index = at(asJson(answer), 'JobModifyIndex') ?? 0
    // True if the plan was made against the job that was read.
    const isCurrent =
      live === 'unreadable' || String(index) === String(live === undefined ? 0 : (live.JobModifyIndex ?? index))
    if (isCurrent) return planOf(context, { file, job, live, answer, index, rawBody })
  }
  throw new TugError('conflict', `job ${idOf(parsed)} was changed while it was planned; try again`)
}

/** The current job; undefined if it doesn't exist. */
type Live = Job | 'unreadable' | undefined

async function readLive(context: Context, file: JobFile, job: Job): Promise<Live> {
  const request = api.read({ job: idOf(job) }, { ...inNamespace(context, namespaceOf(file, job)), allow: [404] })
  try {
    const response = await context.http.send(request)
    return response.status === 404 ? undefined : response.value
  } catch (error) {
    if (isForbidden(error)) return 'unreadable'
    throw error
  }
}

/** The document of a file, with the present counts of its groups if a flag keeps them. */
export async function documentOf(context: Context, input: PlanInput, file: JobFile): Promise<Job> {
  const { job } = await parseJobFile(context, file, true)
  const keeps = input.keepCounts === true || input.keepScaledCounts === true
  return keeps ? withCountsOf(input, await readLive(context, file, job), job) : job
}

function withCountsOf({ keepCounts, keepScaledCounts }: PlanInput, live: Live, job: Job): Job {
  if (live === undefined || live === 'unreadable' || (keepCounts !== true && keepScaledCounts !== true)) return job
  const counts = new Map(live.TaskGroups?.map(({ Name, Count }) => [Name, Count]))
  const groups = (job.TaskGroups ?? []).map((group) => {
    const isKept = keepCounts === true || isObject(at(asJson(group), 'Scaling'))
    const count = isKept ? counts.get(group.Name) : undefined
    return typeof count === 'number' ? changed(asJson(group), { Count: count }) : asJson(group)
  })
  return changed(asJson(job), { TaskGroups: groups }) as Job
}

/** The meta key that `job restart` writes into a job. */
export const stampKey = 'restarted_at'

/** The job with the time of a restart in its meta. */
export function stamped(job: Job, stamp: string): Job {
  return changed(asJson(job), { Meta: changed(asJson(job.Meta ?? {}), { [stampKey]: stamp }) }) as Job
}

interface Planned {
  readonly file: JobFile
  readonly job: Job
  readonly live: Live
  readonly answer: Plan
  readonly index: Json
  readonly rawBody: Uint8Array
}

function planOf(context: Context, { file, job, live: read, answer: planned, index, rawBody }: Planned): FilePlan {
  const live = read === 'unreadable' ? undefined : read
  const namespace = namespaceOf(file, job) ?? context.settings.namespace ?? namespaceIn(job) ?? 'default'
  const id = idOf(job)
  const about = { path: file.file, file, id, name: nameOf(id, namespace), namespace, job, live, index, rawBody }
  const refused = live === undefined ? undefined : refusalOf(live, job)
  const { Diff } = planned
  if (!isCompared(planned) || Diff === null || Diff === undefined) {
    const counts = Object.values(planned.Annotations?.DesiredTGUpdates ?? {}).flatMap((group) => Object.entries(group))
    const isMoved = counts.some(([key, count]) => key !== 'Ignore' && count !== 0) || isUnplaced(planned)
    return { ...about, answer: planned, action: 'unchanged', change: isMoved ? 'placement' : 'none', refused }
  }
  if (read === 'unreadable' && Diff.Type === 'None')
    context.io.warn(`${about.name} cannot be read, so what the scheduler's diff omits was not compared`)
  const answer = { ...planned, Diff: changesOf(live, job, Diff) }
  const isSame = isUnchanged(answer.Diff)
  const change = !isSame ? 'fields' : isUnplaced(answer) || lacksAllocations(answer, job) ? 'placement' : 'none'
  return { ...about, answer, action: isSame ? 'unchanged' : actionOf(answer.Diff, job, live), change, refused }
}

/** `web`, or `team-a/web` where the namespace isn't the default one. */
export function nameOf(id: string, namespace: string): string {
  return namespace === 'default' ? id : `${namespace}/${id}`
}

function actionOf({ Type, Fields }: Diff, job: Job, live: Job | undefined): Action {
  if (Type === 'Added') return 'create'
  if (Fields?.find(({ Name }) => Name === 'Stop')?.Old === 'true') return 'start'
  return isRunAtOnce(job) && live?.Status === 'dead' ? 'rerun' : 'change'
}

/** True for a job that runs to its end as soon as it is registered. */
export function isRunAtOnce(job: Job): boolean {
  return isBatchJob(job) && !isParentJob(job)
}

/** The error for a change of type or kind: a server plans it, but refuses to register it. */
function refusalOf(live: Job, job: Job): TugError | undefined {
  const [from, to] = [live.Type || 'service', job.Type || 'service']
  const changeOf = (is: (one: Job) => boolean, kind: string) =>
    is(live) === is(job) ? [] : [`the job ${is(job) ? 'becomes' : 'is no longer'} ${kind}`]
  const changes = [
    ...(from === to ? [] : [`the type changes from ${from} to ${to}`]),
    ...changeOf(isPeriodic, 'periodic'),
    ...changeOf(isParameterized, 'parameterized'),
  ]
  if (changes.length === 0) return undefined
  return new TugError('invalid', `${changes.join(', and ')}, which servers reject`, {
    hints: ['purge the job first, or use another ID in the file'],
  })
}

function isUnplaced(answer: Plan): boolean {
  return isBlocked(answer) || Object.keys(answer.FailedTGAllocs ?? {}).length > 0
}

/** True if allocations of an unchanged service or batch job are missing. Counts of other jobs prove nothing (docs/servers.md, Plans). */
function lacksAllocations({ Annotations }: Plan, job: Job): boolean {
  if (isParentJob(job) || isSystemJob(job)) return false
  return Object.values(Annotations?.DesiredTGUpdates ?? {}).some(({ Place }) => (Place ?? 0) > 0)
}

/** {@link planFile}, for a plan that must show how the job differs. */
export async function planCompared(context: Context, input: PlanInput, file: JobFile): Promise<FilePlan> {
  const plan = await planFile(context, input, file)
  if (isCompared(plan.answer)) return plan
  const facts = { reason: 'unexpected_response', service: 'scheduler' } as const
  throw new TugError('failed', 'the plan has no diff, although one was requested; nothing was registered', facts)
}

/** The usage error for two files that describe the same job. */
export function sameJob(plans: Iterable<Pick<FilePlan, 'name' | 'path'>>): TugError | undefined {
  const seen = new Map<string, string>()
  for (const { name, path } of plans) {
    const other = seen.get(name)
    if (other !== undefined)
      return usageError(`${other} and ${path} both describe the job ${name}; nothing was registered`)
    seen.set(name, path)
  }
  return undefined
}

/** The error for files that cannot be planned. */
export function notPlanned(problems: readonly Problem[], total: number): TugError {
  const [first] = problems
  if (total === 1 && first !== undefined) return first.error
  const [code = 'failed', ...others] = new Set(problems.map(({ error }) => error.code))
  const head = `${problems.length} of ${plural(total, 'file')} cannot be planned; nothing was registered`
  const lines = problems.flatMap(
    ({
      item,
      error: {
        message,
        lines: [line = '', ...more],
      },
    }) => [message.includes(item) ? line : `${item}: ${line}`, ...more],
  )
  const hints = [...new Set(problems.flatMap(({ error }) => error.hints))].slice(0, 3)
  return new TugError(others.length === 0 ? code : 'partial', [head, ...lines], { hints, listsRows: true })
}

/** `1 new and 2 changed jobs`. */
export function changeCounts(plans: readonly { readonly action: string }[]): string {
  const created = plans.filter(({ action }) => action === 'create').length
  const others = plans.length - created
  if (others === 0) return plural(created, 'new job')
  if (created === 0) return plural(others, 'changed job')
  return `${created} new and ${others} changed jobs`
}
