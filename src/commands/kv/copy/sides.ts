import { serverOf } from '../../../core/address.ts'
import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import { folderWords } from '../data/paths.ts'

/** The flags that say where else to write. */
export interface SideInput {
  readonly toMount: string | undefined
  readonly toProfile: string | undefined
  readonly toNamespace: string | undefined
}

/** One secret or folder of a copy: where it is, and where it goes. */
export interface Route {
  readonly from: string
  readonly to: string
}

/** The two sides of a copy. */
export interface Sides {
  readonly source: Context
  readonly target: Context
  /** True if paths of both sides mean the same secrets; false is not certain: one place may have several addresses and names. */
  readonly isSamePlace: boolean
  /** A path of the source or the target in a sentence; with their mounts and profiles if those differ. */
  readonly sourceWords: (path: string) => string
  readonly targetWords: (path: string) => string
}

/** True if the flags name another side. */
export function namesSide({ toMount, toProfile, toNamespace }: SideInput): boolean {
  return toMount !== undefined || toProfile !== undefined || toNamespace !== undefined
}

/** Opens the side to write to; a protected profile asks. */
export async function openSides(source: Context, input: SideInput): Promise<Sides> {
  if (!namesSide(input))
    return { source, target: source, isSamePlace: true, sourceWords: folderWords, targetWords: folderWords }
  const { toMount, toProfile, toNamespace } = input
  if (toNamespace === '') throw usageError('--to-namespace is empty')
  const other = { profile: toProfile, mount: toMount, mountKey: 'toMount', namespace: toNamespace }
  const target = await source.elsewhereToWrite(other)
  const isSameScope =
    target.settings.namespace === source.settings.namespace &&
    target.settings.route.mount === source.settings.route.mount
  const isSameServer = serverOf(target) === serverOf(source)
  return {
    source,
    target,
    isSamePlace: isSameScope && isSameServer,
    sourceWords: (path) => wordsOf(source, path),
    targetWords: (path) => {
      const profile = toProfile === undefined ? '' : ` of profile ${toProfile}`
      const namespace = toNamespace === undefined ? '' : ` in namespace ${toNamespace}`
      return `${wordsOf(target, path)}${namespace}${profile}`
    },
  }
}

function wordsOf({ settings }: Context, path: string): string {
  return `${settings.route.mount}/${path}`
}
