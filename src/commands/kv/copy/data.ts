import type { Decision, ItemRun } from '../../../write/work.ts'
import { dataToWrite, mapOf } from '../data/values.ts'
import type { LineIn } from '../mount/misplaced.ts'
import type { createDataDecider, Secret } from '../secret/index.ts'
import type { Route, Sides } from './sides.ts'
import { moveOf, readGuard, refuseSameSecret } from './source.ts'

interface CopyOptions {
  readonly mayReplace: boolean
  readonly lineIn: LineIn
  readonly verb?: 'moved'
  /** Decides about the new path. */
  readonly decideData: ReturnType<typeof createDataDecider>
}

/** What copying the data of a secret would do to its new path. */
export async function decideCopy(
  sides: Sides,
  { from, to }: Route,
  { data }: Pick<Secret, 'data'>,
  { mayReplace, lineIn, decideData, verb }: CopyOptions,
): Promise<Decision> {
  const { target } = sides
  const decision = await decideData({
    path: to,
    data: dataToWrite(data),
    mayReplace,
    hint: 'pass --update to write a new version of it',
    lineIn,
  })
  const { apply } = decision
  return {
    ...decision,
    facts: { from, ...decision.facts },
    ...(apply === undefined
      ? {}
      : {
          apply: async (item: ItemRun) => {
            const applied = (await apply({ ...item, context: item.within(target) })) ?? {}
            const words = `${verb ?? 'copied'} ${sides.sourceWords(from)} to ${sides.targetWords(to)}, version ${String(applied.guard)}`
            return { ...applied, words }
          },
        }),
  }
}

/** What moving the current version of a secret would do: write its data to the new path, then remove the secret with all of its versions. */
export async function decideMove(
  sides: Sides,
  route: Route,
  secret: Pick<Secret, 'data' | 'version' | 'metadata'>,
  options: CopyOptions,
): Promise<Decision> {
  const [copy, source = ''] = await Promise.all([
    decideCopy(sides, route, secret, { ...options, verb: 'moved' }),
    readGuard(sides.source, route.from),
  ])
  if (copy.action === 'unchanged') await refuseSameSecret(sides, route)
  const facts = { ...copy.facts, custom_metadata_removed: Object.keys(mapOf(secret.metadata.custom_metadata)) }
  const guard = `${source} ${copy.guard ?? ''}`
  return moveOf({ ...copy, facts, guard, sendsMore: true }, { sides, route, guard: source, equal: 'equal' })
}
