import type { Failure } from '../../../bulk/account.ts'
import { throwFailures } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import { openReads } from '../../../bulk/engine.ts'
import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { objectFrom, stringifyJson } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'
import { inGitHub } from '../../../output/safe.ts'
import { destinationOf } from '../../../output/destination.ts'
import { isGone, isMissing } from '../missing.ts'
import { asFolder, isFolder, relativeTo } from '../place.ts'
import type { Secret } from '../read.ts'
import { readOneOfMany, readSecret } from '../read.ts'
import { mapOf, registerSecrets } from '../values.ts'
import type { Entry, FoundPath, WalkOptions } from '../walk.ts'
import { walk } from '../walk.ts'
import { incompleteDotenv, toDotenv } from './dotenv.ts'
import type { ExportFormat } from './formats.ts'
import { formatOfFile, incompleteKey, isRecursive } from './formats.ts'
import type { ExportSecretsInput } from './export.ts'

/** The work of the command. */
export async function exportSecrets(
  { path, format, skipDeleted, outputFile, force, parallel, rate, ...levels }: ExportSecretsInput,
  context: Context,
): Promise<Result> {
  const bulk = await openReads(context, { parallel, rate })
  const file = await destinationOf(context.io, { outputFile, force }, { private: true })
  const wanted = formatOf(context, format, file?.path)
  const plan = await planOf(bulk.context, path, levels.recursive === true, {
    depth: isRecursive(levels) ? Infinity : 1,
  })
  const tally: Tally = {
    failures: [],
    leftOut: 0,
    written: 0,
    skipDeleted: skipDeleted === true,
    masks: file === undefined && inGitHub(context.io),
  }
  return {
    raw: pieces(bulk, plan, wanted, tally),
    ...(file === undefined ? {} : { file }),
    finish: () => {
      noteDeeper(context, plan)
      report(context, tally, file?.path)
    },
  }
}

/** `-o` can name the format too, unless it contradicts. */
function formatOf(context: Context, format: ExportFormat | undefined, file: string | undefined): ExportFormat {
  const { outputFlags } = context.settings
  for (const name of ['query', 'columns'] as const) {
    if (outputFlags[name] !== undefined) throw usageError(`an export does not support --${name}`)
  }
  const { output } = outputFlags
  if (output !== undefined && output !== 'json' && output !== 'yaml')
    throw usageError(`an export cannot be written as ${output}`, 'use --format json, yaml or dotenv')
  if (format !== undefined) return format
  if (file !== undefined) return formatOfFile(file) ?? 'json'
  return context.settings.format === 'yaml' ? 'yaml' : 'json'
}

interface Plan {
  /** A stream where the folder has levels below it: memory doesn't grow with them. */
  readonly paths: Iterable<FoundPath> | AsyncIterable<FoundPath>
  /** Folders that --no-recursive leaves out. */
  readonly deeper: readonly string[]
  /** What the written paths are relative to. */
  readonly base: string
  /** The secret, if the path is one. */
  readonly single?: Secret
}

/** Which secrets to export: the one at the path, or else those below the folder. */
async function planOf(context: Context, path: string, asksFolder: boolean, options: WalkOptions): Promise<Plan> {
  let refused: unknown
  if (!isFolder(path) && !asksFolder) {
    try {
      const single = await readSecret(context, path)
      return { paths: [{ path }], deeper: [], base: path.split('/').slice(0, -1).join('/'), single }
    } catch (error) {
      // A token may read everything below a folder without a right to the path of the same name.
      const isRefused = error instanceof TugError && error.code === 'not_allowed'
      if (!isMissing(error) && !isRefused) throw error
      refused = error
    }
  }
  const base = asFolder(path)
  try {
    const entries = await walk(context, base, options)
    const deeper: string[] = []
    return { paths: secretsOf(entries, deeper), deeper, base }
  } catch (error) {
    const isNothing = error instanceof TugError && ['not_found', 'not_allowed'].includes(error.code)
    throw isNothing ? (refused ?? error) : error
  }
}

/** The secrets among the entries, and what could not be listed; folders that were not opened are added to `deeper`. */
async function* secretsOf(entries: AsyncIterable<Entry>, deeper: string[]): AsyncGenerator<FoundPath> {
  for await (const entry of entries) {
    if (entry.failure !== undefined || !entry.name.endsWith('/')) yield entry
    else if (entry.isOpen !== true) deeper.push(entry.path)
  }
}

