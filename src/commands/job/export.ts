import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Job } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import type { KeptFile } from '../../api/jobs.ts'
import type { Failure } from '../../read/bulk.ts'
import { failuresOf, openReads } from '../../read/bulk.ts'
import { asJson, changed } from '../../core/answer.ts'
import type { Result } from '../../core/command.ts'
import { command, writeFacts } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { stringifyJson } from '../../core/json.ts'
import type { Input } from '../../core/param.ts'
import { flag } from '../../core/param.ts'
import { isForbidden, TugError, usageError } from '../../core/errors.ts'
import { grouped } from '../../core/lists.ts'
import { fileReason, firstNames, plural } from '../../core/words.ts'
import { writeFileWhole } from '../../output/files.ts'
import { secretsIn } from '../../output/secret-text.ts'
import { isDeviceName, makeFolder } from '../../core/environment.ts'
import {
  jobsAtOnce,
  listTargets,
  noteInstances,
  readTarget,
  targetParams,
  targetsOf,
  withoutInstances,
} from './targets.ts'
import { inNamespace } from './jobs.ts'
import { declaredIn, variablesText } from './file/variables.ts'
import { jobFileFrom } from './file/file.ts'
import type { Target } from './targets.ts'
import { ownedByServer } from './plan/documents.ts'
import { planFile } from './plan/planned.ts'
import { changeLines } from './versions.ts'

const params = {
  ...targetParams,
  outDir: flag.text('folder for the files, created if missing', {
    required: true,
    placeholder: 'folder',
    complete: 'directory',
  }),
  force: flag.boolean('replace files that exist', { short: 'f' }),
} as const

type ExportInput = Input<typeof params>

export const jobExport = command({
  name: 'export',
  summary: 'Write jobs as files that job apply takes',
  description:
    'Each job becomes <namespace>/<job>.hcl, the file that it was registered with, and <job>.vars.hcl with its variables. A job that was registered or changed without its file (scaled, for example), or whose file does not name its namespace or cannot be compared with the job, becomes JSON. Variables, JSON and files with text that looks secret are private (0600). Applying the files changes nothing. Without IDs and --filter, all jobs of the namespace; never those that a periodic or parameterized job started.',
  params,
  also: [api.list, api.read, api.submission, api.parse, api.plan],
  examples: [
    { line: "job export -n '*' --out-dir jobs", note: 'all jobs of all namespaces' },
    { line: 'job export web api --out-dir jobs', note: 'two of them' },
  ],
  run: exportJobs,
})

async function exportJobs(input: ExportInput, typed: Context): Promise<Result> {
  const reads = openReads(typed, jobsAtOnce)
  const { context } = reads
  const { outDir, force = false } = input
  const isAll = input.jobs.length === 0 && input.filter === undefined
  const { own: targets, leftOut } = withoutInstances(await (isAll ? listTargets(context) : targetsOf(context, input)))
  if (!isAll) noteInstances(context, leftOut)
  // Jobs whose file names would differ in case only, which many disks ignore.
  const places = grouped(targets, ({ namespace = '', id }) => `${namespace}/${id}`.toLowerCase())
  const twins = new Set([...places.values()].filter(({ length }) => length > 1).flat())
  const write = async (target: Target): Promise<readonly ExportedFile[]> => {
    const files = await filesOf(context, target, twins.has(target))
    await writeAll(context, files, { folder: outDir, replace: force })
    return files
  }
  const done: Exported[] = []
  const failures: Failure[] = []
  for await (const one of reads.read('exporting jobs', targets, write)) {
    if ('error' in one) failures.push({ item: one.item.name, error: one.error })
    else done.push({ target: one.item, files: one.value })
  }
  const names = done.map(({ target }) => target.name)
  const jobs = done.map(({ target, files }) => ({
    job: target.id,
    files: files.map((file) => join(outDir, file.path)),
  }))
  const failed = failures.map(({ item, error }) => ({ item, error: error.message }))
  const words = `exported ${plural(done.length, 'job')} to ${outDir}`
  return {
    done: done.length === 0 && failures.length > 0 ? '' : `${words}${privateWords(done, context.io.platform)}`,
    data: writeFacts('export', { jobs, left_out: leftOut }, done.length > 0, { done: names, failed }),
    ...failuresOf(failures, done.length),
  }
}

/** A job that was exported. */
interface Exported {
  readonly target: Target
  readonly files: readonly ExportedFile[]
}

function privateWords(exported: readonly Exported[], platform: string): string {
  const count = exported.flatMap(({ files }) => files).filter(({ isPrivate }) => isPrivate).length
  return count === 0 ? '' : `; ${plural(count, 'file')} may have secrets${platform === 'win32' ? '' : ' (mode 0600)'}`
}

async function filesOf(context: Context, target: Target, hasTwin: boolean): Promise<ExportedFile[]> {
  const { query = [] } = inNamespace(context, target.namespace)
  const job = await readTarget(context, target)
  const version = String(job.Version ?? 0)
  const request = api.submission({ job: target.id }, { query: [...query, ['version', version]], allow: [404] })
  const response = await context.http.send(request)
  const kept = response.status === 404 ? undefined : response.value
  const files = exportedFiles(job, kept, hasTwin)
  if (kept === undefined || files[0]?.content !== kept.Source) return files
  return (await describesJob(context, target, files)) ? files : exportedFiles(job, undefined, hasTwin)
}

