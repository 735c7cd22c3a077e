import type { NameList } from '../../../api/secrets.ts'
import type { Context } from '../../../core/context.ts'
import type { TugError } from '../../../core/errors.ts'
import { isForbidden } from '../../../core/errors.ts'
import { nearest } from '../../../core/words.ts'
import { below, folderOf, relativeTo } from '../data/paths.ts'
import { listFolder, listHint, meantPath } from '../mount/list.ts'
import { otherMountHint } from '../mount/other.ts'

/**
 * Adds to the error of a missing secret what its path may mean, by listing the folder above once: a folder (`folderHints`), or a secret with
 * a similar name. If that folder may not be listed, the path itself is.
 */
export async function explainMissing(
  context: Context,
  path: string,
  error: TugError,
  folderHints = (): readonly string[] => [listHint('it', context, path)],
): Promise<TugError> {
  if (path === '') return error
  if (path.includes('\\'))
    return error.with({
      hints: [`paths have slashes: ${context.lineWith(path, path.replaceAll('\\', '/'))}`, ...error.hints],
    })
  const ofMount = await otherMountHint(context, path)
  if (ofMount !== undefined) return error.with({ hints: [ofMount] })
  const above = folderOf(path)
  const name = relativeTo(above, path)
  // Without retries: an explanation isn't worth waiting for a rate limit.
  const listed = (folder: string) => listFolder(context, folder, { retries: 0 })
  const { value: names, missing } = await listed(above).catch(
    async (failure: unknown): Promise<Pick<NameList, 'value' | 'missing'>> => {
      const inside = isForbidden(failure) ? await listed(path).catch(() => undefined) : undefined
      return { value: inside === undefined || inside.value.length === 0 ? [] : [`${name}/`] }
    },
  )
  if (missing !== undefined && above !== '' && meantPath(context, path) === undefined) {
    const similar = await similarFolder(context, above)
    return similar === undefined ? error.with({ hints: missing.hints }) : didYouMean(error, [below(similar, name)])
  }
  if (names.includes(`${name}/`))
    return error.with({ message: `${path} is a folder, not a secret`, reason: 'folder', hints: folderHints() })
  // A secret of this name without a live version is likelier than a typo.
  if (names.includes(name)) return error
  const secrets = names.filter((one) => !one.endsWith('/'))
  return didYouMean(
    error,
    nearest(name, secrets).map((one) => below(above, one)),
  )
}

function didYouMean(error: TugError, paths: readonly string[]): TugError {
  const named = paths.map((one) => `'${one}'`)
  return named.length === 0 ? error : error.with({ message: `${error.message}. Did you mean ${named.join(' or ')}?` })
}

/** The folder whose name is nearest to that of a missing one: `app` for `App`. Lists the folder above. */
async function similarFolder(context: Context, folder: string): Promise<string | undefined> {
  const above = folderOf(folder)
  const { value } = await listFolder(context, above, { retries: 0 }).catch(() => ({ value: [] }))
  const folders = value.flatMap((one) => (one.endsWith('/') ? [one.slice(0, -1)] : []))
  const [found] = nearest(relativeTo(above, folder), folders)
  return found === undefined ? undefined : below(above, found)
}
