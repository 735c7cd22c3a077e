import * as api from '../../../api/explorer.ts'
import { orPlaceholder } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { didYouMean } from '../../../core/words.ts'
import { path } from '../../../core/param.ts'
import type { EveryRow, Source } from '../paging.ts'
import { firstAnswer, rowsFrom } from '../paging.ts'
import { attributesOf } from './saved-view.ts'

/** The saved view that a command is about, by ID or exact name. */
export const viewArgument = path.segment('ID or exact name of the saved view', {
  placeholder: 'view',
  complete: 'saved-view',
})

/** All saved views, of every page if the service has pages of them. */
export const listSource: Source = {
  request: (parts) => api.listViews({}, parts),
  query: [],
  view: undefined,
  fields: undefined,
  unpaged: true,
}

/** True for an ID, which is never looked up. */
function isId(typed: string): boolean {
  return /^sq-[^\s/]+$/.test(typed)
}

/** A saved view in messages: an ID as it is, a name in quotes. */
export function viewWords(typed: string): string {
  return isId(typed) ? typed : `'${typed}'`
}

/**
 * The ID of the view that was typed; a name takes one list request. Throws if no view has that name, and a usage error with the
 * IDs if several have.
 */
export async function viewIdOf(context: Context, typed: string): Promise<string> {
  if (isId(typed)) return typed
  const answer = await firstAnswer(context, listSource)
  const body = answer.json()
  return String(
    await orPlaceholder(body, 'data[].id', () => findId(context, typed, rowsFrom(context, listSource, answer))),
  )
}

async function findId(context: Context, wanted: string, listed: EveryRow): Promise<string> {
  const views = await collect(listed)
  const ids = views.filter((view) => nameOf(view) === wanted).map(({ id: found }) => found)
  const [id] = ids
  if (ids.length > 1)
    throw usageError(`${ids.length} saved views are named '${wanted}': ${ids.join(', ')}`, 'use the ID')
  if (id !== undefined) return id
  const near = didYouMean(
    wanted,
    views.flatMap((view) => nameOf(view) ?? []),
  )
  throw new TugError('not_found', `there is no saved view '${wanted}'${near}`, {
    hints: [`all saved views: ${context.commandLine('explorer views list')}`],
  })
}

/** All views of a list. Throws if some are missing, because what isn't there may be on a page that wasn't read. */
export async function collect({ rows, finish }: EveryRow): Promise<api.AnsweredView[]> {
  const views: api.AnsweredView[] = []
  for await (const batch of rows) views.push(...(batch as unknown as api.AnsweredView[]))
  if (finish() !== undefined) throw new TugError('failed', 'the list of saved views is incomplete')
  return views
}

function nameOf(view: api.AnsweredView): string | undefined {
  return attributesOf(view).name ?? undefined
}

/** The rows of a saved view, by its ID. */
export function resultsSource(view: string): Source {
  return {
    request: (parts) => api.viewResults({ view }, parts),
    query: [],
    cautious: true,
    view: undefined,
    fields: undefined,
  }
}
