import type { Decision, ItemRun } from '../../../write/work.ts'
import { dataToWrite, mapOf } from '../data/values.ts'
import type { LineIn } from '../mount/misplaced.ts'
import type { createDataDecider, Secret } from '../secret/index.ts'
import type { Route, Sides } from './sides.ts'
import { readGuard, refuseSameSecret, removeSource } from './source.ts'

interface CopyOptions {
  readonly mayReplace: boolean
  readonly lineIn: LineIn
  /** Decides about the new path. */
  readonly decideData: ReturnType<typeof createDataDecider>
}

/** What copying the data of a secret would do to its new path. */
export async function decideCopy(
  sides: Sides,
  { from, to }: Route,
  { data }: Pick<Secret, 'data'>,
  { mayReplace, lineIn, decideData }: CopyOptions,
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
            const words = `copied ${sides.sourceWords(from)} to ${sides.targetWords(to)}, version ${String(applied.guard)}`
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
  const { from } = route
  const [copy, guard = ''] = await Promise.all([
    decideCopy(sides, route, secret, options),
    readGuard(sides.source, from),
  ])
  const target = sides.targetWords(route.to)
  const facts = { ...copy.facts, custom_metadata_removed: Object.keys(mapOf(secret.metadata.custom_metadata)) }
  const subject = `${sides.sourceWords(from)} or ${target}`
  const about = { facts, guard: `${guard} ${copy.guard ?? ''}`, subject }
  const removal = { sides, route, guard }
  if (copy.action === 'unchanged') {
    await refuseSameSecret(sides, route)
    const words = `equal already; removes ${sides.sourceWords(from)}`
    const applied = { words: `removed ${sides.sourceWords(from)}, which is equal to ${target}` }
    return {
      ...about,
      action: 'remove',
      words,
      apply: (item) => removeSource(item, { ...removal, done: `${target} is equal`, applied }),
    }
  }
  const { apply } = copy
  if (apply === undefined) return { ...copy, facts }
  return {
    ...about,
    action: 'move',
    sendsMore: true,
    words: `from ${sides.sourceWords(from)}   ${copy.words}`,
    apply: async (item) => {
      const { guard: version, facts: answer, rawBody } = (await apply(item)) ?? {}
      const words = `moved ${sides.sourceWords(from)} to ${target}, version ${String(version)}`
      const applied = {
        words,
        ...(answer === undefined ? {} : { facts: answer }),
        ...(version === undefined ? {} : { guard: version }),
        ...(rawBody === undefined ? {} : { rawBody }),
      }
      return removeSource(item, { ...removal, done: `wrote ${target}`, applied })
    },
  }
}
