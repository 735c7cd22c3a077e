import type { Context } from '../../../core/context.ts'
import { plural } from '../../../core/words.ts'
import { openReads } from '../../../read/bulk.ts'
import type { CurrentState } from './deleted.ts'
import { findMetadata } from './read.ts'

/** See `currentStates`. */
export async function readStates(
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
