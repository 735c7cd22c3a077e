import { at, items, text } from '../core/answer.ts'
import type { DocumentView, ValueResult } from '../core/command.ts'
import { list } from '../core/command.ts'
import type { Context } from '../core/context.ts'
import { exitCodes } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { objectFrom } from '../core/json.ts'
import type { Paint, Tone } from '../core/output.ts'
import { escapeControl } from '../output/safe.ts'
import { cells, pad } from '../output/width.ts'
import type { Failure } from './account.ts'
import { failureLine } from './account.ts'
import type { Bulk } from './engine.ts'

/** What a bulk write would do to one item. */
export interface PlanStep {
  readonly item: string
  /** What would be done: `create`, `delete`; `unchanged` for nothing. */
  readonly action: string
  /** Words for people after the item's name, without values. */
  readonly words: string
  /** More members of the step as data. */
  readonly facts?: Readonly<Record<string, Json>>
}

const marks: Readonly<Record<string, readonly [mark: string, tone: Tone | undefined]>> = {
  create: ['+', 'good'],
  undelete: ['+', 'good'],
  start: ['+', 'good'],
  change: ['~', 'change'],
  move: ['~', 'change'],
  restart: ['~', 'change'],
  unchanged: ['=', undefined],
  delete: ['-', 'bad'],
  stop: ['-', 'bad'],
  purge: ['-', 'bad'],
}

/** An action without a mark of its own is one that would be refused. */
const refused = ['!', 'bad'] as const

const order = ['create', 'change', 'move', 'undelete', 'delete', 'start', 'restart', 'stop', 'purge']

/** How a plan is shown. */
export interface PlanOptions {
  /** The items that could not be planned. */
  readonly failures: readonly Failure[]
  readonly exitCode: boolean
  /** Names of facts that are columns too. */
  readonly columns?: readonly string[]
  /** What an item is: the name of its column; `path` by default. */
  readonly noun?: string
  /** What the last line ends with; by default that nothing was written. */
  readonly end?: string
}

/** The plan of work on many items, each read to find out what would be done to it. */
export async function planEach<Item extends { readonly name: string }>(
  bulk: Bulk,
  all: readonly Item[],
  options: PlanOptions & { readonly what: string; readonly stepOf: (item: Item) => Promise<PlanStep> },
): Promise<ValueResult> {
  const { what, stepOf } = options
  const steps: PlanStep[] = []
  const failures = [...options.failures]
  for await (const outcome of bulk.read(what, all, stepOf, { total: all.length })) {
    if ('error' in outcome) failures.push({ item: outcome.item.name, error: outcome.error })
    else steps.push(outcome.value)
  }
  return planResult(bulk.context, steps, { ...options, failures })
}

/** The result of `--plan`: a line for each step, and how many of each; 9 with `exitCode` if there is something to do. */
export function planResult({ io }: Context, steps: readonly PlanStep[], options: PlanOptions): ValueResult {
  const { failures, exitCode, columns = [], noun = 'path', end = 'nothing was written' } = options
  for (const failure of failures) io.warn(failureLine(failure))
  const isDifferent = steps.some(({ action }) => action !== 'unchanged')
  const status = failures.length > 0 ? exitCodes.partial : exitCode && isDifferent ? exitCodes.differences : undefined
  return {
    data: steps.map((step) => rowOf(step, noun)),
    view: planView(steps, noun, columns),
    finish: () => io.note(planWords(steps, failures, end)),
    ...(status === undefined ? {} : { exitCode: status }),
  }
}

function planWords(steps: readonly PlanStep[], failures: readonly Failure[], end: string): string {
  if (steps.length === 0 && failures.length === 0) return 'nothing to do'
  const failed = failures.length === 0 ? [] : [`${failures.length} could not be planned`]
  return `${[...(steps.length === 0 ? [] : [countWords(steps)]), ...failed].join(', ')}; ${end}`
}

function rowOf({ item, action, facts = {} }: PlanStep, noun: string): Json {
  return objectFrom([[noun, item], ['action', action], ...Object.entries(facts)])
}

/** `1 to create, 1 to change, 1 unchanged`. */
function countWords(steps: readonly PlanStep[]): string {
  const counts = new Map<string, number>()
  for (const { action } of steps) counts.set(action, (counts.get(action) ?? 0) + 1)
  const others = [...counts.keys()].filter((action) => !order.includes(action))
  const words = [...order, ...others].flatMap((action) => {
    const count = counts.get(action) ?? 0
    if (count === 0) return []
    return [order.includes(action) ? `${count} to ${action}` : `${count} ${action.replaceAll('_', ' ')}`]
  })
  return words.join(', ')
}

const widest = 60

function planView(steps: readonly PlanStep[], noun: string, columns: readonly string[]): DocumentView {
  const width = Math.min(
    widest,
    steps.reduce((most, { item }) => Math.max(most, cells(escapeControl(item))), 0),
  )
  const line = ({ item, action, words }: PlanStep, paint: Paint) => {
    const [mark, tone] = marks[action] ?? refused
    const head = `${mark} ${pad(escapeControl(item), width, 'left')}`
    return `${tone === undefined ? head : paint(tone, head)}  ${words}\n`
  }
  const named = (key: string) => ({
    name: key,
    value: (row: Json) => at(row, key),
    show: (row: Json) =>
      Array.isArray(at(row, key)) ? items(row, key).map(String).join(', ') : (text(row, key) ?? ''),
  })
  return {
    kind: 'document',
    text: (paint) => {
      let all = ''
      // In pieces, so that not every line of a long plan is an object of its own.
      for (let start = 0; start < steps.length; start += 1000)
        all += steps
          .slice(start, start + 1000)
          .map((step) => line(step, paint))
          .join('')
      return all
    },
    rows: {
      view: list<Json>(
        [
          { name: noun, value: (row) => at(row, noun), whole: true },
          { name: 'action', value: (row) => at(row, 'action') },
          ...columns.map(named),
        ],
        (row) => text(row, noun) ?? '',
      ),
    },
  }
}
