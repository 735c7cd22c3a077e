import type { DoneResult } from '../core/command.ts'
import { writeFacts } from '../core/command.ts'
import type { Context, Io } from '../core/context.ts'
import { exitCodes, TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { shellQuote } from '../core/shell.ts'
import { plural } from '../core/words.ts'
import type { Bulk } from './engine.ts'
import { resumeWith, someFailed } from './messages.ts'

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
  const names: Record<Fate, string[]> = { done: [], unchanged: [], left_out: [], failed: [], unknown: [], not_sent: [] }
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
function accountData({ names, failures }: Account, said: (text: string) => string): Record<string, Json> {
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
function accountWords({ counts }: Account, noun: string): string {
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
function accountLines({ names, failures }: Account): string[] {
  const unknown = new Set(names.unknown)
  return [
    ...inOrder(failures).map((failure) => (unknown.has(failure.item) ? 'unknown: ' : '') + failureLine(failure)),
    ...(names.not_sent.length === 0 ? [] : [`not sent: ${names.not_sent.join(', ')}`]),
  ]
}

/** An item and its failure, whose message may begin with the item itself. */
export function failureLine({ item, error }: Failure): string {
  const isNamed = [`${item} `, `${item}: `].some((start) => error.message.startsWith(start))
  return isNamed ? error.message : `${item}: ${error.message}`
}

/** By name: they end in any order. */
function inOrder(failures: readonly Failure[]): Failure[] {
  return failures.toSorted((one, other) => (one.item < other.item ? -1 : 1))
}

/** The status of a result that lacks something, or has the differences that were asked for. */
export function exitStatus(isPartial: boolean, isDifferent: boolean): number | undefined {
  if (isPartial) return exitCodes.partial
  return isDifferent ? exitCodes.differences : undefined
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
    total === 1 ? lines.join('') : [someFailed(failures.length, total), ...lines].join('\n  '),
    { hints: [...new Set(failures.flatMap(({ error }) => error.hints))].slice(0, 3) },
  )
}

/** Names each failed item on stderr. */
export function warnFailures(io: Io, failures: readonly Failure[]): void {
  for (const failure of failures) io.doubt(failureLine(failure))
}

/** What the result of a bulk write contains beside its account. */
export interface Words {
  /** `secret`. */
  readonly noun: string
  /** What was done, if anything was. */
  readonly done: string
  /** `delete`, as JSON names what was done. */
  readonly action: string
  /** What it was done to, as JSON names it. */
  readonly what: Readonly<Record<string, Json>>
  /** True if something has changed though no item is done. */
  readonly isChanged?: boolean
  /** What JSON has beside that and the account. */
  readonly data?: Readonly<Record<string, Json>>
  /** Parts of the source that could not be read, such as folders. */
  readonly branches?: readonly Failure[]
  readonly hint?: string
}

/** The result of a bulk write: what was done, the account, and the error to report if a part of it failed. */
export function bulkResult({ context, input }: Bulk, account: Account, words: Words): DoneResult {
  const { io } = context
  const { action, what, isChanged = false, branches = [], data = {}, done, hint } = words
  const failure = failureOf(context, input.resume ?? input.journal, { account, branches, noun: words.noun })
  const unread = branches.map(({ item, error }) => ({ item, error: io.withoutSecrets(error.message) }))
  const listed = accountData(account, (text) => io.withoutSecrets(text))
  const whole = { ...data, ...listed, failed: [...unread, ...(listed['failed'] as Json[])] }
  const { counts } = account
  const changed = isChanged || counts.done > 0 || (counts.unknown > 0 ? null : false)
  const isAny = counts.done + counts.unchanged > 0
  const earlier = account.earlier === 0 || done === '' ? '' : ` (${account.earlier} in an earlier run)`
  return {
    done: failure === undefined || isAny ? `${done}${earlier}` : '',
    data: writeFacts(action, what, changed, whole),
    ...(hint === undefined ? {} : { hint }),
    ...(failure === undefined ? {} : { failure }),
  }
}

/** True if every item was dealt with. */
export function isWhole({ stop, counts }: Account): boolean {
  return stop === undefined && counts.failed + counts.unknown + counts.not_sent === 0
}

interface Ended {
  readonly account: Account
  readonly branches: readonly Failure[]
  readonly noun: string
}

/** The error of a run that did not do everything; undefined if it did. */
function failureOf(context: Context, journal: string | undefined, ended: Ended): TugError | undefined {
  const { account, branches, noun } = ended
  const { counts, stop } = account
  const failures = [...branches, ...inOrder(account.failures)]
  if (stop === undefined && failures.length === 0 && counts.not_sent === 0) return undefined
  const worked = counts.done + counts.unchanged + counts.left_out
  // What ends a run before anything was done is the failure of the command itself.
  if (stop !== undefined && worked === 0 && ['usage', 'closed_pipe'].includes(stop.code)) return stop
  if (stop?.reason === 'version_1' && worked === 0) return stop
  const lines = [...branches.map(failureLine), ...accountLines(account)]
  const counted = { ...account, counts: { ...counts, failed: counts.failed + branches.length } }
  const total = worked + failures.length + counts.not_sent
  const head = [...(stop === undefined ? [] : [stop.message]), accountWords(counted, noun)].filter(
    (part) => part !== '',
  )
  const message = total === 1 && lines.length === 1 ? lines.join('') : [head.join('; '), ...lines].join('\n  ')
  const again = journal === undefined ? [] : [resumeWith(resumeLine(context, journal))]
  const hints = [...new Set(failures.flatMap(({ error }) => error.hints))].slice(0, 3)
  return new TugError(codeOf(account, failures, worked), message, {
    hints: [...again, ...hints],
    ...(failures.length === 1 && total === 1 && failures[0]?.error.reason !== undefined
      ? { reason: failures[0].error.reason }
      : {}),
    ...(worked === 0 && failures.length > 0 && failures.every(({ error }) => error.facts.applied === false)
      ? { applied: false }
      : {}),
  })
}

/** The failure's own code if nothing else was tried and all are alike, else "partial"; a signal's code in any case. */
function codeOf({ stop, counts }: Account, failures: readonly Failure[], worked: number): TugError['code'] {
  if (stop?.code === 'interrupted') return 'interrupted'
  const codes = new Set([...failures.map(({ error }) => error.code), ...(stop === undefined ? [] : [stop.code])])
  const [code = 'partial'] = codes
  return worked === 0 && counts.not_sent === 0 && codes.size === 1 ? code : 'partial'
}

/** The typed line, with `--resume` in place of the flag that named the journal. */
function resumeLine({ commandPath, typed }: Context, journal: string): string {
  const rest: string[] = []
  for (let index = 0; index < typed.length; index += 1) {
    const word = typed[index] as string
    if (word === '--journal' || word === '--resume') index += 1
    else if (!/^--(?:journal|resume)=/.test(word)) rest.push(word)
  }
  return ['tug', ...commandPath, ...rest, '--resume', journal].map(shellQuote).join(' ')
}
