import * as api from '../../api/kv.ts'
import { bulkResult, isWhole } from '../../bulk/account.ts'
import type { Bulk } from '../../bulk/engine.ts'
import { openBulk } from '../../bulk/engine.ts'
import { bulkFlags, planFlags } from '../../bulk/flags.ts'
import { planResult } from '../../bulk/plan.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { entriesOf, isObject } from '../../core/json.ts'
import { argument, flag, readLabelled, readSegments } from '../../core/param.ts'
import { fileWords, plural } from '../../core/words.ts'
import { checkValues, readMapText } from './data/arguments.ts'
import { parseDotenv } from './data/dotenv.ts'
import type { ExportFormat } from './data/formats.ts'
import { formatFlags, formatOfFile, incompleteKey } from './data/formats.ts'
import { passForce } from './messages.ts'
import * as messages from './folder-messages.ts'
import { asFolder, below, folderWords, refuseMisplaced, secretOrFolder } from './place.ts'
import { readPresent } from './read.ts'
import type { Counts, Writing } from './write-item.ts'
import {
  confirmSurplus,
  countsData,
  countsWords,
  deleteSecrets,
  planColumns,
  planItem,
  planRemoval,
  refuseEmptySource,
  surplusSecrets,
  writeItem,
} from './write-item.ts'

export const importCommand = command({
  name: 'import',
  summary: 'Write secrets from what kv export wrote: JSON, YAML or dotenv',
  description: `Reads a map of paths to secrets and writes each below the folder. Everything is checked before anything is sent. Existing secrets are not replaced (check-and-set 0). What fails is reported at the end, with exit status 10, and the rest is written.

--plan only shows, without values, what would be created, changed and left alone. --update makes the secrets equal to the file: unchanged ones are not written, changed ones on top of the version that was read (check-and-set). --prune also deletes secrets below the folder that the file doesn't contain, and asks first; kv undelete undoes it. --force writes a new version of every existing secret.

The format is --format, or the ending of the file; without either, a text that begins with a brace is JSON and any other is YAML. A dotenv file without paths is a single secret, whose path is the second argument.`,
  also: [api.writeData, api.readData, api.list, api.deleteLatest, api.readMount],
  params: {
    file: argument.text('file to read (-: standard input)', { placeholder: 'file', required: true, complete: 'file' }),
    path: secretOrFolder('folder to write into (default: the root); for a plain dotenv file, the path of the secret', {
      required: false,
    }),
    ...formatFlags,
    update: flag.boolean('write changes of existing secrets too'),
    prune: flag.boolean("delete secrets below the folder that the file doesn't contain"),
    force: flag.boolean('write a new version of every existing secret', { excludes: ['update', 'plan'] }),
    ...planFlags,
    ...bulkFlags,
  },
  examples: [
    { line: 'kv import app.json staging/app', note: 'copy what was exported from app' },
    { line: 'kv import app.json app --plan --exit-code', note: 'what differs from the file?' },
    { line: 'kv import app.json app --update --prune', note: 'make a folder equal to the file' },
    { line: 'kv import .env app/db --force', note: 'an environment file as one secret' },
  ],
  async run({ file, path, format, update, prune, force, ...rest }, context): Promise<Result> {
    const { noRecursive, ...input } = rest
    const recursive = noRecursive !== true
    if (prune === true && !recursive) throw usageError('--prune and --no-recursive cannot be used together')
    const folder = asFolder(path)
    const secrets = await readSecretsFile(context, file, { folder, format, recursive })
    if (prune === true && secrets.has(folder)) throw messages.pruneOfOne()
    if (prune === true) refuseEmptySource(secrets.size, 'the file')
    const bulk = await openBulk(context, input, { action: 'import' })
    await refuseMisplaced(bulk.context, folder, { before: [file], from: context })
    const isKept = (place: string) => secrets.has(place)
    const surplus = prune === true ? await surplusSecrets(bulk, bulk.context, folder, isKept) : []
    if (input.plan === true) return planImport(bulk, secrets, surplus)
    await confirmSurplus(context, surplus, 'the file')
    const mode = force === true ? 'force' : update === true ? 'update' : 'new'
    return writeAll(bulk, secrets, { folder, mode, prune: prune === true, surplus })
  },
})

/** Says what an import would do to each secret; no value is shown. */
function planImport(bulk: Bulk, secrets: Secrets, surplus: readonly string[]): Result {
  // What an import leaves alone without --update is shown as the change it would be.
  const stepOf = async (path: string) =>
    planItem(path, await readPresent(bulk.context, path), secrets.get(path) ?? null, 'update')
  const more = surplus.map(planRemoval)
  return planResult(bulk, { items: [...secrets.keys()], stepOf, more, lists: planColumns })
}

interface WriteOptions {
  readonly folder: string
  readonly mode: Writing['mode']
  readonly prune: boolean
  readonly surplus: readonly string[]
}

/** Writes the secrets of the file, and deletes the surplus once all of them are written. */
async function writeAll(bulk: Bulk, secrets: Secrets, options: WriteOptions): Promise<Result> {
  const { folder, mode, prune, surplus } = options
  const counts: Counts = { created: 0, changed: 0, unchanged: 0, deleted: 0, earlier: 0 }
  const hint = prune ? messages.passUpdate : passForce
  let account = await bulk.run({
    what: 'importing secrets',
    items: [...secrets.keys()],
    // An engine of the wrong version would store whatever is sent to it.
    firstAlone: true,
    act: async (place, { context, resuming }) => {
      const compare = resuming || (prune && mode !== 'force')
      const item = await writeItem(context, place, secrets.get(place) ?? null, { mode, compare, hint })
      counts[item.outcome === 'unchanged' ? 'unchanged' : item.created ? 'created' : 'changed'] += 1
      return item
    },
  })
  const written = account.counts.done
  counts.earlier = written - counts.created - counts.changed
  if (isWhole(account)) {
    account = await deleteSecrets(bulk, bulk.context, surplus)
    counts.deleted = account.counts.done - written
  }
  const where = folderWords(folder)
  const compares = mode === 'update' || prune || account.counts.unchanged > 0
  return bulkResult(bulk, account, {
    noun: 'secret',
    action: 'import',
    what: { path: folder },
    done: compares
      ? `${countsWords(counts)} below ${where}`
      : `${plural(account.counts.done, 'secret')} written ${secrets.has(folder) ? 'to' : 'below'} ${where}`,
    data: countsData(counts),
  })
}

/** The secrets of a file by their paths in the mount; null is a secret whose data is null. */
type Secrets = ReadonlyMap<string, JsonObject | null>

/** Reads the secrets of a file and places them below the folder. Throws usage errors before anything is sent. */
async function readSecretsFile(
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
    if (name === incompleteKey && typeof data === 'string') throw messages.incompleteExport(label, data, incompleteKey)
    throw messages.entryNotMap(label, name)
  })
}

/** A secret's path in the mount; the name '' is a secret without a path of its own. */
function placeOf(folder: string, name: string, label: string): string {
  if (name === '') {
    if (folder !== '') return folder
    throw messages.withoutPath(label)
  }
  try {
    return below(folder, readSegments(name))
  } catch (error) {
    throw messages.notPath(label, name, (error as Error).message)
  }
}
