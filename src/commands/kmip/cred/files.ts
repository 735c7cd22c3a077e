import { randomUUID } from 'node:crypto'
import { closeSync, openSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { lstat, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import type { NewFile } from '../../../output/files.ts'
import { createFile } from '../../../output/files.ts'
import { makeFolder } from '../../../core/environment.ts'
import { fileReason } from '../../../core/words.ts'
import type { CredentialParts } from './certificate.ts'
import { fileAppeared, fileExists, folderUnusable, isFolder, notWritten } from './messages.ts'

const names = ['certificate', 'ca-chain', 'private-key'] as const

/** A folder for credentials. */
export interface OutDir {
  /** As typed. */
  readonly name: string
  readonly path: string
  readonly replace: boolean
}

/**
 * Creates the folder (0700) if it is missing and checks that files can be written there, so that nothing issued afterwards is
 * lost. `key` is true if there will be a private key. Throws before any request.
 */
export async function prepareOutDir(
  name: string,
  cwd: string,
  { replace, extension, key }: { replace: boolean; extension: 'pem' | 'der'; key: boolean },
): Promise<OutDir> {
  const path = resolve(cwd, name)
  try {
    makeFolder(path, 0o700)
    // At once, so that no signal leaves the file behind.
    const probe = join(path, `.tug-${randomUUID()}.probe`)
    closeSync(openSync(probe, 'wx', 0o600))
    unlinkSync(probe)
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'it is not a folder' : fileReason(error)
    throw folderUnusable(name, reason, error)
  }
  for (const one of key ? names : names.slice(0, 2)) {
    const file = join(name, `${one}.${extension}`)
    const existing = await lstat(join(path, `${one}.${extension}`)).catch(() => undefined)
    if (existing?.isDirectory() === true) throw isFolder(file)
    if (existing !== undefined && !replace) throw fileExists(file)
  }
  return { name, path, replace }
}

/**
 * Writes the parts (0600) and returns their names. All are written to temporary files before the first is renamed, so that a
 * full disk leaves an existing key and certificate unchanged, and nothing else behind.
 */
export async function writeParts(folder: OutDir, parts: CredentialParts, onExit: Context['onExit']): Promise<string[]> {
  const contents = { 'private-key': parts.privateKey, certificate: parts.certificate, 'ca-chain': parts.chain }
  const files = names.flatMap((name) => {
    const content = contents[name]
    return content === undefined || content.length === 0 ? [] : [{ file: `${name}.${parts.extension}`, content }]
  })
  const beside = `.${randomUUID()}.part`
  const made: string[] = []
  const open: NewFile[] = []
  const forgetExit = onExit(() => {
    for (const file of made) rmSync(join(folder.path, file), { force: true })
  })
  try {
    for (const { file, content } of files) {
      made.push(`.${file}${beside}`)
      const created = createFile(join(folder.path, `.${file}${beside}`), 0o600)
      open.push(created)
      await created.write(content)
      created.sync()
    }
    for (const [index, { file }] of files.entries()) {
      await refuseNewcomer(folder, file)
      open[index]?.checkPlace(join(folder.path, `.${file}${beside}`))
      // At once, like all that a signal must undo.
      renameSync(join(folder.path, `.${file}${beside}`), join(folder.path, file))
      if (!folder.replace) made.push(file)
    }
    return files.map(({ file }) => file)
  } catch (error) {
    await Promise.all(made.map((file) => unlink(join(folder.path, file)).catch(() => undefined)))
    throw error instanceof TugError ? error : notWritten(folder.name, fileReason(error), error)
  } finally {
    for (const file of open) file.close()
    forgetExit()
  }
}

/** A file created since the check is kept, too. */
async function refuseNewcomer({ name, path, replace }: OutDir, file: string): Promise<void> {
  if (replace || (await lstat(join(path, file)).catch(() => undefined)) === undefined) return
  throw fileAppeared(join(name, file))
}
