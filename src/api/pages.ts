import { items, number, text } from '../core/answer.ts'
import type { Rows } from '../core/command.ts'
import type { Json } from '../core/json.ts'
import { eachOf } from '../core/limiter.ts'

/** One page of a paged answer. What a server omits is undefined. */
export interface Page {
  readonly rows: readonly Json[]
  /** The page's number by the server, from 1. */
  readonly number: number | undefined
  readonly pages: number | undefined
  readonly total: number | undefined
  /** The next page's number. */
  readonly next: number | undefined
  /** The server's link to the next page. */
  readonly link: string | undefined
}

/** Reads any answer as a page. */
export function readPage(body: Json): Page {
  const counted = (key: string) => number(body, 'meta', 'pagination', key)
  return {
    rows: items(body, 'data'),
    number: counted('current-page'),
    pages: counted('total-pages'),
    total: counted('total-count'),
    next: counted('next-page'),
    link: text(body, 'links', 'next'),
  }
}

/** How to walk from a first page to the last. */
export interface WalkOptions {
  readonly first: Page
  /** Fetches a page by its number. */
  readonly fetch: (number: number) => Promise<Page>
  /** Fetches the page behind a link. */
  readonly follow: (link: string) => Promise<Page>
  /** Stop after this many rows. */
  readonly limit?: number | undefined
  /** True if the server may ignore page numbers: try one page before fetching several at once. */
  readonly cautious?: boolean
}

/** The result of a walk, once its rows are read. */
export interface WalkOutcome {
  readonly rows: number
  /** Repeated rows, which were dropped. */
  readonly repeated: number
  /** The total by the first and by the last page. */
  readonly announced: number | undefined
  readonly total: number | undefined
  /** Why it ended before the last page: the server repeated or skipped pages. */
  readonly broken: string | undefined
}

/** Concurrent requests. */
const mostInFlight = 16

/**
 * All rows from the first page on, in order, page by page as they arrive. The first page has the number of pages; the others are
 * fetched several at a time. If page numbers don't advance, links are followed. Rows with a known `id` are dropped. An empty
 * page, a page that doesn't advance, or a known link ends the walk (docs/servers.md, Explorer paging).
 */
export function walkPages(options: WalkOptions): { rows: Rows; outcome: () => WalkOutcome } {
  const { first, limit = Infinity } = options
  const known = new Set<string>()
  let count = 0
  let repeated = 0
  let total = first.total
  let broken: string | undefined

  function fresh(page: Page): readonly Json[] {
    total = page.total ?? total
    const rows: Json[] = []
    for (const row of page.rows) {
      if (count >= limit) break
      const id = text(row, 'id')
      if (id !== undefined && known.has(id)) {
        repeated += 1
        continue
      }
      if (id !== undefined) known.add(id)
      count += 1
      rows.push(row)
    }
    return rows
  }

  async function* walk(): Rows {
    const hasRows = first.rows.length > 0
    if (hasRows && first.pages !== undefined && first.number !== undefined) {
      yield* byNumber(first.number, first.pages)
    } else {
      yield fresh(first)
      if (hasRows) yield* follow(first)
    }
  }

  async function* byNumber(start: number, pages: number): Rows {
    let last = pages
    // More than once if pages are added, or have fewer rows than the first.
    for (let from = start; from <= last && count < limit;) {
      const needed = Math.ceil((limit - count) / first.rows.length)
      const until = Math.min(last, from + (options.cautious === true && from === start ? 1 : needed - 1))
      const fetched = eachOf(
        numbers(from, until),
        (index) => (index === start ? Promise.resolve(first) : options.fetch(index)),
        { parallel: mostInFlight, ordered: true },
      )
      for await (const page of fetched) {
        const index = from
        if (page.rows.length === 0 || index > last) return
        if (index > start && page.number !== undefined && page.number !== index) {
          if (index === start + 1 && first.link !== undefined) yield* follow(first)
          else broken = `page ${index} was requested, page ${page.number} arrived`
          return
        }
        const rows = fresh(page)
        yield rows
        if (rows.length === 0 && index > start) {
          broken = `page ${index} has only rows of earlier pages`
          return
        }
        if (index > start) last = page.pages ?? last
        from += 1
        if (count >= limit) return
      }
    }
  }

  async function* follow(from: Page): Rows {
    const followed = new Set<string>()
    let page = from
    while (count < limit && (page.link !== undefined || page.next !== undefined)) {
      const link = page.link ?? String(page.next)
      if (followed.has(link)) {
        broken = 'its pages repeat'
        return
      }
      followed.add(link)
      page = await (page.link === undefined ? options.fetch(page.next as number) : options.follow(page.link))
      if (page.rows.length === 0) return
      const rows = fresh(page)
      yield rows
      if (rows.length === 0) {
        broken = 'the next page has only rows of earlier pages'
        return
      }
    }
  }

  return {
    rows: walk(),
    outcome: () => ({ rows: count, repeated, announced: first.total, total, broken }),
  }
}

function* numbers(from: number, until: number): Iterable<number> {
  for (let index = from; index <= until; index += 1) yield index
}
