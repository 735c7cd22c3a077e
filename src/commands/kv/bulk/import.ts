import * as api from '../../../api/kv.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { entriesOf, isObject } from '../../../core/json.ts'
import { argument, flag, readSegments } from '../../../core/param.ts'
import { fileWords } from '../../../core/words.ts'
import { keysOfLossy, readMapText, warnAboutNumbers } from '../data/arguments.ts'
import { finishBulk, inBulk } from './bulk.ts'
import { parseDotenv } from './dotenv.ts'
import type { ExportFormat } from './export.ts'
import { exportFormats, formatOfFile } from './export.ts'
import { asFolder, below, secretOrFolder } from '../place.ts'
import { writeNew } from '../write.ts'

export const importCommand = command({
  name: 'import',
  summary: 'Write secrets from what kv export wrote: JSON, YAML or dotenv',
  description: `Reads a map of paths to secrets and writes each below the folder. All of it is checked before anything is sent. Nothing is replaced without --force (check-and-set 0); what fails is reported at the end (exit status 10), the rest is written. A dotenv file without paths is one secret, whose path must be named.

The format is --format, else the ending of the file, else JSON for a text that begins with a brace and YAML for any other.`,
  also: [api.writeData],
  params: {
    file: argument.text('file to read (-: standard input)', { placeholder: 'file', required: true, complete: 'file' }),
    path: secretOrFolder('folder to write into (none: the root); the secret itself for a plain dotenv file', {
      required: false,
    }),
    recursive: flag.boolean('paths in folders too; --recursive=false leaves them out', { defaultText: 'true' }),
    format: flag.choice('how it is written', exportFormats),
    force: flag.boolean('write a new version where there is a secret already'),
  },
  examples: [
    { line: 'kv import app.json staging/app', note: 'what was exported from app, elsewhere' },
    { line: 'kv import .env app/db --force', note: 'an environment file into one secret' },
  ],
  async run({ file, path, recursive, format, force }, context) {
    const folder = asFolder(path)
    const secrets = new Map<string, JsonObject | null>()
    for (const [name, data] of await readSecrets(context, file, format ?? formatOfFile(file))) {
      if (recursive === false && name.includes('/')) continue
      secrets.set(placeOf(folder, name, file), data)
    }
    warnAboutNumbers(
      context.io,
      [...secrets].flatMap(([place, data]) => keysOfLossy(data ?? {}).map((key) => `${place} ${key}`)),
    )
    const write = async (place: string) => {
      await writeNew(context, place, secrets.get(place) ?? null, force === true)
      return true
    }
    const [first, ...others] = secrets.keys()
    // One first: if the engine is of the wrong kind, the others aren't sent.
    const one = await inBulk(context.io, 'importing secrets', first === undefined ? [] : [first], write)
    const rest = await inBulk(context.io, 'importing secrets', others, write)
    const bulk = { done: one.done + rest.done, failures: [...one.failures, ...rest.failures] }
    finishBulk(context, `{} written below ${folder === '' ? 'the root' : folder}`, bulk)
    return undefined
  },
})

async function readSecrets(
  context: Context,
  file: string,
  format: ExportFormat | undefined,
): Promise<ReadonlyMap<string, JsonObject | null>> {
  const text = await context.io.readText(file)
  const label = fileWords(file)
  if (format === 'dotenv') return readDotenv(text, label)
  const secrets = new Map<string, JsonObject | null>()
  for (const [name, data] of entriesOf(await readMapText(text, label, format))) {
    if (data !== null && !isObject(data)) {
      throw usageError(
        `${label}: '${name}' is not a map; an import is a map of paths to secrets`,
        'one secret alone: tug kv put <path> @file',
      )
    }
    secrets.set(name, data)
  }
  return secrets
}

function readDotenv(text: string, label: string): ReadonlyMap<string, JsonObject | null> {
  try {
    return parseDotenv(text)
  } catch (error) {
    if (error instanceof RangeError) throw usageError(`${label}: ${error.message}`)
    throw error
  }
}

/** A secret's destination; '' is the name of a single secret. */
function placeOf(folder: string, name: string, label: string): string {
  if (name === '') {
    if (folder !== '') return folder
    throw usageError(`${label} holds one secret without a path`, 'name it: tug kv import <file> <path>')
  }
  try {
    return below(folder, readSegments(name))
  } catch (error) {
    throw usageError(`${label}: '${name}' cannot be a path: ${(error as Error).message}`)
  }
}
