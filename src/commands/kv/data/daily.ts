import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../../core/context.ts'
import { cachePlace, makeFolder } from '../../../core/environment.ts'

/** Whether something has not been printed yet today. Records in the cache folder that it is printed now. */
export function isFirstToday({ io, now }: Pick<Context, 'io' | 'now'>, name: string): boolean {
  const place = cachePlace(io.env, io.home, io.platform)
  if (place === undefined || !(place.isCreated || existsSync(place.base))) return true
  const today = now().toISOString().slice(0, 10)
  const folder = join(place.base, place.below, 'hints')
  const file = join(folder, name)
  try {
    if (readFileSync(file, 'utf8') === today) return false
  } catch {
    // Not printed before.
  }
  try {
    makeFolder(folder, 0o700)
    writeFileSync(file, today)
  } catch {
    // Printed again next time.
  }
  return true
}
