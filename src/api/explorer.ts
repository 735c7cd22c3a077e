import { endpoint } from '../core/endpoint.ts'
import type { AnswerForm, Infer } from '../core/shape.ts'
import { any, array, json, jsonOrEmpty, filled, map, object, string } from '../core/shape.ts'

// The endpoints of the organization data explorer, in the order of its specification.

/** A page of rows. A row's fields are in `attributes`. */
const page = json(object({ data: array(object({ attributes: map() })) }))

const viewMembers = {
  'name?': string,
  'type?': string,
  'query_type?': string,
  'query-type?': string,
  'created_at?': string,
  'created-at?': string,
  'query?': any,
} as const
/** A view has its members below `attributes` or at the top level (docs/servers.md, Explorer saved views). */
const view = object({ id: filled, ...viewMembers, 'attributes?': object(viewMembers) })
export type AnsweredView = Infer<typeof view>

const savedView = json(object({ data: view }))
/** The view as it is stored now, or was before it was deleted; some servers respond to a change with an empty body. */
const changedView = jsonOrEmpty(object({ data: view }))

const csv: AnswerForm = { form: 'csv' }

export const query = endpoint('GET /api/v2/organizations/{org}/explorer', { answers: page })

export const exportCsv = endpoint('GET /api/v2/organizations/{org}/explorer/export/csv', { answers: csv })

export const listViews = endpoint('GET /api/v2/organizations/{org}/explorer/views', {
  answers: json(object({ data: array(view) })),
})

export const createView = endpoint('POST /api/v2/organizations/{org}/explorer/views', { answers: changedView })

export const readView = endpoint('GET /api/v2/organizations/{org}/explorer/views/{view}', { answers: savedView })

export const updateView = endpoint('PATCH /api/v2/organizations/{org}/explorer/views/{view}', { answers: changedView })

export const deleteView = endpoint('DELETE /api/v2/organizations/{org}/explorer/views/{view}', { answers: changedView })

export const viewResults = endpoint('GET /api/v2/organizations/{org}/explorer/views/{view}/results', { answers: page })

export const viewCsv = endpoint('GET /api/v2/organizations/{org}/explorer/views/{view}/csv', { answers: csv })
