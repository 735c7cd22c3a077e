import { plural } from '../../core/words.ts'
import type { Rows, RowsResult } from '../../core/command.ts'
import { counted } from '../../output/progress.ts'
import type { HttpResponse } from '../../core/connection.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import { entries, items, text } from '../../core/answer.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import type { Input } from '../../core/param.ts'
import type { RequestParts } from '../../core/endpoint.ts'
import type { HttpRequest } from '../../core/request.ts'
import type { Page, WalkOutcome } from '../../api/pages.ts'
import { readPage, walkPages } from '../../api/pages.ts'
import { rowFlattener, rowsView } from './rows.ts'

export const pagingParams = {
  page: flag.integer('the page to read, from 1', { min: 1 }),
  pageSize: flag.integer('rows per page', { min: 1, defaultText: 'the service decides; 100 with --all' }),
  all: flag.boolean('every page, in order', { excludes: ['page'] }),
  limit: flag.integer('stop after this many rows, reading as many pages as needed', { min: 1 }),
}

/** Rows per page when all pages are read: the service's maximum. */
const largestPage = 100

/** An endpoint of rows, and the query that all pages share. */
export interface Source {
  readonly request: (parts: RequestParts) => HttpRequest
  readonly query: readonly (readonly [string, string])[]
  /** The part of the query that only newer services support. */
  readonly productOnly?: string | undefined
  /** The view of the rows, if known. */
  readonly view: string | undefined
  /** The requested fields, by the specification's names. */
  readonly fields: readonly string[] | undefined
  /** True if the endpoint's paging isn't documented (docs/servers.md, Explorer paging). */
  readonly cautious?: boolean
  /** True if the docs don't page this list: ask for more only if the answer announces more (docs/servers.md, Explorer paging). */
  readonly unpaged?: boolean
}

/** The rows that the paging flags ask for: one page, all pages, or a number of rows. */
export async function pagedRows(
  context: Context,
  whole: Source,
  { page, pageSize, all = false, limit }: Input<typeof pagingParams>,
): Promise<RowsResult> {
  const { format, outputFlags } = context.settings
  const namesOnly = format === 'name' && outputFlags.query === undefined
  const source = namesOnly ? sourceOfNames(whole) : whole
  const walks = page === undefined && (all || limit !== undefined)
  const size = pageSize ?? (all ? largestPage : walks ? Math.min(largestPage, limit ?? largestPage) : undefined)
  const number = page ?? (walks ? 1 : undefined)
  const sent = await context.http.send(pageRequest(source, number, size))
  const response = walks ? sent : await wantedPage(context, source, sent, { page, size })
  const answer = response.json()
  const first = readPage(answer)
  const { pages, total } = first
  const flatten = namesOnly ? (row: Json) => row as JsonObject : rowFlattener(source.view, source.fields)
  const view = rowsView(source.view, source.fields, first.rows.map(flatten))
  if (!walks) {
    const isAfterLast = page !== undefined && pages !== undefined && page > pages
    const rows = isAfterLast && first.number !== page ? [] : first.rows.slice(0, limit)
    const finish = () => {
      if (format === 'wide') for (const fact of pageFacts(answer)) context.io.note(fact)
      if (isAfterLast)
        context.io.note(
          `no page ${page}: the result has ${plural(pages, 'page')}${total === undefined ? '' : ` (${plural(total, 'row')})`}`,
        )
      else if (isOneOfSeveral(first)) {
        const place = `page ${first.number ?? 1}${pages === undefined ? '' : ` of ${pages}`}`
        context.io.incomplete(`${someOf(rows.length, total)} rows (${place}); --all for every page`)
      }
      return undefined
    }
    const batch = (async function* () {
      yield rows.map(flatten)
    })()
    return { rows: batch, view, rawBody: response.body, finish }
  }
  const walk = walkPages({ ...walkers(context, source, size), first, limit, cautious: source.cautious === true })
  const expected = total === undefined || limit === undefined ? total : Math.min(total, limit)
  return {
    rows: mapped(reading(context, walk.rows, expected), flatten),
    view,
    ...(isOneOfSeveral(first) && first.rows.length !== limit ? {} : { rawBody: response.body }),
    finish: () => reportOutcome(context, walk.outcome(), limit),
  }
}

/**
 * The response with the page that was asked for. If a saved view's results ignore the page, it is read from the query endpoint, to
 * which their links point; throws if there is none, or if the service returns another page there too.
 */
async function wantedPage(
  { http }: Context,
  source: Source,
  response: HttpResponse,
  { page, size }: { readonly page: number | undefined; readonly size: number | undefined },
): Promise<HttpResponse> {
  const answer = response.json()
  const first = readPage(answer)
  // A page after the last one is empty.
  const isOther = ({ number = source.cautious === true ? 1 : page, pages = Infinity }: Page) =>
    page !== undefined && number !== page && page <= pages
  const isOtherSize = size !== undefined && (first.rows.length > size || (first.size ?? size) !== size)
  const hasLinks = source.cautious === true && (isOther(first) || isOtherSize)
  const link = first.link ?? text(answer, 'links', 'self') ?? text(answer, 'links', 'first')
  let found = response
  if (hasLinks && link !== undefined) {
    const request = linkRequest(source, link)
    const paging = [...pagingQuery(page ?? first.number ?? 1, size)]
    const query = (request.query ?? []).filter(([name]) => !/^page\[(?:number|size)\]$/.test(name))
    found = await http.send({ ...request, query: [...query, ...paging] })
  }
  const { number = 1, rows } = readPage(found.json())
  if (isOther(readPage(found.json()))) throw unpageable(`page ${page} was requested, page ${number} arrived`)
  if (source.cautious === true && size !== undefined && rows.length > size)
    throw unpageable(`${size} rows were requested, ${rows.length} arrived`)
  return found
}

