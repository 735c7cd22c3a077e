import type { Stats } from 'node:fs'
import { promises, statSync } from 'node:fs'
import { untilAborted } from '../core/errors.ts'
import type { ReadLimits } from './pipe.ts'

/** True for what may make a reader wait: a pipe, a socket or a device. Throws if there is nothing. */
export function mayWait(file: string): boolean {
  return isSpecial(statSync(file))
}

function isSpecial(facts: Stats): boolean {
  return !facts.isFile() && !facts.isDirectory()
}

/**
 * Reads a file, until a signal; a pipe or device also until the time limit. A mount that hangs has no limit: the process cannot exit
 * before the thread that waits for it does, unless a signal ends both.
 */
export async function readInput(file: string, limits: ReadLimits): Promise<Uint8Array> {
  const { signal } = limits
  if (!isSpecial(await untilAborted(promises.stat(file), signal))) return untilAborted(promises.readFile(file), signal)
  return (await import('./pipe.ts')).readPipe(file, limits)
}
