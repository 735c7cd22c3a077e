import * as jobs from '../../api/jobs.ts'
import { asJson, items } from '../../core/answer.ts'
import { list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Json } from '../../core/json.ts'
import { query } from '../../core/param.ts'
import { allocationColumns, troubleOf } from './allocation-columns.ts'
import { idOf, newestFirst } from './cells.ts'
import { liveAllocations, noteStopped } from './live.ts'
import { jobArgument, watchable } from './reads.ts'

/** A terminal's table shows what matters now; every other output has everything that the server answered. */
function folds({ all }: { readonly all: boolean | undefined }, context: Context): boolean {
  return all !== true && isForPeople(context)
}

function isForPeople({ settings, io }: Context): boolean {
  return ['table', 'box'].includes(settings.format) && io.terminal.stdout
}

/** Below each allocation in trouble: what happened. A pipe has one line for each allocation. */
const withTrouble = {
  columns: allocationColumns.filter(({ wide }) => wide !== true).length,
  always: true,
  below: troubleOf,
}

/** Live ones first, then the newest first. */
function liveFirst(rows: readonly Json[]): Json[] {
  const live = new Set(liveAllocations(rows))
  const rank = (row: Json) => (live.has(row) ? 0 : 1)
  return rows.toSorted((one, other) => rank(one) - rank(other) || newestFirst(one, other))
}

const options = { empty: 'no allocations, or no such job' }

export const allocs = watchable({
  name: 'allocs',
  summary: "List a job's allocations, the live ones first",
  description:
    "On a terminal, allocations that were stopped or replaced are only counted; --all lists them, together with those of an earlier registration of the same ID. Below one that failed or is not healthy it shows what happened, task by task; -o wide has that of every allocation.\n\nThe server's answer for an unknown job is an empty list. JSON keeps the server's order, which means nothing.",
  endpoint: jobs.allocations,
  params: {
    job: jobArgument,
    all: query.boolean('stopped ones too, and those of an earlier registration of the same ID'),
  },
  view: (input, context) =>
    list<Json>(allocationColumns, idOf, {
      ...options,
      ...(isForPeople(context) ? { folded: withTrouble } : {}),
      rows: (body) =>
        folds(input, context) ? liveAllocations(items(body)).toSorted(newestFirst) : liveFirst(items(body)),
    }),
  finish: (body, input, context) => {
    if (folds(input, context)) noteStopped(context, items(asJson(body)), input.job)
  },
  examples: [
    { line: 'job allocs web', note: 'what runs where' },
    { line: 'job allocs batch-broken', note: 'why something failed, task by task' },
    { line: 'job allocs web --watch', note: 'live, until Ctrl-C' },
    {
      line: `job allocs web --query "[?ClientStatus=='running'].ID" -o name`,
      note: 'the IDs of those that run',
    },
  ],
})
