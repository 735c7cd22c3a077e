import { existsSync, readdirSync } from 'node:fs'
import { basename, join, parse, resolve } from 'node:path'
import { isDeviceName, isVariableFile } from '../core/environment.ts'
import { compareNames } from '../core/lists.ts'
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

/**
 * The files that a pattern with `*` and `?` in any of its parts matches, sorted, without hidden ones and var-files; the pattern itself
 * if there are none.
 */
function matching(pattern: string, cwd: string): string[] {
  if (!/[*?]/.test(pattern)) return [pattern]
  const { root } = parse(pattern)
  let found = [root]
  for (const part of pattern.slice(root.length).split(/[\\/]+/)) {
    const wanted = /[*?]/.test(part) ? patternOf(part) : undefined
    found = found.flatMap((folder) => {
      if (wanted === undefined) return [join(folder, part)]
      const names = namesIn(resolve(cwd, folder)).filter((name) => wanted.test(name) && !name.startsWith('.'))
      return names.toSorted(compareNames).map((name) => join(folder, name))
    })
  }
  const files = found.filter((file) => existsSync(resolve(cwd, file)) && !isVariableFile(basename(file)))
  return files.length === 0 ? [pattern] : files
}

function patternOf(part: string): RegExp {
  const source = part
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 'i')
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
