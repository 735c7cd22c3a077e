import { readFileSync, statSync } from 'node:fs'
import type { ReadLimits } from './pipe.ts'

/** True for what may make a reader wait: a pipe, a socket or a device. Throws if there is nothing. */
export function mayWait(file: string): boolean {
  const facts = statSync(file)
  return !facts.isFile() && !facts.isDirectory()
}

/** Reads a file at once; a pipe or device without ever blocking, so that signals and the time limit end it. */
export function readInput(file: string, limits: ReadLimits): Uint8Array | Promise<Uint8Array> {
  return mayWait(file) ? import('./pipe.ts').then(({ readPipe }) => readPipe(file, limits)) : readFileSync(file)
}
