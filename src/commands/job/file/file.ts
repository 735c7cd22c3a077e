import type { Dirent, Stats } from 'node:fs'
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Job } from '../../../api/job-shapes.ts'
import { asJson, at, changed, text } from '../../../core/answer.ts'
import { compareNames } from '../../../core/lists.ts'
import type { Context } from '../../../core/context.ts'
import { isVariableFile } from '../../../core/environment.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { entriesOf, isObject, JsonSyntaxError, keysOf, objectFrom, parseJson } from '../../../core/json.ts'
import type { Input } from '../../../core/param.ts'
import { argument, flag } from '../../../core/param.ts'
import { array, boolean, filled, integer, mismatch, object, string } from '../../../core/shape.ts'
import { fileReason, fileWords } from '../../../core/words.ts'
import { checkDeclared, declaredIn, environmentVariables, isJson } from './variables.ts'
import type { VariableFile, VariableFlags } from './variables.ts'

/** Flags of every command that takes job files. */
export const jobFileFlags = {
  var: flag.each('a variable of the job file; overrides var-files and NOMAD_VAR_<name>', readVariable, {
    placeholder: 'name=value',
  }),
  varFile: flag.texts('a file with variables; the last one wins', {
    placeholder: 'file',
    complete: 'file',
  }),
} as const

/** The argument and flags of every command that takes one job file. */
export const jobFileParams = {
  file: argument.text('job file: HCL or JSON (-: standard input)', {
    required: true,
    placeholder: 'file',
    complete: 'file',
  }),
  ...jobFileFlags,
} as const

type JobFileInput = Input<typeof jobFileParams>

function readVariable(typed: string): [name: string, value: string] {
  const end = typed.indexOf('=')
  if (end === -1) throw new RangeError(`'${typed}' has no value: write ${typed}=<value>`)
  const name = typed.slice(0, end)
  if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name)) throw new RangeError(`'${name}' is not a variable name`)
  return [name, typed.slice(end + 1)]
}

/** A job file, parsed if it is JSON. */
export interface JobFile {
  /** As named on the command line. */
  readonly file: string
  readonly source: string
  readonly format: 'hcl2' | 'hcl1' | 'json'
  /** Members beside `Job` in a JSON file that is a registration request: `EnforceIndex`, `Submission`. */
  readonly beside?: JsonObject
  /** The job, if the file is JSON; HCL is parsed by the server. */
  readonly job: Job | undefined
  readonly flags: VariableFlags
  readonly variableFiles: readonly VariableFile[]
  /** True if the file names a namespace, which overrides environment and profile. */
  readonly namesNamespace: boolean
  /** That namespace, if it is known without parsing the file on the server. */
  readonly namespace: string | undefined
}

/** How to read a file that may be one of several. */
interface Reading {
  /** True if the variables on the command line are for several files: each uses those that it declares, JSON none. */
  readonly isOneOfMany?: boolean
  /** True if a file without a job block is sent all the same, for the server's own error. */
  readonly mayLackJob?: boolean
  /** Var-files for this file alone. */
  readonly ownVariables?: readonly string[]
}

/** Reads the file and its var-files. Sends nothing; throws usage errors. */
export async function readJobFile(context: Context, input: JobFileInput, reading: Reading = {}): Promise<JobFile> {
  const source = await context.io.readText(input.file)
  const name = fileWords(input.file)
  if (source.trim() === '') throw usageError(`${name} is empty`)
  if (source.includes('\0')) throw usageError(`${name} is a binary file, not a job file`)
  const file =
    isJson(source) && !declaredIn(source).hasJob
      ? readJson(source, reading.isOneOfMany === true ? { ...input, var: [], varFile: [] } : input)
      : await readHcl(context.io, source, input, reading)
  if (file.namespace !== undefined) checkNamespace(context, file, file.namespace)
  return file
}

async function readHcl(
  io: Context['io'],
  source: string,
  { file, var: given, varFile }: JobFileInput,
  { isOneOfMany = false, mayLackJob = false, ownVariables = [] }: Reading,
): Promise<JobFile> {
  const own = await readVariables(io, ownVariables)
  const variableFiles = [...own, ...(await readVariables(io, varFile))]
  const declared = declaredIn(source)
  if (!declared.hasJob && !mayLackJob) throw noJob(`${fileWords(file)} has no job block, so it is not a job file`)
  const flags = isOneOfMany ? given.filter(([name]) => declared.variables?.has(name) !== false) : given
  const undeclared = checkDeclared(declared, fileWords(file), flags, isOneOfMany ? own : variableFiles)
  for (const words of undeclared) io.note(words)
  return {
    file,
    source,
    format: 'hcl2',
    job: undefined,
    flags: [...environmentVariables(declared, io.env, flags, variableFiles), ...flags],
    variableFiles,
    namesNamespace: declared.namesNamespace,
    namespace: declared.namespace,
  }
}

