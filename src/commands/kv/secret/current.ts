import type { Context } from '../../../core/context.ts'
import { flag } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import { openReads } from '../../../read/bulk.ts'
import type { VersionState } from '../data/versions.ts'
import { findMetadata } from './read.ts'

/** The flags of lists that read the metadata of each secret. */
export const deletedFlags = {
  deleted: flag.boolean('mark secrets without a live version, which takes a read of the metadata of each'),
  noDeleted: flag.boolean('leave out secrets without a live version', { excludes: ['deleted'] }),
}

/** The state of a secret's current version; `empty` without any, `removed` if the secret has disappeared since it was listed. */
export type CurrentState = VersionState | 'empty' | 'removed'

/** The states of secrets by their paths. How many could not be read is said; they have none. */
export async function currentStates(
  context: Context,
  paths: readonly string[],
): Promise<ReadonlyMap<string, CurrentState>> {
  const states = new Map<string, CurrentState>()
  const bulk = openReads(context)
  const read = async (path: string): Promise<CurrentState> => {
    const found = await findMetadata(bulk.context, path)
    if (found.state === 'missing') return 'removed'
    return found.versions.find(({ version }) => version === found.current)?.state ?? 'empty'
  }
  for await (const outcome of bulk.read('reading metadata', paths, read))
    if ('value' in outcome) states.set(outcome.item, outcome.value)
  const unknown = paths.length - states.size
  if (unknown > 0)
    context.io.warnAlways(`the state of ${plural(unknown, 'secret')} is unknown: the metadata could not be read`)
  return states
}

/** True for a secret that `--no-deleted` leaves out. */
export function isWithoutData(state: CurrentState | undefined): boolean {
  return state !== undefined && state !== 'live'
}
