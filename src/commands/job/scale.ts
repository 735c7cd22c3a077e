import { hostname } from 'node:os'
import * as api from '../../api/jobs.ts'
import { checkProductEvent } from '../../api/scheduler-dialect.ts'
import type { Context } from '../../core/context.ts'
import { TugError, unlessForbidden, usageError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { entriesOf } from '../../core/json.ts'
import type { Input } from '../../core/param.ts'
import { argument, flag, readFilled, readInteger, readLabelled } from '../../core/param.ts'
import type { Work } from '../../write/work.ts'
import { write } from '../../write/write.ts'
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
      const { counts, index, isStopped = false } = present ?? {}
      requireIndex(context, job, index, checkIndex)
      const group = groupIn(context, job, named, counts)
      const before = counts?.get(group)
      const guard = before === undefined ? {} : { guard: before }
      const facts = { group, count: count ?? null, ...(present && { previous: before ?? null }) }
      if (count !== undefined && before === count)
        return {
          action: 'unchanged',
          words: `group ${group} has a count of ${count} already`,
          facts,
          ...guard,
          ...followsJob(follow, job),
        }
      const warnOfStopped = () => {
        if (isStopped && count !== undefined)
          context.io.warn(`the job is stopped, so nothing is started until ${context.commandLine('job start', job)}`)
      }
      if (isPlan) warnOfStopped()
      const from = count === undefined || before === undefined ? '' : ` (now ${before})`
      const isUnseen = isRead && present === undefined
      return {
        action: isUnseen ? 'write' : 'scale',
        isUnseen,
        words: count === undefined ? `record an event for group ${group}` : `scale group ${group} to ${count}${from}`,
        facts,
        ...guard,
        ...sends({
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
        }),
      }
    })
  },
})

/** The counts of a job's groups. */
interface Present {
  readonly counts: ReadonlyMap<string, number | undefined>
  readonly isStopped: boolean
  readonly index?: number
}

/** Undefined if the token may not read them, and the group is known. */
async function readCounts(
  { http }: Context,
  { job, checkIndex }: ScaleInput,
  group: string | undefined,
): Promise<Present | undefined> {
  const allowed = <T>(request: Promise<T>) => (group === undefined ? request : request.catch(unlessForbidden))
  // Only the job itself shows the index of --check-index.
  if (checkIndex !== undefined) {
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
    throw usageError(`${job} has ${names.length} groups: ${names.toSorted().join(', ')}; name one of them`)
  context.io.note(`${job} has one group: ${only}`)
  return only
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