interface Tally {
  readonly failures: Failure[]
  written: number
  /** Secrets without a live version. */
  leftOut: number
  readonly skipDeleted: boolean
  /** True if the output may end up in a log that must be told what to mask. */
  readonly masks: boolean
}

/** The document in pieces, one secret at a time; a few are read ahead. */
async function* pieces(
  { context, read: readEach }: Bulk,
  { paths, base, single }: Plan,
  format: ExportFormat,
  tally: Tally,
): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder()
  const read = async ({ path, failure }: FoundPath) => {
    if (failure !== undefined) throw failure
    const { data, response } = single ?? (await readOneOfMany(context, path))
    return { data, size: response.body.length }
  }
  const options = { sizeOf: ({ size }: { size: number }) => size }
  try {
    for await (const outcome of readEach('exporting secrets', paths, read, options)) {
      if ('error' in outcome) {
        if (outcome.item.failure === undefined && (isGone(outcome.error) || isMissing(outcome.error)))
          tally.leftOut += 1
        else tally.failures.push({ item: outcome.item.path, error: outcome.error })
        continue
      }
      const { path } = outcome.item
      if (tally.masks) registerSecrets(context.io, outcome.value.data, path)
      const facts = { first: tally.written === 0, alone: single !== undefined }
      yield bytes.encode(await pieceOf(relativeTo(base, path), outcome.value.data, format, facts))
      tally.written += 1
    }
  } catch (error) {
    const words = `the export failed after ${plural(tally.written, 'secret')}`
    yield bytes.encode(incompleteMark(words, format, tally.written === 0) + endOf(format, false))
    throw error
  }
  const missing = tally.failures.length
  if (missing > 0) {
    const words = `${missing} of ${plural(tally.written + missing, 'secret')} missing`
    yield bytes.encode(incompleteMark(words, format, tally.written === 0))
  }
  yield bytes.encode(endOf(format, tally.written === 0 && missing === 0))
}

/** One secret as a piece of an export. `first`: nothing was written before it; `alone`: it is the only one. */
async function pieceOf(
  name: string,
  data: Json,
  format: ExportFormat,
  { first, alone }: { first: boolean; alone: boolean },
): Promise<string> {
  if (format === 'json') return jsonMember(name, data, first)
  if (format === 'yaml') {
    const { toYaml } = await import('../../../output/yaml.ts')
    return toYaml(objectFrom([[name, data]]))
  }
  return `${first ? '' : '\n'}${toDotenv(alone ? undefined : name, data === null ? null : mapOf(data))}`
}

function jsonMember(name: string, data: Json, first: boolean): string {
  return `${first ? '{' : ','}\n  ${JSON.stringify(name)}: ${stringifyJson(data, 2).replaceAll('\n', '\n  ')}`
}

/** Says inside an that something is missing, so that no reader takes it for a whole one. */
function incompleteMark(words: string, format: ExportFormat, first: boolean): string {
  if (format === 'json') return jsonMember(incompleteKey, words, first)
  return format === 'yaml' ? `"${incompleteKey}": ${JSON.stringify(words)}\n` : incompleteDotenv(words)
}

/** The last piece of an export. */
function endOf(format: ExportFormat, isEmpty: boolean): string {
  if (format === 'json') return isEmpty ? '{}\n' : '\n}\n'
  return format === 'yaml' && isEmpty ? '{}\n' : ''
}

/** The folders were left out as asked, so this is not a failure; but the file alone would look like everything. */
function noteDeeper({ io }: Context, { deeper }: Plan): void {
  if (deeper.length === 0) return
  const names = deeper.slice(0, mostFolders).join(', ') + (deeper.length > mostFolders ? ', …' : '')
  io.note(`left out ${plural(deeper.length, 'folder')} (--no-recursive): ${names}`)
}

/** Folders named in one line. */
const mostFolders = 5

/** Says how many were written and left out, and fails if some could not be read. */
function report({ io }: Context, tally: Tally, file: string | undefined): void {
  const { written, leftOut, failures, skipDeleted } = tally
  const isSaid = leftOut > 0 && !skipDeleted
  const skipped = isSaid ? `, ${leftOut} left out: no live version` : ''
  if (file !== undefined) io.note(`${plural(written, 'secret')} → ${file}${skipped}`)
  else if (isSaid) io.note(`${plural(written, 'secret')}${skipped}`)
  throwFailures(failures, written, true)
}
