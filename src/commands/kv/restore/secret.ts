import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { HttpRequest } from '../../../core/request.ts'
import type { SecretRecord } from '../backup/record.ts'
import { readOutline, readSnapshot } from '../backup/snapshot.ts'
import { ifThere, readUntil } from '../latest.ts'
import { registerSecrets } from '../values.ts'
import { dataParts, written } from '../write.ts'
import type { Follows } from './compare.ts'
import { differencesFrom } from './compare.ts'
import { notShownYet, otherHistory, restoreUnconfirmed } from './messages.ts'
import type { Step } from './steps.ts'
import { compareWith } from './steps.ts'

/** How often a path is looked at again after a write whose fate is unknown, or that met another one. */
const mostTries = 4

/** What became of one secret. */
export interface Restored {
  readonly outcome: 'done' | 'unchanged'
  /** The current version before. */
  readonly before: number
  /** False if the server accepted every write, but its reads don't show them yet. */
  readonly isConfirmed: boolean
}

interface RestoreOptions {
  /** Throws if the mount's engine is not of version 2. */
  readonly refuseVersion1: (place: string) => Promise<void>
  readonly follows?: Follows | undefined
}

/**
 * Brings a path to the history of its record, or lets it follow that. Reads it first, and again after a write whose fate is unknown.
 * Throws `conflict` if the path has another history.
 */
export async function restoreSecret(
  context: Context,
  path: string,
  expected: SecretRecord,
  { refuseVersion1, follows }: RestoreOptions,
): Promise<Restored> {
  let before: number | undefined
  let doubt: TugError | undefined
  for (let tries = 1; ; tries += 1) {
    const actual = await readSnapshot(context, path, { name: expected.path }).catch((error: unknown) => {
      // What cannot be looked at stays unknown.
      throw doubt !== undefined && error instanceof TugError && error.code !== 'interrupted' ? doubt : error
    })
    const comparison = compareWith(expected, actual, context.now(), follows)
    if (comparison.kind === 'conflict') throw otherHistory(context, path, comparison.why)
    before ??= actual?.current_version ?? 0
    if (comparison.kind === 'identical')
      return { outcome: tries === 1 ? 'unchanged' : 'done', before, isConfirmed: true }
    // Of a path that is there, the metadata show what the engine is.
    if (actual === undefined) await refuseVersion1(`metadata/${path}`)
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
      const read = () => ifThere(readOutline(context, path))
      const record = await readUntil(
        context,
        read,
        (found) => (found?.current_version ?? -1) >= expected.current_version,
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
  // A standby may not have it yet.
  const differencesOf = (record: SecretRecord | undefined) =>
    record === undefined ? [notShownYet] : differencesFrom(expected, record, context.now(), follows)
  const read = () => ifThere(readOutline(context, path))
  const differences = differencesOf(await readUntil(context, read, (found) => differencesOf(found).length === 0))
  if (differences.length === 0) return true
  context.io.doubt(restoreUnconfirmed(path, differences))
  return false
}
