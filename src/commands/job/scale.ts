import { hostname } from 'node:os'
import type { Deployment } from '../../api/allocation-shapes.ts'
import type { Job } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import { checkProductEvent } from '../../api/scheduler-dialect.ts'
import { asJson, at } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { compareNames } from '../../core/lists.ts'
import { TugError, unlessForbidden, usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, jsonOrNothing } from '../../core/json.ts'
import type { Input } from '../../core/param.ts'
import { argument, flag, readFilled, readInteger, readLabelled } from '../../core/param.ts'
import type { Work } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { shortId } from './cells.ts'
import { jobArgument } from './jobs.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { followsJob } from './wait/write.ts'
import { jobWork, metaOf, readMeta, requireIndex } from './writes.ts'

const params = {
  job: jobArgument,
  group: argument.of('the task group; optional if the job has only one', readFilled, {
    placeholder: 'group',
    complete: 'job-group',
  }),
  count: argument.of('the count, 0 to 50,000; without it, only an event is recorded', readCount, {
    placeholder: 'count',
  }),
  message: flag.of('why, for the record', readFilled, { placeholder: 'text' }),
  error: flag.of('what went wrong, for the record', readFilled, { placeholder: 'text' }),
  meta: flag.each('meta for the record; key:=json for a number, list or map', readEventMeta, {
    placeholder: 'key=value',
  }),
  checkIndex: flag.integer("only if the job's JobModifyIndex is this", { min: 1 }),
  policyOverride: flag.boolean('override soft mandatory policies'),
  ...waitParams,
} as const

type ScaleInput = Input<typeof params>

export const scale = write({
  name: 'scale',
  summary: 'Set how many instances of a task group run',
  description:
    'A group that has this count already is left alone, without an event, and with --wait followed; if the count may not be read, it is set. The event of a count records who scaled and from where, or --message or --error. Without a count, one of these is required, and only an event is recorded. A server refuses to scale during a deployment (exit 5). A stopped job keeps the count for its next start; --wait reports that as a failure (exit 8).',
  params,
  endpoint: api.scale,
  also: [api.scaleStatus, ...waitEndpoints],
  examples: [
    { line: 'job scale web app 5 --wait', note: 'five of group app, followed until they are healthy' },
    { line: 'job scale web 5', note: 'of a job with one group' },
    { line: 'job scale web 5 --plan', note: 'from which count?' },
    { line: 'job scale web app --message "holding at 5 for the sale"', note: 'only for the record' },
  ],
  async open(input, context): Promise<Work> {
    const { job, checkIndex, policyOverride } = input
    const { group: named, count } = groupAndCount(input)
    const words = wordsFor(input, context, count)
    if (context.settings.dialect === 'hashicorp')
      checkProductEvent({ ...words, ...(count === undefined ? {} : { Count: count }) })
    const meta = input.meta.length === 0 ? {} : { Meta: metaOf(input.meta) }
    const isPlan = input.plan === true
    return jobWork(context, 'scale', input, async ({ sends, follow }) => {
      const isRead = named === undefined || count !== undefined || isPlan
      const present = isRead ? await readCounts(context, input, named) : undefined
      const { counts, index, isStopped = false, live } = present ?? {}
      requireIndex(context, job, index, checkIndex)
      const group = groupIn(context, job, named, counts)
      const before = counts?.get(group)
      const guard = before === undefined ? {} : { guard: before }
      const facts = { group, count: count ?? null, ...(present && { previous: before ?? null }) }
      if (count !== undefined && before === count) {
        const hasEvent = input.message !== undefined || input.error !== undefined || input.meta.length > 0
        return {
          action: 'unchanged',
          words: `group ${group} has a count of ${count} already${hasEvent ? '; no event is recorded' : ''}`,
          facts,
          ...guard,
          ...followsJob(follow, job),
        }
      }
      const warnOfStopped = () => {
        if (isStopped && count !== undefined)
          context.io.warn(`the job is stopped, so nothing is started until ${context.commandLine('job start', job)}`)
      }
      if (isPlan) warnOfStopped()
      const unread = isPlan && count !== undefined ? await foresee(context, { job, group, count, live }) : []
      const left = unread.length === 0 ? '' : `; not read: ${unread.join(', ')}`
      const from = count === undefined || before === undefined ? '' : ` (now ${before})`
      const isUnseen = isRead && present === undefined
      const sent = sends({
        kind: 'scale',
        request: api.scale(
          { job },
          {
            checkCommand: context.commandLine('job scale-status', job),
            body: {
              ...(count === undefined ? {} : { Count: count }),
              Target: { Group: group },
              ...(checkIndex === undefined ? {} : { JobModifyIndex: checkIndex }),
              ...words,
              ...meta,
              ...(policyOverride === undefined ? {} : { PolicyOverride: policyOverride }),
            },
          },
        ),
        job,
        message: () =>
          count === undefined
            ? `recorded an event for ${job}/${group}; nothing was scaled`
            : `scaled ${job}/${group} to ${count}`,
        check: warnOfStopped,
      })
      return {
        action: isUnseen ? 'write' : 'scale',
        isUnseen,
        words:
          count === undefined ? `record an event for group ${group}` : `scale group ${group} to ${count}${from}${left}`,
        facts,
        ...guard,
        ...sent,
        apply: async (item) => {
          try {
            return await sent.apply(item)
          } catch (error) {
            // A server refuses to scale during a deployment with a bad request.
            const isUnexplained = error instanceof TugError && error.code === 'invalid' && count !== undefined
            const active = isUnexplained ? await activeDeployment(item.context, job) : undefined
            throw active ? blockedBy(context, job, active) : error
          }
        },
      }
    })
  },
})

