import { randomUUID } from 'node:crypto'
import { mkdir, open, stat, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { TugError, usageError } from '../../core/errors.ts'
import { writeFileWhole } from '../../output/files.ts'
import { fileReason } from '../../output/io.ts'
import type { CredentialParts } from './kmip-certificate.ts'

const names = ['private-key', 'certificate', 'ca-chain'] as const

/** A folder that credentials are written to. */
export interface OutDir {
  /** As it was typed. */
  readonly name: string
  readonly path: string
  readonly replace: boolean
}

/**
 * Makes the folder (0700) when it is missing and sees that files can be written there: what is issued afterwards must not be
 * lost. Throws before anything is asked of the server.
 */
export async function prepareOutDir(
  name: string,
  cwd: string,
  replace: boolean,
  extension: 'pem' | 'der',
): Promise<OutDir> {
  const path = resolve(cwd, name)
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    const probe = join(path, `.tug-${randomUUID()}.probe`)
    await (await open(probe, 'wx', 0o600)).close()
    await unlink(probe)
  } catch (error) {
    throw new TugError('failed', `${name} cannot be written: ${fileReason(error)}; nothing was asked of the server`, {
      cause: error,
    })
  }
  for (const one of names) {
    const file = join(path, `${one}.${extension}`)
    if (!replace && (await stat(file).catch(() => undefined)) !== undefined) {
      throw usageError(
        `${join(name, `${one}.${extension}`)} exists already; nothing was asked of the server`,
        '--force replaces it',
      )
    }
  }
  return { name, path, replace }
}

/** Writes the parts (0600), the key first; gives their names. A failure takes away what this call wrote, and is thrown. */
export async function writeParts({ path, replace }: OutDir, parts: CredentialParts): Promise<string[]> {
  const contents = { 'private-key': parts.privateKey, certificate: parts.certificate, 'ca-chain': parts.chain }
  const written: string[] = []
  try {
    for (const name of names) {
      const content = contents[name]
      if (content === undefined || content.length === 0) continue
      const file = `${name}.${parts.extension}`
      await writeFileWhole(join(path, file), content, { replace, private: true })
      written.push(file)
    }
    return written
  } catch (error) {
    if (!replace) await Promise.all(written.map((file) => unlink(join(path, file)).catch(() => undefined)))
    throw error
  }
}
