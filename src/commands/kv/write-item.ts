import * as api from '../../api/kv.ts'
import type { Account } from '../../bulk/account.ts'
import { throwFailures } from '../../bulk/account.ts'
import type { Bulk } from '../../bulk/engine.ts'
import type { PlanStep } from '../../bulk/plan.ts'
import type { Done } from '../../bulk/task.ts'
import { isPlaceholder } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { escapeControl } from '../../output/safe.ts'
import { emptySource, surplusQuestion } from './folder-messages.ts'
import type { Present } from './read.ts'
import { readPresent } from './read.ts'
import { keyChanges, mapOf, same } from './values.ts'
import { secretsBelow } from './walk.ts'
import { changeWords } from './write-change.ts'
import type { Written } from './write.ts'
import { sendWrite, writeNew, writeSecret } from './write.ts'

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

/** What writing the data over what is present would be. */
function actionOf({ state, data: before }: Present, data: JsonObject | null): 'create' | 'change' | 'unchanged' {
  if (state === 'none') return 'create'
  return same(before, data) ? 'unchanged' : 'change'
}

/** What {@link writeItem} would do, by key names. */
export function planItem(path: string, present: Present, data: JsonObject | null, mode: Writing['mode']): PlanStep {
  const action = actionOf(present, data)
  const keys = keyChanges(mapOf(present.data), mapOf(data))
  const about = { item: path, action, facts: keys }
  if (action === 'create') {
    const names = keys.added.map((key) => escapeControl(key)).join(', ')
    return { ...about, words: names === '' ? 'new, without keys' : `new: ${names}` }
  }
  if (action === 'unchanged') return { ...about, words: 'unchanged' }
  const words = changeWords(keys).join('   ')
  if (mode === 'new') return { ...about, action: 'exists', words: `exists and is left alone   ${words}` }
  return { ...about, words }
}

/** The plan of a secret that is deleted because the other side doesn't have it. */
export function planRemoval(path: string): PlanStep {
  return { item: path, action: 'delete', words: 'delete', facts: noKeys }
}

/** The columns of such a plan, beside path and action. */
export const planColumns = ['added', 'changed', 'removed', 'kept']

const none: Json[] = []
const noKeys = { added: none, changed: none, removed: none, kept: none }

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

/** The live secrets below a folder that the other side doesn't have. Throws if any folder or secret cannot be read. */
export async function surplusSecrets(
  bulk: Bulk,
  context: Context,
  folder: string,
  isKept: (path: string) => boolean,
): Promise<string[]> {
  const { paths, failures } = await secretsBelow(context, folder, { mayBeMissing: true })
  throwFailures(failures, 0)
  const live: string[] = []
  const others = paths.filter((path) => !isKept(path))
  for await (const outcome of bulk.read('reading secrets', others, (path) => readPresent(context, path))) {
    if ('error' in outcome) failures.push(outcome)
    else if (outcome.value.state === 'live') live.push(outcome.item)
  }
  throwFailures(failures, live.length)
  return live
}

/** Refuses a source without a secret: it is more likely a mistake than meant, and everything would be deleted. */
export function refuseEmptySource(count: number, whose: string): void {
  if (count === 0) throw emptySource(whose)
}

/** Asks before secrets are deleted that the other side, `whose`, doesn't have. */
export async function confirmSurplus({ io }: Context, surplus: readonly string[], whose: string): Promise<void> {
  if (surplus.length > 0) await io.confirm(surplusQuestion(surplus, whose))
}

/** Deletes the latest version of each secret. */
export function deleteSecrets(bulk: Bulk, context: Context, paths: readonly string[]): Promise<Account> {
  return bulk.run({
    what: 'deleting secrets',
    items: paths,
    act: async (path, { within }) => {
      await sendWrite(within(context), path, api.deleteLatest({ path }))
      return { after: 'deleted' }
    },
  })
}
