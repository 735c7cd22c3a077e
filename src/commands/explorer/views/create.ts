import * as api from '../../../api/explorer.ts'
import { command } from '../../../core/command.ts'
import { usageError } from '../../../core/errors.ts'
import { argument, flag } from '../../../core/param.ts'
import { readView } from '../filter/filter.ts'
import { definitionParams, readChanges, readFile, sayRelative, scopeOf, written } from './definition.ts'
import { savedViewBody } from './saved-view.ts'

export const viewsCreate = command({
  name: 'create',
  summary: 'Store a query by name',
  description: `The view comes from flags, or from a file with name, query_type and query (filter, fields, sort), as printed by views get -o json or -o yaml; flags override the file. A relative date in a filter (30d, within 30d) is stored as an absolute date.`,
  endpoint: api.createView,
  params: {
    name: argument.text("name of the saved view; by default the file's", { placeholder: 'name' }),
    type: flag.text('the view to query: workspaces, tf_versions, providers or modules', {
      placeholder: 'view',
      complete: 'explorer-view',
    }),
    ...definitionParams,
  },
  examples: [
    {
      line: "explorer views create 'Drifted' --type workspaces --filter 'drifted is true' --sort=-resources_drifted",
      note: 'from flags',
    },
    { line: 'explorer views create --from-file view.yaml', note: 'from a file' },
    {
      line: 'explorer views create Copy --from-file view.json',
      note: 'a copy of the output of views get -o json, with another name',
    },
  ],
  async run(input, context) {
    const file = await readFile(input, context)
    const name = input.name ?? file?.name
    if (name === undefined || name === '') throw usageError('the view needs a name', 'pass it: views create <name> …')
    const typed = input.type ?? file?.type
    if (typed === undefined) throw usageError('--type is required: the view to query', 'for example --type workspaces')
    const type = readView(typed, { check: input.noCheck !== true })
    const changes = readChanges(input, file, scopeOf(input, context, type))
    const bodies = savedViewBody({ name, type, query: changes.query }, input)
    sayRelative(context, changes.filters)
    const response = await context.http.send(
      api.createView({}, { ...bodies, checkCommand: context.commandLine('explorer views list') }),
    )
    return written(response, `stored the saved view '${name}'`, { name, type })
  },
})