/** A job file from its source and var-files, such as those stored with a job. Throws usage errors. */
export function jobFileFrom(own: VariableFile, variableFiles: readonly VariableFile[]): JobFile {
  const { file, text: source } = own
  const isJsonFile = isJson(source) && !declaredIn(source).hasJob
  const read = isJsonFile ? jobOf(source, file).job : undefined
  // Without a namespace it is of the default one, whatever the settings are.
  const namespace = (isJsonFile ? read?.Namespace : declaredIn(source).namespace) || 'default'
  const job = read === undefined ? undefined : (changed(asJson(read), { Namespace: namespace }) as Job)
  const format = isJsonFile ? 'json' : 'hcl2'
  return { file, source, format, job, flags: [], variableFiles, namesNamespace: true, namespace }
}

async function readVariables(io: Context['io'], files: readonly string[]): Promise<VariableFile[]> {
  const read: VariableFile[] = []
  for (const file of files) read.push({ file, text: await io.readText(file) })
  return read
}

function readJson(source: string, { file, var: flags, varFile }: JobFileInput): JobFile {
  const name = fileWords(file)
  const onlyForHcl = flags.length > 0 ? '--var' : varFile.length > 0 ? '--var-file' : undefined
  if (onlyForHcl !== undefined) throw usageError(`${name} is JSON, and ${onlyForHcl} is for HCL: remove it`)
  const { job, beside } = jobOf(source, name)
  const namespace = job.Namespace || undefined
  return {
    file,
    source,
    format: 'json',
    ...(beside === undefined ? {} : { beside }),
    job,
    flags: [],
    variableFiles: [],
    namesNamespace: namespace !== undefined,
    namespace,
  }
}

/** Refuses `-n` if it contradicts the file's namespace. A namespace from the environment or profile is overridden, with a note. */
export function checkNamespace({ io, settings }: Context, { file }: JobFile, namespace: string): void {
  const { namespace: set, targetFlags } = settings
  const name = fileWords(file)
  if (set === undefined || set === namespace) return
  if (targetFlags.includes('-n'))
    throw usageError(
      `-n ${set} contradicts ${name}, which names the namespace ${namespace}`,
      `remove -n, or change the namespace in ${name}`,
    )
  io.note(`using namespace ${namespace} from ${name}, not ${set} from the environment or profile`)
}

/** The namespace of a parsed job if its file names one; undefined if the settings or the server decide. */
export function namespaceOf({ namesNamespace }: JobFile, job: Job): string | undefined {
  return namesNamespace ? namespaceIn(job) : undefined
}

/** The namespace in a job. */
export function namespaceIn({ Namespace }: Job): string | undefined {
  return text(asJson(Namespace)) || undefined
}

/** Members of a registration request that a JSON file may have beside `Job`. */
const besideJob = ['EnforceIndex', 'JobModifyIndex', 'PreserveCounts', 'EvalPriority', 'PolicyOverride', 'Submission']

/** The members of a JSON job that are read before the server validates it. */
const fileJob = object({
  ID: filled,
  'Namespace?': string,
  'Type?': string,
  'Stop?': boolean,
  'TaskGroups?': array(object({ 'Name?': string, 'Count?': integer(), 'Tasks?': array(object({ 'Name?': string })) })),
})

/** The job in a JSON document, bare or wrapped in `Job`, and the members beside it. Digits and unknown fields are kept. */
function jobOf(source: string, name: string): { job: Job; beside?: JsonObject } {
  const document = jsonOf(source, name)
  const isWrapped = isObject(document) && 'Job' in document
  const job = isWrapped ? at(document, 'Job') : document
  if (isObject(job) && job['ID'] !== undefined && job['ID'] !== '') {
    const wrong = mismatch(job, fileJob)
    if (wrong !== undefined) throw usageError(`${name} is not a job: it ${wrong}`)
    const members = isWrapped ? entriesOf(document).filter(([key]) => besideJob.includes(key)) : []
    return members.length === 0 ? { job } : { job, beside: objectFrom(members) }
  }
  const inner = at(document, 'job')
  const keys = [document, job, inner].flatMap((one) => (isObject(one) ? keysOf(one) : []))
  if (keys.some((key) => key !== 'ID' && key.toLowerCase() === 'id'))
    throw usageError(
      `${name} is JSON with keys in lower case`,
      'write them as `tug job parse` prints them: "Job", "ID", "TaskGroups", …',
    )
  throw noJob(
    `${name} is JSON, but not a job: it has no "ID"`,
    'a job looks like what `tug job get <job> -o json` or `tug job parse` prints, bare or as {"Job": …}',
  )
}

