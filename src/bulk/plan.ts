import { at, text } from '../core/answer.ts'
import type { RowsResult } from '../core/command.ts'
import { list } from '../core/command.ts'
import type { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { objectFrom } from '../core/json.ts'
import type { Column, Showing, Tone } from '../core/output.ts'
import { plural } from '../core/words.ts'
import type { Failure } from './account.ts'
import { exitStatus, failureLine, throwFailures, warnFailures } from './account.ts'
import type { Bulk } from './engine.ts'

/** What a bulk write would do to one item. */
export interface PlanStep {
  readonly item: string
  readonly action: keyof typeof actions
  /** Words for people, without values. */
  readonly words: string
  /** More members of its row; `writes` are the requests that would change something. */
  readonly facts?: Readonly<Record<string, Json>>
}

/** What the actions are called in the last line, in its order, and the marks before their items. */
const actions = {
  create: ['to create', '+', 'good'],
  restore: ['to restore', '+', 'good'],
  change: ['to change', '~', 'change'],
  continue: ['to continue', '~', 'change'],
  write: ['to write', '~', 'change'],
  undelete: ['to undelete', '+', 'good'],
  delete: ['to delete', '-', 'bad'],
  start: ['to start', '+', 'good'],
  restart: ['to restart', '~', 'change'],
  stop: ['to stop', '-', 'bad'],
  purge: ['to purge', '-', 'bad'],
  unchanged: ['unchanged', '=', undefined],
  identical: ['identical', '=', undefined],
  exists: ['left alone', '!', 'bad'],
  conflict: ['conflict', '!', 'bad'],
  refused: ['refused', '!', 'bad'],
  impossible: ['not recoverable', '!', 'bad'],
} as const satisfies Readonly<Record<string, readonly [words: string, mark: string, tone: Tone | undefined]>>

/** What to plan. */
interface Planning<Item> {
  /** For the progress line. */
  readonly what?: string
  readonly items: Iterable<Item> | AsyncIterable<Item>
  /** Reads an item; undefined if there is nothing to do with it, not even to say. */
  readonly stepOf: (item: Item) => Promise<PlanStep | undefined>
  /** By default the item itself. */
  readonly nameOf?: (item: Item) => string
  /** What would be done after that. */
  readonly more?: readonly PlanStep[]
  /** What could not be listed; what cannot be read is added. */
  readonly failures?: Failure[]
  /** Counts unchanged items, but doesn't list them. */
  readonly hidesUnchanged?: boolean
  /** Other facts of the steps that are columns in csv and with `-o wide`: lists, and numbers. */
  readonly lists?: readonly string[]
  readonly numbers?: readonly string[]
  /** What an item is: the name of its column. */
  readonly noun?: string
  /** What the last line ends with. */
  readonly end?: string
}

/**
 * The result of `--plan`: a row for each step as it is found, then how many of each. The status is 10 if something could not be
 * read or cannot be done, and 9 with `--exit-code` if there is something to do. If nothing can be read, that is the failure.
 */
export function planResult<Item>(bulk: Bulk, planning: Planning<Item>): RowsResult {
  const { what = 'reading secrets', nameOf = String, failures = [], noun = 'path' } = planning
  const { context, input } = bulk
  const counts = new Map<PlanStep['action'], number>()
  let writes: number | undefined
  const rowsOf = (step: PlanStep | undefined): Json[] => {
    if (step === undefined) return []
    const { item, action, words, facts = {} } = step
    counts.set(action, (counts.get(action) ?? 0) + 1)
    if (typeof facts['writes'] === 'number') writes = (writes ?? 0) + facts['writes']
    if (planning.hidesUnchanged === true && action === 'unchanged') return []
    return [objectFrom([[noun, item], ['action', action], ['detail', words], ...Object.entries(facts)])]
  }
  const { more = [] } = planning
  async function* rows() {
    let planned = more.length
    for await (const outcome of bulk.read(what, planning.items, planning.stepOf)) {
      if (!('error' in outcome)) {
        planned += 1
        yield rowsOf(outcome.value)
        continue
      }
      const failure = { item: nameOf(outcome.item), error: outcome.error }
      if (Array.isArray(planning.items) && planning.items.length === 1) throw withItem(failure, context.typed)
      failures.push(failure)
    }
    if (planned === 0) throwFailures(failures, 0)
    yield more.flatMap(rowsOf)
  }
  return {
    rows: rows(),
    view: planView(noun, planning),
    finish: () => {
      warnFailures(context.io, failures)
      context.io.note(planWords(counts, { failed: failures.length, writes, end: planning.end }))
      const isDifferent = [...counts.keys()].some((action) => action !== 'unchanged' && action !== 'identical')
      return exitStatus(failures.length > 0 || counts.has('impossible'), input.exitCode === true && isDifferent)
    },
  }
}

/** The failure of the only item, which the message names unless it was typed. */
function withItem(failure: Failure, typed: readonly string[]): TugError {
  const { item, error } = failure
  return typed.includes(item) ? error : error.with({ message: failureLine(failure) })
}

interface Totals {
  readonly failed: number
  readonly writes: number | undefined
  readonly end: string | undefined
}

/** `1 to create, 1 to change, 1 unchanged; nothing was written`. */
function planWords(
  counts: ReadonlyMap<string, number>,
  { failed, writes, end = 'nothing was written' }: Totals,
): string {
  const parts = Object.entries(actions).flatMap(([action, [words]]) => {
    const count = counts.get(action)
    return count === undefined ? [] : [action === 'conflict' ? plural(count, words) : `${count} ${words}`]
  })
  if (failed > 0) parts.push(`${failed} could not be planned`)
  if (parts.length === 0) return 'nothing to do'
  return [parts.join(', '), ...(writes === undefined ? [] : [plural(writes, 'write')]), end].join('; ')
}

/** Lines without headers: a mark, the item and the words. */
function planView(noun: string, { lists = [], numbers = [] }: Pick<Planning<never>, 'lists' | 'numbers'>) {
  const named = (name: string): Column<Json> => ({ name, value: (row) => at(row, name) })
  const marked = (row: Json, { isChosen }: Showing) => {
    if (isChosen) return text(row, noun) ?? ''
    const [, mark, tone] = actions[text(row, 'action') as PlanStep['action']]
    return { text: `${mark} ${text(row, noun) ?? ''}`, ...(tone === undefined ? {} : { tone }) }
  }
  return list<Json>(
    [
      { ...named(noun), show: marked, whole: true },
      named('action'),
      { ...named('detail'), long: true },
      ...lists.map(named),
      ...numbers.map((name): Column<Json> => ({ ...named(name), align: 'right' })),
    ],
    (row) => text(row, noun) ?? '',
    { empty: '', usual: [noun, 'detail'], isUntitled: true },
  )
}
