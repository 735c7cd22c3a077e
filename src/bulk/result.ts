import type { DoneResult } from '../core/command.ts'
import { writeFacts } from '../core/command.ts'
import type { Context } from '../core/context.ts'
import { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { shellQuote } from '../core/shell.ts'
import type { Account, Failure } from './account.ts'
import { accountData, accountLines, accountWords, failureLine, inOrder } from './account.ts'
import type { Bulk } from './engine.ts'

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
  const again = journal === undefined ? [] : [`resume with: ${resumeLine(context, journal)}`]
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
