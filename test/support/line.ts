import type { Context } from '../../src/core/context.ts'
import { commandLine } from '../../src/core/shell.ts'

/** Command lines of a context for which no server was named. */
export const plainLine: Context['commandLine'] = (words, ...args) => commandLine([], words, ...args)
