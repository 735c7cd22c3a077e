import * as api from '../../api/kv.ts'
import type { Result } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError, isForbidden, usageError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, keysOf, objectFrom, stringifyJson } from '../../core/json.ts'
import { flag, readLabelled } from '../../core/param.ts'
import { firstNames, plural } from '../../core/words.ts'
import { destinationFlags, destinationOf } from '../../output/destination.ts'
import { inGitHub } from '../../output/safe.ts'
import type { BulkReads, Failure } from '../../read/bulk.ts'
import { openReads, throwFailures } from '../../read/bulk.ts'
import type { FileFormat } from './data/document.ts'
import { depthOptions, exportFormatFlag, formatOfFile, incompleteKey } from './data/document.ts'
import { choosesCode } from './data/environment.ts'
import { asFolder, asSecret, folderOf, isFolder, relativeTo, secretOrFolder } from './data/paths.ts'
import { mapOf, registerSecrets } from './data/values.ts'
import { listFolder } from './mount/list.ts'
import type { FoundPath } from './mount/walk.ts'
import { readFound, walk } from './mount/walk.ts'
import type { Secret } from './secret/index.ts'
import { findSecret, readSecret } from './secret/index.ts'

export const exportCommand = command({
  name: 'export',
  summary: 'Write secrets as JSON, YAML, dotenv or shell variables',
  description: `Writes the latest version of a secret, or of every secret below a folder; a slash at the end of the path means the folder. Paths in the file are relative to the folder, so kv import can write them anywhere. Older versions and metadata are not exported. Secrets without a live version are left out, and counted on stderr. If a secret cannot be read, the file and a message say so, and the exit status is 10. The file has mode 0600.

The format is --format, or the ending of --output-file (.json, .yaml, .env), or -o json or yaml, or JSON. kv import reads JSON, YAML and dotenv. dotenv, docker-env and shell are for one secret: a line for each key, a value that isn't text as JSON, null as an empty string. docker-env has no quotes, for docker run --env-file, and refuses values of several lines. shell refuses keys that decide what programs load (PATH, LD_PRELOAD, …).`,
  also: [api.readData, api.list, api.readMount, api.readVersion1, api.listVersion1],
  params: {
    path: secretOrFolder('secret or folder (default: the root)', { required: false }),
    depth: flag.integer('levels of folders to export (1: only the secrets directly in the folder)', depthOptions),
    format: exportFormatFlag,
    ...destinationFlags,
  },
  examples: [
    { line: 'kv export app -O app.json', note: 'everything below a folder' },
    { line: 'kv export app/db --format dotenv -O .env', note: 'one secret as an environment file' },
    { line: 'kv export app/db --format shell', note: 'eval "$(tug kv export app/db --format shell)" sets variables' },
    { line: 'kv export team/payments/ --depth 1 --format yaml', note: 'the secrets of one folder' },
  ],
  async run({ path, depth = Infinity, format, ...destination }, context): Promise<Result> {
    const file = await destinationOf(context, destination, { private: true })
    const wanted = formatOf(context, format, file?.path)
    if (wanted === 'dotenv' || wanted === 'docker-env' || wanted === 'shell') {
      const lines = await linesOf(context, path, wanted, file === undefined && inGitHub(context.io))
      const finish = () => {
        if (file !== undefined) context.io.note(`1 secret → ${file.path}`)
      }
      return { raw: lines, ...(file === undefined ? {} : { file, finish }) }
    }
    const bulk = openReads(context)
    const plan = await planOf(bulk.context, path, depth)
    const tally: Tally = { failures: [], leftOut: 0, written: 0 }
    const masks = file === undefined && inGitHub(context.io)
    return {
      raw: pieces(bulk, plan, wanted, { tally, masks }),
      ...(file === undefined ? {} : { file }),
      finish: () => {
        // No failure, but the file alone would look complete.
        if (plan.deeper.length > 0)
          context.io.note(
            `left out ${plural(plan.deeper.length, 'folder')} (--depth ${depth}): ${firstNames(plan.deeper)}`,
          )
        report(context, tally, file?.path)
      },
    }
  },
})

