import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { keysOf } from '../../../core/json.ts'
import type { Decision } from '../../../write/work.ts'
import { unseen } from '../../../write/work.ts'
import { changeWords, keyChanges, keyFacts, mapOf, same } from '../data/values.ts'
import { refuseVersion1 } from '../mount/engine.ts'
import { findSubkeys, readPresent } from './read.ts'
import { checkVersion, guardedBy, writeData } from './write.ts'

/** A new version to write, whatever the present one contains. */
interface NewVersion {
  readonly path: string
  readonly data: JsonObject
  readonly cas: number | undefined
  /** Keys whose values were made at random. */
  readonly generated: readonly string[]
}

/**
 * What writing a new version would do. Each look reads as much as its reader needs: a plan the value that would be replaced, a person the
 * names of the keys that would be lost, a script nothing.
 */
export async function decidePut(
  context: Context,
  wanted: NewVersion,
  look: 'value' | 'keys' | 'mount' | 'nothing',
): Promise<Decision> {
  const { path, data, cas, generated } = wanted
  const writing = (guard: number | undefined, lost: readonly string[]) =>
    guardedBy(guard, async ({ context: own }) => {
      const changes = lost.length === 0 ? [] : [`removed: ${lost.join(', ')}`]
      const applied = await writeData(own, path, data, { cas: guard, changes: () => changes })
      // Nothing else shows that the secret is new.
      return applied.guard === 1 ? { ...applied, action: 'create' } : applied
    })
  const blind = {
    action: cas === 0 ? 'create' : 'write',
    words: `write ${keysOf(data).join(', ') || 'no key'}`,
    ...writing(cas, []),
  } as const
  if (look === 'value') {
    const present = await readPresent(context, path)
    if (present.state === 'unreadable' || present.state === 'missing') await refuseVersion1(context, `data/${path}`)
    if (present.state === 'unreadable') return { ...blind, ...unseen, action: blind.action }
    checkVersion(context, path, present, cas)
    const before = present.state === 'live' ? present.data : null
    const keys = keyChanges(mapOf(before), data)
    const isEqual = present.state === 'live' && same(before, data)
    return {
      ...blind,
      action: present.state === 'missing' ? 'create' : 'write',
      words: changeWords(keys, generated).join('   ') || 'no key',
      facts: { ...keyFacts(keys), ...(isEqual ? { equal: true } : {}) },
    }
  }
  if (look === 'keys') {
    const found = await findSubkeys(context, path, { version: undefined, depth: 1 }).catch((error: unknown) => {
      if (error instanceof TugError && [400, 403, 405, 501].includes(error.facts.status ?? 0)) return undefined
      throw error
    })
    if (found?.state === 'live') {
      const lost = keysOf(mapOf(found.subkeys)).filter((key) => !Object.hasOwn(data, key))
      // What was shown is what is replaced.
      return { ...blind, facts: { keys_removed: lost }, ...writing(cas ?? found.metadata.version, lost) }
    }
  }
  if (look !== 'nothing') await refuseVersion1(context, `data/${path}`)
  return blind
}
