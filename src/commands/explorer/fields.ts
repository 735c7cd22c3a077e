import { command, list } from '../../core/command.ts'
import type { Column } from '../../core/output.ts'
import { argument } from '../../core/param.ts'
import { wireField, fieldsOf, laterName, operatorsOf, viewNames } from '../../api/explorer-fields.ts'
import { readView } from './filter.ts'

interface FieldRow {
  readonly view: string
  readonly field: string
  readonly type: string
  readonly operators: string[]
  readonly meaning: string
}

const column = (name: keyof FieldRow): Column<FieldRow> => ({ name, value: (row) => row[name] })

const columns: readonly Column<FieldRow>[] = [
  column('view'),
  { ...column('field'), whole: true },
  column('type'),
  { ...column('operators'), whole: true },
  { ...column('meaning'), wide: true },
]

/** Needs no server. */
export const fields = command({
  name: 'fields',
  summary: 'List the fields, types and operators of each view, offline',
  description: `The names that --filter, --sort and --fields are checked against, with --dialect hashicorp also those of newer services. Either spelling is accepted.`,
  params: { view: argument.text('only this view', { placeholder: 'view', complete: 'explorer-view' }) },
  examples: [
    { line: 'explorer fields workspaces', note: 'what a workspace can be filtered by' },
    { line: 'explorer fields --dialect hashicorp -o json', note: 'every view of newer services, for a program' },
  ],
  async run({ view }, { settings }) {
    const isLater = (name: string, filtered: readonly string[] = []) =>
      laterName(name, { filtered, named: [] }) !== undefined
    const all = settings.dialect === 'hashicorp' || (view !== undefined && isLater(view))
    const isShown = (name: string, filtered?: readonly string[]) => all || !isLater(name, filtered)
    const views =
      view === undefined
        ? viewNames().filter((name) => isShown(name))
        : [readView(view, { check: true, dialect: settings.dialect })]
    const data = views.flatMap((name) =>
      fieldsOf(name)
        .filter((field) => isShown(name, [field.name]))
        .map(({ name: field, type, meaning }) => {
          const product = wireField(field, 'hashicorp')
          const row = { view: name, field, type, operators: operatorsOf(type).map((one) => one.name), meaning }
          return product === field ? row : { ...row, product_name: product }
        }),
    )
    const shown = view === undefined ? columns : columns.slice(1)
    const folded = {
      columns: shown.length - 2,
      always: false,
      below: ({ operators }: FieldRow) => [operators.join(', ')],
    }
    return { data, view: list(shown, ({ field }) => field, { folded }) }
  },
})
