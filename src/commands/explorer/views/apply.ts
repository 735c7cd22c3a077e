import * as api from '../../../api/explorer.ts'
import { text } from '../../../core/answer.ts'
import { cell, command, list } from '../../../core/command.ts'
import type { ValueResult } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes, TugError } from '../../../core/errors.ts'
import type { Tone } from '../../../core/output.ts'
import { argument, flag } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import { noCheckFlag } from '../query-params.ts'
import { everyRow } from '../paging.ts'
import { bodyFlag, sayRelative } from './definition.ts'
import { collect, listSource } from './place.ts'
import type { Step } from './plan.ts'
import { planOf, readWanted } from './plan.ts'
import { savedViewBody } from './saved-view.ts'

export const viewsApply = command({
  name: 'apply',
  summary: 'Create or update saved views from files',
  description: `Makes the saved views what the files say, by name: missing ones are created, those that differ are updated, and the others are left alone. A file is JSON or YAML and has one view or several: what views get, views list, -o json, -o ndjson or -o yaml print, or name, query_type and query (filter, fields, sort). Filters may also be written as in --filter. What a file omits is empty: no filters, all fields, no sorting. IDs in files are ignored.

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
    body: bodyFlag,
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
    return carryOut(context, [...steps, ...pruned], input)
  },
})

/** How the bodies of requests are written. */
type Form = Parameters<typeof savedViewBody>[1]

/** Takes the steps in order and reports each. A refusal doesn't stop the others, but then nothing is deleted. */
async function carryOut(context: Context, steps: readonly Step[], form: Form): Promise<ValueResult> {
  const rows: Row[] = []
  const failures: TugError[] = []
  let stop: TugError | undefined
  for (const step of steps) {
    if (stop !== undefined) {
      rows.push(row(step, 'not_sent'))
      continue
    }
    if (step.action === 'delete' && failures.length > 0) {
      rows.push(row(step, 'kept'))
      continue
    }
    try {
      rows.push(await take(context, step, form))
    } catch (error) {
      if (!(error instanceof TugError)) throw error
      const isUnknown = error.reason === 'in_doubt' || error.code === 'interrupted'
      rows.push(row(step, isUnknown ? 'unknown' : 'failed', step.id, context.io.withoutSecrets(error.message)))
      if (['interrupted', 'unreachable'].includes(error.code)) {
        stop = error
        continue
      }
      failures.push(error)
      context.io.warn(`'${step.name}': ${error.message}`)
      for (const hint of error.hints) context.io.hint(hint)
    }
  }
  return {
    data: rows,
    view,
    finish: () => context.io.note(summaryOf(rows)),
    ...(failures.length === 0 ? {} : { exitCode: exitOf(failures, steps.length) }),
    ...(stop === undefined ? {} : { failure: stop }),
  }
}

const done = { create: 'created', update: 'updated', delete: 'deleted', keep: 'unchanged' } as const

async function take(context: Context, step: Step, form: Form): Promise<Row> {
  const { action, name, id = '', type, query } = step
  const checkCommand = context.commandLine('explorer views list')
  if (action === 'keep') return row(step, done.keep)
  if (action === 'delete') {
    await context.http.send(api.deleteView({ view: id }, { checkCommand }))
    return row(step, done.delete)
  }
  const bodies = savedViewBody({ ...(action === 'update' ? { id } : {}), name, type, query }, form)
  const request =
    action === 'update'
      ? api.updateView({ view: id }, { ...bodies, checkCommand })
      : api.createView({}, { ...bodies, checkCommand })
  const answer = await context.http.send(request)
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
  const alike = first !== undefined && failures.every(({ code }) => code === first.code)
  return alike && failures.length === steps ? first.exit : exitCodes.partial
}

function summaryOf(rows: readonly Row[]): string {
  const counts = new Map<string, number>()
  for (const { action } of rows) counts.set(action, (counts.get(action) ?? 0) + 1)
  return (
    [...counts].map(([action, count]) => `${count} ${action.replace('_', ' ')}`).join(', ') || 'no views in the files'
  )
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

const view = list<Row>(
  [
    { name: 'action', value: ({ action }) => action, show: ({ action }) => cell(action, tones[action]) },
    { name: 'name', value: ({ name }) => name },
    { name: 'type', value: ({ type }) => type },
    { name: 'id', value: ({ id }) => id, whole: true },
    { name: 'error', value: ({ error }) => error, wide: true },
  ],
  ({ id, name }) => id ?? name,
  { empty: 'no views in the files' },
)
