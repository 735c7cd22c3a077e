import { appendFile } from 'node:fs/promises'
import type { Result, RowSink, WriteEnd, WriteRow } from '../core/command.ts'
import { exitCodes, TugError, usageError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { fileReason } from '../core/words.ts'
import type { PresentOptions } from './present.ts'
import { present } from './present.ts'
import { escapeControl } from './safe.ts'

/** Reads that show plans, states and findings, but no values. */
const summarized = [
  'job diff',
  'job plan',
  'job status',
  'job wait',
  'kv audit',
  'kv verify',
  'explorer diff',
  'status',
]

/** The part of a GitHub job's summary that is about one command. */
export interface StepSummary {
  /** The result to print, which is kept for the summary. */
  keep(result: Result, options: PresentOptions): Result
  /** Appends the result as Markdown, and how the command ended. */
  write(end: { readonly status: number } | { readonly failure: unknown }): Promise<void>
}

/** Opens the summary. Throws a usage error outside GitHub, and for a command whose result may contain secret values. */
export function openSummary(
  words: string,
  { isWrite, env }: { readonly isWrite: boolean; readonly env: Readonly<Record<string, string | undefined>> },
): StepSummary {
  const file = env['GITHUB_STEP_SUMMARY']
  if (!file) throw usageError('--summary writes to the summary of a GitHub job, but GITHUB_STEP_SUMMARY is not set')
  if (!isWrite && !summarized.includes(words))
    throw usageError('--summary is for writes and for reads of states', `such as ${summarized.join(', ')}`)
  let kept: ReturnType<typeof recorded> | undefined
  let asked: PresentOptions | undefined
  return {
    keep(result, options) {
      asked = options
      kept = recorded(result)
      return kept.result
    },
    async write(end) {
      const parts = [`## tug ${words}`, ...(await markdownOf(kept, asked)), ...endOf(end)]
      const text = `${parts.join('\n\n')}\n\n`
      await appendFile(file, asked?.io.withoutSecrets(text) ?? text).catch((error: unknown) =>
        asked?.io.warnAlways(`the summary of the job cannot be written: ${fileReason(error)}`),
      )
    },
  }
}

/** The result, and the same once more, after it was printed. */
function recorded(result: Result): { result: Result; replay: () => Result | undefined; line?: () => string } {
  if ('carryOut' in result) {
    const rows: WriteRow[] = []
    let end: WriteEnd | undefined
    const carryOut = async (sink: RowSink) => {
      const ended = (row: WriteRow) => {
        rows.push(row)
        sink.ended(row)
      }
      end = await result.carryOut(Object.assign(Object.create(sink), { ended }) as RowSink)
      return end
    }
    const again = async (sink: RowSink): Promise<WriteEnd> => {
      for (const row of rows) sink.ended(row)
      return { ...(end as WriteEnd), failure: undefined, hints: [] }
    }
    return {
      result: { ...result, carryOut },
      line: () => end?.lines.join('\n') ?? '',
      replay: () => (end === undefined ? undefined : { ...result, carryOut: again }),
    }
  }
  if ('events' in result) {
    let last: Result | undefined
    const events = (async function* () {
      const value = yield* result.events
      last = value
      return value
    })()
    return { result: { ...result, events }, replay: () => last }
  }
  if ('rows' in result) {
    const batches: (readonly Json[])[] = []
    const rows = (async function* () {
      for await (const batch of result.rows) {
        batches.push(batch)
        yield batch
      }
    })()
    const { text: _, ...rest } = result
    return { result: { ...rest, rows }, replay: () => ({ data: batches.flat(), view: result.view }) }
  }
  const isShown = 'data' in result
  return { result, replay: () => (isShown ? result : undefined) }
}

async function markdownOf(
  kept: ReturnType<typeof recorded> | undefined,
  options: PresentOptions | undefined,
): Promise<string[]> {
  const result = kept?.replay()
  if (result === undefined || options === undefined) return []
  let text = ''
  const notes = new Set<string>()
  const nothing = () => undefined
  const note = (line: string) => void notes.add(line)
  const activity = { update: nothing, end: nothing }
  const silent = { note, hint: nothing, warn: nothing, warnAlways: nothing, progress: () => activity }
  const shown = Object.assign(Object.create(result), { failure: undefined, finish: undefined }) as Result
  await present(shown, {
    ...options,
    format: 'md',
    query: undefined,
    raw: false,
    terminal: false,
    draws: false,
    records: false,
    width: undefined,
    paint: (_tone, plain) => plain,
    note,
    write: async (piece) => void (text += piece.toString()),
    see: undefined,
    io: Object.assign(Object.create(options.io), silent) as PresentOptions['io'],
  })
  for (const line of (kept?.line?.() ?? '').split('\n')) if (line !== '') notes.add(line)
  return [text.trimEnd(), ...(notes.size === 0 ? [] : [fenced([...notes].join('\n'))])].filter((part) => part !== '')
}

function endOf(end: Parameters<StepSummary['write']>[0]): string[] {
  if ('status' in end) return [`Exit status ${end.status}`]
  const { failure } = end
  if (!(failure instanceof TugError)) return ['**Failed**']
  const lines = [failure.message, ...failure.hints.map((hint) => `hint: ${hint}`)]
  return [`**Exit status ${exitCodes[failure.code]}**`, fenced(lines.join('\n'))]
}

/** Text that contains no markup. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${escapeControl(text, { newlines: true })}\n${fence}`
}
