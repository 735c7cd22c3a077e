import type { Resolved } from './config/resolve.ts'
import type { Context } from './core/context.ts'
import { usageError } from './core/errors.ts'
import { flagText } from './core/shell.ts'

/** Asks for the name of a protected profile, unless `--confirm-profile` contains it. */
export async function confirmName(
  given: Resolved<string> | undefined,
  io: Context['io'],
  name: string,
  purpose: string,
): Promise<void> {
  if (given?.value.split(',').includes(name) === true) return
  if (given !== undefined) throw usageError(`${given.source} names ${given.value}, but this is profile ${name}`)
  const answer = await io.ask(`Profile ${name} is protected. Type its name to ${purpose}: `, {
    otherwise: `profile ${name} is protected: pass ${flagText(['--confirm-profile', name])}`,
  })
  if (answer.trim() !== name) throw usageError('not confirmed; nothing was changed')
}
