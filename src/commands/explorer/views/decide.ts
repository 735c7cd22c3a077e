import { anyField, findOperator, specFields } from '../../../api/explorer-fields.ts'
import * as api from '../../../api/explorer.ts'
import type { AnsweredView } from '../../../api/explorer.ts'
import { asJson } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import { TugError, unlessForbidden } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, stringifyJson } from '../../../core/json.ts'
import { digestOf } from '../../../write/settings.ts'
import type { Applied, Decision, Facts, ItemRun } from '../../../write/work.ts'
import { unseen } from '../../../write/work.ts'
import type { StoredQuery, ViewWrite, viewWriter } from './saved-view.ts'
import {
  attributesOf,
  conditionText,
  filterParts,
  filtersIn,
  readSavedView,
  readStoredQuery,
  savedViewOf,
} from './saved-view.ts'
import { savedViewRecord, viewIdOf } from './views.ts'

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
    async apply(run) {
      const response = await writer.send(run.context, wanted, (body) => api.createView({}, { ...body, checkCommand }))
      return applied(run.context, response, { wanted, words: `stored the saved view '${name}'` })
    },
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
    async apply(run) {
      const sent = { ...wanted, id, query: after }
      const response = await writer.send(run.context, sent, (body) =>
        api.updateView({ view: id }, { ...body, checkCommand }),
      )
      return applied(run.context, response, {
        wanted: sent,
        before: guard,
        words: `changed the saved view '${wanted.name}'`,
      })
    },
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

/**
 * The result of a write, with the view as it is stored: as the response shows it, else as it is read now. A success alone proves
 * nothing: a part that isn't stored as it was sent is an error.
 */
async function applied(
  context: Context,
  response: HttpResponse<{ readonly data: AnsweredView } | null>,
  { wanted, before, words }: { wanted: ViewWrite & WantedView; before?: string; words: string },
): Promise<Applied> {
  const answered = response.value?.data
  const isShown = answered !== undefined && isObject(attributesOf(answered).query)
  const id = wanted.id ?? answered?.id
  const facts: Facts = id === undefined ? {} : { id }
  let stored
  try {
    stored = isShown ? answered : await readStored(context, id, wanted.name)
    // A service may show a change late.
    if (!isShown && digestOf(asJson(attributesOf(stored))) === before)
      throw new TugError('failed', 'a read shows the old view')
  } catch (error) {
    if (!(error instanceof TugError) || error.code === 'interrupted') throw error
    context.io.warnAlways(`accepted, not confirmed: ${error.message}`)
    return { words: `sent the saved view '${wanted.name}', not verified`, facts: { ...facts, confirmed: false } }
  }
  const saved = asJson(readSavedView(stored))
  const shown = { facts: isObject(saved) ? saved : {}, view: savedViewRecord, rawBody: response.body }
  const lost = lostParts(stored, wanted)
  if (lost.length === 0) return { ...shown, words }
  const failure = new TugError(
    'failed',
    `the service accepted the saved view '${wanted.name}', but stored another ${lost.join(', ')}`,
    {
      service: 'explorer',
      reason: 'unexpected_response',
      hints: [`what is stored: ${context.commandLine('explorer views get', stored.id)}`],
    },
  )
  return { ...shown, failure }
}

/** The stored view by its ID or, if a creation didn't return one, by its name. */
async function readStored(context: Context, id: string | undefined, name: string): Promise<AnsweredView> {
  const view = id ?? (await viewIdOf(context, name))
  return savedViewOf((await context.http.send(api.readView({ view }))).value)
}

/** The parts of a stored view that differ from what was sent. Without fields, a service may show all of them. */
function lostParts(stored: AnsweredView, { name, type, query }: WantedView): string[] {
  const attributes = attributesOf(stored)
  const now = readStoredQuery(attributes.query)
  const shown = stringifyJson(now.fields)
  const showsAll = specFields(type).every((field) => shown.includes(`"${field.name}"`))
  const { filter = [], fields = [], sort = [] } = query
  const isEveryField = stringifyJson(fields) === '[]' && showsAll
  const wanted = { filter, fields: isEveryField ? now.fields : fields, sort, more: now.more }
  const isRenamed = attributes.name === undefined || attributes.name === name
  return [...(isRenamed ? [] : ['name']), ...differentParts(now, wanted)]
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
    const values = operand.map((one) => comparable(field, one))
    return stringifyJson([field, operator, findOperator(operator)?.alone === true ? [] : values])
  })
  return stringifyJson(filters.toSorted())
}

/** A filter's value in one spelling by the type of its field: `TRUE` is true, and moments are in UTC. */
function comparable(field: string, value: string): string {
  const type = anyField(field)?.type
  if (type === 'boolean') return value.toLowerCase()
  const moment = new Date(value)
  return type === 'datetime' && !Number.isNaN(moment.getTime()) ? moment.toISOString() : value
}