/** The formats for one secret. */
type LineFormat = 'dotenv' | 'docker-env' | 'shell'

/** One secret as lines of variables. */
async function linesOf(context: Context, path: string, format: LineFormat, masks: boolean): Promise<string> {
  const hint = `${format} is for one secret; for a folder use --format json or yaml`
  const secret = asSecret(path, hint)
  const { data } = await readSecret(context, secret, undefined, () => [hint])
  if (masks) registerSecrets(context.io, data, secret)
  const map = mapOf(data)
  const refused = format === 'shell' ? keysOf(map).filter(choosesCode) : []
  if (refused.length > 0)
    throw usageError(
      `${refused.join(', ')}: variables that decide what programs load are not exported to a shell`,
      'use --format dotenv and check what reads it',
    )
  const others = entriesOf(map).flatMap(([key, value]) => (typeof value === 'string' || value === null ? [] : [key]))
  if (others.length > 0) context.io.note(`not text, written as JSON: ${firstNames(others)}`)
  const { toDockerEnv, toDotenv, toShell } = await import('./data/dotenv.ts')
  const write = { dotenv: toDotenv, 'docker-env': toDockerEnv, shell: toShell }[format]
  return readLabelled(() => write(map), path, path)
}

/** `-o` can name the format too, unless it contradicts. */
function formatOf(
  context: Context,
  format: FileFormat | LineFormat | undefined,
  file: string | undefined,
): FileFormat | LineFormat {
  const { outputFlags } = context.settings
  for (const name of ['query', 'columns'] as const) {
    if (outputFlags[name] !== undefined) throw usageError(`an export does not support --${name}`)
  }
  const { output } = outputFlags
  if (output !== undefined && output !== 'json' && output !== 'yaml') {
    throw usageError(`an export cannot be written as ${output}`, 'use --format json, yaml, dotenv, docker-env or shell')
  }
  if (format !== undefined) return format
  if (file !== undefined) return formatOfFile(file) ?? 'json'
  return context.settings.format === 'yaml' ? 'yaml' : 'json'
}

interface Plan {
  /** A stream where the folder has levels below it: memory doesn't grow with them. */
  readonly paths: Iterable<FoundPath> | AsyncIterable<FoundPath>
  /** Folders that --depth leaves out. */
  readonly deeper: readonly string[]
  /** What the written paths are relative to. */
  readonly base: string
  /** The secret, if the path is one. */
  readonly single?: Secret
}

/** Which secrets to export: the one at the path, or else those below the folder. */
async function planOf(context: Context, path: string, depth: number): Promise<Plan> {
  // The path may be a secret, a folder, or both.
  const reading = isFolder(path)
    ? undefined
    : findSecret(context, path).catch((error: unknown) => {
        // A token may read everything below a folder without a right to the path of the same name.
        if (isForbidden(error)) return { state: 'missing' as const, error, explain: async () => error }
        throw error
      })
  const names = isFolder(path) ? undefined : listFolder(context, path)
  const isBoth = names?.then(
    ({ value }) => value.length > 0,
    () => false,
  )
  const found = await reading
  if (found !== undefined && found.state !== 'missing') {
    const line = (await isBoth) === true ? context.lineWith(path, `${path}/`) : undefined
    if (found.state !== 'live')
      throw line === undefined
        ? found.error
        : found.error.with({ hints: [...found.error.hints, `the folder: ${line}`] })
    if (line !== undefined) context.io.warnAlways(`${path} is also a folder, which was left out: ${line}`)
    registerSecrets(context.io, found.data, path)
    return { paths: [{ path }], deeper: [], base: folderOf(path), single: found }
  }
  const base = asFolder(path)
  try {
    const entries = await walk(context, `${base}/`, { depth, names })
    const deeper: string[] = []
    const secrets = async function* () {
      for await (const entry of entries) {
        if (entry.failure !== undefined || !entry.name.endsWith('/')) yield entry
        else if (entry.isOpen !== true) deeper.push(entry.path)
      }
    }
    return { paths: secrets(), deeper, base }
  } catch (error) {
    // Where the list is not allowed, nothing shows that the path isn't a folder.
    if (found === undefined || !(error instanceof TugError) || error.code !== 'not_found') throw error
    throw await found.explain()
  }
}

