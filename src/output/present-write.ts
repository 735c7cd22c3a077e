import type { Result, RowSink, SingleEnd, View, WriteEnd, WriteResult, WriteRow } from '../core/command.ts'
import type { Io } from '../core/context.ts'
import { compareNames } from '../core/lists.ts'
import { TugError, untilAborted } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { objectFrom } from '../core/json.ts'
import { lineFormats } from '../core/output.ts'
import { wrap } from '../core/words.ts'
import type { PresentOptions } from './present.ts'
import { escapeControl, jsonLine, withoutCommands } from './safe.ts'
import { openSteps } from './steps.ts'
import { cells, pad } from './width.ts'

/** Names are padded to at most this width. */
const widestName = 40

/** Names of several targets are padded to at least this width, which aligns most first rows with later ones. */
const narrowestName = 16

/** At most so many rows are printed in the order of their names. */
const sortedRows = 1000

/** Prints a write: its rows as they arrive, then the last line. Throws its error. Returns the exit status. */
export async function presentWrite(result: WriteResult, options: PresentOptions): Promise<number> {
  const printer = createPrinter(result, options)
  let end: WriteEnd
  try {
    end = await result.carryOut(printer.sink)
  } finally {
    printer.end()
  }
  await printer.finish(end)
  const { io } = options
  if (printer.failure() !== undefined) throw afterRows(printer.failure() as Error, end)
  if (!printer.isLineShown(end)) for (const line of end.lines) io.note(line)
  for (const hint of end.hints) io.hint(hint)
  if (end.failure !== undefined) throw end.failure
  return end.exitCode ?? 0
}

/**
 * Ends a dry run, which prints requests in place of a result. A write is decided up to each target's first request; a watch or wait is
 * started, so its first request is printed.
 */
export async function presentDryRun(
  result: Result | undefined,
  io: Io,
  print: (text: string) => void,
): Promise<number> {
  if (result !== undefined && 'carryOut' in result) {
    let isAnyPrinted = false
    const { failure, lines } = await result.carryOut({
      decided: () => undefined,
      shown: () => Promise.resolve(),
      ended: ({ outcome }) => void (isAnyPrinted ||= outcome === 'printed'),
      step: () => undefined,
      stop: undefined,
    })
    if (failure !== undefined) throw failure
    if (!isAnyPrinted && lines.length > 0 && !io.quiet) print(`nothing to send: ${lines.join('; ')}`)
  } else if (result !== undefined && 'snapshots' in result) for await (const _ of result.snapshots) break
  else if (result !== undefined && 'events' in result) await result.events.next()
  return 0
}

/** The error if rows could not be printed, with the counts of the write. */
function afterRows(error: Error, { failure, lines }: WriteEnd): Error {
  if (failure !== undefined && failure !== error) return failure
  if (!(error instanceof TugError) || lines.length === 0) return error
  return error.with({ message: `${lines.join('; ')}, but ${error.message}` })
}

interface Printer {
  readonly sink: RowSink
  /** Prints the rows that are still to be sorted, and ends the steps. */
  readonly end: () => void
  /** Waits until everything is printed, the result of a single target included. */
  readonly finish: (end: WriteEnd) => Promise<void>
  /** The error that prevented rows from being printed. */
  readonly failure: () => Error | undefined
  /** True if the printed result already contains the last line. */
  readonly isLineShown: (end: WriteEnd) => boolean
}

