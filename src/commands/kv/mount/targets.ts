import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { firstNames, plural } from '../../../core/words.ts'
import type { Shown, Stage, Unlisted, Work } from '../../../write/work.ts'
import { stage } from '../../../write/work.ts'
import { asFolder, folderWords } from '../data/paths.ts'
import { secretsIn } from './walk.ts'

/** The secrets below folders, as they were typed, as the targets of a write. A folder that cannot be listed is a target too. */
export async function* secretsToWrite(
  context: Context,
  folders: readonly string[],
  options: { readonly mayBeMissing?: boolean } = {},
): AsyncGenerator<string | Unlisted> {
  const seen = new Set<string>()
  for (const folder of folders) {
    const found = await secretsIn(context, folder, { ...options, countsAll: true }).catch((error: unknown) => {
      if (!(error instanceof TugError) || error.facts.unsent !== true) throw error
      return [{ path: folder, failure: error }]
    })
    for await (const { path, failure } of found) {
      if (seen.has(path)) continue
      if (folders.length > 1) seen.add(path)
      yield failure === undefined ? path : { unlisted: path, error: failure }
    }
  }
}

/** The secrets that a question is about: `2 secrets below app: app/cache, app/db`. */
export function secretsAsked(shown: readonly Shown<string>[], where: string): string {
  const names = shown.flatMap(({ item, hasWork }) => (hasWork ? [item] : []))
  return `${plural(names.length, 'secret')} ${where}: ${firstNames(names)}`
}

/** The work on every secret below folders. */
export function workBelow(
  context: Context,
  folders: readonly string[],
  {
    decide,
    question,
    ...work
  }: Pick<Work, 'action' | 'progress' | 'again' | 'close'> & {
    readonly decide: Stage<string>['decide']
    /** Asked about `secrets`, in words. */
    readonly question?: (secrets: string, shown: readonly Shown<string>[]) => string
  },
): Work {
  const where = `below ${folders.map((folder) => folderWords(asFolder(folder))).join(', ')}`
  return {
    target: 'path',
    noun: 'secret',
    columns: ['versions'],
    where,
    data: { path: folders.map(asFolder).join(', ') },
    ...work,
    stages: [
      stage<string>({
        targets: secretsToWrite(context, folders),
        nameOf: (path) => path,
        decide,
        ...(question === undefined ? {} : { ask: (shown) => question(secretsAsked(shown, where), shown) }),
      }),
    ],
  }
}
