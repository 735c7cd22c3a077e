import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { seeVersions } from '../data/versions.ts'
import { refuseVersion1 } from '../mount/engine.ts'
import { changeVersions, readUntil, writeData } from '../secret/index.ts'
import type { Follows } from './compare.ts'
import { differencesFrom } from './compare.ts'
import type { SecretRecord } from './record.ts'
import { readOutline, readSnapshot } from './record.ts'
import type { Comparison, ComparisonOptions, Step } from './steps.ts'
import { compareWith, comparisonWords } from './steps.ts'

/** What became of one secret. */
interface Restored {
  /** The current version before. */
  readonly before: number
  /** False if the server accepted every write, but its reads don't show them yet. */
  readonly isConfirmed: boolean
}

/** How a path becomes equal to a history, or follows it. */
export interface HistoryPlan {
  readonly kind: Comparison['kind']
  readonly words: string
  /** The conflict. */
  readonly error?: TugError
  /** The path as it was read. */
  readonly actual: SecretRecord | undefined
  /** The number of requests. */
  readonly writes: number
  /** Reads the path again after a write whose outcome is unknown, and goes on. Throws the conflict, if it is one. */
  readonly carryOut: (context: Context) => Promise<Restored>
}

/** Reads a path, compares it with a history, and plans what brings it there. */
export async function planHistory(
  context: Context,
  path: string,
  expected: SecretRecord,
  options: ComparisonOptions = {},
): Promise<HistoryPlan> {
  const compared = await compareNow(context, path, expected, options)
  const { actual, comparison } = compared
  const about =
    comparison.kind === 'conflict'
      ? historyConflict(context, path, comparison.why)
      : { kind: comparison.kind, words: comparisonWords(expected, actual, comparison) }
  return {
    ...about,
    actual,
    writes: 'steps' in comparison ? comparison.steps.length : 0,
    carryOut: (watched) => restoreSecret(watched, path, expected, { ...options, compared }),
  }
}

/** The plan for a path that has another history than the one to restore. */
function historyConflict(context: Context, path: string, why: string) {
  return {
    kind: 'conflict',
    words: `exists with another history, left alone: ${why}`,
    error: new TugError('conflict', `${path} exists with another history and was left alone: ${why}`, {
      service: 'secrets',
      hints: [seeVersions(context, path)],
    }),
  } as const
}

async function restoreSecret(
  context: Context,
  path: string,
  expected: SecretRecord,
  { compared, ...options }: ComparisonOptions & { readonly compared: Compared },
): Promise<Restored> {
  let before: number | undefined
  let failure: TugError | undefined
  let unknown: TugError | undefined
  const compare = async () => {
    if (failure === undefined) return compared
    return compareNow(context, path, expected, options).catch((error: unknown) => {
      // If the path cannot be read again, the outcome stays unknown.
      throw unknown !== undefined && error instanceof TugError && error.code !== 'interrupted' ? unknown : error
    })
  }
  /** Undefined if a write had an unknown outcome, or met another one. */
  const attempt = async (): Promise<Restored | undefined> => {
    const { actual, comparison } = await compare()
    if (comparison.kind === 'conflict') throw historyConflict(context, path, comparison.why).error
    before ??= actual?.current_version ?? 0
    if (comparison.kind === 'identical') return { before, isConfirmed: true }
    // The metadata of an existing path has shown the version of the engine.
    if (actual === undefined) await refuseVersion1(context, `metadata/${path}`)
    try {
      for (const step of comparison.steps) await take(context, path, step, expected)
    } catch (error) {
      if (!(error instanceof TugError) || !(error.reason === 'in_doubt' || error.code === 'conflict')) throw error
      failure = error
      if (error.reason === 'in_doubt') unknown = error
      return undefined
    }
    return { before, isConfirmed: await confirm(context, path, expected, comparison.follows) }
  }
  const restored = await readUntil(context, attempt, (found) => found !== undefined)
  if (restored === undefined) throw failure
  return restored
}

interface Compared {
  readonly actual: SecretRecord | undefined
  readonly comparison: Comparison
}

async function compareNow(
  context: Context,
  path: string,
  expected: SecretRecord,
  options: ComparisonOptions,
): Promise<Compared> {
  const actual = await readSnapshot(context, path, expected.path)
  return { actual, comparison: compareWith(expected, actual, context.now(), options) }
}

async function take(context: Context, path: string, step: Step, expected: SecretRecord): Promise<void> {
  switch (step.kind) {
    case 'settings':
      // Warnings about temporary settings are not printed.
      await context.http.send(api.writeMetadata({ path }, { body: step.settings }))
      return
    case 'write':
      await writeData(context, path, step.data, { cas: step.version - 1 })
      return
    case 'delete':
      return changeVersions(context, path, 'deleted', step.versions)
    case 'destroy':
      return changeVersions(context, path, 'destroyed', step.versions)
    case 'clear': {
      const read = () => readOutline(context, path)
      const record = await readUntil(
        context,
        read,
        (found) => (found?.current_version ?? -1) >= expected.current_version,
      )
      const left = (record?.versions ?? []).filter(
        ({ version, state }) => step.versions.includes(version) && state !== 'destroyed',
      )
      const versions = left.map(({ version }) => version)
      if (versions.length > 0) await changeVersions(context, path, 'destroyed', versions)
    }
  }
}

/** False, with a warning, if the metadata doesn't show what was written within two seconds. */
async function confirm(
  context: Context,
  path: string,
  expected: SecretRecord,
  follows: Follows | undefined,
): Promise<boolean> {
  // A standby may not have it yet.
  const differencesOf = (record: SecretRecord | undefined) =>
    record === undefined
      ? ['the server does not show it yet']
      : differencesFrom(expected, record, context.now(), follows)
  const read = () => readOutline(context, path)
  const differences = differencesOf(await readUntil(context, read, (found) => differencesOf(found).length === 0))
  if (differences.length === 0) return true
  context.io.warnAlways(`${path} was restored but not confirmed: ${differences.join('; ')}`)
  return false
}