const unpageable = (problem: string) =>
  new TugError('failed', `the service ignores the page: ${problem}`, {
    service: 'explorer',
    reason: 'unexpected_response',
    hints: ['read everything: --all'],
  })

/** A source whose rows are read only for their IDs, which are strings. */
function sourceOfNames({ request, ...rest }: Source): Source {
  return { ...rest, request: (parts) => ({ parseAsDoubles: true, ...request(parts) }) }
}

/** The type of the rows, the page and the links to others in a response. */
function pageFacts(answer: Json): string[] {
  const members = (lead: string, ...place: string[]) =>
    entries(answer, ...place).flatMap(([key, value]) => (value === null ? [] : [`${lead}${key} ${String(value)}`]))
  const page = members('', 'meta', 'pagination')
  const type = text(items(answer, 'data')[0], 'type')
  const line = type === undefined ? page : [`type ${type}`, ...page]
  return [...(page.length === 0 ? [] : [line.join(', ')]), ...members('link ', 'links')]
}

/** All rows of a source, unchanged. */
export interface EveryRow {
  readonly first: Page
  readonly rows: Rows
  /** Call it after the last row; returns an exit status if pages are missing. */
  readonly finish: () => number | undefined
  /** The response body if there is only one page. */
  readonly rawBody: Uint8Array | undefined
}

/** Every row, however many pages there are; the first page has arrived when this returns. */
export async function everyRow(context: Context, source: Source): Promise<EveryRow> {
  const [number, size] = source.unpaged === true ? [] : [1, largestPage]
  const response = await context.http.send(pageRequest(source, number, size))
  const first = readPage(response.json())
  const walk = walkPages({ ...walkers(context, source, size), first, cautious: source.cautious === true })
  return {
    first,
    rows: reading(context, walk.rows, first.total),
    finish: () => reportOutcome(context, walk.outcome(), undefined),
    rawBody: isOneOfSeveral(first) ? undefined : response.body,
  }
}

function walkers(context: Context, source: Source, size: number | undefined) {
  return {
    fetch: async (number: number) => readPage((await context.http.send(pageRequest(source, number, size))).json()),
    follow: async (link: string) => readPage((await context.http.send(linkRequest(source, link))).json()),
  }
}

function pageRequest({ request, query, productOnly }: Source, number?: number, size?: number) {
  return request({
    query: [...query, ...pagingQuery(number, size)],
    ...(productOnly === undefined ? {} : { productOnly }),
  })
}

function pagingQuery(number?: number, size?: number): (readonly [string, string])[] {
  const parts = [
    ['page[number]', number],
    ['page[size]', size],
  ] as const
  return parts.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]))
}

/** The request for a link: only its path and query, so the token never goes to another server. */
function linkRequest({ request }: Source, link: string): HttpRequest {
  const url = new URL(link, 'http://links.invalid')
  const start = Math.max(0, url.pathname.indexOf('/api/'))
  return { ...request({ query: [...url.searchParams] }), path: url.pathname.slice(start) }
}

function isOneOfSeveral({ pages = 1, next, link }: Page): boolean {
  return pages > 1 || next !== undefined || link !== undefined
}

/** Reports dropped rows and wrong totals; returns an exit status if pages are missing. */
function reportOutcome({ io }: Context, outcome: WalkOutcome, limit: number | undefined): number | undefined {
  const { rows, repeated, announced, total, broken } = outcome
  if (broken !== undefined) {
    io.warnAlways(`not all rows: ${broken} (${someOf(rows, total)} rows were read)`)
    return 1
  }
  if (limit !== undefined && rows >= limit) {
    if (total !== undefined && total > rows) io.incomplete(`${rows} of ${total} rows (--limit ${limit})`)
  } else if (announced !== total || repeated > 0 || (total !== undefined && rows < total)) {
    io.warnAlways(changedWhileRead(outcome))
  }
  return undefined
}

function reading({ io }: Context, rows: Rows, total: number | undefined): Rows {
  return counted(io, 'reading rows', rows, total, ({ length }) => length)
}

/** Every row of a query, flat. */
export async function flatRows(context: Context, source: Source): Promise<Pick<EveryRow, 'rows' | 'finish'>> {
  const { rows, finish } = await everyRow(context, source)
  return { rows: mapped(rows, rowFlattener(source.view, source.fields)), finish }
}

/** All rows at once. Throws if some of `what` are missing. */
export async function wholeRows({ rows, finish }: Pick<EveryRow, 'rows' | 'finish'>, what: string): Promise<Json[]> {
  const whole: Json[] = []
  for await (const batch of rows) whole.push(...batch)
  if (finish() !== undefined) throw new TugError('failed', `${what} is incomplete`)
  return whole
}

export async function* mapped(rows: Rows, change: (row: Json) => JsonObject): Rows {
  for await (const batch of rows) yield batch.map(change)
}

function changedWhileRead({ rows, repeated, announced, total }: WalkOutcome): string {
  const dropped = repeated === 0 ? '' : `; ${repeated} duplicate${repeated === 1 ? ' was' : 's were'} dropped`
  if (announced === total) return `${someOf(rows, total)} rows: the result changed while it was read${dropped}`
  const first = announced === undefined ? 'no total' : `${announced} rows`
  return `the result changed while it was read: ${first} at first, ${String(total)} at the end${dropped}`
}
function someOf(rows: number, total: number | undefined): string {
  return total === undefined ? `${rows}` : `${rows} of ${total}`
}
