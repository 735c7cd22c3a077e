import { expect, test } from 'vitest'
import type { Rows } from '../../src/core/command.ts'
import type { Json } from '../../src/core/json.ts'
import type { Page } from '../../src/api/pages.ts'
import { readPage, walkPages } from '../../src/api/pages.ts'
import { says, told } from '../support/told.ts'

/** A server with this many rows in pages of two. */
function pagesOf(total: number, size = 2) {
  const pages = Math.ceil(total / size)
  const asked: number[] = []
  const fetch = async (number: number): Promise<Page> => {
    asked.push(number)
    return page(number)
  }
  const page = (number: number): Page => ({
    rows: Array.from({ length: Math.max(0, Math.min(size, total - (number - 1) * size)) }, (_, index) => ({
      id: `row-${(number - 1) * size + index + 1}`,
    })),
    number,
    size,
    pages,
    total,
    next: number < pages ? number + 1 : undefined,
    link: undefined,
  })
  return { asked, fetch, page }
}

const noLinks = () => Promise.reject(new Error('no link was given'))

async function idsOf(rows: Rows): Promise<string[]> {
  const ids: string[] = []
  for await (const page of rows) ids.push(...page.map((row) => (row as { id: string }).id))
  return ids
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `row-${index + 1}`)

test('pages arrive in order, with at most 16 requests at once', async () => {
  const { page } = pagesOf(121)
  let under = 0
  let most = 0
  const waiting: (() => void)[] = []
  const fetch = (number: number) =>
    new Promise<Page>((done) => {
      under += 1
      most = Math.max(most, under)
      waiting.push(() => {
        under -= 1
        done(page(number))
      })
      // The last request is answered first.
      setImmediate(() => waiting.pop()?.())
    })
  const walk = walkPages({ first: page(1), fetch, follow: noLinks })
  expect(await idsOf(walk.rows)).toEqual(numbered(121))
  expect(most).toBe(16)
  expect(walk.outcome()).toEqual({ rows: 121, repeated: 0, announced: 121, total: 121, broken: undefined })
})

test('pages are requested before the reader wants them', async () => {
  const { asked, fetch, page } = pagesOf(60)
  const rows = walkPages({ first: page(1), fetch, follow: noLinks }).rows[Symbol.asyncIterator]()
  expect((await rows.next()).value).toEqual([{ id: 'row-1' }, { id: 'row-2' }])
  expect(asked).toEqual(Array.from({ length: 16 }, (_, index) => index + 2))
})

test('a limit reads no more pages than needed', async () => {
  const { asked, fetch, page } = pagesOf(61)
  const walk = walkPages({ first: page(1), fetch, follow: noLinks, limit: 5 })
  expect(await idsOf(walk.rows)).toEqual(numbered(5))
  expect(asked).toEqual([2, 3])
})

test('a single page needs no other request', async () => {
  const { asked, fetch, page } = pagesOf(2)
  expect(await idsOf(walkPages({ first: page(1), fetch, follow: noLinks }).rows)).toEqual(numbered(2))
  expect(asked).toEqual([])
})

test("a page's failure reaches the reader after the rows before it", async () => {
  const { fetch, page } = pagesOf(20)
  const failing = (number: number) => (number === 3 ? Promise.reject(new Error('page 3')) : fetch(number))
  const seen: Json[] = []
  const read = async () => {
    for await (const rows of walkPages({ first: page(1), fetch: failing, follow: noLinks }).rows) seen.push(...rows)
  }
  await expect(read()).rejects.toThrow('page 3')
  expect(seen).toHaveLength(4)
})

test('repeated rows are dropped and a changed total is reported', async () => {
  const { page } = pagesOf(6)
  const fetch = async (number: number): Promise<Page> =>
    number === 2
      ? { ...page(2), rows: [{ id: 'row-2' }, { id: 'row-3' }] }
      : { ...page(3), rows: [{ id: 'row-4' }, { id: 'row-5' }], total: 5 }
  const walk = walkPages({ first: page(1), fetch, follow: noLinks })
  expect(await idsOf(walk.rows)).toEqual(['row-1', 'row-2', 'row-3', 'row-4', 'row-5'])
  expect(walk.outcome()).toEqual({ rows: 5, repeated: 1, announced: 6, total: 5, broken: undefined })
})