/** The error for a file that is not a job; in a folder with jobs, such a file is skipped. */
function noJob(message: string, ...hints: string[]): TugError {
  return new TugError('usage', message, { reason: 'not_a_job', hints })
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

/** The extensions of job files in a folder. */
const extensions = new Set(['.hcl', '.nomad', '.json'])

/**
 * The job files that the arguments name, once each: files as typed, and those in folders sorted by path, without hidden files and
 * var-files. Throws usage errors.
 */
export function jobFilesOf(cwd: string, places: readonly string[]): string[] {
  const found = new Map<string, string>()
  for (const place of places) {
    const isInFolder = place !== '-' && isFolder(cwd, place)
    const files = isInFolder ? walk(cwd, place).toSorted(compareNames) : [place]
    if (files.length === 0) throw usageError(`${place} has no job files: *.hcl, *.nomad or *.json`)
    for (const file of files) found.set(file === '-' ? file : resolve(cwd, file), file)
  }
  return [...found.values()]
}

/** True if the arguments name one file, and no folder. */
export function isOneFile(cwd: string, places: readonly string[]): boolean {
  const [only = ''] = places
  return places.length === 1 && (only === '-' || !isFolder(cwd, only))
}

/** False for a path that cannot be examined: reading it reports why. */
function isFolder(cwd: string, place: string): boolean {
  return factsOf(cwd, place)?.isDirectory() === true
}

function factsOf(cwd: string, place: string): Stats | undefined {
  try {
    return statSync(resolve(cwd, place))
  } catch {
    return undefined
  }
}

function walk(cwd: string, folder: string): string[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(resolve(cwd, folder), { withFileTypes: true })
  } catch (error) {
    throw usageError(`cannot read ${folder}: ${fileReason(error)}`)
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.')) return []
    if (entry.isDirectory()) return walk(cwd, path)
    const isFile = entry.isFile() || (entry.isSymbolicLink() && !isFolder(cwd, path))
    return isFile && extensions.has(extname(entry.name).toLowerCase()) && !isVariableFile(entry.name) ? [path] : []
  })
}

/** The var-file next to a job file, if it exists: `web.vars.hcl` for `web.hcl` and `web.nomad.hcl`. */
export function variablesBeside(cwd: string, file: string): string[] {
  if (file === '-' || extname(file).toLowerCase() === '.json') return []
  const name = basename(file, extname(file))
  const names = [name, name.replace(/\.nomad$/, '')]
  for (const one of new Set(names)) {
    const path = join(dirname(file), `${one}.vars.hcl`)
    if (factsOf(cwd, path)?.isFile() === true) return [path]
  }
  return []
}

/** A job file that cannot be read or planned. */
export interface Problem {
  readonly item: string
  readonly error: TugError
}

/** The findings in a file without its path: `12:3: Unsupported argument`, and the line that it is about; the message of another error. */
export function findingsOf(path: string, { lines }: TugError): string[] {
  const isFinding = (line: string) => line.startsWith(`${path}:`)
  const start = Math.max(0, lines.findIndex(isFinding))
  return lines.slice(start).map((line) => (isFinding(line) ? line.slice(path.length + 1).trimStart() : line))
}

/**
 * Reads the files with their variables. Files of a folder that are not jobs are left out, with a note. Throws usage errors, and the
 * first problem if no file can be read.
 */
export async function readJobFiles(
  context: Context,
  input: Input<typeof jobFileFlags> & { readonly files?: readonly string[] },
  paths: readonly string[],
): Promise<{ files: JobFile[]; problems: Problem[] }> {
  const isOneOfMany = paths.length > 1
  const files: JobFile[] = []
  const problems: Problem[] = []
  for (const path of paths) {
    const own = variablesBeside(context.io.cwd, path)
    try {
      files.push(await readJobFile(context, { ...input, file: path }, { isOneOfMany, ownVariables: own }))
    } catch (error) {
      if (!(error instanceof TugError)) throw error
      const isLeftOut = error.reason === 'not_a_job' && !(input.files ?? [path]).includes(path)
      if (isLeftOut) context.io.note(`left out: ${error.message}`)
      else problems.push({ item: path, error })
    }
  }
  const [problem] = problems
  if (problem !== undefined && files.length === 0) throw problem.error
  if (files.length === 0) throw usageError('none of the files is a job file')
  const used = new Set(files.flatMap(({ flags }) => flags.map(([name]) => name)))
  const unused = input.var.find(([name]) => !used.has(name))
  if (unused !== undefined && problem === undefined)
    throw usageError(`--var: no file declares a variable '${unused[0]}'`)
  return { files, problems }
}
