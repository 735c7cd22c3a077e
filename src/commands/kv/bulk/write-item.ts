import type { Done } from '../../../bulk/task.ts'
import type { PlanStep } from '../../../bulk/plan.ts'
import { isPlaceholder } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { escapeControl } from '../../../output/safe.ts'
import { actionOf, changeWords } from '../changes.ts'
import type { Present } from '../read.ts'
import { readPresent } from '../read.ts'
import { keyChanges, mapOf } from '../values.ts'
import type { Written } from '../write.ts'
import { writeNew, writeSecret } from '../write.ts'

/** How a secret is written where there may be one. */
export interface Writing {
  /** `new` replaces nothing, `update` writes what differs, `force` writes always. */
  readonly mode: 'new' | 'update' | 'force'
  /** Reads what is there first, and leaves alone what is equal: for a repeated run. */
  readonly compare: boolean
  /** What to do if there is another one and nothing may be replaced. */
  readonly hint: string
}

/** What became of one secret; `written` has the answer, if it was written. */
export interface WrittenItem extends Done {
  readonly created: boolean
  readonly written?: Written
}

/** Writes one of many secrets, guarded by check-and-set. Throws `conflict` for one that must not be replaced. */
export async function writeItem(
  context: Context,
  path: string,
  data: JsonObject | null,
  { mode, compare, hint }: Writing,
): Promise<WrittenItem> {
  if (!compare && mode !== 'update') {
    const written = await writeNew(context, path, data, mode === 'force', hint)
    return { created: mode === 'new', written, before: null, after: numberIn(written.version) }
  }
  const present = await readPresent(context, path)
  const action = actionOf(present, data)
  const before = numberIn(present.version)
  if (action === 'unchanged') return { created: false, outcome: 'unchanged', before, after: before }
  const written =
    action === 'change' && mode === 'new'
      ? await writeNew(context, path, data, false, hint)
      : await writeSecret(context, path, data, present.version)
  return { created: action === 'create', written, before, after: numberIn(written.version) }
}

function numberIn(version: number): number | null {
  return isPlaceholder(version) ? null : version
}

/** What {@link writeItem} would do, by key names. */
export function planItem(path: string, present: Present, data: JsonObject | null, mode: Writing['mode']): PlanStep {
  const action = actionOf(present, data)
  const keys = keyChanges(mapOf(present.data), mapOf(data))
  if (action === 'create') {
    const names = keys.added.map((key) => escapeControl(key)).join(', ')
    return { item: path, action, words: names === '' ? 'new, without keys' : `new: ${names}`, facts: keys }
  }
  if (action === 'unchanged') return { item: path, action, words: 'unchanged', facts: keys }
  const words = changeWords(keys).join('   ')
  if (mode === 'new') return { item: path, action: 'exists', words: `exists and is left alone   ${words}`, facts: keys }
  return { item: path, action, words, facts: keys }
}

const none: Json[] = []

/** The plan of a secret that is deleted because the other side doesn't have it. */
export function planRemoval(path: string): PlanStep {
  return {
    item: path,
    action: 'delete',
    words: 'delete',
    facts: { added: none, changed: none, removed: none, kept: none },
  }
}

/** The columns of such a plan, beside path and action. */
export const planColumns = ['added', 'changed', 'removed', 'kept']

/** What became of the secrets of a run. */
export interface Counts {
  created: number
  changed: number
  unchanged: number
  deleted: number
  /** Written by the run that was resumed; its journal doesn't say which of them it created. */
  earlier: number
}

/** `1 created, 2 changed, 3 unchanged, 0 deleted`. */
export function countsWords({ created, changed, unchanged, deleted, earlier }: Counts): string {
  const words = `${created} created, ${changed} changed, ${unchanged} unchanged, ${deleted} deleted`
  return earlier === 0 ? words : `${words}, ${earlier} written by an earlier run`
}

/** The counts as data, beside an account that names what is unchanged. */
export function countsData({ created, changed, deleted }: Counts): Readonly<Record<string, Json>> {
  return { created, updated: changed, deleted }
}
