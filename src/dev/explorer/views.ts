import { invalid, notFound } from './errors.ts'
import { fieldName } from './fields.ts'
import type { Query } from './query.ts'
import { sortNames } from './query.ts'
import type { Random } from './random.ts'
import type { SavedQuery } from './view-body.ts'
import type { DevClock, Dialect } from '../http.ts'

export interface SavedView extends SavedQuery {
  readonly id: string
  readonly createdAt: Date
}

/** The saved views of one organization. */
export class SavedViews {
  private readonly views = new Map<string, SavedView>()
  private readonly clock: DevClock
  private readonly random: Random

  constructor(clock: DevClock, random: Random) {
    this.clock = clock
    this.random = random
  }

  /** In the order of their creation. */
  list(): SavedView[] {
    return [...this.views.values()]
  }

  /** Throws the refusal of an unknown id. */
  get(id: string): SavedView {
    const view = this.views.get(id)
    if (view === undefined) throw notFound()
    return view
  }

  /** Throws the refusal of a name that is in use. */
  create({ name, query }: SavedQuery): SavedView {
    this.requireFree(name)
    const view = { id: this.random.id('sq'), createdAt: this.clock.now(), name, query }
    this.views.set(view.id, view)
    return view
  }

  /** Replaces name and query; id and time of creation stay. */
  replace(id: string, { name, query }: SavedQuery): SavedView {
    const { createdAt } = this.get(id)
    this.requireFree(name, id)
    const view = { id, createdAt, name, query }
    this.views.set(id, view)
    return view
  }

  delete(id: string): SavedView {
    const view = this.get(id)
    this.views.delete(id)
    return view
  }

  private requireFree(name: string, except?: string): void {
    if (this.list().some((view) => view.name === name && view.id !== except)) {
      throw invalid('Name has already been taken', { pointer: '/data/attributes/name' })
    }
  }
}

/** A saved view in the documented shape. */
export function viewResource({ id, name, createdAt, query }: SavedView, dialect: Dialect): unknown {
  const attributes = {
    name,
    'created-at': createdAt.toISOString(),
    query: storedQuery(query, dialect),
    'query-type': query.view.name,
  }
  return { id, type: 'explorer-saved-queries', attributes }
}

function storedQuery({ view, filters, fields, sort }: Query, dialect: Dialect): unknown {
  return {
    filter: filters.map(({ field, operator, values }) => ({
      field: fieldName(field, dialect),
      operator,
      value: values,
    })),
    ...(fields.length > 0 ? { fields: fields.map((field) => fieldName(field, dialect)) } : {}),
    ...(sort.length > 0 ? { sort: sortNames(sort, dialect) } : {}),
    type: view.name,
  }
}
