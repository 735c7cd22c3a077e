import { at, ifKnown } from '../../core/answer.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { isObject } from '../../core/json.ts'
import { attributesOf } from './views/saved-view.ts'

/** The saved view in an answer. Throws (exit 1) if it has no query: an update would overwrite what was never read. */
export function savedViewOf(body: Json): Json {
  const view = at(body, 'data') as Json
  ifKnown(view, (answered) => {
    const query = at(attributesOf(answered), 'query')
    if (!isObject(query)) throw unexpectedResponse()
  })
  return view
}

function unexpectedResponse(): TugError {
  return new TugError('failed', 'unexpected response: the saved view has no query', {
    service: 'explorer',
    reason: 'unexpected_response',
    hints: ['is the address right? tug status shows what answers there'],
  })
}
