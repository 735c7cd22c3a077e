import { hostname } from 'node:os'
import * as api from '../../api/jobs.ts'
import { checkProductEvent } from '../../api/scheduler-dialect.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { entriesOf } from '../../core/json.ts'
import type { Input } from '../../core/param.ts'
import { argument, flag, readFilled, readInteger, readLabelled } from '../../core/param.ts'
import type { Decision, Work } from '../../write/work.ts'
import { onlyTarget } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { jobArgument, namespaceName } from './jobs.ts'
import { unlessForbidden } from './targets.ts'
import { waitEndpoints, waitParams, waits } from './wait/params.ts'
import type { FollowWork } from './wait/write.ts'
import { followsJob, followWrites, startsWork } from './wait/write.ts'
import { metaOf, readMeta, sendWork } from './writes.ts'

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
  meta: flag.each('meta for the record', readMeta, { placeholder: 'key=value' }),
  checkIndex: flag.integer("only if the job's JobModifyIndex is this", { min: 1 }),
  policyOverride: flag.boolean('override soft mandatory policies'),
  ...waitParams,
} as const

type ScaleInput = Input<typeof params>

export const scale = write({
  name: 'scale',
  summary: 'Set how many instances of a task group run',
  description:
    'A group that has this count already is left alone, and with --wait followed as it is; if the count may not be read, it is set. With a count and neither --message nor --error, the event records who scaled and from where. Without a count, one of them is required: only an event is recorded, each time. A server refuses to scale during a deployment (exit 5). A stopped job keeps the count for when it is started again; --wait reports that as a failure (exit 8).',
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
    const { group, count } = groupAndCount(input)
    const words = wordsFor(input, context, count)
    if (context.settings.dialect === 'hashicorp')
      checkProductEvent({ ...words, ...(count === undefined ? {} : { Count: count }) })
    const scaling: Scaling = {
      context,
      input,
      group,
      count,
      words: { ...words, ...(input.meta.length === 0 ? {} : { Meta: metaOf(input.meta) }) },
      isPlan: input.plan === true,
      follow: waits(input) ? followWrites(context, input, { isOnly: true }) : undefined,
    }
    return {
      action: 'scale',
      target: 'job',
      noun: 'job',
      ...onlyTarget(input.job, { decide: (job) => decideScale(scaling, job) }),
    }
  },
})

interface Scaling {
  readonly context: Context
  readonly input: ScaleInput
  /** Undefined for the only one. */
  readonly group: string | undefined
  readonly count: number | undefined
  /** Message, error and meta. */
  readonly words: JsonObject
  readonly isPlan: boolean
  readonly follow: FollowWork | undefined
}

/** The counts of a job's groups, as far as the token may read them. */
interface Present {
  readonly counts: ReadonlyMap<string, number | undefined>
  readonly isStopped: boolean
  readonly index?: number
}

async function decideScale(scaling: Scaling, job: string): Promise<Decision> {
  const { context, input, count, follow, isPlan } = scaling
  const isRead = scaling.group === undefined || count !== undefined || isPlan
  const present = isRead ? await readCounts(scaling, job) : undefined
  if (present === undefined && scaling.group !== undefined)
    return {
      action: isRead ? 'write' : 'scale',
      words: `${isRead ? 'not looked at: ' : ''}${wordsOf(scaling, scaling.group)}`,
      isUnseen: isRead,
      facts: factsOf(scaling, scaling.group),
      ...sends(scaling, job, scaling.group, false),
    }
  const { counts, isStopped, index } = present ?? { counts: new Map<string, number>(), isStopped: false }
  if (input.checkIndex !== undefined && index !== undefined && index !== input.checkIndex)
    throw new TugError('conflict', `the index of ${job} is ${index}, not ${input.checkIndex}; nothing was scaled`, {
      hints: [`what changed: ${context.commandLine('job versions', job, ['--diffs'])}`],
    })
  const group = groupIn(scaling, job, [...counts.keys()])
  if (scaling.group === undefined) context.io.note(`${job} has one group: ${group}`)
  const before = counts.get(group)
  const facts = { ...factsOf(scaling, group), previous: before ?? null }
  const guard = before === undefined ? {} : { guard: before }
  if (count !== undefined && before === count)
    return {
      action: 'unchanged',
      words: `group ${group} has a count of ${count} already`,
      facts,
      ...guard,
      ...followsJob(follow, job),
    }
  if (isStopped && count !== undefined && isPlan) warnOfStopped(scaling, job)
  const from = count === undefined || before === undefined ? '' : ` (now ${before})`
  return {
    action: 'scale',
    words: `${wordsOf(scaling, group)}${from}`,
    facts,
    ...guard,
    ...sends(scaling, job, group, isStopped),
  }
}

/** Undefined if the token may not read them, and the group is known. */
async function readCounts({ context: { http }, input, group }: Scaling, job: string): Promise<Present | undefined> {
  const allowed = <T>(request: Promise<T>) => (group === undefined ? request : request.catch(unlessForbidden))
  // Only the job itself shows the index of --check-index.
  if (input.checkIndex !== undefined) {
    const read = await allowed(http.send(api.read({ job })))
    if (read === undefined) return undefined
    const { TaskGroups, Stop, JobModifyIndex } = read.value
    const counts = new Map((TaskGroups ?? []).map(({ Name, Count }) => [Name ?? '', Count ?? undefined]))
    return { counts, isStopped: Stop === true, ...(JobModifyIndex ? { index: Number(JobModifyIndex) } : {}) }
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

function groupIn({ context, group }: Scaling, job: string, names: readonly string[]): string {
  if (group !== undefined) {
    if (names.includes(group)) return group
    throw new TugError('invalid', `${job} has no task group '${group}'`, {
      hints: [`its groups: ${context.commandLine('job scale-status', job)}`],
    })
  }
  const [only, ...others] = names
  if (only === undefined) throw new TugError('failed', `${job} has no task groups`)
  if (others.length === 0) return only
  throw usageError(`${job} has ${names.length} groups: ${names.toSorted().join(', ')}; name one of them`)
}

function wordsOf({ count }: Scaling, group: string): string {
  return count === undefined ? `record an event for group ${group}` : `scale group ${group} to ${count}`
}

function factsOf({ count, context }: Scaling, group: string) {
  return { namespace: namespaceName(context), group, count: count ?? null }
}

function sends(scaling: Scaling, job: string, group: string, isStopped: boolean) {
  const { input, count, words, follow } = scaling
  const { checkIndex, policyOverride } = input
  return startsWork(follow, (context) =>
    sendWork(context, {
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
            ...(policyOverride === undefined ? {} : { PolicyOverride: policyOverride }),
          },
        },
      ),
      jobId: () => job,
      message: () =>
        count === undefined
          ? `recorded an event for ${job}/${group}; nothing was scaled`
          : `scaled ${job}/${group} to ${count}`,
      check: () => {
        if (isStopped && count !== undefined) warnOfStopped(scaling, job)
      },
    }),
  )
}

function warnOfStopped({ context }: Scaling, job: string): void {
  context.io.warn(`the job is stopped, so nothing is started until ${context.commandLine('job start', job)}`)
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
