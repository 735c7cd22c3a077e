import { at, items, text } from '../../../core/answer.ts'
import type { DocumentView, ValueResult } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes, TugError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { objectFrom } from '../../../core/json.ts'
import type { Paint, Tone } from '../../../core/output.ts'
import { plural } from '../../../core/words.ts'
import { escapeControl } from '../../../output/safe.ts'
import { cells, pad } from '../../../output/width.ts'
import type { Action } from '../changes.ts'
import { actionOf, changeWords } from '../changes.ts'
import type { Present } from '../read.ts'
import { readPresent } from '../read.ts'
import type { KeyChanges } from '../values.ts'
import { keyChanges, mapOf } from '../values.ts'
import { secretsBelow } from '../walk.ts'
import type { Failure } from './bulk.ts'
import { inOrder, throwFailures, warnFailures } from './bulk.ts'
import type { Secrets } from './import-file.ts'

/** One secret of an import's plan. */
interface Step {
  readonly path: string
  readonly action: Action
  readonly keys: KeyChanges
}

/** The live secrets below a folder that a file doesn't have. Throws if any folder or secret cannot be read. */
export async function surplusSecrets(context: Context, folder: string, secrets: Secrets): Promise<string[]> {
  const found = await secretsBelow(context, folder).catch((error: unknown) => {
    // A new folder has nothing to delete.
    if (error instanceof TugError && error.reason === 'nothing_there') return { paths: [], failures: [] }
    throw error
  })
  throwFailures(found.failures, 0)
  const others = found.paths.filter((path) => !secrets.has(path))
  const live: string[] = []
  const failures: Failure[] = []
  for await (const outcome of inOrder(context.io, 'reading secrets', others, (path) => readPresent(context, path))) {
    if ('error' in outcome) failures.push({ what: outcome.item, error: outcome.error })
    else if (outcome.value.state === 'live') live.push(outcome.item)
  }
  throwFailures(failures, live.length)
  return live
}

/** Reads every secret of an import, and says what it would do to each; nothing is written and no value is shown. */
export async function planImport(
  context: Context,
  secrets: Secrets,
  { folder, prune, exitCode }: { folder: string; prune: boolean; exitCode: boolean },
): Promise<ValueResult> {
  const steps: Step[] = []
  const failures: Failure[] = []
  const read = (path: string) => readPresent(context, path)
  for await (const outcome of inOrder(context.io, 'reading secrets', [...secrets.keys()], read)) {
    if ('error' in outcome) failures.push({ what: outcome.item, error: outcome.error })
    else steps.push(stepOf(outcome.item, outcome.value, secrets.get(outcome.item) ?? null))
  }
  for (const path of prune ? await surplusSecrets(context, folder, secrets) : [])
    steps.push({ path, action: 'delete', keys: { added: [], changed: [], removed: [], kept: [] } })
  if (steps.length === 0) throwFailures(failures, 0)
  warnFailures(context.io, failures)
  const isDifferent = steps.some(({ action }) => action !== 'unchanged')
  const status = failures.length > 0 ? exitCodes.partial : exitCode && isDifferent ? exitCodes.differences : undefined
  return {
    data: steps.map(rowOf),
    view: planView(steps),
    finish: () => context.io.note(`${countWords(countOf(steps))}; nothing was written`),
    ...(status === undefined ? {} : { exitCode: status }),
  }
}

function stepOf(path: string, present: Present, data: JsonObject | null): Step {
  return { path, action: actionOf(present, data), keys: keyChanges(mapOf(present.data), mapOf(data)) }
}

function rowOf({ path, action, keys }: Step): Json {
  const named = Object.entries(keys).map(([what, names]: [string, readonly string[]]): [string, Json] => [
    what,
    [...names],
  ])
  return objectFrom([['path', path], ['action', action], ...named])
}

/** How many secrets of each action. */
export type Counts = Readonly<Record<Action, number>>

function countOf(steps: readonly Step[]): Counts {
  const count = (action: Action) => steps.filter((step) => step.action === action).length
  return { create: count('create'), change: count('change'), unchanged: count('unchanged'), delete: count('delete') }
}

/** `1 to create, 1 to change, 1 unchanged`. */
function countWords(counts: Counts): string {
  const parts = (['create', 'change', 'delete'] as const).map((action) => [counts[action], `to ${action}`] as const)
  const words = [...parts, [counts.unchanged, 'unchanged'] as const]
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
  return words.length === 0 ? plural(0, 'secret') : words.join(', ')
}

const marks: Readonly<Record<Action, readonly [mark: string, tone: Tone | undefined]>> = {
  create: ['+', 'good'],
  change: ['~', 'change'],
  unchanged: ['=', undefined],
  delete: ['-', 'bad'],
}

function stepWords({ action, keys }: Step): string {
  if (action === 'create')
    return keys.added.length === 0
      ? 'new, without keys'
      : `new: ${keys.added.map((key) => escapeControl(key)).join(', ')}`
  if (action === 'change') return changeWords(keys).join('   ')
  return action
}

function planView(steps: readonly Step[]): DocumentView {
  const width = Math.min(
    60,
    steps.reduce((widest, { path }) => Math.max(widest, cells(escapeControl(path))), 0),
  )
  const line = (step: Step, paint: Paint) => {
    const [mark, tone] = marks[step.action]
    const head = `${mark} ${pad(escapeControl(step.path), width, 'left')}`
    return `${tone === undefined ? head : paint(tone, head)}  ${stepWords(step)}\n`
  }
  const names = (key: string) => ({
    name: key,
    value: (row: Json) => at(row, key),
    show: (row: Json) => items(row, key).map(String).join(', '),
  })
  return {
    kind: 'document',
    text: (paint) => steps.map((step) => line(step, paint)).join(''),
    rows: {
      view: list<Json>(
        [
          { name: 'path', value: (row) => at(row, 'path'), whole: true },
          { name: 'action', value: (row) => at(row, 'action') },
          ...['added', 'changed', 'removed', 'kept'].map(names),
        ],
        (row) => text(row, 'path') ?? '',
      ),
    },
  }
}
