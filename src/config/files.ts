import { isAbsolute, resolve } from 'node:path'

/** The path of a file that a setting names; the current directory, which may be gone, is asked for only if it matters. */
export function pathOf(file: string, cwd: () => string): string {
  return isAbsolute(file) ? file : resolve(cwd(), file)
}
