import * as api from '../../../api/explorer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { argument, flag } from '../../../core/param.ts'
import { fileWords, plural } from '../../../core/words.ts'
import type { Decision, Work } from '../../../write/work.ts'
import { stage } from '../../../write/work.ts'
import { write } from '../../../write/write.ts'
import type { Filter, Scope } from '../filter.ts'
import { readView } from '../filter.ts'
import { noCheckFlag } from '../query.ts'
import { noteRelative, readChanges, scopeOf } from './create.ts'
import { decideCreation, decideDeletion, decideUpdate, isSameQuery } from './decide.ts'
import type { ViewFile } from './file.ts'
import type { StoredQuery } from './saved-view.ts'
import { attributesOf, readSavedView, readStoredQuery, viewWriter, typeFixed } from './saved-view.ts'
import { listViews, severalNamed } from './views.ts'

export const viewsApply = write({
  name: 'apply',
  summary: 'Create or update saved views from files',
  description: `Syncs saved views from files, by name. A file is JSON or YAML with one saved view or several: the output of views get or views list with -o json, ndjson or yaml, or name, query_type and query (filter, fields, sort). Filters may also be written as in --filter. What a file omits is empty: no filters, all fields, no sorting. IDs in files are ignored.

  - name: Drifted
    query_type: workspaces
    query:
      filter: ['drifted is true']
      fields: [workspace_name, project_name, resources_drifted]
      sort: ['-resources_drifted']

Everything is checked before anything is written. --prune asks, and deletes only if nothing failed before. A saved view is read again right before it is changed or deleted, and one that has changed since the question is not deleted. Services can't prevent a change between that read and the write.`,
  also: [api.listViews, api.readView, api.createView, api.updateView, api.deleteView],
  params: {
    files: argument.texts('JSON or YAML files (-: standard input)', {
      required: true,
      placeholder: 'file',
      complete: 'file',
    }),
    prune: flag.boolean('delete the saved views that no file has'),
    noCheck: noCheckFlag,
  },
  examples: [
    { line: 'explorer views apply views.yaml', note: 'create and update what the file has' },
    { line: 'explorer views apply views.yaml --prune --yes', note: 'and delete everything else' },
    { line: 'explorer views list -o json | tug explorer views apply -', note: 'nothing to do' },
  ],
  async open(input, context): Promise<Work> {
    const wanted = await readWanted(input.files, input, context)
    const first = await readStored(context)
    for (const one of wanted) foundFor(context, one, first)
    for (const { filters } of wanted) noteRelative(context, filters)
    const writer = viewWriter(input.noCheck)
    for (const one of wanted) writer.check(context, one)
    const names = new Set(wanted.map(({ name }) => name))
    const decided = new Set<Wanted>()
    return {
      action: 'apply',
      target: 'view',
      noun: 'saved view',
      columns: ['id', 'type'],
      parallel: 1,
      stages: [
        stage<Wanted>({
          targets: wanted,
          nameOf: ({ name }) => name,
          async decide(one): Promise<Decision> {
            // A second call follows a write without a response: read again.
            const views = decided.has(one) ? await readStored(context) : first
            decided.add(one)
            return decideWanted(context, one, foundFor(context, one, views), writer)
          },
        }),
        ...(input.prune === true
          ? [
              stage<Stored>({
                targets: first.filter(({ name }) => !names.has(name)),
                nameOf: ({ name }) => name,
                decide: ({ id }) =>
                  decideDeletion(context, id).catch((error: unknown) => {
                    if (error instanceof TugError && error.code === 'not_found') return undefined
                    throw error
                  }),
                ask: (shown) => {
                  const pruned = shown.filter(({ hasWork }) => hasWork).map(({ item }) => `'${item}'`)
                  return `Delete ${plural(pruned.length, 'saved view')} that no file has: ${pruned.join(', ')}?`
                },
              }),
            ]
          : []),
      ],
    }
  },
})

/** A saved view on the server. */
interface Stored {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly query: StoredQuery
}

async function readStored(context: Context): Promise<Stored[]> {
  return (await listViews(context)).map((data) => {
    const { id, name, type } = readSavedView(data)
    return { id, name: name ?? '', type: type ?? '', query: readStoredQuery(attributesOf(data).query) }
  })
}

/** The stored view with this name. Throws a usage error if several have it, or if its type, which is fixed, differs. */
function foundFor(
  { commandLine }: Pick<Context, 'commandLine'>,
  { name, type }: Pick<Wanted, 'name' | 'type'>,
  stored: readonly Stored[],
): Stored | undefined {
  const [found, ...more] = stored.filter((view) => view.name === name)
  if (found === undefined) return undefined
  if (more.length > 0)
    throw severalNamed(
      name,
      [found, ...more].map(({ id }) => id),
      'rename or delete all but one',
    )
  if (found.type !== type)
    throw typeFixed(name, found.type, type, `delete it first: ${commandLine('explorer views delete', found.id)}`)
  return found
}

/** Decides from the list if the stored view is unchanged; otherwise reads it again. */
async function decideWanted(
  context: Context,
  wanted: Wanted,
  found: Stored | undefined,
  writer: ReturnType<typeof viewWriter>,
): Promise<Decision> {
  const { name, type, query } = wanted
  if (found === undefined) return decideCreation(context, { name, type, query }, writer)
  const merged = ({ more }: StoredQuery) => ({ ...query, more: [...new Map([...more, ...query.more])] })
  const facts = { id: found.id, type }
  if (isSameQuery(found.query, merged(found.query))) return { action: 'unchanged', words: 'unchanged', facts }
  return decideUpdate(context, found.id, (now) => ({ name, type, query: merged(now) }), writer)
}

/** A saved view as a file defines it. */
interface Wanted {
  readonly name: string
  readonly type: string
  readonly query: StoredQuery
  readonly filters: readonly Filter[]
}

/** Reads and checks the views of all files. Throws a usage error that names the file. */
async function readWanted(
  files: readonly string[],
  { noCheck }: { readonly noCheck: boolean | undefined },
  context: Context,
): Promise<Wanted[]> {
  const { readViewFiles } = await import('./file.ts')
  const wanted: Wanted[] = []
  const places = new Map<string, string>()
  for (const file of files) {
    const content = await context.io.readText(file)
    const views = readViewFiles(content, file)
    // Probably the output of a program that failed.
    if (views.length === 0 && !/^\s*\[/.test(content))
      throw usageError(`${fileWords(file)} has no saved view`, 'write [] for none')
    for (const view of views) {
      const { name = '' } = view
      if (name === '') throw usageError(`${fileWords(file)}: a saved view has no name`)
      const other = places.get(name)
      if (other !== undefined)
        throw usageError(`the saved view '${name}' is in ${other} and again in ${fileWords(file)}`)
      places.set(name, fileWords(file))
      const place = `${fileWords(file)}: the saved view '${name}'`
      if (view.type === undefined) throw usageError(`${place} has no query_type`)
      const type = readView(view.type, { check: noCheck !== true, dialect: context.settings.dialect })
      const { filters, query } = readDefinition(view, place, scopeOf({ noCheck }, context, type))
      wanted.push({ name, type, filters, query: { filter: [], fields: [], sort: [], more: [], ...query } })
    }
  }
  return wanted
}

/** Reads and checks a view of a file. Errors start with the place. */
function readDefinition(view: ViewFile, place: string, scope: Scope) {
  try {
    return readChanges({ filter: [], fields: undefined, sort: undefined }, view, scope)
  } catch (error) {
    throw error instanceof TugError ? error.with({ message: `${place}: ${error.message}` }) : error
  }
}
