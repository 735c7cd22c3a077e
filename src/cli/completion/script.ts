import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import type { FixedWords } from './places.ts'
import { globalFlagFacts, placesOf } from './places.ts'
import { zshScript } from './zsh.ts'
import type { Program } from '../catalogue.ts'

export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

const writers = { bash: bashScript, zsh: zshScript, fish: fishScript }

/**
 * The completion script of a shell. It contains all words, flags and choices, which therefore start no process; for names it calls
 * `tug __complete <kind> <words before the cursor…> <value so far>`, which prints one candidate a line.
 */
export function completionScript(shell: Shell, program: Program, fixed: FixedWords = {}): string {
  return writers[shell](placesOf(program, fixed), globalFlagFacts(program, fixed))
}