test('rows without an ID are all kept', async () => {
  const first = { ...pagesOf(2).page(1), rows: [{ a: 1 }, { a: 1 }] }
  const walk = walkPages({ first, fetch: noLinks, follow: noLinks })
  await idsOf(walk.rows)
  expect(walk.outcome().rows).toBe(2)
})

test('an empty page ends the walk', async () => {
  const { page } = pagesOf(10)
  const walk = walkPages({ first: page(1), fetch: async (number) => ({ ...page(number), rows: [] }), follow: noLinks })
  expect(await idsOf(walk.rows)).toEqual(numbered(2))
  expect(walk.outcome().broken).toBeUndefined()
  const followed = walkPages({
    first: { ...page(1), pages: undefined, link: '/2' },
    fetch: noLinks,
    follow: async () => ({ ...page(2), rows: [], link: '/3' }),
  })
  expect(await idsOf(followed.rows)).toEqual(numbered(2))
  expect(followed.outcome().broken).toBeUndefined()
  for (const pages of [undefined, 5]) {
    const first = { ...page(1), rows: [], pages, link: '/2' }
    const empty = walkPages({ first, fetch: noLinks, follow: noLinks })
    expect(await idsOf(empty.rows)).toEqual([])
    expect(empty.outcome()).toMatchObject({ rows: 0, broken: undefined })
  }
})

test("links are followed if page numbers don't advance", async () => {
  const { page } = pagesOf(6)
  const asked: string[] = []
  const links = new Map([
    ['/2', { ...page(2), link: '/3' }],
    ['/3', page(3)],
  ])
  const walk = walkPages({
    first: { ...page(1), link: '/2' },
    fetch: async (number) => {
      asked.push(String(number))
      return { ...page(1), link: '/2' }
    },
    follow: async (link) => {
      asked.push(link)
      return { ...(links.get(link) as Page), next: undefined }
    },
    cautious: true,
  })
  expect(await idsOf(walk.rows)).toEqual(numbered(6))
  expect(asked).toEqual(['2', '/2', '/3'])
  expect(walk.outcome().broken).toBeUndefined()
})

test("a page that doesn't advance ends the walk with a warning", async () => {
  const { page } = pagesOf(6)
  const stuck = walkPages({ first: page(1), fetch: async () => page(1), follow: noLinks })
  expect(await idsOf(stuck.rows)).toEqual(numbered(2))
  expect(stuck.outcome().broken).toMatch(told('page 2 … 1 arrived'))

  const lying = walkPages({ first: page(1), fetch: async (number) => ({ ...page(1), number }), follow: noLinks })
  expect(await idsOf(lying.rows)).toEqual(numbered(2))
  expect(lying.outcome()).toEqual({
    rows: 2,
    repeated: 2,
    announced: 6,
    total: 6,
    broken: says('page 2 …'),
  })

  const linked = walkPages({
    first: { ...page(1), pages: undefined, link: '/2' },
    fetch: noLinks,
    follow: async () => ({ ...page(1), link: '/3' }),
  })
  expect(await idsOf(linked.rows)).toEqual(numbered(2))
  expect(linked.outcome().broken).toBe('the next page has only rows of earlier pages')
})

test('a link loop ends the walk', async () => {
  const unnumbered = (rows: Json[], link: string | undefined): Page => ({
    rows,
    number: undefined,
    size: undefined,
    pages: undefined,
    total: undefined,
    next: undefined,
    link,
  })
  let count = 1
  const walk = walkPages({
    first: unnumbered([{ id: 'row-1' }], '/a'),
    fetch: noLinks,
    follow: async (link) => {
      count += 1
      return unnumbered([{ id: `row-${count}` }], link === '/a' ? '/b' : '/a')
    },
  })
  expect(await idsOf(walk.rows)).toEqual(numbered(3))
  expect(walk.outcome().broken).toBe('its pages repeat')
})

