import * as api from '../../api/explorer.ts'
import { at, number, text } from '../../core/answer.ts'
import { cell, command, list } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { stringifyJson } from '../../core/json.ts'
import type { Showing } from '../../core/output.ts'
import { flag } from '../../core/param.ts'
import { bar } from '../../output/bars.ts'
import { everyRow } from './paging.ts'
import { filterFlag, noCheckFlag, readQuery, viewArgument } from './query.ts'
import { rowFlattener } from './rows.ts'
import { isListField } from '../../api/explorer-fields.ts'

const barWidth = 24

export const summary = command({
  name: 'summary',
  summary: 'Count the rows of a view by the values of a field',
  description: `Reads every page, with this field only. A row with a list of values (modules, providers, tags, workspaces) counts for each of them.`,
  also: [api.query],
  params: {
    view: viewArgument,
    by: flag.text('the field whose values are counted', {
      required: true,
      placeholder: 'field',
      complete: 'explorer-field',
    }),
    filter: filterFlag,
    noCheck: noCheckFlag,
  },
  examples: [
    { line: 'explorer summary workspaces --by current_run_status', note: 'runs by status' },
    { line: 'explorer summary workspaces --by workspace_tool_version -o csv', note: 'the version inventory' },
    { line: "explorer summary workspaces --by project_name -f 'drifted is true'", note: 'drift by project' },
  ],
  async run({ by, ...input }, context) {
    const query = readQuery(context, { ...input, fields: [by] })
    const field = query.fields?.[0] ?? by
    const all = await everyRow(context, { ...query, request: (parts) => api.query({}, parts) })
    const flatten = rowFlattener(query.view, query.fields)
    const counts = new Map<string, { value: Json; count: number }>()
    let rows = 0
    for await (const row of all.rows) {
      rows += 1
      for (const value of valuesOf(at(flatten(row), field) ?? null, field)) {
        const key = stringifyJson(value)
        const known = counts.get(key) ?? { value, count: 0 }
        known.count += 1
        counts.set(key, known)
      }
    }
    const data = [...counts.values()]
      .toSorted((a, b) => b.count - a.count || (stringifyJson(a.value) < stringifyJson(b.value) ? -1 : 1))
      .map(({ value, count }) => ({ [field]: value, count, share: Math.round((count / rows) * 1000) / 1000 }))
    const exitCode = all.finish()
    return { data, view: countsView(field, data[0]?.count ?? 0), ...(exitCode === undefined ? {} : { exitCode }) }
  },
})

function valuesOf(value: Json, field: string): Json[] {
  return typeof value === 'string' && isListField(field) ? [...new Set(value.split(/,\s*/))] : [value]
}

function countsView(field: string, most: number) {
  const shareText = (row: Json, { draws, lasting }: Showing) => {
    const percent = `${Math.round((number(row, 'share') ?? 0) * 100)}%`
    if (lasting) return percent
    if (!draws) return percent.padStart(4)
    return `${percent.padStart(4)}  ${bar(number(row, 'count') ?? 0, most, barWidth)}`
  }
  return list<Json>(
    [
      {
        name: field,
        value: (row) => at(row, field),
        show: (row) => (at(row, field) === null ? cell('(none)', 'dim') : String(at(row, field))),
        whole: true,
      },
      { name: 'count', value: (row) => at(row, 'count'), align: 'right' },
      { name: 'share', value: (row) => at(row, 'share'), show: shareText },
    ],
    (row) => text(row, field) ?? '',
    { empty: 'no rows' },
  )
}