interface Tally {
  readonly failures: Failure[]
  written: number
  /** Secrets without a live version. */
  leftOut: number
}

/** Secrets are written together: each write costs as much as many lines. */
const pieceSize = 65_536

/**
 * The document in pieces; a few secrets are read ahead. `masks`: the output may end up in a log that must be told what
 * to mask.
 */
async function* pieces(
  bulk: BulkReads,
  { paths, base, single }: Plan,
  format: DocumentFormat,
  { tally, masks }: { readonly tally: Tally; readonly masks: boolean },
): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder()
  const read = async (path: string) => {
    const secret = single ?? (await findSecret(bulk.context, path))
    return secret.state === 'live' ? { path, ...secret } : undefined
  }
  const sizeOf = (secret: Secret | undefined) => secret?.response.body.length ?? 0
  const { failures } = tally
  let text = ''
  try {
    for await (const secret of readFound(bulk, 'exporting secrets', { found: paths, failures, sizeOf }, read)) {
      if (secret === undefined) {
        tally.leftOut += 1
        continue
      }
      const { path, data } = secret
      if (masks) registerSecrets(bulk.context.io, data, path)
      const name = relativeTo(base, path)
      if (format === 'json') text += jsonMember(name, data, tally.written === 0)
      else text += (await import('../../output/yaml.ts')).toYaml(objectFrom([[name, data]]))
      tally.written += 1
      if (text.length < pieceSize) continue
      yield bytes.encode(text)
      text = ''
    }
  } catch (error) {
    const words = `the export failed after ${plural(tally.written, 'secret')}`
    yield bytes.encode(text + incompleteMark(words, format, tally.written === 0) + endOf(format, false))
    throw error
  }
  const missing = failures.length
  if (missing > 0) {
    const words = `${missing} of ${plural(tally.written + missing, 'secret')} missing`
    text += incompleteMark(words, format, tally.written === 0)
  }
  yield bytes.encode(text + endOf(format, tally.written === 0 && missing === 0))
}

type DocumentFormat = Exclude<FileFormat, 'dotenv'>

function jsonMember(name: string, data: Json, first: boolean): string {
  return `${first ? '{' : ','}\n  ${JSON.stringify(name)}: ${stringifyJson(data, 2).replaceAll('\n', '\n  ')}`
}

/** Marks an incomplete export, so that no reader takes it for a whole one. */
function incompleteMark(words: string, format: DocumentFormat, first: boolean): string {
  if (format === 'json') return jsonMember(incompleteKey, words, first)
  return `"${incompleteKey}": ${JSON.stringify(words)}\n`
}

/** The last piece of an export. */
function endOf(format: DocumentFormat, isEmpty: boolean): string {
  if (format === 'json') return isEmpty ? '{}\n' : '\n}\n'
  return format === 'yaml' && isEmpty ? '{}\n' : ''
}

/** Prints how many were written and left out, and throws if some could not be read. */
function report({ io }: Context, { written, leftOut, failures }: Tally, file: string | undefined): void {
  const left = leftOut === 0 ? '' : `, ${leftOut} left out: no live version`
  if (file !== undefined || leftOut > 0)
    io.note(`${plural(written, 'secret')}${file === undefined ? '' : ` → ${file}`}${left}`)
  // An incomplete document was written, even if nothing could be read.
  throwFailures(failures, written, true)
}