test('any answer can be read as a page', () => {
  const empty = { rows: [], number: undefined, pages: undefined, total: undefined }
  expect(readPage(null)).toEqual({ ...empty, next: undefined, link: undefined })
  expect(readPage({ data: {}, links: { next: null }, meta: [] })).toEqual({
    ...empty,
    next: undefined,
    link: undefined,
  })
  expect(
    readPage({
      data: [{ id: '1' }],
      links: { next: 'http://host/2' },
      meta: { pagination: { 'current-page': 1, 'next-page': 2, 'total-pages': 2, 'total-count': 2 } },
    }),
  ).toEqual({ rows: [{ id: '1' }], number: 1, pages: 2, total: 2, next: 2, link: 'http://host/2' })
})

test('where the limit is reached, repeated rows are no fault', async () => {
  const { asked, fetch, page } = pagesOf(6)
  for (const limit of [1, 2]) {
    const walk = walkPages({ first: page(1), fetch, follow: noLinks, limit })
    expect(await idsOf(walk.rows)).toEqual(numbered(limit))
    expect(walk.outcome()).toMatchObject({ rows: limit, repeated: 0, broken: undefined })
    const linked = { ...page(1), pages: undefined, link: '/2' }
    const followed = walkPages({ first: linked, fetch: noLinks, follow: noLinks, limit })
    expect(await idsOf(followed.rows)).toEqual(numbered(limit))
  }
  expect(asked).toEqual([])
  const links: string[] = []
  const follow = async (link: string): Promise<Page> => {
    links.push(link)
    return { ...page(2), pages: undefined, link: '/3' }
  }
  const first = { ...page(1), pages: undefined, link: '/2' }
  expect(await idsOf(walkPages({ first, fetch: noLinks, follow, limit: 4 }).rows)).toEqual(numbered(4))
  expect(links).toEqual(['/2'])
})

test('pages are followed by their numbers if the first says only which is next', async () => {
  const { asked, fetch, page } = pagesOf(6)
  const bare = (number: number) => ({ ...page(number), pages: undefined })
  const walk = walkPages({
    first: bare(1),
    fetch: async (number) => {
      await fetch(number)
      return bare(number)
    },
    follow: noLinks,
  })
  expect(await idsOf(walk.rows)).toEqual(numbered(6))
  expect(asked).toEqual([2, 3])
})

test('the last page is the last that any page knows of', async () => {
  const { fetch, page } = pagesOf(6)
  const asked: number[] = []
  const walk = walkPages({
    first: { ...page(1), pages: 2 },
    fetch: async (number) => {
      asked.push(number)
      return fetch(number)
    },
    follow: noLinks,
  })
  expect(await idsOf(walk.rows)).toEqual(numbered(6))
  expect(asked).toEqual([2, 3])
  const silent = walkPages({
    first: page(1),
    fetch: async (number) => ({ ...page(number), pages: undefined, total: undefined, number: undefined }),
    follow: noLinks,
  })
  expect(await idsOf(silent.rows)).toEqual(numbered(6))
  expect(silent.outcome()).toEqual({ rows: 6, repeated: 0, announced: 6, total: 6, broken: undefined })
})

test('a server that may ignore page numbers is first asked for one page', async () => {
  const { fetch, page } = pagesOf(8)
  const together: number[][] = []
  const walk = walkPages({
    first: page(1),
    fetch: async (number) => {
      together.push([number])
      return fetch(number)
    },
    follow: noLinks,
    cautious: true,
  })
  const rows = walk.rows[Symbol.asyncIterator]()
  await rows.next()
  expect(together).toEqual([[2]])
  await rows.next()
  expect(together).toEqual([[2]])
  await rows.next()
  expect(together).toEqual([[2], [3], [4]])
})
