import * as api from '../../api/kv.ts'
import type { Context, Io } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { entriesOf, isObject, keysOf } from '../../core/json.ts'
import { argument, flag, readSegments } from '../../core/param.ts'
import { fileWords, plural } from '../../core/words.ts'
import type { Work } from '../../write/work.ts'
import { stage } from '../../write/work.ts'
import { write } from '../../write/write.ts'
import { checkValues } from './data/check.ts'
import type { FileFormat } from './data/document.ts'
import { depthOptions, formatFlag, formatToRead, incompleteKey, readMapText, unwrap } from './data/document.ts'
import type { Form } from './data/forms.ts'
import { formFlag, formOf, readForm } from './data/forms.ts'
import { asFolder, below, folderWords, secretOrFolder } from './data/paths.ts'
import { keyColumns, registerSecrets } from './data/values.ts'
import { refuseMisplaced, refuseMisplacedIn, typedLineIn } from './mount/misplaced.ts'
import { createDataDecider, pruneStage } from './secret/index.ts'

export const importCommand = write({
  name: 'import',
  summary: 'Write secrets from what kv export wrote: JSON, YAML or dotenv',
  description: `Reads a map of paths to secrets and writes each below the folder. Everything is checked before anything is sent. A secret that is equal already is left alone, one that differs is a conflict (exit status 5), or with --update changed, on top of the version that was read (check-and-set). To continue an interrupted run, run it again.

--prune deletes once all others are written, and asks first; kv undelete undoes it.

The format is --format, or the ending of the file, or JSON for text that begins with a brace, else YAML. A dotenv file, a response of the server (kv get -o json, vault kv get -format=json) and a Kubernetes Secret are a single secret, whose path is the second argument. Exports of vkv are recognized; --as medusa reads nested maps, whose names are the segments of paths. A file that is encrypted with SOPS is refused.`,
  also: [
    api.writeData,
    api.readData,
    api.list,
    api.readMetadata,
    api.deleteVersions,
    api.deleteLatest,
    api.readMount,
    api.readCapabilities,
  ],
  params: {
    file: argument.text('file to read (-: standard input)', { placeholder: 'file', required: true, complete: 'file' }),
    path: secretOrFolder('folder to write into (default: the root); for a file with a single secret, its path', {
      required: false,
    }),
    depth: flag.integer('levels of folders to import (1: only the secrets directly in the folder)', {
      ...depthOptions,
      excludes: ['prune'],
    }),
    format: formatFlag,
    as: formFlag,
    update: flag.boolean('change existing secrets that differ'),
    prune: flag.boolean("delete secrets below the folder that the file doesn't contain"),
  },
  examples: [
    { line: 'kv import app.json staging/app', note: 'copy what was exported from app' },
    { line: 'kv import app.json app --plan --exit-code', note: 'what differs from the file?' },
    { line: 'kv import app.json app --update --prune', note: 'make a folder equal to the file' },
    { line: 'kv import .env app/db --update', note: 'an environment file as one secret' },
    { line: 'kv import app.json staging --as medusa --plan', note: 'what would the export of another tool write?' },
  ],
  async open({ file, path, format, as: form, update, prune, depth = Infinity }, context): Promise<Work> {
    const folder = asFolder(path)
    const secrets = await readSecretsFile(context, file, { folder, format, form, depth })
    if (prune === true && secrets.has(folder))
      throw usageError('--prune needs a file with paths; this one is a single secret')
    await refuseMisplaced(context, folder, { before: [file] })
    if (folder === '') await refuseMisplacedIn(context, file, secrets.keys())
    const decideData = createDataDecider(context)
    const lineIn = typedLineIn(context, folder, 'path')
    return {
      action: 'import',
      target: 'path',
      noun: 'secret',
      progress: 'importing secrets',
      columns: keyColumns,
      where: `${secrets.has(folder) ? 'at' : 'below'} ${folderWords(folder)}`,
      data: { path: folder },
      stages: [
        stage<string>({
          targets: [...secrets.keys()],
          nameOf: (one) => one,
          decide: (one) =>
            decideData({
              path: one,
              data: secrets.get(one) ?? null,
              mayReplace: update === true,
              hint: 'pass --update to write what changed',
              lineIn,
            }),
        }),
        ...(prune === true
          ? [pruneStage(context, folder, { whose: 'the file', isKept: (one) => secrets.has(one) })]
          : []),
      ],
    }
  },
})

/** The secrets of a file by their paths in the mount; null is a secret whose data is null. */
type Secrets = ReadonlyMap<string, JsonObject | null>

/** Reads the secrets of a file and places them below the folder. Throws usage errors before anything is sent. */
async function readSecretsFile(
  context: Context,
  file: string,
  options: { folder: string; format: FileFormat | undefined; form: Form | undefined; depth: number },
): Promise<Secrets> {
  const text = await context.io.readText(file)
  const label = fileWords(file)
  const format = options.format ?? formatToRead(file)
  const found = await readMaps(context.io, text, label, { ...options, format })
  if (found.length === 0)
    throw usageError(`${label} contains no secret`, 'to delete everything in a folder, use kv delete --recursive')
  const chosen = found.filter(([name]) => name.split('/').length <= options.depth)
  const secrets = new Map(chosen.map(([name, data]) => [placeOf(options.folder, name, label), data] as const))
  const deeper = found.length - chosen.length
  if (deeper > 0) context.io.note(`left out ${plural(deeper, 'secret')} in folders (--depth ${options.depth})`)
  // A server may repeat a value in its first response.
  for (const [place, data] of secrets) registerSecrets(context.io, data, place)
  checkValues(context.io, secrets)
  return secrets
}

async function readMaps(
  io: Io,
  text: string,
  label: string,
  { format, form: given }: { readonly format: FileFormat | undefined; readonly form: Form | undefined },
): Promise<(readonly [string, JsonObject | null])[]> {
  const map = await readMapText(text, label, format)
  if (format === 'dotenv') return [['', map]]
  const form = given ?? formOf(map)
  if (form !== 'tug') return readForm(map, form, label)
  const found = unwrap(map, label)
  if (found?.kind === 'response') {
    io.note(`${label} is a response of the server: using its data as one secret`)
    return [['', found.data]]
  }
  const isNested = (data: Json) => isObject(data) && keysOf(data).length > 0 && Object.values(data).every(isObject)
  if (given === undefined && keysOf(map).length > 0 && Object.values(map).every(isNested))
    io.hint('each value is a map: if the names are segments of paths, as in exports of medusa, add --as medusa')
  return entriesOf(map).map(([name, data]) => {
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