interface Foreseen {
  readonly job: string
  readonly group: string
  readonly count: number
  /** Undefined if the token may not read it. */
  readonly live: Job | undefined
}

/** Throws what the server would refuse. Returns what may not be read. */
async function foresee(context: Context, { job, group, count, live }: Foreseen): Promise<string[]> {
  const spec = asJson(live?.TaskGroups?.find(({ Name }) => Name === group))
  const [least, most] = ['Min', 'Max'].map((key) => at(spec, 'Scaling', key)?.valueOf())
  const refuse = (why: string) => {
    throw new TugError('invalid', `group ${group} cannot be scaled to ${count}: ${why}`)
  }
  if (typeof least === 'number' && count < least) refuse(`its scaling policy has a minimum of ${least}`)
  if (typeof most === 'number' && count > most) refuse(`its scaling policy has a maximum of ${most}`)
  if (live?.Type === 'system' && count > 1) refuse('a system job runs at most once on a node')
  const active = await activeDeployment(context, job)
  if (active) throw blockedBy(context, job, active)
  return [
    ...(live === undefined ? ['the bounds of its scaling policy'] : []),
    ...(active === undefined ? ['deployments'] : []),
  ]
}

/** The deployment during which a server refuses to scale; null if there is none, undefined if it may not be read. */
async function activeDeployment({ http }: Context, job: string): Promise<Deployment | null | undefined> {
  const read = await http.send(api.deployment({ job })).catch(unlessForbidden)
  if (read === undefined || read.value === null) return read?.value
  return ['successful', 'failed', 'cancelled'].includes(read.value.Status ?? '') ? null : read.value
}

function blockedBy({ commandLine }: Context, job: string, { ID, Status }: Deployment): TugError {
  return new TugError('conflict', `${job} cannot be scaled during a deployment: ${shortId(ID)} is ${Status ?? ''}`, {
    hints: [`wait for it to end: ${commandLine('job deployment', job, ['--watch'])}`],
  })
}

/** The counts of a job's groups. */
interface Present {
  readonly counts: ReadonlyMap<string, number | undefined>
  readonly isStopped: boolean
  readonly index?: number
  /** The job, if it was read. */
  readonly live?: Job
}

