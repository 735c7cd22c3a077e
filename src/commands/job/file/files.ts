import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import type { Input } from '../../../core/param.ts'
import { fileReason } from '../../../core/words.ts'
import type { JobFile, jobFileFlags } from './file.ts'
import { readJobFile } from './file.ts'

// The files and folders of a command line: which job files they are, and what is beside them.

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
  if (files.length === 0) throw usageError(`${folder} has no job files: *.hcl, *.nomad or *.json`)
  return files.toSorted()
}

async function walk(cwd: string, folder: string): Promise<string[]> {
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch((error: unknown) => {
    throw usageError(`cannot read ${folder}: ${fileReason(error)}`)
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

/** A file without a plan. */
export interface Problem {
  readonly item: string
  readonly error: TugError
}

/**
 * Reads the files, with their variables; `problems` are those that cannot be read. What a folder has besides jobs is left out, with a
 * note. Throws usage errors, and the problem if no file can be read.
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
    const own = await variablesBeside(context.io.cwd, path)
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
