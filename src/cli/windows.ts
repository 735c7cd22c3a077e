import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isDeviceName } from '../core/environment.ts'
import { usageError } from '../core/errors.ts'
import type { Params } from '../core/param.ts'
import { labelOf } from '../core/param.ts'
import type { TypedLine } from './parse.ts'

/**
 * Expands file patterns, which PowerShell and cmd leave to the program. Throws a usage error for a folder with a device name such as
 * `NUL`.
 */
export function onWindows(line: TypedLine, params: Params, cwd: string): TypedLine {
  const args = Object.entries(line.args).map(([key, values]) => {
    const { complete, repeatable } = params[key] ?? {}
    return [key, complete === 'file' && repeatable ? values.flatMap((value) => matching(value, cwd)) : values]
  })
  for (const [key, values] of [...Object.entries(line.args), ...Object.entries(line.flags)]) {
    if (params[key]?.complete !== 'directory') continue
    const device = values.find((value) => isDeviceName(basename(value)))
    if (device !== undefined)
      throw usageError(`${labelOf(key, params[key])}: ${device} is the name of a device on Windows`)
  }
  return { flags: line.flags, args: Object.fromEntries(args) as TypedLine['args'] }
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
