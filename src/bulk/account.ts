import type { Io } from '../core/context.ts'
import { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { plural } from '../core/words.ts'

/** What became of an item; `left_out` is one that there is nothing to do with, such as a deleted secret that is copied. */
export type Fate = 'done' | 'unchanged' | 'left_out' | 'failed' | 'unknown' | 'not_sent'

/** An item with the error that was its end. */
export interface Failure {
  readonly item: string
  readonly error: TugError
}

/** What became of every item of a bulk write. */
export interface Account {
  readonly counts: Readonly<Record<Fate, number>>
  /** The names of the items. Those done, unchanged and left out only where the result will print them. */
  readonly names: Readonly<Record<Fate, readonly string[]>>
  /** Why items failed, or why what became of them is unknown. */
  readonly failures: readonly Failure[]
  /** What ended the run before its last item. */
  readonly stop: TugError | undefined
  /** How many of those done or unchanged were dealt with by an earlier run, whose journal this one continues. */
  readonly earlier: number
}

/** An account that is being written. */
export interface OpenAccount extends Account {
  stop: TugError | undefined
  earlier: number
  add(fate: Fate, item: string, error?: TugError): void
}

/** `keepsAll`: names of what worked are kept too, for a result in JSON. */
export function openAccount(keepsAll: boolean): OpenAccount {
  const counts: Record<Fate, number> = { done: 0, unchanged: 0, left_out: 0, failed: 0, unknown: 0, not_sent: 0 }
  const names: Record<Fate, string[]> = {
    done: [],
    unchanged: [],
    left_out: [],
    failed: [],
    unknown: [],
    not_sent: [],
  }
  const failures: Failure[] = []
  return {
    counts,
    names,
    failures,
    stop: undefined,
    earlier: 0,
    add(fate, item, error) {
      counts[fate] += 1
      if (keepsAll || fate === 'failed' || fate === 'unknown' || fate === 'not_sent') names[fate].push(item)
      if (error !== undefined && (fate === 'failed' || fate === 'unknown')) failures.push({ item, error })
    },
  }
}

/** The account as data: every item by name. */
export function accountData({ names, failures }: Account, said: (text: string) => string): Record<string, Json> {
  const failed = new Set(names.failed)
  return {
    done: names.done.toSorted(),
    unchanged: names.unchanged.toSorted(),
    ...(names.left_out.length === 0 ? {} : { left_out: names.left_out.toSorted() }),
    failed: inOrder(failures)
      .filter(({ item }) => failed.has(item))
      .map(({ item, error }) => ({ item, error: said(error.message) })),
    unknown: names.unknown.toSorted(),
    not_sent: [...names.not_sent],
  }
}

/** `2 of 40 secrets failed, 1 with an unknown outcome, 3 not sent`. */
export function accountWords({ counts }: Account, noun: string): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const parts = [
    [counts.failed, 'failed'],
    [counts.unknown, 'with an unknown outcome'],
    [counts.not_sent, 'not sent'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what], index) => `${count} ${index === 0 ? `of ${plural(total, noun)} ` : ''}${what}`)
    .join(', ')
}

/** Every item that was not dealt with, by name: failures and unknown ones with their reason. */
export function accountLines({ names, failures }: Account): string[] {
  const unknown = new Set(names.unknown)
  return [
    ...inOrder(failures).map((failure) => (unknown.has(failure.item) ? 'unknown: ' : '') + failureLine(failure)),
    ...(names.not_sent.length === 0 ? [] : [`not sent: ${names.not_sent.join(', ')}`]),
  ]
}

/** An item and its failure, whose message may begin with the item itself. */
export function failureLine({ item, error }: Failure): string {
  return error.message.startsWith(`${item} `) ? error.message : `${item}: ${error.message}`
}

/** By name: they end in any order. */
export function inOrder(failures: readonly Failure[]): Failure[] {
  return failures.toSorted((one, other) => (one.item < other.item ? -1 : 1))
}

/** Throws the failures of a bulk read as one error: the failure itself if nothing else was tried, else "partial". */
export function throwFailures(failures: readonly Failure[], done: number, isPartial = done > 0): void {
  const [first] = failures
  if (first === undefined) return
  const lines = failures.map(failureLine)
  const alike = failures.every(({ error }) => error.code === first.error.code)
  const total = failures.length + done
  throw new TugError(
    !isPartial && alike ? first.error.code : 'partial',
    total === 1 ? lines.join('') : [`${failures.length} of ${total} failed`, ...lines].join('\n  '),
    { hints: [...new Set(failures.flatMap(({ error }) => error.hints))].slice(0, 3) },
  )
}

/** Names each failed item on stderr. */
export function warnFailures(io: Io, failures: readonly Failure[]): void {
  for (const failure of failures) io.warn(failureLine(failure))
}
