import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { entriesOf, isObject } from '../../../core/json.ts'
import { readLabelled, readSegments } from '../../../core/param.ts'
import { fileWords } from '../../../core/words.ts'
import { checkValues, readMapText } from '../data/arguments.ts'
import { below } from '../place.ts'
import { parseDotenv } from './dotenv.ts'
import type { ExportFormat } from './formats.ts'
import { formatOfFile, incompleteKey } from './formats.ts'

/** The secrets of a file by their paths in the mount; null is a secret whose data is null. */
export type Secrets = ReadonlyMap<string, JsonObject | null>

/** Reads the secrets of a file and places them below the folder. Throws usage errors before anything is sent. */
export async function readSecretsFile(
  context: Context,
  file: string,
  options: { folder: string; format: ExportFormat | undefined; recursive: boolean },
): Promise<Secrets> {
  const text = await context.io.readText(file)
  const label = fileWords(file)
  const format = options.format ?? formatOfFile(file)
  const secrets = new Map<string, JsonObject | null>()
  for (const [name, data] of format === 'dotenv'
    ? readLabelled(parseDotenv, text, label)
    : await readMaps(text, label, format)) {
    if (!options.recursive && name.includes('/')) continue
    secrets.set(placeOf(options.folder, name, label), data)
  }
  const keyed = [...secrets].flatMap(([place, data]) =>
    entriesOf(data ?? {}).map(([key, value]) => [`${place} ${key}`, value] as const),
  )
  checkValues(context.io, keyed)
  return secrets
}

async function readMaps(
  text: string,
  label: string,
  format: 'json' | 'yaml' | undefined,
): Promise<(readonly [string, JsonObject | null])[]> {
  return entriesOf(await readMapText(text, label, format)).map(([name, data]) => {
    if (data === null || isObject(data)) return [name, data] as const
    if (name === incompleteKey && typeof data === 'string')
      throw usageError(
        `${label} is an incomplete export: ${data}`,
        `remove the entry "${incompleteKey}" to import the rest`,
      )
    throw usageError(
      `${label}: '${name}' is not a map; an import is a map of paths to secrets`,
      'to write a single secret: tug kv put <path> @file',
    )
  })
}

/** A secret's path in the mount; the name '' is a secret without a path of its own. */
function placeOf(folder: string, name: string, label: string): string {
  if (name === '') {
    if (folder !== '') return folder
    throw usageError(`${label} is a single secret without a path`, 'give its path: tug kv import <file> <path>')
  }
  try {
    return below(folder, readSegments(name))
  } catch (error) {
    throw usageError(`${label}: '${name}' cannot be a path: ${(error as Error).message}`)
  }
}
