import * as api from '../../../api/kv.ts'
import { command } from '../../../core/command.ts'
import type { Result } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json.ts'
import { objectFrom, stringifyJson } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { plural } from '../../../core/words.ts'
import { inGitHub } from '../../../output/ci.ts'
import type { Failure } from './bulk.ts'
import { inOrder, throwFailures } from './bulk.ts'
import { toDotenv } from './dotenv.ts'
import { asFolder, secretOrFolder } from '../place.ts'
import type { Secret } from '../read.ts'
import { isGone, isMissing, mapOf, readOneOfMany, readSecret, registerSecrets } from '../read.ts'
import { secretsBelow } from '../walk.ts'

export const exportFormats = ['json', 'yaml', 'dotenv'] as const

export type ExportFormat = (typeof exportFormats)[number]

const bytes = new TextEncoder()

export const exportCommand = command({
  name: 'export',
  summary: 'Write secrets as JSON, YAML or dotenv, for kv import to read back',
  description: `Writes the latest version of the secret of that name, or of the secrets in the folder; a folder's name may end with a slash, and --recursive takes every level below it. Paths are relative to the folder, so that kv import can put them anywhere. Older versions and metadata are not exported; deleted secrets are left out. What may not be read is reported, the rest is written, and the exit status is 10. A file gets mode 0600, and appears when it is whole.

The format is --format, else the ending of --output-file (.json, .yaml, .env), else -o json or yaml, else JSON. A single secret as dotenv is just its keys and values.`,
  also: [api.readData, api.list],
  params: {
    path: secretOrFolder('secret or folder (none: the root)', { required: false }),
    recursive: flag.boolean('every level below the folder'),
    format: flag.choice('how it is written', exportFormats),
    outputFile: flag.text('write to this file (mode 0600)', { short: 'O', placeholder: 'file', complete: 'file' }),
    force: flag.boolean('replace the file'),
  },
  examples: [
    { line: 'kv export app --recursive -O app.json', note: 'everything below a folder' },
    { line: 'kv export app/db --format dotenv -O .env', note: 'one secret as an environment file' },
    { line: 'kv export team/payments/ --format yaml', note: 'the secrets of one folder' },
  ],
  async run({ path, recursive, format, outputFile, force }, context): Promise<Result | undefined> {
    const wanted = formatOf(context, format, outputFile)
    const plan = await planOf(context, path, recursive === true)
    if (context.http.dryRun) return undefined
    const failures: Failure[] = [...plan.failures]
    const count = { written: 0, gone: 0 }
    return {
      raw: pieces(context, plan, wanted, { failures, count, masks: outputFile === undefined && inGitHub(context.io) }),
      ...(outputFile === undefined ? {} : { file: { path: outputFile, replace: force === true, private: true } }),
      finish() {
        const { io } = context
        const where = outputFile === undefined ? '' : ` → ${outputFile}`
        if (outputFile !== undefined || count.gone > 0) {
          const gone = count.gone === 0 ? '' : `, ${count.gone} left out (deleted)`
          io.note(`${plural(count.written, 'secret')}${gone}${where}`)
        }
        throwFailures(failures, Math.max(count.written, 1))
      },
    }
  },
})

/** `-o` can name the format too; two different ones are a contradiction. */
function formatOf(context: Context, format: ExportFormat | undefined, file: string | undefined): ExportFormat {
  const { outputFlags } = context.settings
  for (const name of ['query', 'columns'] as const) {
    if (outputFlags[name] !== undefined)
      throw usageError(`--${name} does not go with an export: it is written as it is`)
  }
  const { output } = outputFlags
  if (output !== undefined && output !== 'json' && output !== 'yaml')
    throw usageError(`an export cannot be written as ${output}`, 'give --format json, yaml or dotenv')
  if (format !== undefined) return format
  if (file !== undefined) return formatOfFile(file) ?? 'json'
  return context.settings.format === 'yaml' ? 'yaml' : 'json'
}

/** The format implied by a file's name. */
export function formatOfFile(path: string): ExportFormat | undefined {
  if (/\.ya?ml$/i.test(path)) return 'yaml'
  if (/\.json$/i.test(path)) return 'json'
  return /(?:^|[/.])(?:dot)?env(?:\.\w+)?$/i.test(path) ? 'dotenv' : undefined
}

interface Plan {
  readonly paths: readonly string[]
  readonly failures: readonly Failure[]
  /** The base of the written paths. */
  readonly base: string
  /** The secret, if the path names one. */
  readonly single?: Secret
}

/** The secrets to export: the one with that name, else those in the folder. */
async function planOf(context: Context, path: string, recursive: boolean): Promise<Plan> {
  if (path !== '' && !path.endsWith('/') && !recursive) {
    try {
      const single = await readSecret(context, path)
      return { paths: [path], failures: [], base: path.split('/').slice(0, -1).join('/'), single }
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  const base = asFolder(path)
  return { ...(await secretsBelow(context, base, recursive ? Infinity : 1)), base }
}

interface Tally {
  readonly failures: Failure[]
  readonly count: { written: number; gone: number }
  /** True if the output goes into a CI log, which must be told what to mask. */
  readonly masks: boolean
}

/** The document in pieces, one per secret; a few are read ahead. */
async function* pieces(
  context: Context,
  { paths, base, single }: Plan,
  format: ExportFormat,
  { failures, count, masks }: Tally,
): AsyncGenerator<Uint8Array> {
  const read = async (path: string) => (single ?? (await readOneOfMany(context, path))).data
  for await (const outcome of inOrder(context.io, 'exporting secrets', paths, read)) {
    if ('error' in outcome) {
      if (isGone(outcome.error)) count.gone += 1
      else failures.push({ what: outcome.item, error: outcome.error })
      continue
    }
    if (masks) registerSecrets(context.io, outcome.value, outcome.item)
    const name = base === '' ? outcome.item : outcome.item.slice(base.length + 1)
    yield bytes.encode(
      await pieceOf(name, outcome.value, format, { first: count.written === 0, alone: single !== undefined }),
    )
    count.written += 1
  }
  if (format === 'json') yield bytes.encode(count.written === 0 ? '{}\n' : '\n}\n')
  else if (format === 'yaml' && count.written === 0) yield bytes.encode('{}\n')
}

async function pieceOf(
  name: string,
  data: Json,
  format: ExportFormat,
  { first, alone }: { first: boolean; alone: boolean },
): Promise<string> {
  if (format === 'json') {
    return `${first ? '{' : ','}\n  ${JSON.stringify(name)}: ${stringifyJson(data, 2).replaceAll('\n', '\n  ')}`
  }
  if (format === 'yaml') {
    const { toYaml } = await import('../../../output/yaml.ts')
    return toYaml(objectFrom([[name, data]]))
  }
  return `${first ? '' : '\n'}${toDotenv(alone ? undefined : name, data === null ? null : mapOf(data))}`
}