function createPrinter(result: WriteResult, options: PresentOptions): Printer {
  const { format, io, host, query, columns } = options
  const isSingle = result.target !== undefined
  const isRecord = format === 'ndjson' && query === undefined
  const showsLines = lineFormats.includes(format) && columns === undefined && query === undefined
  const kept: WriteRow[] = []
  const decided = new Set<string>()
  let failure: Error | undefined
  let printed = Promise.resolve()
  let waiting = ''
  // Rows that end in the same turn of the event loop are one write.
  const write = (text: string) => {
    waiting += text
    if (waiting.length > text.length || text === '') return
    printed = printed.then(async () => {
      await new Promise((go) => setImmediate(go))
      const lines = waiting
      waiting = ''
      if (failure !== undefined) return
      const resume = io.pauseProgress()
      // A reader that has stopped reading must not keep a run that a signal has ended.
      const written = untilAborted(options.write(lines), options.signal)
      await written.catch((error: unknown) => (failure = error as Error))
      resume()
    })
  }
  const writeRecord = (data: Json) => {
    options.see?.(data)
    write(jsonLine(data, host))
  }
  const steps = openSteps(io)
  const lines = createLines(options, isSingle ? 0 : narrowestName)
  const showLine = (row: WriteRow) => {
    if (format !== 'wide' && row.action === 'unchanged' && row.error === undefined && !isSingle) return
    write(lines.of(row))
  }
  // In a log, runs can be compared only if their rows are in the same order.
  const sorts = showsLines && !isSingle && !result.showsDecisions && !io.terminal.stdout
  let block: WriteRow[] = []
  const flush = () => {
    for (const row of block.toSorted((one, other) => compareNames(one.item, other.item))) showLine(row)
    block = []
  }
  const sink: RowSink = {
    get stop() {
      return isRecord && failure instanceof TugError ? failure : undefined
    },
    decided(row) {
      if (!showsLines || decided.has(row.item) || (row.action === 'unchanged' && format !== 'wide')) return
      decided.add(row.item)
      showLine(row)
    },
    async shown() {
      await printed
      if (failure !== undefined) throw failure
    },
    ended(row) {
      if (row.outcome === 'printed') return
      if (isRecord) return writeRecord(rowData(row, io.withoutSecrets, { time: options.now().toISOString() }))
      if (!showsLines) return void kept.push(row)
      if (isSingle) {
        if (result.isPlan && row.error === undefined) showLine(row)
      } else if (sorts) {
        block.push(row)
        if (block.length === sortedRows) flush()
      } else if (!decided.has(row.item)) showLine(row)
      else write(lines.outcomeOf(row))
    },
    step(shown, item) {
      const { event, data, live } = shown
      if (isRecord) writeRecord({ event, ...(data as object) })
      else if (isSingle || live === undefined) steps.show(shown)
      else steps.show({ ...shown, live: `${item}: ${withoutName(live, item)}` })
    },
  }
  return {
    sink,
    end() {
      flush()
      steps.end()
    },
    failure: () => failure,
    isLineShown: ({ single }) => isSingle && !result.isPlan && single !== undefined && printsSingle(single, options),
    async finish(end) {
      await printed
      if (isRecord || failure !== undefined) return
      if (isSingle) {
        if (end.single !== undefined) await printSingle(end.single, options, result.isPlan, end)
        return
      }
      if (showsLines) return
      await printSeveral(result, { kept, end }, options).catch((error: unknown) => (failure = error as Error))
    },
  }
}

/** True if the result of a single target goes to stdout; otherwise it is a line on stderr. */
function printsSingle({ view, rawBody }: SingleEnd, { raw, format, query, columns }: PresentOptions): boolean {
  if (raw && rawBody !== undefined) return true
  if (view !== undefined || query !== undefined || columns !== undefined) return true
  return !lineFormats.includes(format) && format !== 'name'
}

async function printSingle(single: SingleEnd, options: PresentOptions, isPlan: boolean, end: WriteEnd): Promise<void> {
  const { data, view, rawBody } = single
  if (isPlan && lineFormats.includes(options.format) && options.query === undefined && options.columns === undefined)
    return
  if (!isPlan && !printsSingle(single, options)) return
  // Display formats show the error; data formats also the outcome as an object.
  if (end.failure !== undefined && options.format !== 'json' && options.format !== 'yaml') return
  try {
    if (options.raw && rawBody !== undefined) await options.writeRaw(rawBody)
    else await render(data, view, options)
  } catch (error) {
    if (single.unprinted !== undefined) throw await single.unprinted(error)
    const isOfOutput = !isPlan && error instanceof TugError
    throw isOfOutput ? afterRows(error, end) : error
  }
}

/** If columns or a query don't match the result, the whole result is printed first, because it may exist only once. */
async function render(data: Json, view: View | undefined, options: PresentOptions): Promise<void> {
  const [{ renderValue }, { plainView }] = await Promise.all([import('./render.ts'), import('./columns.ts')])
  const shown = view ?? plainView(data)
  try {
    await renderValue({ data, view: shown }, options)
  } catch (error) {
    if (!(error instanceof TugError) || error.code !== 'usage' || !options.writes) throw error
    await renderValue({ data, view: shown }, { ...options, columns: undefined, query: undefined })
    throw error
  }
}

/** Several targets, in a format that needs all rows or has columns. */
async function printSeveral(
  { view }: WriteResult,
  { kept, end }: { readonly kept: WriteRow[]; readonly end: WriteEnd },
  options: PresentOptions,
): Promise<void> {
  const { format, query, io } = options
  const rows = (all: readonly WriteRow[]) => all.map((row) => rowData(row, io.withoutSecrets))
  // They complete in any order, and are printed in the order of the targets.
  kept.sort((one, other) => (one.index ?? 0) - (other.index ?? 0))
  if (format === 'json' || format === 'yaml' || query !== undefined)
    return render(end.data(rows(kept)), undefined, options)
  const hidden = { name: ['unchanged', 'skipped'], md: ['unchanged'] }[format as string] ?? []
  return render(rows(kept.filter(({ action = '' }) => !hidden.includes(action))), view, options)
}