/** Undefined if the token may not read them, and the group is known. */
async function readCounts(
  { http }: Context,
  { job, checkIndex, plan }: ScaleInput & { readonly plan: boolean | undefined },
  group: string | undefined,
): Promise<Present | undefined> {
  const allowed = <T>(request: Promise<T>) => (group === undefined ? request : request.catch(unlessForbidden))
  // Only the job itself shows the index of --check-index, and the bounds of its groups.
  const needsJob = checkIndex !== undefined
  if (needsJob || plan === true) {
    const reading = http.send(api.read({ job }))
    const read = await (needsJob ? allowed(reading) : reading.catch(unlessForbidden))
    if (read !== undefined) {
      const { TaskGroups, Stop, JobModifyIndex } = read.value
      const counts = new Map((TaskGroups ?? []).map(({ Name, Count }) => [Name ?? '', Count ?? undefined]))
      const index = JobModifyIndex ? { index: Number(JobModifyIndex) } : {}
      return { counts, isStopped: Stop === true, live: read.value, ...index }
    }
    if (needsJob) return undefined
  }
  const read = await allowed(http.send(api.scaleStatus({ job })))
  if (read === undefined) return undefined
  const { TaskGroups, JobStopped } = read.value
  const counts = new Map(
    entriesOf(TaskGroups ?? {}).map(([name, { Desired }]) => [
      name,
      Desired === undefined || Desired === null ? undefined : Number(Desired),
    ]),
  )
  return { counts, isStopped: JobStopped === true }
}

/** The named group, if it exists as far as is known; else the only one, which a note names. */
function groupIn(
  context: Context,
  job: string,
  named: string | undefined,
  counts: Present['counts'] | undefined,
): string {
  if (named !== undefined) {
    if (counts === undefined || counts.has(named)) return named
    throw new TugError('invalid', `${job} has no task group '${named}'`, {
      hints: [`its groups: ${context.commandLine('job scale-status', job)}`],
    })
  }
  const names = [...(counts?.keys() ?? [])]
  const [only, ...others] = names
  if (only === undefined) throw new TugError('failed', `${job} has no task groups`)
  if (others.length > 0)
    throw usageError(`${job} has ${names.length} groups: ${names.toSorted(compareNames).join(', ')}; name one of them`)
  context.io.note(`${job} has one group: ${only}`)
  return only
}

/** `key=value`, or `key:=json`. Throws RangeError. */
function readEventMeta(typed: string): [key: string, value: Json] {
  const [key, value] = readMeta(typed)
  if (!key.endsWith(':') || key === ':') return [key, value]
  const json = jsonOrNothing(value)
  if (json === undefined) throw new RangeError(`the value of ${key.slice(0, -1)} is not JSON`)
  return [key.slice(0, -1), json]
}

/** `scale <job> 5` has no group: a single number is the count. */
function groupAndCount({ group, count }: ScaleInput): { group: string | undefined; count: number | undefined } {
  if (count !== undefined || group === undefined) return { group, count }
  return /^[+-]?\d+$/.test(group)
    ? { group: undefined, count: readLabelled(readCount, group, '<count>') }
    : { group, count: undefined }
}

/** How many a job may have at most is a setting of the server; counts near 2^63 break its scheduler (docs/servers.md, Scaling). */
const mostCount = 2 ** 31 - 1

function readCount(typed: string): number {
  if (typed.startsWith('+')) throw new RangeError(`the count is the number to run, not one to add: ${typed.slice(1)}`)
  return readInteger(typed, 0, mostCount)
}

/** Message and error. */
function wordsFor({ message, error, group }: ScaleInput, { user }: Context, count: number | undefined): JsonObject {
  if (message === undefined && error === undefined) {
    if (count !== undefined) return { Message: `scaled to ${count} by ${user}@${hostname()} through tug` }
    if (group !== undefined && /^\d/.test(group)) readLabelled(readCount, group, '<count>')
    throw usageError(
      'give a count, --message or --error',
      'a count scales; --message or --error alone records an event',
    )
  }
  return { ...(message === undefined ? {} : { Message: message }), ...(error === undefined ? {} : { Error: error }) }
}
