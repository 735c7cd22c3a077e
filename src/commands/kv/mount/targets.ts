import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { flag, readLabelled, readSegments } from '../../../core/param.ts'
import { fileWords, firstNames, plural } from '../../../core/words.ts'
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

/** What happens to each of many secrets. */
type WorkOnMany = Pick<Work, 'action' | 'progress' | 'again' | 'close' | 'columns'> & {
  readonly decide: Stage<string>['decide']
  /** Asked about `secrets`, in words. */
  readonly question?: (secrets: string, shown: readonly Shown<string>[]) => string
}

/** The flag of writes that can take their paths from a file. */
export const fromFlag = flag.text('file with a path per line, as kv find -o name prints them (-: standard input)', {
  placeholder: 'file',
  complete: 'file',
})

/** The work on the secrets that a file names; one that doesn't exist is not found. Throws a usage error for a file without paths. */
export async function workFrom(
  context: Context,
  file: string,
  { decide, question, ...work }: WorkOnMany,
): Promise<Work> {
  const label = fileWords(file)
  const lines = (await context.io.readText(file)).split(/\r?\n|\0/)
  const paths = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [readLabelled(readSegments, line, `${label}, line ${index + 1}`)],
  )
  if (paths.length === 0) throw usageError(`${label} contains no path`)
  const where = `from ${label}`
  return {
    target: 'path',
    noun: 'secret',
    columns: ['versions'],
    where,
    ...work,
    stages: [
      stage<string>({
        targets: [...new Set(paths)],
        nameOf: (path) => path,
        decide: async (path) => {
          const decision = await decide(path)
          if (decision !== undefined) return decision
          throw new TugError('not_found', 'no such secret', { service: 'secrets', reason: 'no_secret' })
        },
        ...(question === undefined ? {} : { ask: (shown) => question(secretsAsked(shown, where), shown) }),
      }),
    ],
  }
}

/** The work on every secret below folders. */
export function workBelow(
  context: Context,
  folders: readonly string[],
  { decide, question, ...work }: WorkOnMany,
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
