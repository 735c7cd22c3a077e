import { asJson } from '../../../core/answer.ts'
import { list, record } from '../../../core/command.ts'
import type { Column, Showing } from '../../../core/output.ts'
import { filterText } from '../filter/filter.ts'
import { shownTime } from '../rows.ts'
import type { SavedView } from './saved-view.ts'
import { filterParts } from './saved-view.ts'

const conditions = ({ query }: SavedView) =>
  (query.filter ?? []).map((entry) => filterText(filterParts(entry))).join(' and ')

const columns: readonly Column<SavedView>[] = [
  { name: 'id', value: ({ id }) => id, whole: true },
  { name: 'name', value: ({ name }) => name, whole: true },
  { name: 'type', value: ({ type }) => type },
  {
    name: 'created_at',
    title: 'age',
    value: (view) => view.created_at,
    show: (view, showing) => shownTime(view.created_at ?? undefined, showing),
  },
  { name: 'filters', value: conditions, long: true },
  { name: 'fields', value: ({ query }) => asJson(query.fields), wide: true },
  { name: 'sort', value: ({ query }) => asJson(query.sort), wide: true },
]

const idOf = ({ id }: SavedView) => id

/** One saved view. */
export const savedViewRecord = record(
  columns.map((column) =>
    column.name === 'created_at' ? { ...column, title: 'created_at', show: atTheMinute } : column,
  ),
  idOf,
)

function atTheMinute(view: SavedView, showing: Showing): string {
  return shownTime(view.created_at ?? undefined, { ...showing, wide: true })
}

/** Several saved views. */
export const savedViewList = list(columns, idOf, { empty: 'no saved views' })
