import { findOperator } from '../../../api/explorer-fields.ts'
import * as api from '../../../api/explorer.ts'
import type { AnsweredView } from '../../../api/explorer.ts'
import { asJson } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import { unlessForbidden } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, stringifyJson } from '../../../core/json.ts'
import { digestOf } from '../../../write/settings.ts'
import type { Applied, Decision, Facts, ItemRun } from '../../../write/work.ts'
import { unseen } from '../../../write/work.ts'
import type { StoredQuery, viewWriter } from './saved-view.ts'
import {
  attributesOf,
  conditionText,
  filterParts,
  filtersIn,
  readSavedView,
  readStoredQuery,
  savedViewOf,
} from './saved-view.ts'
import { savedViewRecord } from './views.ts'

type Writer = ReturnType<typeof viewWriter>

/** The wanted state of a saved view. */
export interface WantedView {
  readonly name: string
  readonly type: string
  readonly query: Partial<StoredQuery>
}

/** Decides the creation of a saved view. */
export function decideCreation(context: Context, wanted: WantedView, writer: Writer): Decision {
  const { name, type } = wanted
  writer.check(context, wanted)
  const checkCommand = context.commandLine('explorer views list')
  return {
    action: 'create',
    words: `new: ${type}${conditionWords(wanted.query)}`,
    facts: { type },
    apply: async (run) =>
      applied(
        await writer.send(run.context, wanted, (body) => api.createView({}, { ...body, checkCommand })),
        `stored the saved view '${name}'`,
      ),
  }
}

/** Decides the update of a stored view. Throws "not found" if it doesn't exist. */
export async function decideUpdate(
  context: Context,
  id: string,
  wantedFor: (query: StoredQuery, stored: AnsweredView) => WantedView,
  writer: Writer,
): Promise<Decision> {
  const stored = savedViewOf((await context.http.send(api.readView({ view: id }))).value)
  const before = readStoredQuery(attributesOf(stored).query)
  const { name: oldName, type } = readSavedView(stored)
  const wanted = wantedFor(before, stored)
  const after = { ...before, ...wanted.query }
  const facts: Facts = { id, type }
  const guard = digestOf(asJson(attributesOf(stored)))
  const parts = differentParts(before, after)
  const words = [
    ...(wanted.name === (oldName ?? '') ? [] : [`name: ${oldName ?? ''} → ${wanted.name}`]),
    ...parts.map((part) => (part === 'filter' ? `filter:${conditionWords(after) || ' none'}` : part)),
  ]
  if (words.length === 0) return { action: 'unchanged', words: 'unchanged', facts, guard }
  writer.check(context, { ...wanted, id, query: after })
  const checkCommand = context.commandLine('explorer views get', id)
  return {
    action: 'change',
    words: words.join('   '),
    facts,
    guard,
    apply: async (run) =>
      applied(
        await writer.send(run.context, { ...wanted, id, query: after }, (body) =>
          api.updateView({ view: id }, { ...body, checkCommand }),
        ),
        `changed the saved view '${wanted.name}'`,
      ),
  }
}

/** Decides the deletion of a stored view, which is `named` in messages. Throws "not found" if it doesn't exist. */
export async function decideDeletion(context: Context, id: string, named = id): Promise<Decision> {
  const apply = async (run: ItemRun): Promise<Applied> => {
    const checkCommand = context.commandLine('explorer views list')
    await run.context.http.send(api.deleteView({ view: id }, { checkCommand }))
    return { words: `deleted the saved view ${named}` }
  }
  try {
    const stored = savedViewOf((await context.http.send(api.readView({ view: id }))).value)
    const { name, type } = readSavedView(stored)
    const guard = digestOf(asJson(attributesOf(stored)))
    const words = `${type ?? ''}${conditionWords(readStoredQuery(attributesOf(stored).query))}`
    return { action: 'delete', words, facts: { id, name, type }, guard, apply }
  } catch (error) {
    unlessForbidden(error)
    return { ...unseen, facts: { id }, apply }
  }
}

/** The result of a write, with the stored view if the response contains it. */
function applied(response: HttpResponse<{ readonly data: AnsweredView } | null>, words: string): Applied {
  const view = response.value?.data
  if (view === undefined) return { words }
  const saved = asJson(readSavedView(view))
  return { words, facts: isObject(saved) ? saved : {}, view: savedViewRecord, rawBody: response.body }
}

function conditionWords({ filter }: Partial<StoredQuery>): string {
  const filters = filtersIn(filter)
  return filters.length === 0 ? '' : ` ${conditionText(filters)}`
}

/** True if two queries are equal. The order of filters has no meaning. */
export function isSameQuery(one: StoredQuery, other: StoredQuery): boolean {
  return differentParts(one, other).length === 0
}

function differentParts(one: StoredQuery, other: StoredQuery) {
  return (['filter', 'fields', 'sort', 'more'] as const).filter(
    (part) => partText(part, one[part]) !== partText(part, other[part]),
  )
}

function partText(part: keyof StoredQuery, value: Json | StoredQuery['more']): string {
  if (part === 'more')
    return stringifyJson((value as StoredQuery['more']).map((member) => stringifyJson(member)).toSorted())
  if (part !== 'filter') return stringifyJson(value)
  const filters = filtersIn(value as Json).map((entry) => {
    const { field, operator, value: operand } = filterParts(entry)
    // Servers store various values for an operator that takes none.
    return stringifyJson([field, operator, findOperator(operator)?.alone === true ? [] : operand])
  })
  return stringifyJson(filters.toSorted())
}
