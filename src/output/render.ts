import type { Format } from '../core/context.ts'
import type {
  DocumentView,
  ListView,
  RecordView,
  Rows,
  RowsResult,
  ScreenView,
  ValueResult,
  View,
} from '../core/command.ts'
import { usageError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { isObject, keysOf, stringifyJson } from '../core/json.ts'
import type { Cell, Paint, Showing, Table } from '../core/output.ts'
import { shellQuote } from '../core/shell.ts'
import type { AnyColumn } from './columns.ts'
import { boxCellOf, cellOf, columnsOf, plainView, titleOf } from './columns.ts'
import { gatherTurns } from './gather.ts'
import { withoutCommands, withoutCommandsInJson, escapeJson, escapeLines, escapePage } from './safe.ts'
import type { Layout, TableOptions } from './table.ts'

/** Rendering options, from the flags and the stream. */
export interface RenderOptions {
  readonly format: Format
  readonly query: string | undefined
  readonly columns: readonly string[] | undefined
  readonly headers: boolean
  readonly nul: boolean
  readonly csvSafe: boolean
  readonly csvBom: boolean
  /** True when stdout is a terminal: JSON is then indented. */
  readonly terminal: boolean
  /** True on a terminal where bars help. */
  readonly draws: boolean
  /** True if the rows of a table are labelled records, for screen readers. */
  readonly records: boolean
  /** True if stdout may be the log of a GitHub workflow, which executes commands in it. */
  readonly ciLog: boolean
  /** Width for tables; undefined in pipes. */
  readonly width: number | undefined
  readonly paint: Paint
  readonly now: () => Date
  readonly write: (text: string | Uint8Array) => Promise<void>
  /** Called with the data of each result before it is written; undefined outside GitHub workflows. */
  readonly see: ((data: Json) => void) | undefined
  /** Reports on stderr that there were no rows; on a terminal this replaces the empty table. */
  readonly note: (line: string) => void
}

const batchSize = 1000

/** Number of rows that determine a table's column widths. */
const mostMeasured = 10_000

/** Longer lists are shown as a plain table, without borders. */
const mostBoxRows = 200

/** Maximum keys to suggest if a query selects nothing. */
const mostKeys = 30

/** Prints a single value. */
export async function renderValue(result: ValueResult, asked: RenderOptions): Promise<void> {
  const options = guarded(asked)
  options.see?.(result.data)
  if (options.query !== undefined) {
    const { applyQuery, dropsEverything, itemQuery } = await import('./query.ts')
    const data = applyQuery(options.query, result.data)
    if (onlyNulls(data) || dropsEverything(options.query, result.data, data))
      options.note(nullsLine(result.data, itemQuery(options.query, result.data)))
    return renderData(data, plainView(data), options)
  }
  return renderData(result.data, result.view, options)
}

/** True for null, and for lists and objects that contain only nulls. */
function onlyNulls(data: Json): boolean {
  if (data === null) return true
  const inside = Array.isArray(data) ? data : isObject(data) ? Object.values(data) : []
  return inside.length > 0 && inside.every(onlyNulls)
}

/** The usual cause is a misspelled key, so this lists the existing ones. `better` is a query that selects something. */
function nullsLine(data: Json, better: string | undefined): string {
  if (better !== undefined) return `--query selected nothing from a list; for each item: --query ${shellQuote(better)}`
  const one = Array.isArray(data) ? data.find(isObject) : data
  const keys = isObject(one) ? keysOf(one) : []
  const listed = keys.slice(0, mostKeys).join(', ') + (keys.length > mostKeys ? ', …' : '')
  return `--query selected only nulls${listed === '' ? '' : `; keys: ${listed}`}`
}

/** Prints rows as they arrive if the format allows it. */
export async function renderRows(whole: RowsResult, asked: RenderOptions): Promise<void> {
  const { see } = asked
  const { text: _, ...parsed } = whole
  const result = see === undefined ? whole : { ...parsed, rows: seenRows(whole.rows, see) }
  const gathered = gatherTurns(guarded(asked).write)
  try {
    await renderArriving(result, asked, { ...asked, write: gathered.write })
  } finally {
    await gathered.flush()
  }
}

async function* seenRows(rows: Rows, see: (data: Json) => void): Rows {
  for await (const batch of rows) {
    for (const row of batch) see(row)
    yield batch
  }
}

async function renderArriving(result: RowsResult, asked: RenderOptions, options: RenderOptions): Promise<void> {
  const { format, query, write } = options
  if (query === undefined && isStreamedTable(result.view, options))
    return renderTableOf(result.rows, result.view, options)
  if (query !== undefined || ['table', 'wide', 'md', 'box', 'yaml'].includes(format)) {
    const batches: (readonly Json[])[] = []
    for await (const batch of result.rows) batches.push(batch)
    return renderValue({ data: batches.flat(), view: result.view }, asked)
  }
  if (format === 'json') {
    const sent = options.terminal ? undefined : result.text?.()
    // As `stringifyJson` formats it: no blanks between tokens, no needless escapes.
    const isCompact = sent !== undefined && !/[:,[{]\s|\s[:,\]}]|\\[u/]/.test(sent)
    return isCompact ? write(`${sent}\n`) : writeJsonArray(result.rows, options)
  }
  if (format === 'ndjson') return writeEach(result.rows, write, (row) => `${stringifyJson(row)}\n`)
  if (format === 'name') {
    const name = result.view.name as (row: Json) => string
    return writeEach(result.rows, write, (row) => nameLine(name(row), options))
  }
  const rows = result.rows[Symbol.asyncIterator]()
  // The rows show which other columns exist.
  let first = await rows.next()
  while (first.done !== true && first.value.length === 0) first = await rows.next()
  return writeCsv(from(first, rows), columnsOf(result.view, first.value ?? [], options), options)
}

/** All batches, including the first, which was already read. */
async function* from(first: IteratorResult<readonly Json[]>, rest: AsyncIterator<readonly Json[]>): Rows {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/**
 * No format passes a server's control characters to a terminal, or its commands to a CI log. JSON is the same on a terminal and
 * elsewhere.
 */
function guarded(options: RenderOptions): RenderOptions {
  const { format, terminal, ciLog, write } = options
  const isJson = format === 'json' || format === 'ndjson'
  const steps: ((text: string) => string)[] = []
  if (isJson) steps.push(escapeJson)
  else if (terminal && ['csv', 'tsv', 'name'].includes(format)) steps.push(escapeLines)
  if (ciLog) steps.push(isJson || format === 'yaml' ? withoutCommandsInJson : withoutCommands)
  return { ...options, write: (text) => write(steps.reduce((shown, step) => step(shown), text as string)) }
}

async function renderData(data: Json, view: View, options: RenderOptions): Promise<void> {
  const { format, write } = options
  if (format === 'json') return write(`${stringifyJson(data, indentOf(options))}\n`)
  if (format === 'ndjson')
    return write((Array.isArray(data) ? data : [data]).map((row) => `${stringifyJson(row)}\n`).join(''))
  if (format === 'yaml') return write((await import('./yaml.ts')).toYaml(data))
  if (view.kind === 'document') return renderDocument(data, view, options)
  if (view.kind === 'screen') return renderScreen(data, view, options)
  if (view.kind === 'record') return renderRecordView(data, view, options)
  return renderList(rowsOf(data, view), view, options)
}

function rowsOf(data: Json, view: ListView): readonly Json[] {
  if (view.rows !== undefined) return (view.rows as (data: Json) => readonly Json[])(data)
  return Array.isArray(data) ? data : data === null ? [] : [data]
}

async function renderDocument(data: Json, view: DocumentView, options: RenderOptions): Promise<void> {
  const { format, write } = options
  const { rows } = view
  if (format === 'md' && view.markdown !== undefined) return write(view.markdown())
  const isBox = format === 'box' && rows?.inBox !== true
  const isText = (['table', 'wide'].includes(format) || isBox) && (options.columns === undefined || rows === undefined)
  if (isText) return write(ended(escapePage(view.text(options.paint, showing(options), data), options.paint)))
  if (rows !== undefined) return renderList(rows.data ?? rowsOf(data, rows.view), rows.view, options)
  if (format === 'md') return write(ended(view.text((_, text) => text, showing(options), data)))
  throw usageError(`-o ${format} is not supported by this command`, 'use table, json, ndjson or yaml')
}

async function renderScreen(data: Json, view: ScreenView, options: RenderOptions): Promise<void> {
  const isText = ['table', 'wide', 'box'].includes(options.format) && options.columns === undefined
  if (!isText) return renderList(rowsOf(data, view.rows.view), view.rows.view, options)
  const blocks = view.blocks(options.paint, showing(options), data)
  let text = ''
  for (const block of blocks) text += typeof block === 'string' ? block : [...(await drawn(block, options))].join('')
  return options.write(ended(text))
}

async function renderRecordView(data: Json, view: RecordView, options: RenderOptions): Promise<void> {
  const { format, write } = options
  if (format === 'name') return write(nameLine((view.name as (value: Json) => string)(data), options))
  const columns = columnsOf(view, [data], options)
  if (format === 'csv' || format === 'tsv') return writeCsv([[data]], columns, options)
  const shown = showing(options)
  const toCell = cellMaker(format)
  const fields = columns
    .map((column) => ({
      name: format === 'md' ? column.name : (column.title ?? column.name),
      wide: column.wide === true,
      cell: toCell(column, data, shown),
    }))
    .filter(({ wide, cell }) => !wide || cell.text !== '' || format === 'wide' || options.columns !== undefined)
  if (format === 'md') {
    const { renderMarkdownTable } = await import('./table.ts')
    const rows = fields.map(({ name, cell }) => [{ text: name }, cell])
    return write(renderMarkdownTable({ headers: ['field', 'value'], rows, align: [] }))
  }
  if (format === 'box') return write((await import('./box.ts')).renderBoxRecord(fields, options))
  const { renderRecord } = await import('./table.ts')
  return write(renderRecord(fields, { width: options.width, paint: options.paint }))
}

async function renderList(rows: readonly Json[], view: ListView, options: RenderOptions): Promise<void> {
  const { format, write } = options
  if (view.order !== undefined) rows = rows.toSorted(view.order as (one: Json, other: Json) => number)
  if (format === 'name')
    return write(rows.map((row) => nameLine((view.name as (row: Json) => string)(row), options)).join(''))
  const columns = columnsOf(view, rows, options)
  if (format === 'csv' || format === 'tsv') return writeCsv([rows], columns, options)
  const shown = showing(options)
  const toCell = cellMaker(format)
  const cells = rows.map((row) => columns.map((column) => toCell(column, row, shown)))
  const table = tableOf(cells, columns, view, options)
  const folded = format === 'table' && options.columns === undefined ? view.folded : undefined
  if (folded === undefined) return writeTable(table, view, options)
  return writeTable({ ...table, folded: { ...folded, below: (rows as never[]).map(folded.below) } }, view, options)
}

/** True for a table that needs only the cells of its rows. */
function isStreamedTable(view: ListView, { format, columns, records }: RenderOptions): boolean {
  if (records || view.order !== undefined || view.rows !== undefined || columns !== undefined) return false
  if (view.folded !== undefined) return false
  return ['table', 'wide', 'md', 'box'].includes(format)
}

/**
 * Keeps only the cells of arriving rows. The first rows of a long table determine its column widths, and later rows are written
 * immediately, because all of them may not fit into memory.
 */
async function renderTableOf(rows: Rows, view: ListView, options: RenderOptions): Promise<void> {
  const columns = columnsOf(view, [], options)
  const shown = showing(options)
  const toCell = cellMaker(options.format)
  let kept: Cell[][] = []
  let layout: Layout | undefined
  const writeKept = async (more: Layout) => {
    for (const part of parts(kept)) await options.write(part.map(more.line).join(''))
    kept = []
  }
  for await (const batch of rows) {
    for (const row of batch) kept.push(columns.map((column) => toCell(column, row, shown)))
    if (layout === undefined && kept.length >= mostMeasured && options.format !== 'md') {
      if (options.format === 'box') noteBorderless(options)
      const table = tableOf(kept, columns, view, options)
      layout = (await import('./table.ts')).layOut(table, tableOptions(table, options))
      await options.write(layout.headers)
    }
    if (layout !== undefined) await writeKept(layout)
  }
  if (layout === undefined) await writeTable(tableOf(kept, columns, view, options), view, options)
}

function tableOf(
  rows: Table['rows'],
  columns: readonly AnyColumn[],
  { isUntitled }: ListView,
  { format, columns: chosen }: RenderOptions,
): Table {
  const hasNone = isUntitled === true && chosen === undefined && format !== 'wide'
  return {
    headers: columns.map(format === 'md' ? ({ name }) => name : hasNone ? () => '' : titleOf),
    rows,
    align: columns.map(({ align }) => align ?? 'left'),
    whole: columns.map(({ whole }) => whole ?? false),
    truncateFirst: columns.map((column) => column.long === true || column.truncateFirst === true),
  }
}

async function writeTable(table: Table, view: ListView, options: RenderOptions): Promise<void> {
  const { format, terminal, note, write } = options
  if (table.rows.length === 0 && terminal && format !== 'md') {
    if (view.empty !== '') note(view.empty ?? 'no rows')
    return
  }
  if (format === 'md') return write((await import('./table.ts')).renderMarkdownTable(table))
  for (const part of await drawn(table, options)) await write(part)
}

/** The table, with or without borders, in parts. */
async function drawn(table: Table, options: RenderOptions): Promise<Iterable<string>> {
  if (options.format === 'box') {
    if (table.rows.length <= mostBoxRows)
      return [(await import('./box.ts')).renderBox(table, { ...options, ...tableOptions(table, options) })]
    noteBorderless(options)
  }
  const { renderRecord, tableLines } = await import('./table.ts')
  const isLabelled = options.records && table.rows.length > 0 && table.headers.some((title) => title !== '')
  if (!isLabelled) return joined(tableLines(table, tableOptions(table, options)))
  const fieldsOf = (row: readonly Cell[]) =>
    row.flatMap((cell, index) => (cell.text === '' ? [] : [{ name: table.headers[index] as string, cell }]))
  return table.rows.map((row, index) => `${index === 0 ? '' : '\n'}${renderRecord(fieldsOf(row), options)}`)
}

function noteBorderless({ note }: RenderOptions): void {
  note(`more than ${mostBoxRows} rows: shown as a table without borders`)
}

/** Wide rows are complete, one line each. If no column has a header, there is no header line. */
function tableOptions(table: Table, { format, width, paint, headers }: RenderOptions): TableOptions {
  const isTitled = table.headers.some((title) => title !== '')
  return { width: format === 'wide' ? undefined : width, paint, headers: headers && isTitled }
}

function* joined(lines: Iterable<string>): Generator<string> {
  for (const part of parts(lines)) yield part.join('')
}

async function writeCsv(
  rows: Rows | readonly (readonly Json[])[],
  columns: readonly AnyColumn[],
  { format, headers, csvSafe, csvBom, write }: RenderOptions,
): Promise<void> {
  const { createCsvWriter } = await import('./csv.ts')
  const writer = createCsvWriter({
    separator: format === 'tsv' ? '\t' : ',',
    headers: headers ? columns.map(({ name }) => name) : undefined,
    safe: csvSafe,
    bom: csvBom,
  })
  for await (const batch of rows) {
    for (const part of parts(batch)) await write(writer.rows(part.map((row) => columns.map(({ value }) => value(row)))))
  }
  await write(writer.rows([]))
}

async function writeJsonArray(rows: Rows, { terminal, write }: RenderOptions): Promise<void> {
  const [start, between, end] = terminal ? ['[\n  ', ',\n  ', '\n]\n'] : ['[', ',', ']\n']
  let isFirst = true
  await writeEach(rows, write, (row) => {
    const lead = isFirst ? start : between
    isFirst = false
    return lead + stringifyJson(row, indentOf({ terminal })).replaceAll('\n', '\n  ')
  })
  await write(isFirst ? '[]\n' : end)
}

/** The indentation of JSON on a terminal. */
function indentOf({ terminal }: Pick<RenderOptions, 'terminal'>): number | undefined {
  return terminal ? 2 : undefined
}

/** Writes rows as text, one batch at a time. */
async function writeEach(rows: Rows, write: RenderOptions['write'], toText: (row: Json) => string): Promise<void> {
  for await (const batch of rows) {
    for (const part of parts(batch)) await write(part.map(toText).join(''))
  }
}

/** Splits a batch, so that no part makes too long a string. */
function* parts<T>(batch: Iterable<T>): Iterable<readonly T[]> {
  let part: T[] = []
  for (const item of batch) {
    part.push(item)
    if (part.length < batchSize) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

function cellMaker(format: Format): typeof cellOf {
  return format === 'box' ? boxCellOf : cellOf
}

function showing({ now, format, width, draws }: RenderOptions): Showing {
  // A bar would be wrapped inside its cell.
  const canDraw = draws && format !== 'box'
  let moment: Date | undefined
  return {
    get now() {
      return (moment ??= now())
    },
    wide: format === 'wide',
    absoluteTimes: format === 'md',
    draws: canDraw,
    width,
  }
}

function nameLine(name: string, { nul }: RenderOptions): string {
  return `${name}${nul ? '\0' : '\n'}`
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