/** False, with a message, if the stored file isn't the job in force, or cannot be compared with it. */
async function describesJob(context: Context, target: Target, files: readonly ExportedFile[]): Promise<boolean> {
  const asJsonBecause = (why: string) => `${target.name} is exported as JSON: its stored file ${why}`
  const [own, ...variables] = files.map(({ path, content }) => ({ file: path, text: content }))
  if (own === undefined) return true
  try {
    const file = jobFileFrom(own, variables)
    const { answer, change } = await planFile(context, {}, file)
    if (change !== 'fields') return true
    // A stopped job stays stopped when the file is applied.
    const { Diff } = answer
    const rest = { ...Diff, Fields: (Diff?.Fields ?? []).filter(({ Name }) => Name !== 'Stop') }
    const lines = changeLines(rest, false)
    if (lines.length === 0) return true
    context.io.note(asJsonBecause(`differs from the job in force (${firstNames(lines)})`))
  } catch (error) {
    if (isForbidden(error)) {
      context.io.warn(`${target.name}: its stored file may be older than the job; they may not be compared`)
      return true
    }
    if (!(error instanceof TugError) || error.code === 'interrupted' || error.code === 'not_allowed') throw error
    if (error.facts.isDown === 'surely' || error.facts.endsRun === true) throw error
    if (error.code === 'invalid' || error.code === 'usage') context.io.note(asJsonBecause('cannot be parsed'))
    else context.io.warn(asJsonBecause(`cannot be compared with the job: ${error.message}`))
  }
  return false
}

/** Writes the files of a job, and removes its other files of an earlier export. */
async function writeAll(
  context: Context,
  files: readonly ExportedFile[],
  { folder, replace }: { readonly folder: string; readonly replace: boolean },
): Promise<void> {
  const paths = files.map(({ path }) => path)
  const base = paths[0]?.replace(/\.(?:json|hcl)$/, '') ?? ''
  const others = ['.json', '.hcl', '.vars.hcl'].map((end) => `${base}${end}`).filter((path) => !paths.includes(path))
  const stale = others.filter((path) => existsSync(resolve(context.io.cwd, folder, path)))
  const [first] = stale
  if (first !== undefined && !replace)
    throw usageError(`${join(folder, first)} exists, and is of the same job`, '--force replaces it')
  for (const { path, content, isPrivate } of files) {
    const place = resolve(context.io.cwd, folder, path)
    try {
      makeFolder(dirname(place))
    } catch (error) {
      const message = `cannot write ${join(folder, path)}: ${fileReason(error)}`
      throw new TugError('failed', message, { cause: error, endsRun: true })
    }
    const options = { replace, private: isPrivate, onExit: context.onExit, signal: context.signal }
    await writeFileWhole(place, content, options)
  }
  for (const path of stale) await rm(resolve(context.io.cwd, folder, path), { force: true })
}

/** A file of an export. */
interface ExportedFile {
  /** Below the folder of the export: `default/web.hcl`. */
  readonly path: string
  readonly content: string
  /** True if it may have secrets. */
  readonly isPrivate: boolean
}

/** The files that describe a job: its own file and variables, or the job as JSON. `hasTwin`: another ID differs only in case. */
export function exportedFiles(job: Job, submission: KeptFile | undefined, hasTwin = false): ExportedFile[] {
  const namespace = job.Namespace || 'default'
  const base = `${fileName(namespace, hasTwin)}/${fileName(job.ID ?? '', hasTwin)}`
  const { Source: source = '', Format: format } = submission ?? {}
  const isJson = format === 'json'
  // The file alone must describe the job: its format, and a namespace that isn't the default one.
  const isComplete = namespace === 'default' || (!isJson && declaredIn(source ?? '').namesNamespace)
  if (submission === undefined || !source || format === 'hcl1' || !isComplete) {
    const document = changed(asJson(job), Object.fromEntries(notInFile.map((key) => [key, undefined])))
    return [{ path: `${base}.json`, content: `${stringifyJson(document, 2)}\n`, isPrivate: true }]
  }
  if (isJson) return [{ path: `${base}.json`, content: source, isPrivate: true }]
  const variables = variablesOf(submission)
  const own = { path: `${base}.hcl`, content: source, isPrivate: hasSecrets(source) }
  return variables === '' ? [own] : [own, { path: `${base}.vars.hcl`, content: variables, isPrivate: true }]
}

/** True if a job file may have secrets; variables are stored apart. */
function hasSecrets(source: string): boolean {
  return [...secretsIn(source)].some(([secret]) => !/^(?:var|local)\.[\w.]+$/.test(secret))
}

/** The stored var-files and flags as one var-file; flags override. */
function variablesOf({ Source: source, Variables: variables, VariableFlags: given }: KeptFile): string {
  const { variables: declared } = declaredIn(source)
  const flags = Object.entries(given ?? {}).filter(([name]) => declared?.has(name) !== false)
  const files = (variables ?? '') === '' ? [] : [{ file: 'variables', text: variables ?? '' }]
  const { text: merged } = variablesText(files, flags, declared)
  return merged === '' || merged.endsWith('\n') ? merged : `${merged}\n`
}

/** Members that don't belong in a job file: those that a server sets or a dispatch adds. */
const notInFile = [...ownedByServer, 'Dispatched', 'DispatchIdempotencyToken', 'ParentID', 'Payload']

/** An ID as the name of a file that job apply reads: not hidden, no folder, not the name of a var-file. */
function fileName(id: string, hasTwin = false): string {
  const escaped = (character: string) =>
    `%${character.codePointAt(0)?.toString(16).toUpperCase().padStart(2, '0') ?? ''}`
  return id
    .replaceAll(hasTwin ? /[%A-Z/\\:*?"<>|\u0000-\u001f]/g : /[%/\\:*?"<>|\u0000-\u001f]/g, escaped)
    .replace(/^\./, escaped)
    .replace(/(?<=^|\.)[vt](?=(?:ars|fvars|ariables)$)/, escaped)
    .replace(/^./su, (first) => (isDeviceName(id) ? escaped(first) : first))
}
