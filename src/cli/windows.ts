import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isDeviceName } from '../core/environment.ts'
import { usageError } from '../core/errors.ts'
import { labelOf } from '../core/param.ts'
import type { Word } from './words.ts'

/**
 * Expands file patterns, which PowerShell and cmd leave to the program. Throws a usage error for a folder with a device name such as
 * `NUL`.
 */
export function onWindows(line: readonly Word[], cwd: string): readonly Word[] {
  return line.flatMap((word) => {
    const { role, key = '', param, value } = word
    if (param === undefined || value === undefined) return [word]
    if (param.complete === 'directory' && isDeviceName(basename(value)))
      throw usageError(`${labelOf(key, param)}: ${value} is the name of a device on Windows`)
    if (role !== 'argument' || param.complete !== 'file' || !param.repeatable) return [word]
    return matching(value, cwd).map((file) => ({ ...word, value: file }))
  })
}

/** The files that a pattern with `*` and `?` in its last part matches, sorted; the pattern itself if there are none. */
function matching(pattern: string, cwd: string): string[] {
  const name = basename(pattern)
  if (!/[*?]/.test(name)) return [pattern]
  const source = name
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const wanted = new RegExp(`^${source}$`, 'i')
  const folder = dirname(pattern)
  const names = namesIn(resolve(cwd, folder)).filter((each) => wanted.test(each) && !each.startsWith('.'))
  return names.length === 0 ? [pattern] : names.toSorted().map((each) => (folder === '.' ? each : join(folder, each)))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
