import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { HttpRequest } from '../../../core/request.ts'
import type { SecretRecord } from '../backup/record.ts'
import { readOutlineIfThere, readSnapshot } from '../backup/snapshot.ts'
import { registerSecrets } from '../values.ts'
import { refuseVersion1Once } from '../version1.ts'
import { dataParts, written } from '../write.ts'
import type { Follows } from './follow.ts'
import { differencesFrom } from './follow.ts'
import type { Step } from './steps.ts'
import { compareWith } from './steps.ts'

/** How often a path is looked at again after a write whose fate is unknown, or that met another one. */
const mostTries = 4

/** Waits before a read that is to confirm a write is repeated: standby nodes lag. */
const confirmWaits = [50, 100, 200, 400, 800]

/** What became of one secret. */
export interface Restored {
  readonly outcome: 'done' | 'unchanged'
  /** The current version before. */
  readonly before: number
  /** False if the server accepted every write, but its reads don't show them yet. */
  readonly isConfirmed: boolean
}

/**
 * Brings a path to the history of its record, or lets it follow that. Reads it first, and again after a write whose fate is unknown.
 * Throws `conflict` if the path has another history.
 */
export async function restoreSecret(
  context: Context,
  path: string,
  expected: SecretRecord,
  follows?: Follows,
): Promise<Restored> {
  let before: number | undefined
  let doubt: TugError | undefined
  for (let tries = 1; ; tries += 1) {
    const actual = await readSnapshot(context, path, { name: expected.path }).catch((error: unknown) => {
      // What cannot be looked at stays unknown.
      throw doubt !== undefined && error instanceof TugError && error.code !== 'interrupted' ? doubt : error
    })
    const comparison = compareWith(expected, actual, context.now(), follows)
    if (comparison.kind === 'conflict') throw conflict(context, path, comparison.why)
    before ??= actual?.current_version ?? 0
    if (comparison.kind === 'identical')
      return { outcome: tries === 1 ? 'unchanged' : 'done', before, isConfirmed: true }
    // Of a path that is there, the metadata show what the engine is.
    if (actual === undefined) await refuseVersion1Once(context, `metadata/${path}`)
    try {
      for (const step of comparison.steps) await take(context, path, step, expected)
    } catch (error) {
      const isUncertain = error instanceof TugError && (error.reason === 'in_doubt' || error.code === 'conflict')
      if (!isUncertain || tries === mostTries) throw error
      if (error.reason === 'in_doubt') doubt = error
      await context.sleep(100 * 2 ** tries)
      continue
    }
    return { outcome: 'done', before, isConfirmed: await confirm(context, path, expected, comparison.follows) }
  }
}

function conflict(context: Context, path: string, why: string): TugError {
  return new TugError('conflict', `${path} exists with another history and was left alone: ${why}`, {
    hints: [`its versions: ${context.commandLine('kv history', path)}`],
  })
}

async function take(context: Context, path: string, step: Step, expected: SecretRecord): Promise<void> {
  const send = <T>(request: HttpRequest<T>) =>
    context.http.send<T>({ checkCommand: context.commandLine('kv history', path), ...request })
  switch (step.kind) {
    case 'settings':
      await send(api.writeMetadata({ path }, { body: step.settings }))
      return
    case 'write':
      try {
        const response = await send(api.writeData({ path }, dataParts(step.data, step.version - 1)))
        written(context, path, response)
      } catch (error) {
        // A server may echo what it refused.
        registerSecrets(context.io, step.data, path)
        throw error
      }
      return
    case 'delete':
      await send(api.deleteVersions({ path }, { body: { versions: [...step.versions] } }))
      return
    case 'destroy':
      await send(api.destroyVersions({ path }, { body: { versions: [...step.versions] } }))
      return
    case 'clear': {
      const record = await readUntil(
        context,
        path,
        ({ current_version }) => current_version >= expected.current_version,
      )
      const left = (record?.versions ?? []).filter(
        ({ version, state }) => step.versions.includes(version) && state !== 'destroyed',
      )
      const versions = left.map(({ version }) => version)
      if (versions.length > 0) await send(api.destroyVersions({ path }, { body: { versions } }))
    }
  }
}

/** False, with a warning, if the metadata don't show within two seconds what was written. */
async function confirm(
  context: Context,
  path: string,
  expected: SecretRecord,
  follows: Follows | undefined,
): Promise<boolean> {
  const differencesOf = (record: SecretRecord) => differencesFrom(expected, record, context.now(), follows)
  const record = await readUntil(context, path, (found) => differencesOf(found).length === 0)
  const differences = record === undefined ? ['the server does not show it yet'] : differencesOf(record)
  if (differences.length === 0) return true
  context.io.warn(`${path} was restored but not confirmed: ${differences.join('; ')}`)
  return false
}

/**
 * Reads the metadata after a write until they are as expected, for two seconds at most; returns what was read last. Undefined if the
 * secret isn't there: a standby node may not have it yet.
 */
async function readUntil(
  context: Context,
  path: string,
  isExpected: (record: SecretRecord) => boolean,
): Promise<SecretRecord | undefined> {
  let last: SecretRecord | undefined
  for (const wait of [0, ...confirmWaits]) {
    if (wait > 0) await context.sleep(wait)
    last = (await readOutlineIfThere(context, path))?.record
    if (last !== undefined && isExpected(last)) return last
  }
  return last
}
