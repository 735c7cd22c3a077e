import { items, number, text } from '../core/answer.ts'
import type { Rows } from '../core/command.ts'
import type { Json } from '../core/json.ts'

/** One page of a paged response. What the server omits is undefined. */
export interface Page {
  readonly rows: readonly Json[]
  /** The page's number, as the server reports it, from 1. */
  readonly number: number | undefined
  readonly size: number | undefined
  readonly pages: number | undefined
  readonly total: number | undefined
  /** The next page's number. */
  readonly next: number | undefined
  /** The server's link to the next page. */
  readonly link: string | undefined
}

/** Larger numbers in a response are ignored. */
const mostPages = 2 ** 31

/** Reads any response as a page. */
export function readPage(body: Json): Page {
  const counted = (key: string) => {
    const count = number(body, 'meta', 'pagination', key)
    // Counting up from a larger number would never end.
    return count !== undefined && Number.isInteger(count) && Math.abs(count) <= mostPages ? count : undefined
  }
  return {
    rows: items(body, 'data'),
    number: counted('current-page'),
    size: counted('page-size'),
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
  /** The total as the first page reports it, and as the last one does. */
  readonly announced: number | undefined
  readonly total: number | undefined
  /** Why the walk ended before the last page: the server repeated or skipped pages. */
  readonly broken: string | undefined
}

/** How many pages are requested ahead: as many as there are connections. */
const lookAhead = 16

/**
 * All rows from the first page on, in order, page by page as they arrive. The first page shows how many pages there are; the others
 * are fetched several at a time. If page numbers don't advance, links are followed. Rows whose `id` was seen before are dropped. An
 * empty page, a page that doesn't advance, or a link that was followed before ends the walk (docs/servers.md, Explorer paging).
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
      if (count + rows.length >= limit) break
      const id = text(row, 'id')
      const before = known.size
      if (id === undefined || known.add(id).size > before) rows.push(row)
      else repeated += 1
    }
    count += rows.length
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
    /** By their distance from the second page. An array, because the old tables of a Map keep pages from being collected. */
    const pending: (Promise<Page> | undefined)[] = []
    let last = pages
    let width = options.cautious === true ? 1 : lookAhead
    const request = (index: number, read: number) => {
      const needed = Math.ceil((limit - read) / first.rows.length)
      for (let ahead = index; ahead <= Math.min(last, index + Math.min(width, needed) - 1); ahead += 1) {
        if (ahead - start <= pending.length) continue
        const page = options.fetch(ahead)
        // A failure is thrown when its page's turn comes, which may be never.
        page.catch(() => undefined)
        pending.push(page)
      }
    }
    // Request the next pages before the first one's rows are printed.
    request(start + 1, first.rows.length)
    yield fresh(first)
    for (let index = start + 1; index <= last && count < limit; index += 1) {
      request(index, count)
      const page = await (pending[index - start - 1] as Promise<Page>)
      pending[index - start - 1] = undefined
      if (page.rows.length === 0) return
      if (page.number !== undefined && page.number !== index) {
        if (index === start + 1 && first.link !== undefined) yield* follow(first)
        else broken = `page ${index} was requested, page ${page.number} arrived`
        return
      }
      const rows = fresh(page)
      yield rows
      if (rows.length === 0) {
        broken = `page ${index} has only rows of earlier pages`
        return
      }
      last = page.pages ?? last
      width = lookAhead
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
