import type { Found } from '../api/answers.ts'
import type { ReadQuery } from '../api/query.ts'

/** A page of a list, which begins with the item that its token names; none if there is no such item. */
export function pageOf<Item>(
  items: readonly Item[],
  { nextToken, perPage }: ReadQuery,
  tokenOf: (item: Item) => string,
): { readonly page: readonly Item[] } & Pick<Found, 'nextToken'> {
  const start = nextToken === '' ? 0 : items.findIndex((item) => tokenOf(item) === nextToken)
  const left = start === -1 ? [] : items.slice(start)
  const page = perPage > 0 ? left.slice(0, perPage) : left
  const next = left[page.length]
  return { page, ...(next === undefined ? {} : { nextToken: tokenOf(next) }) }
}
