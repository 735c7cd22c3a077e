import { at, items, text } from '../../../core/answer.ts'
import { list, record } from '../../../core/command.ts'
import type { Json } from '../../../core/json.ts'
import type { Column, Showing } from '../../../core/output.ts'
import { filterText } from '../filter/filter.ts'
import { shownTime } from '../rows.ts'
import { filterParts } from './saved-view.ts'

const conditions = (view: Json) =>
  items(view, 'query', 'filter')
    .map((entry) => filterText(filterParts(entry)))
    .join(' and ')

const columns: readonly Column<Json>[] = [
  { name: 'id', value: (view) => text(view, 'id'), whole: true },
  { name: 'name', value: (view) => text(view, 'name'), whole: true },
  { name: 'type', value: (view) => text(view, 'type') },
  {
    name: 'created_at',
    title: 'age',
    value: (view) => text(view, 'created_at'),
    show: (view, showing) => shownTime(text(view, 'created_at'), showing),
  },
  { name: 'filters', value: conditions, long: true },
  { name: 'fields', value: (view) => at(view, 'query', 'fields'), wide: true },
  { name: 'sort', value: (view) => at(view, 'query', 'sort'), wide: true },
]

const idOf = (view: Json) => text(view, 'id') ?? ''

/** One saved view. */
export const savedViewRecord = record(
  columns.map((column) =>
    column.name === 'created_at' ? { ...column, title: 'created_at', show: atTheMinute } : column,
  ),
  idOf,
)

function atTheMinute(view: Json, showing: Showing): string {
  return shownTime(text(view, 'created_at'), { ...showing, wide: true })
}

/** Several saved views. */
export const savedViewList = list(columns, idOf, { empty: 'no saved views' })
