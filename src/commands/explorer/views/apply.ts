import { findOperator } from '../../../api/explorer-fields.ts'
import * as api from '../../../api/explorer.ts'
import type { AnsweredView } from '../../../api/explorer.ts'
import { text } from '../../../core/answer.ts'
import type { ValueResult } from '../../../core/command.ts'
import { cell, command, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes, TugError, usageError } from '../../../core/errors.ts'
import { stringifyJson } from '../../../core/json.ts'
import { grouped } from '../../../core/lists.ts'
import type { Tone } from '../../../core/output.ts'
import { argument, flag } from '../../../core/param.ts'
import { fileWords, plural } from '../../../core/words.ts'
import type { Filter, Scope } from '../filter.ts'
import { readView } from '../filter.ts'
import { everyRow } from '../paging.ts'
import { noCheckFlag } from '../query.ts'
import type { ViewFile } from './file.ts'
import { namedTwice, severalNamed, typeFixed, typeMissing, unnamed } from './messages.ts'
import { collect, listSource } from './views.ts'
import type { StoredQuery } from './saved-view.ts'
import { attributesOf, filterParts, filtersIn, readSavedView, readStoredQuery, viewWriter } from './saved-view.ts'
import { readChanges, sayRelative, scopeOf } from './create.ts'

export const viewsApply = command({
  name: 'apply',
  summary: 'Create or update saved views from files',
  description: `Makes the saved views what the files say, by name: missing ones are created, those that differ are updated, and the others are left alone. A file is JSON or YAML and has one saved view or several: what views get, views list, -o json, -o ndjson or -o yaml print, or name, query_type and query (filter, fields, sort). Filters may also be written as in --filter. What a file omits is empty: no filters, all fields, no sorting. IDs in files are ignored.

  - name: Drifted
    query_type: workspaces
    query:
      filter: ['drifted is true']
      fields: [workspace_name, project_name, resources_drifted]
      sort: ['-resources_drifted']

Everything is checked before anything is written. --prune deletes the saved views that no file has, after asking, and only if nothing failed before.`,
  also: [api.listViews, api.createView, api.updateView, api.deleteView],
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
  async run(input, context) {
    const wanted = await readWanted(input.files, input, context)
    const stored = await collect(await everyRow(context, listSource))
    const { steps, others } = planOf(context, wanted, stored)
    for (const { filters } of wanted) sayRelative(context, filters)
    const pruned = input.prune === true ? others : []
    if (pruned.length > 0) {
      const names = pruned.map(({ name }) => `'${name}'`).join(', ')
      await context.io.confirm(`Delete ${plural(pruned.length, 'saved view')} that no file has: ${names}?`)
    }
    return carryOut(context, [...steps, ...pruned], viewWriter(context, input.noCheck))
  },
})

type Writer = ReturnType<typeof viewWriter>

/** Takes the steps in order and reports each. A refusal doesn't stop the others, but then nothing is deleted. */
async function carryOut(context: Context, steps: readonly Step[], write: Writer): Promise<ValueResult> {
  const rows: Row[] = []
  const failures: TugError[] = []
  let stop: TugError | undefined
  for (const step of steps) {
    if (stop !== undefined || (step.action === 'delete' && failures.length > 0)) {
      rows.push(row(step, stop === undefined ? 'kept' : 'not_sent'))
      continue
    }
    try {
      rows.push(await take(context, step, write))
    } catch (error) {
      if (!(error instanceof TugError)) throw error
      const isUnknown = error.reason === 'in_doubt' || error.code === 'interrupted'
      rows.push(row(step, isUnknown ? 'unknown' : 'failed', step.id, context.io.withoutSecrets(error.message)))
      if (['interrupted', 'unreachable'].includes(error.code)) {
        stop = error
        continue
      }
      failures.push(error)
      context.io.doubt(`'${step.name}': ${error.message}`)
      for (const hint of error.hints) context.io.hint(hint)
    }
  }
  return {
    data: rows,
    view: appliedView,
    finish: () => context.io.note(summaryOf(rows)),
    exitCode: exitOf(failures, steps.length),
    ...(stop === undefined ? {} : { failure: stop }),
  }
}

const done = { create: 'created', update: 'updated', delete: 'deleted', keep: 'unchanged' } as const

async function take(context: Context, step: Step, write: Writer): Promise<Row> {
  const { action, name, id = '', type, query } = step
  const checkCommand = context.commandLine('explorer views list')
  if (action === 'keep') return row(step, done.keep)
  if (action === 'delete') {
    await context.http.send(api.deleteView({ view: id }, { checkCommand }))
    return row(step, done.delete)
  }
  const isUpdate = action === 'update'
  const answer = await write({ ...(isUpdate ? { id } : {}), name, type, query }, (body) => {
    const parts = { ...body, checkCommand }
    return isUpdate ? api.updateView({ view: id }, parts) : api.createView({}, parts)
  })
  return row(step, done[action], text(answer.json(), 'data', 'id') ?? step.id)
}

/** What became of a saved view. */
type Row = {
  readonly action: string
  readonly name: string
  readonly type: string
  readonly id: string | null
  readonly error?: string
}

