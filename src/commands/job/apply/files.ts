import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { TugError, usageError } from '../../../core/errors.ts'
import { fileReason } from '../../../output/io.ts'

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
  if (place === '') throw usageError('<file>: the name of the file is empty')
  return stat(resolve(cwd, place)).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

async function filesBelow(cwd: string, folder: string): Promise<string[]> {
  const files = await walk(cwd, folder)
  if (files.length === 0) throw usageError(`${folder} has no job files: *.hcl, *.nomad or *.json`)
  return files.toSorted()
}

async function walk(cwd: string, folder: string): Promise<string[]> {
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch((error: unknown) => {
    throw error instanceof TugError ? error : usageError(`cannot read ${folder}: ${fileReason(error)}`)
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
    const exists = await stat(resolve(cwd, path)).then(
      (found) => found.isFile(),
      () => false,
    )
    if (exists) return [path]
  }
  return []
}
