import * as api from '../../../api/explorer.ts'
import { command } from '../../../core/command.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import type { Input } from '../../../core/param.ts'
import { definitionParams, readChanges, readFile, sayRelative, scopeOf, written } from './definition.ts'
import type { ViewFile } from './file.ts'
import { viewArgument, viewIdOf, viewWords } from './place.ts'
import { attributesOf, readSavedView, readStoredQuery, savedViewBody, savedViewOf } from './saved-view.ts'
import type { StoredQuery } from './saved-view.ts'

const params = {
  view: viewArgument,
  name: flag.text('its new name'),
  ...definitionParams,
  clearFilter: flag.boolean('remove all filters'),
  clearFields: flag.boolean('show all fields again'),
  clearSort: flag.boolean('remove the sorting'),
}

export const viewsUpdate = command({
  name: 'update',
  summary: 'Change a saved view; everything else is kept',
  description: `Reads the view first, because an update must contain all of it. Its type cannot be changed.`,
  endpoint: api.updateView,
  also: [api.listViews, api.readView],
  params,
  examples: [
    { line: "explorer views update sq-7RkT2mWq9ZbX4cLd --name 'Drift report'", note: 'another name, nothing else' },
    {
      line: "explorer views update sq-7RkT2mWq9ZbX4cLd -f 'drifted is true' -f 'project_name is Payments' --clear-sort",
      note: 'replace all filters, no sorting',
    },
    { line: 'explorer views update sq-7RkT2mWq9ZbX4cLd --from-file view.yaml', note: 'from a file' },
  ],
  async run(input, context) {
    refuseContradictions(input)
    const file = await readFile(input, context)
    // Errors are found before anything is sent; whether the names fit this view is known after the read.
    readChanges(input, file, scopeOf(input, context, undefined))
    const view = await viewIdOf(context, input.view)
    const stored = savedViewOf((await context.http.send(api.readView({ view }))).value)
    const known = readSavedView(stored)
    const { type } = known
    const changes = readChanges(input, file, scopeOf(input, context, typeof type === 'string' ? type : undefined))
    refuseOtherType(file, type)
    const query: StoredQuery = {
      ...readStoredQuery(attributesOf(stored).query),
      ...changes.query,
      ...(input.clearFilter === true ? { filter: [] } : {}),
      ...(input.clearFields === true ? { fields: [] } : {}),
      ...(input.clearSort === true ? { sort: [] } : {}),
    }
    const name = input.name ?? file?.name ?? known.name
    const bodies = savedViewBody({ id: view, name, type, query }, input)
    sayRelative(context, changes.filters)
    const checkCommand = context.commandLine('explorer views get', view)
    const response = await context.http.send(api.updateView({ view }, { ...bodies, checkCommand }))
    return written(response, `changed the saved view ${viewWords(input.view)}`, { id: view })
  },
})

function refuseContradictions(input: Input<typeof params>): void {
  const given = { filter: input.filter.length > 0, fields: input.fields !== undefined, sort: input.sort !== undefined }
  const cleared = {
    filter: input.clearFilter === true,
    fields: input.clearFields === true,
    sort: input.clearSort === true,
  }
  for (const part of ['filter', 'fields', 'sort'] as const) {
    if (given[part] && cleared[part]) throw usageError(`--${part} and --clear-${part} cannot be used together`)
  }
  const changes = [...Object.values(given), ...Object.values(cleared)].includes(true)
  if (!changes && input.name === undefined && input.fromFile === undefined) {
    throw usageError('nothing to change', 'give --name, --filter, --fields, --sort, --clear-… or --from-file')
  }
}

function refuseOtherType(file: ViewFile | undefined, type: Json): void {
  if (file?.type === undefined || typeof type !== 'string' || file.type === type) return
  throw usageError(`the view queries ${type}, the file ${file.type}; the type of a saved view cannot be changed`)
}
