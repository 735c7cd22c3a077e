import * as api from '../../api/jobs.ts'
import { at, isAwaited, text } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import { TugError, usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isObject, JsonSyntaxError, objectFrom, parseJson } from '../../core/json.ts'
import type { Input } from '../../core/param.ts'
import { argument, flag } from '../../core/param.ts'
import { fileWords } from '../../core/words.ts'
import { schedulerWords } from '../../api/scheduler-service.ts'
import { explainParseFailure, isParseFailure } from './diagnostics.ts'
import type { VariableFile, VariablesText } from './variables.ts'
import { joinFiles, variablesText } from './variables.ts'

/** Flags of every command that takes a job file. */
export const jobFileParams = {
  file: argument.text('job file: HCL or JSON (-: standard input)', {
    required: true,
    placeholder: 'file',
    complete: 'file',
  }),
  var: flag.each('a variable of the job file, over what a var-file says', readVariable, { placeholder: 'name=value' }),
  varFile: flag.texts('a file with variables; of several the last counts', { placeholder: 'file', complete: 'file' }),
  hcl1: flag.boolean('read the file by the rules of the first HCL'),
} as const

function readVariable(typed: string): [name: string, value: string] {
  const end = typed.indexOf('=')
  if (end === -1) throw new RangeError(`'${typed}' has no value: write ${typed}=<value>`)
  const name = typed.slice(0, end)
  if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name)) throw new RangeError(`'${name}' is no variable's name`)
  return [name, typed.slice(end + 1)]
}

/** A job file, parsed if it is JSON. */
export interface JobFile {
  /** As named on the command line. */
  readonly file: string
  readonly source: string
  readonly format: 'hcl2' | 'hcl1' | 'json'
  /** The job, if the file is JSON; HCL is parsed by the server. */
  readonly job: JsonObject | undefined
  readonly flags: readonly (readonly [name: string, value: string])[]
  readonly variableFiles: readonly VariableFile[]
}

/** Reads the file and its var-files. Every problem is a usage error: nothing was sent. */
export async function readJobFile({ io }: Context, input: Input<typeof jobFileParams>): Promise<JobFile> {
  const { file, var: flags, varFile, hcl1 } = input
  const source = await io.readText(file)
  const name = fileWords(file)
  if (source.trim() === '') throw usageError(`${name} is empty: it holds no job`)
  if (source.includes('\0')) throw usageError(`${name} is binary: it holds no job`)
  if (!source.trimStart().startsWith('{')) {
    const variableFiles: VariableFile[] = []
    for (const one of varFile) variableFiles.push({ file: one, text: await io.readText(one) })
    return { file, source, format: hcl1 === true ? 'hcl1' : 'hcl2', job: undefined, flags, variableFiles }
  }
  if (flags.length > 0 || varFile.length > 0) {
    throw usageError(
      `${name} is JSON, which has no variables: ${flags.length > 0 ? '--var' : '--var-file'} does not go with it`,
    )
  }
  if (hcl1 === true) throw usageError(`${name} is JSON: --hcl1 does not go with it`)
  const job = jobOf(source, name)
  keepTokensSecret(io, job)
  return { file, source, format: 'json', job, flags, variableFiles: [] }
}

/** A job's tokens, in either dialect's names, are shown nowhere, not even by --dry-run or --trace. */
function keepTokensSecret(io: Context['io'], job: Json): void {
  const { secretsToken, discoveryToken } = schedulerWords
  for (const name of [...Object.values(secretsToken), ...Object.values(discoveryToken)]) {
    const token = at(job, name)
    if (typeof token === 'string' && token !== '') io.secret(token)
  }
}

/** The job in a JSON text, bare or wrapped in `Job`; digits and unknown fields are kept. */
function jobOf(source: string, name: string): JsonObject {
  const document = jsonOf(source, name)
  const job = isObject(document) && 'Job' in document ? at(document, 'Job') : document
  const id = text(job, 'ID')
  if (isObject(job) && id !== undefined && id !== '') return job
  const hint = isObject(at(document, 'job'))
    ? ['this looks like the JSON form of HCL; write it as HCL, or as what `tug job parse` prints']
    : ['a job looks like what `tug job get <job> -o json` or `tug job parse` prints, bare or as {"Job": …}']
  throw usageError(`${name} is JSON, but no job: it has no "ID"`, ...hint)
}

function jsonOf(source: string, name: string): Json {
  try {
    return parseJson(source)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    const before = source.slice(0, error.offset).split('\n')
    throw usageError(`${name}:${before.length}:${(before.at(-1) ?? '').length + 1}: ${error.message}`)
  }
}

/** The `Variables` and `VariableFlags` of a parse; product servers ignore the latter (docs/servers.md, Parsing and variables). */
function parseVariables(
  { settings }: Context,
  file: JobFile,
): { variables: VariablesText; flags: JsonObject | undefined } {
  const fold = settings.dialect === 'hashicorp'
  return {
    variables: variablesText(file.variableFiles, fold ? file.flags : []),
    flags: fold || file.flags.length === 0 ? undefined : objectFrom(file.flags),
  }
}

/** The job of a file, and the server's bytes if it parsed the file. */
export interface ParsedJob {
  readonly job: Json
  readonly rawBody?: Uint8Array
}

/** The job of a file: JSON unchanged, HCL as parsed by the server. Errors in the file are shown with their lines. */
export async function parseJobFile(context: Context, file: JobFile, canonicalize: boolean): Promise<ParsedJob> {
  if (file.job !== undefined) return { job: file.job }
  const { variables, flags } = parseVariables(context, file)
  try {
    const response = await context.http.send(
      api.parse(
        {},
        {
          body: {
            JobHCL: file.source,
            ...(canonicalize ? { Canonicalize: true } : {}),
            ...(variables.text === '' ? {} : { Variables: variables.text }),
            ...(flags === undefined ? {} : { VariableFlags: flags }),
            ...(file.format === 'hcl1' ? { HCLv1: true } : {}),
          },
        },
      ),
    )
    const job = response.json()
    if (!isAwaited(job) && !isObject(job)) throw noJob(response.status)
    keepTokensSecret(context.io, job)
    return { job, rawBody: response.body }
  } catch (error) {
    if (isParseFailure(error)) throw explainParseFailure(error, { file: file.file, text: file.source, variables })
    throw error
  }
}

function noJob(status: number): TugError {
  const place = { service: 'scheduler', status, method: api.parse.method, path: api.parse.path }
  return new TugError('failed', 'the answer to the job file is no job: is the address right?', place)
}

/** What is stored with the job: the unchanged file and its variables. */
export function submissionOf(file: JobFile): JsonObject {
  return {
    Source: file.source,
    Format: file.format,
    VariableFlags: objectFrom(file.flags),
    Variables: joinFiles(file.variableFiles),
  }
}
