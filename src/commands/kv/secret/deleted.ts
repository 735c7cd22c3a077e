import type { Context } from '../../../core/context.ts'
import { flag } from '../../../core/param.ts'
import type { VersionState } from '../data/versions.ts'

/** The flags of lists that read the metadata of each secret. */
export const deletedFlags = {
  deleted: flag.boolean('mark secrets without a live version; reads the metadata of each'),
  noDeleted: flag.boolean('leave out secrets without a live version', { excludes: ['deleted'] }),
}

/** The state of a secret's current version; `empty` without any, `removed` if the secret has disappeared since it was listed. */
export type CurrentState = VersionState | 'empty' | 'removed'

/** The states of secrets by their paths. How many could not be read is said; they have none. */
export async function currentStates(
  context: Context,
  paths: readonly string[],
): Promise<ReadonlyMap<string, CurrentState>> {
  const { readStates } = await import('./current.ts')
  return readStates(context, paths)
}

/** True for a secret that `--no-deleted` leaves out. */
export function isWithoutData(state: CurrentState | undefined): boolean {
  return state !== undefined && state !== 'live'
}
