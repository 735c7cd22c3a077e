import { bashScript } from './complete-bash.ts'
import { fishScript } from './complete-fish.ts'
import type { FixedWords } from './complete-model.ts'
import { globalFlags, placesOf } from './complete-model.ts'
import { zshScript } from './complete-zsh.ts'
import type { Program } from './catalogue.ts'

export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

const writers = { bash: bashScript, zsh: zshScript, fish: fishScript }

/**
 * The completion script of a shell. It knows all words, flags and choices, so that these cost no process; for names it calls
 * `tug __complete <kind> <words before the cursor…> <value so far>`, which prints one candidate a line.
 */
export function completionScript(shell: Shell, program: Program, fixed: FixedWords = {}): string {
  return writers[shell](placesOf(program, fixed), globalFlags(program, fixed))
}
