import { asJson } from '../../../core/answer.ts'
import type { ValueResult } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import type { Failure } from '../../../read/bulk.ts'
import { exitStatus, openReads, reportFailures } from '../../../read/bulk.ts'
import { below, relativeTo } from '../data/paths.ts'
import { keyChanges, mapOf } from '../data/values.ts'
import { secretsBelow } from '../mount/walk.ts'
import { findSecret } from '../secret/index.ts'
import type { KeyDifference } from './keys.ts'
import { keyDifferences } from './keys.ts'

/** One of the two folders to compare. */
export interface Side {
  readonly context: Context
  readonly folder: string
  /** The folder as it was typed, with or without a slash at its end. */
  readonly typed: string
  /** What people call it. */
  readonly label: string
}

/**
 * Compares the latest versions of all secrets of two folders: which are only in one of them, and which keys differ. Values
 * are compared here and not shown. A deleted secret counts as missing.
 */
export async function compareFolders(here: Side, there: Side, exitCode: boolean): Promise<ValueResult> {
  const { context } = here
  const [mine, theirs] = await Promise.all([
    namesBelow(here),
    namesBelow(there).catch((error: unknown) => {
      // The line of an error names the first folder only.
      throw error instanceof TugError ? error.with({ message: `${there.label}: ${error.message}` }) : error
    }),
  ])
  const failures: Failure[] = [...mine.failures, ...theirs.failures]
  const names = [...new Set([...mine.names, ...theirs.names])].toSorted()
  const rows: DifferenceRow[] = []
  let equal = 0
  const compare = async (name: string): Promise<DifferenceRow | 'equal' | undefined> => {
    const [a, b] = await Promise.all([read(here, mine.names, name), read(there, theirs.names, name)])
    const none = { keys: [], equal: [] } as const
    // Deleted on both sides.
    if (a === undefined && b === undefined) return undefined
    if (b === undefined) return { path: name, change: 'only here', ...none }
    if (a === undefined) return { path: name, change: 'only there', ...none }
    const keys = keyDifferences(a, b, false)
    if (keys.length === 0) return 'equal'
    return { path: name, change: 'differs', keys, equal: keyChanges(mapOf(a), mapOf(b)).kept }
  }
  const bulk = openReads(context)
  for await (const outcome of bulk.read('comparing secrets', names, compare)) {
    if ('error' in outcome) failures.push(outcome)
    else if (outcome.value === 'equal') equal += 1
    else if (outcome.value !== undefined) rows.push(outcome.value)
  }
  reportFailures(context.io, failures, rows.length + equal > 0)
  return {
    data: rows.map(asJson),
    view: viewOf(here.label, there.label),
    finish: () => context.io.note(summary(rows, equal, here, there), 'dim'),
    exitCode: exitStatus(failures.length > 0, exitCode && rows.length > 0),
  }
}

async function namesBelow({
  context,
  folder,
  typed,
  label,
}: Side): Promise<{ names: ReadonlySet<string>; failures: Failure[] }> {
  const { paths, failures } = await secretsBelow(context, typed)
  return {
    names: new Set(paths.map((path) => relativeTo(folder, path))),
    failures: failures.map(({ item, error }) => ({ item: `${label}: ${item}`, error })),
  }
}

/** The data of a secret; undefined without a live version. */
async function read({ context, folder }: Side, names: ReadonlySet<string>, name: string): Promise<Json | undefined> {
  if (!names.has(name)) return undefined
  const secret = await findSecret(context, below(folder, name))
  return secret.state === 'live' ? secret.data : undefined
}

/** A secret that differs, by key names. */
interface DifferenceRow {
  readonly path: string
  readonly change: 'only here' | 'only there' | 'differs'
  readonly keys: readonly KeyDifference[]
  readonly equal: readonly string[]
}

function viewOf(here: string, there: string) {
  const words: Readonly<Record<string, string>> = {
    added: `only in ${there}`,
    removed: `only in ${here}`,
    changed: 'differs',
  }
  const sides: Readonly<Record<string, string>> = { 'only here': `only in ${here}`, 'only there': `only in ${there}` }
  return list<DifferenceRow>(
    [
      {
        name: 'change',
        value: ({ change }) => change,
        show: ({ change }) => cell(sides[change] ?? change, 'change'),
      },
      { name: 'path', value: ({ path }) => path, whole: true },
      {
        name: 'keys',
        value: ({ keys }) => asJson(keys),
        // `password differs; port only in app; host, user equal`.
        show: ({ keys, equal }) => {
          const differing = keys.map(({ key, change }) => `${key} ${words[change]}`)
          return [...differing, ...(equal.length === 0 ? [] : [`${equal.join(', ')} equal`])].join('; ')
        },
        long: true,
      },
    ],
    ({ path }) => path,
    { empty: 'no differences' },
  )
}

function summary(rows: readonly DifferenceRow[], equal: number, here: Side, there: Side): string {
  const count = (change: string) => rows.filter((row) => row.change === change).length
  const counts: readonly (readonly [number, string])[] = [
    [count('differs'), count('differs') === 1 ? 'differs' : 'differ'],
    [count('only here'), `only in ${here.label}`],
    [count('only there'), `only in ${there.label}`],
  ]
  const shown = counts.filter(([one]) => one > 0)
  return [...shown, [equal, 'equal'] as const].map(([one, word]) => `${one} ${word}`).join(', ')
}
