import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder, and those above it that are missing. Returns whether it had to. Throws what the file system says. Node's own
 * `recursive` tries for ever where a folder can be read but none created in it (`/proc`, a mount of autofs).
 */
export function makeFolder(path: string, mode?: number): boolean {
  try {
    mkdirSync(path, mode)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(dirname(path))) {
      makeFolder(dirname(path), mode)
      mkdirSync(path, mode)
      return true
    }
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
    return false
  }
}