function row({ name, type, id }: Step, action: string, given = id, error?: string): Row {
  return { action, name, type, id: given ?? null, ...(error === undefined ? {} : { error }) }
}

function exitOf(failures: readonly TugError[], steps: number): number {
  const [first] = failures
  if (first === undefined) return 0
  const alike = failures.length === steps && failures.every(({ code }) => code === first.code)
  return alike ? first.exit : exitCodes.partial
}

function summaryOf(rows: readonly Row[]): string {
  const counts = [...grouped(rows, ({ action }) => action)]
  const words = counts.map(([action, { length }]) => `${length} ${action.replace('_', ' ')}`)
  return words.join(', ') || 'no saved views in the files'
}

const tones: Readonly<Record<string, Tone>> = {
  created: 'good',
  updated: 'change',
  deleted: 'bad',
  failed: 'bad',
  unknown: 'bad',
  unchanged: 'dim',
  kept: 'dim',
  not_sent: 'dim',
}

const appliedView = list<Row>(
  [
    { name: 'action', value: ({ action }) => action, show: ({ action }) => cell(action, tones[action]) },
    { name: 'name', value: ({ name }) => name },
    { name: 'type', value: ({ type }) => type },
    { name: 'id', value: ({ id }) => id, whole: true },
    { name: 'error', value: ({ error }) => error, wide: true },
  ],
  ({ id, name }) => id ?? name,
  { empty: 'no saved views in the files' },
)

/** A saved view as a file wants it. */
export interface Wanted {
  readonly name: string
  readonly type: string
  readonly query: StoredQuery
  readonly filters: readonly Filter[]
}

/** What is to be done about one saved view. */
export interface Step {
  readonly action: 'create' | 'update' | 'delete' | 'keep'
  readonly name: string
  readonly type: string
  /** Undefined for a view that doesn't exist yet. */
  readonly id: string | undefined
  /** What to write. */
  readonly query: StoredQuery
}

/** The views of all files, checked. Throws a usage error naming the file for anything that couldn't be written. */
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
      throw usageError(`${fileWords(file)} has no saved view`, '[] stands for none')
    for (const view of views) {
      const { name = '' } = view
      if (name === '') throw unnamed(fileWords(file))
      const other = places.get(name)
      if (other !== undefined) throw namedTwice(name, other, fileWords(file))
      places.set(name, fileWords(file))
      const place = `${fileWords(file)}: the saved view '${name}'`
      if (view.type === undefined) throw typeMissing(place)
      const type = readView(view.type, { check: noCheck !== true })
      const { filters, query } = checked(view, place, scopeOf({ noCheck }, context, type))
      wanted.push({ name, type, filters, query: { filter: [], fields: [], sort: [], more: [], ...query } })
    }
  }
  return wanted
}

/** The changes that a file asks for, checked. An error begins with the place. */
function checked(view: ViewFile, place: string, scope: Scope) {
  try {
    return readChanges({ filter: [], fields: undefined, sort: undefined }, view, scope)
  } catch (error) {
    throw error instanceof TugError ? error.with({ message: `${place}: ${error.message}` }) : error
  }
}

/**
 * What makes the stored views those that are wanted, and the deletion of all others. Throws a usage error if a name isn't unique,
 * or if a view would have to query something else, which cannot be changed.
 */
export function planOf(
  { commandLine }: Pick<Context, 'commandLine'>,
  wanted: readonly Wanted[],
  stored: readonly AnsweredView[],
): { readonly steps: readonly Step[]; readonly others: readonly Step[] } {
  const views = stored.map((data) => {
    const { id, name, type } = readSavedView(data)
    return { id, name: name ?? '', type: type ?? '', query: readStoredQuery(attributesOf(data).query) }
  })
  const steps = wanted.map(({ name, type, query }): Step => {
    const [found, ...more] = views.filter((view) => view.name === name)
    if (found === undefined) return { action: 'create', name, type, id: undefined, query }
    if (more.length > 0) {
      const ids = [found, ...more].map(({ id }) => id)
      throw severalNamed(name, ids, 'rename or delete all but one')
    }
    if (found.type !== type)
      throw typeFixed(name, found.type, type, `delete it first: ${commandLine('explorer views delete', found.id)}`)
    const merged = { ...query, more: [...new Map([...found.query.more, ...query.more])] }
    return {
      action: comparable(found.query) === comparable(merged) ? 'keep' : 'update',
      name,
      type,
      id: found.id,
      query: merged,
    }
  })
  const names = new Set(wanted.map(({ name }) => name))
  const others = views
    .filter(({ name }) => !names.has(name))
    .map(({ id, name, type, query }): Step => ({ action: 'delete', name, type, id, query }))
  return { steps, others }
}

/** A query as text: filters in any order, because all of them must fit. */
function comparable({ filter, fields, sort, more }: StoredQuery): string {
  const filters = filtersIn(filter).map((entry) => {
    const { field, operator, value } = filterParts(entry)
    // Servers keep different things as the value of an operator that takes none.
    return stringifyJson([field, operator, findOperator(operator)?.alone === true ? [] : value])
  })
  return stringifyJson([filters.toSorted(), fields, sort, more.map((member) => stringifyJson(member)).toSorted()])
}
