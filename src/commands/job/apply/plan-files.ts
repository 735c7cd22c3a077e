import * as api from '../../../api/jobs.ts'
import type { Failure } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import type { Job } from '../../../api/job-shapes.ts'
import { isPlaceholder } from '../../../core/answer.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { Input } from '../../../core/param.ts'
import { idOf } from '../cells.ts'
import type { JobFile, jobFileFlags } from '../job-file.ts'
import { inNamespace, namespaceIn, namespaceOf, readJobFile } from '../job-file.ts'
import { isStarter } from '../jobs.ts'
import { isCompared } from '../plan/groups.ts'
import type { PlannedJob } from '../plan/planned.ts'
import { documentOf, planJob } from '../plan/planned.ts'
import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { noDiff, noJobFiles, sameJob, unreadableFolder, unusedVariable } from './messages.ts'

/** Flags that decide what is planned. */
export type PlanningInput = Input<typeof jobFileFlags> & {
  readonly keepCounts?: boolean | undefined
  readonly policyOverride?: boolean | undefined
}

/** What applying a file would do to its job. */
export type Action = 'create' | 'update' | 'start' | 'rerun' | 'none'

/** A job file, its plan, and what applying it would do. */
export interface FilePlan {
  readonly path: string
  readonly planned: PlannedJob
  readonly action: Action
  /** From {@link nameOf}. */
  readonly name: string
  readonly namespace: string
}

/** `web`, or `team-a/web` where the namespace isn't the default one. */
export function nameOf(id: string, namespace: string): string {
  return namespace === 'default' ? id : `${namespace}/${id}`
}

/** Plans the files; `problems` are those that cannot be. Throws usage errors: no file can be read, two describe the same job. */
export async function planFiles(
  bulk: Bulk,
  input: PlanningInput,
  paths: readonly string[],
): Promise<{ plans: FilePlan[]; problems: Failure[] }> {
  const { context } = bulk
  const { files, problems } = await readAll(context, input, paths)
  const plans: FilePlan[] = []
  const work = (file: JobFile) => planFile(context, input, file)
  const planSome = async (some: readonly JobFile[]) => {
    for await (const outcome of bulk.read('planning jobs', some, work)) {
      if ('value' in outcome) plans.push(outcome.value)
      else problems.push({ item: outcome.item.file, error: outcome.error })
    }
  }
  const [first, ...rest] = files
  if (first !== undefined) await planSome([first])
  // A dry run counts its requests: one after the other.
  if (isDryRun(plans)) for (const file of rest) await planSome([file])
  else await planSome(rest)
  refuseSameJobs(plans)
  return { plans, problems }
}

async function readAll(
  context: Context,
  input: PlanningInput,
  paths: readonly string[],
): Promise<{ files: JobFile[]; problems: Failure[] }> {
  const isOneOfMany = paths.length > 1
  const files: JobFile[] = []
  const problems: Failure[] = []
  for (const path of paths) {
    const own = await variablesBeside(context.io.cwd, path)
    try {
      files.push(await readJobFile(context, { ...input, file: path }, { isOneOfMany, ownVariables: own }))
    } catch (error) {
      if (!(error instanceof TugError)) throw error
      problems.push({ item: path, error })
    }
  }
  const [problem] = problems
  if (problem !== undefined && files.length === 0) throw problem.error
  const used = new Set(files.flatMap(({ flags }) => flags.map(([name]) => name)))
  const unused = input.var.find(([name]) => !used.has(name))
  if (unused !== undefined && problem === undefined) throw unusedVariable(unused[0])
  return { files, problems }
}

async function planFile(context: Context, input: PlanningInput, file: JobFile): Promise<FilePlan> {
  const job = await documentOf(context, input, file)
  const planned = await planJob(context, input, file, job)
  const namespace = namespaceOf(file, job) ?? context.settings.namespace ?? namespaceIn(job) ?? 'default'
  const id = idOf(job)
  const action = isPlaceholder(planned.answer) ? 'update' : await actionOf(context, planned)
  return { path: file.file, planned, action, name: nameOf(id, namespace), namespace }
}

