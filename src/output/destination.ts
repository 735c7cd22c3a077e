import type { RawResult } from '../core/command.ts'
import type { Context } from '../core/context.ts'
import { flag } from '../core/param.ts'

/** `-O` and `--force`, for commands that produce a document. */
export const destinationFlags = {
  outputFile: flag.text('write to this file, completely or not at all (-: standard output)', {
    short: 'O',
    placeholder: 'file',
    complete: 'file',
  }),
  force: flag.boolean('replace the file if it exists', { short: 'f' }),
}

/** The same for CSV of the explorer, where `-f` is `--filter`. */
export const csvDestinationFlags = { ...destinationFlags, force: flag.boolean('replace the file if it exists') }

/** The output file; undefined for standard output. Throws if it cannot be written, so call it before the first request. */
export async function destinationOf(
  { io, signal }: Pick<Context, 'io' | 'signal'>,
  { outputFile, force = false }: { readonly outputFile: string | undefined; readonly force: boolean | undefined },
  options: { readonly private?: boolean } = {},
): Promise<RawResult['file']> {
  if (outputFile === undefined || outputFile === '-') return undefined
  const { checkWritable } = await import('./files.ts')
  const { resolve } = await import('node:path')
  const file = { path: outputFile, replace: force, signal, ...options }
  await checkWritable(resolve(io.cwd, outputFile), file)
  return file
}