/** Rows as lines: mark, name, description. */
function createLines({ paint, width, ciLog, io, see }: PresentOptions, narrowest: number) {
  // A server's rejection may quote a value.
  const cleaned = (row: WriteRow, words: string) =>
    row.error === undefined ? words : io.withoutSecrets(words, row.item)
  let widest = narrowest
  const finished = (text: string) => `${ciLog ? withoutCommands(text) : text}\n`
  const named = (row: WriteRow, lead: string) => {
    const name = escapeControl(nameOf(row, io.withoutSecrets))
    widest = Math.min(Math.max(widest, cells(name)), widestName)
    return lead + (row.words === '' && row.verdictWords === undefined ? name : pad(name, widest, 'left'))
  }
  const line = (row: WriteRow, lead: string, words: string) => {
    see?.(words)
    const start = named(row, lead)
    const indent = ' '.repeat(lead.length + widest + 2)
    const room = width === undefined ? Infinity : width - cells(start) - 2
    const shown = escapeControl(words)
    const parts = room < 20 || cells(shown) <= room ? [shown] : wrap(shown, room, cells)
    const head = row.tone === undefined ? start : paint(row.tone, start)
    return words === '' ? head.trimEnd() : `${head}  ${parts.join(`\n${indent}`)}`
  }
  /** The other lines of an error. */
  const moreOf = (row: WriteRow) => {
    const { error, more = error?.lines.slice(1) ?? [] } = row
    return more.map((one) => finished(`    ${escapeControl(cleaned(row, one))}`)).join('')
  }
  return {
    of(row: WriteRow): string {
      const reason = row.outcome === undefined || row.outcome === 'done' ? '' : reasonOf(row)
      const words = [row.words, reason, row.verdictWords ?? ''].filter((part) => part !== '').join('   ')
      const failed = row.error !== undefined || row.outcome === 'not_sent'
      const shown = failed && row.mark !== '!' ? { ...row, tone: 'bad' as const } : row
      const below = (row.below?.(paint) ?? '') + moreOf(row)
      return finished(line(shown, `${failed ? '!' : (row.mark ?? '!')} `, cleaned(row, words))) + below
    },
    /** The outcome of a row that was shown before. */
    outcomeOf(row: WriteRow): string {
      const words = row.verdictWords ?? (row.outcome === 'done' || row.outcome === 'unchanged' ? '' : reasonOf(row))
      if (words === '' || row.outcome === undefined) return ''
      return finished(line(row, '', cleaned(row, words))) + moreOf(row)
    },
  }
}

function reasonOf({ item, outcome, error }: WriteRow): string {
  if (outcome === 'not_sent') return 'not sent'
  const [first = ''] = error?.lines ?? []
  if (first === '') return outcome === 'unknown' ? 'outcome unknown' : ''
  if (outcome !== 'failed' && outcome !== 'unknown') return ''
  return `${outcome === 'failed' ? 'failed' : 'outcome unknown'}: ${withoutName(first, item)}`
}

/** A message about an item whose name is printed before it. */
function withoutName(message: string, item: string): string {
  return message.startsWith(`${item}: `) ? message.slice(item.length + 2) : message
}

/** What exists has its name; what failed or is planned may be named by a token in the wrong place. */
function nameOf({ item, outcome }: WriteRow, withoutSecrets: Io['withoutSecrets']): string {
  return outcome === 'done' || outcome === 'unchanged' ? item : withoutSecrets(item, item)
}

/** A row as data. `record`: with all members of an ndjson line, including guards. */
function rowData(row: WriteRow, withoutSecrets: Io['withoutSecrets'], record?: { readonly time: string }): Json {
  const { action = null, words, facts = {}, newFacts = {}, outcome, error } = row
  const clean = (text: string) => withoutSecrets(text, row.item)
  const failure =
    error === undefined
      ? undefined
      : objectFrom([
          ['code', error.code],
          ['reason', error.reason ?? null],
          ['message', clean(error.message)],
          ...(error.hints.length === 0 ? [] : [['hint', clean(error.hints.join('\n'))] as [string, Json]]),
        ])
  const shown: [string, Json][] = [
    ['item', nameOf(row, withoutSecrets)],
    ['action', action],
    ['detail', clean(words)],
    ...Object.entries(facts),
    ...Object.entries(newFacts),
  ]
  if (record === undefined) {
    if (outcome !== undefined) shown.push(['outcome', outcome])
    if (failure !== undefined) shown.push(['error', failure])
    return objectFrom(shown)
  }
  return objectFrom([
    ...shown,
    ['outcome', outcome ?? null],
    ['before', row.before ?? null],
    ['after', row.after ?? (outcome === undefined ? (row.before ?? null) : null)],
    ['error', failure ?? null],
    ['request_id', typeof row.requestId === 'string' ? clean(row.requestId) : null],
    ['time', record.time],
  ])
}
