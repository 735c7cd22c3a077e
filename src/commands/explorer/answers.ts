import { at, isAwaited, text } from '../../core/answer.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { isObject } from '../../core/json.ts'
import type { Page } from '../../api/pages.ts'
import { readPage } from '../../api/pages.ts'

/** The rows of a query's answer. Throws (exit 1) if there is no list of rows, which isn't an empty result. */
export function pageOf(body: Json): Page {
  const rows = at(body, 'data')
  if (!isAwaited(rows) && !(Array.isArray(rows) && rows.every(isObject))) throw senseless('no list of rows')
  return readPage(body)
}

/** The saved view in an answer. Throws (exit 1) if there is none: an update would overwrite what was never read. */
export function savedViewOf(body: Json): Json {
  const view = at(body, 'data')
  const query = at(at(view, 'attributes') ?? view, 'query')
  if (isAwaited(view) || (text(view, 'id') !== undefined && isObject(query))) return view as Json
  throw senseless('no saved view')
}

function senseless(what: string): TugError {
  return new TugError('failed', `the answer makes no sense: it contains ${what}`, {
    service: 'explorer',
    hints: ['is the address right? tug status shows what answers there'],
  })
}