/** Registering a job that differs in no field would only evaluate it again. */
async function actionOf(context: Context, { file, job, answer, change }: PlannedJob): Promise<Action> {
  if (!isCompared(answer)) throw noDiff()
  if (change !== 'fields') return 'none'
  if (answer.Diff?.Type === 'Added') return 'create'
  if (answer.Diff?.Fields?.find(({ Name }) => Name === 'Stop')?.Old === 'true') return 'start'
  return isBatch(job) && (await isFinished(context, file, job)) ? 'rerun' : 'update'
}

/** True for a job that runs to its end as soon as it is registered. */
export function isBatch(job: Job): boolean {
  return !isStarter(job) && ['batch', 'sysbatch'].includes(job.Type ?? '')
}

async function isFinished(context: Context, file: JobFile, job: Job): Promise<boolean> {
  const request = api.read({ job: idOf(job) }, inNamespace(context, namespaceOf(file, job)))
  return (await context.http.send(request)).value.Status === 'dead'
}

/** True if nothing was sent, so that no plan says anything. */
export function isDryRun(plans: readonly FilePlan[]): boolean {
  return plans.some(({ planned }) => isPlaceholder(planned.answer))
}

function refuseSameJobs(plans: readonly FilePlan[]): void {
  if (isDryRun(plans)) return
  const seen = new Map<string, string>()
  for (const { name, path } of plans) {
    const other = seen.get(name)
    if (other !== undefined) throw sameJob(other, path, name)
    seen.set(name, path)
  }
}

const extensions = new Set(['.hcl', '.nomad', '.json'])

/** Files that hold variables, not a job: `prod.vars.hcl`, `vars.hcl`, `variables.hcl`. */
const variableFile = /(?:^|\.)(?:vars|tfvars|variables)\.\w+$/

/**
 * The job files that the arguments name, once each: files as typed, and those below folders by path, without hidden ones and
 * files of variables. Throws usage errors.
 */
export async function jobFilesOf(cwd: string, places: readonly string[]): Promise<string[]> {
  const found = new Map<string, string>()
  for (const place of places) {
    const files = place !== '-' && (await isFolder(cwd, place)) ? await filesBelow(cwd, place) : [place]
    for (const file of files) found.set(file === '-' ? file : resolve(cwd, file), file)
  }
  return [...found.values()]
}

/** True if the arguments name one file, and no folder. */
export async function isOneFile(cwd: string, places: readonly string[]): Promise<boolean> {
  const [only = ''] = places
  return places.length === 1 && (only === '-' || !(await isFolder(cwd, only)))
}

/** A file that cannot be looked at is left to its reader, which says why. */
async function isFolder(cwd: string, place: string): Promise<boolean> {
  return (await factsOf(cwd, place))?.isDirectory() === true
}

async function factsOf(cwd: string, place: string): Promise<Stats | undefined> {
  return stat(resolve(cwd, place)).catch(() => undefined)
}

async function filesBelow(cwd: string, folder: string): Promise<string[]> {
  const files = await walk(cwd, folder)
  if (files.length === 0) throw noJobFiles(folder)
  return files.toSorted()
}

async function walk(cwd: string, folder: string): Promise<string[]> {
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch((error: unknown) => {
    throw unreadableFolder(folder, error)
  })
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.name.startsWith('.')) return []
      if (entry.isDirectory()) return walk(cwd, path)
      const isFile = entry.isFile() || (entry.isSymbolicLink() && !(await isFolder(cwd, path)))
      return isFile && extensions.has(extname(entry.name)) && !variableFile.test(entry.name) ? [path] : []
    }),
  )
  return found.flat()
}

/** The file of variables beside a job file, if there is one: `web.vars.hcl` for `web.hcl` and `web.nomad.hcl`. */
export async function variablesBeside(cwd: string, file: string): Promise<string[]> {
  if (file === '-' || extname(file) === '.json') return []
  const name = basename(file, extname(file))
  const names = [name, name.replace(/\.nomad$/, '')]
  for (const one of new Set(names)) {
    const path = join(dirname(file), `${one}.vars.hcl`)
    if ((await factsOf(cwd, path))?.isFile() === true) return [path]
  }
  return []
}
