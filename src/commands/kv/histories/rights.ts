import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import type { TugError } from '../../../core/errors.ts'

/** The kinds of writes of a history, and of the removal of its source. */
const kinds = {
  create: (path: string) => api.writeData({ path }, { acl: 'create' }),
  update: (path: string) => api.writeData({ path }, { acl: 'update' }),
  createSettings: (path: string) => api.writeMetadata({ path }, { acl: 'create' }),
  settings: (path: string) => api.writeMetadata({ path }, { acl: 'update' }),
  patch: (path: string) => api.patchMetadata({ path }),
  destroy: (path: string) => api.destroyVersions({ path }),
  delete: (path: string) => api.deleteVersions({ path }),
  remove: (path: string) => api.deleteMetadata({ path }),
}

export type Kind = keyof typeof kinds

/** All kinds of writes at the path of a history. */
export const targetKinds: readonly Kind[] = [
  'create',
  'update',
  'createSettings',
  'settings',
  'patch',
  'destroy',
  'delete',
]

type Refusals = ReadonlyMap<Kind, TugError> | undefined

/** A path, and the kinds of writes there. */
type Wanted = readonly [path: string, wanted: readonly Kind[]]

/** What the token may do at paths. */
export interface Rights {
  /** The refusals at each path; undefined if the server doesn't tell. */
  ask(...wanted: readonly Wanted[]): Promise<readonly Refusals[]>
  /** Asks in one question about what comes next. */
  expect(wanted: readonly Wanted[]): void
}

export function createRights({ http }: Context): Rights {
  const expected = new Map<string, Promise<Refusals>>()
  // A path may be the target of one secret and the source of another.
  const keyOf = ([path, wanted]: Wanted) => `${wanted.includes('remove') ? 'from' : 'to'} ${path}`
  const question = async (wanted: readonly Wanted[]): Promise<Refusals[]> => {
    const writes = wanted.flatMap(([path, chosen]) => chosen.map((kind) => kinds[kind](path)))
    const refusals = await http.refusals(writes)
    let index = 0
    return wanted.map(([, chosen]) => {
      const found = chosen.map((kind) => [kind, refusals?.[index++]] as const)
      return refusals && new Map(found.filter((one): one is [Kind, TugError] => one[1] !== undefined))
    })
  }
  return {
    async ask(...wanted) {
      const known = wanted.map((one) => expected.get(keyOf(one)))
      for (const one of wanted) expected.delete(keyOf(one))
      const all = known.filter((one) => one !== undefined)
      return all.length < wanted.length ? question(wanted) : Promise.all(all)
    },
    expect(wanted) {
      if (wanted.length === 0) return
      const answer = question(wanted)
      for (const [index, one] of wanted.entries()) {
        const known = answer.then((found) => found[index])
        known.catch(() => undefined)
        expected.set(keyOf(one), known)
      }
    },
  }
}

/** Secrets per question. Servers take at most 1,000 strings in a request. */
const batchSize = 100

/** The targets, announced a hundred at a time before they are needed. */
export async function* announced<T>(
  targets: AsyncIterable<T>,
  announce: (next: readonly T[]) => void,
): AsyncGenerator<T> {
  let next: T[] = []
  for await (const target of targets) {
    next.push(target)
    if (next.length < batchSize) continue
    announce(next)
    yield* next
    next = []
  }
  announce(next)
  yield* next
}
