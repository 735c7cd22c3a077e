import * as api from '../../api/jobs.ts'
import { hostname } from 'node:os'
import { asJson, at, isPlaceholder, text } from '../../core/answer.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Input } from '../../core/param.ts'
import { argument, flag, readFilled, readInteger, readLabelled } from '../../core/param.ts'
import { notOneGroup, nothingToScale, oneGroup, startsNothing } from './messages.ts'
import { jobArgument } from './reads.ts'
import { waitEndpoints, waitParams } from './wait/params.ts'
import { metaOf, readMeta, startWork } from './writes.ts'

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
  checkIndex: flag.integer("only if the job's JobModifyIndex is this; servers of the specification ignore it", {
    min: 1,
  }),
  policyOverride: flag.boolean('override soft mandatory policies'),
  ...waitParams,
} as const

export const scale = command({
  name: 'scale',
  summary: 'Set how many instances of a task group run',
  description:
    'With a count and neither --message nor --error, the event records who scaled and from where. Without a count, one of them is required: only an event is recorded. A server refuses to scale during a deployment (exit 5). A stopped job keeps the count for when it is started again; --wait reports that as a failure (exit 8).',
  params,
  endpoint: api.scale,
  also: waitEndpoints,
  examples: [
    { line: 'job scale web app 5 --wait', note: 'five of group app, followed until they are healthy' },
    { line: 'job scale web 5', note: 'of a job with one group' },
    { line: 'job scale web app --message "holding at 5 for the sale"', note: 'only for the record' },
  ],
  run: async (input, context) => {
    const { job, checkIndex } = input
    const { group: named, count } = groupAndCount(input)
    const words = wordsFor(input, context, count)
    const { group, isStopped } =
      named === undefined ? await onlyGroup(context, job) : { group: named, isStopped: false }
    return startWork(context, input, {
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
            ...(input.meta.length === 0 ? {} : { Meta: metaOf(input.meta) }),
            ...(input.policyOverride === undefined ? {} : { PolicyOverride: input.policyOverride }),
          },
        },
      ),
      jobId: () => job,
      message: () =>
        count === undefined
          ? `recorded an event for ${job}/${text(group) ?? ''}; nothing was scaled`
          : `scaled ${job}/${text(group) ?? ''} to ${count}`,
      check: () => {
        if (isStopped && count !== undefined) context.io.warn(startsNothing(context, job))
      },
    })
  },
})

/** `scale <job> 5` has no group: a single number is the count. */
function groupAndCount({ group, count }: Input<typeof params>): { group?: string; count?: number } {
  if (count !== undefined) return { group: group ?? '', count }
  if (group === undefined) return {}
  return /^[+-]?\d+$/.test(group) ? { count: readLabelled(readCount, group, '<count>') } : { group }
}

/** How many a job may have at most is a setting of the server; counts near 2^63 break its scheduler (docs/servers.md, Scaling). */
const mostCount = 2 ** 31 - 1

function readCount(typed: string): number {
  if (typed.startsWith('+')) throw new RangeError(`the count is the number to run, not one to add: ${typed.slice(1)}`)
  return readInteger(typed, 0, mostCount)
}

/** Message and error. */
function wordsFor(
  { message, error, group }: Input<typeof params>,
  { user }: Context,
  count: number | undefined,
): JsonObject {
  if (message === undefined && error === undefined) {
    if (count !== undefined) return { Message: `scaled to ${count} by ${user}@${hostname()} through tug` }
    if (group !== undefined && /^\d/.test(group)) readLabelled(readCount, group, '<count>')
    throw nothingToScale()
  }
  return { ...(message === undefined ? {} : { Message: message }), ...(error === undefined ? {} : { Error: error }) }
}

/** The only group of a job, with a note which one, and whether the job is stopped. */
async function onlyGroup({ http, io }: Context, job: string): Promise<{ group: Json; isStopped: boolean }> {
  const { value: body } = await http.send(api.read({ job }))
  // Of an answer that only the server knows (--dry-run), the name as it will be found there.
  if (isPlaceholder(body)) return { group: at(asJson(body), 'TaskGroups[0]', 'Name') ?? null, isStopped: false }
  const names = (body.TaskGroups ?? []).map(({ Name }) => Name ?? '')
  const [group, ...others] = names
  if (group === undefined || others.length > 0) throw notOneGroup(job, names)
  io.note(oneGroup(job, group))
  return { group, isStopped: body.Stop === true }
}
