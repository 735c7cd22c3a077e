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

/** A path, and the kinds of writes there. */
type Wanted = readonly [path: string, wanted: readonly Kind[]]

/** The error with which the server would refuse a write; undefined if it allows the write, or doesn't tell. */
type RefusalAt = (path: string, kind: Kind) => TugError | undefined

/** What the token may do at paths. */
export interface Rights {
  ask(...wanted: readonly Wanted[]): Promise<RefusalAt>
  /** Asks in one question about paths to write next, and about secrets to remove. */
  expect(paths: readonly string[], removals: readonly string[]): void
}

export function createRights({ http }: Context): Rights {
  const question = async (wanted: readonly Wanted[]): Promise<RefusalAt> => {
    const refusalOf = await http.rights(wanted.flatMap(([path, chosen]) => chosen.map((kind) => kinds[kind](path))))
    return (path, kind) => refusalOf?.(kinds[kind](path))
  }
  /** The newest questions. */
  const expected: {
    readonly paths: ReadonlySet<string>
    readonly removals: ReadonlySet<string>
    readonly answer: Promise<RefusalAt>
  }[] = []
  return {
    ask(...wanted) {
      const known = expected.find(({ paths, removals }) =>
        wanted.every(([path, chosen]) => (chosen.includes('remove') ? removals : paths).has(path)),
      )
      return known?.answer ?? question(wanted)
    },
    expect(paths, removals) {
      if (paths.length + removals.length === 0) return
      const wanted = [
        ...paths.map((path): Wanted => [path, onePerPlace]),
        ...removals.map((path): Wanted => [path, ['remove']]),
      ]
      const answer = question(wanted)
      answer.catch(() => undefined)
      expected.unshift({ paths: new Set(paths), removals: new Set(removals), answer })
      expected.length = Math.min(expected.length, mostQuestions)
    },
  }
}

/** One kind of write for each place in the API: the answer tells about the others there. */
const onePerPlace: readonly Kind[] = ['update', 'settings', 'destroy', 'delete']

/** Questions whose answers are kept. A secret of an older one is asked about by itself. */
const mostQuestions = 4

/** Secrets per question. Servers take at most 1,000 strings in a request. */
const batchSize = 100

/** The bytes of targets that may wait for an answer. */
const mostBytes = 8_000_000

/** The targets, announced a hundred at a time before they are needed, or fewer large ones. */
export async function* announced<T>(
  targets: AsyncIterable<T>,
  announce: (next: readonly T[]) => void,
  sizeOf: (target: T) => number = () => 0,
): AsyncGenerator<T> {
  let next: T[] = []
  let size = 0
  for await (const target of targets) {
    next.push(target)
    size += sizeOf(target)
    if (next.length < batchSize && size < mostBytes) continue
    announce(next)
    yield* next
    next = []
    size = 0
  }
  announce(next)
  yield* next
}
