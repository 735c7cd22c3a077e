import type { Input } from '../core/param.ts'
import { flag } from '../core/param.ts'

/** How many requests of secrets are under way at a time. */
export const secretsAtOnce = 16

/** Flags of commands that write many items. */
export const bulkFlags = {
  journal: flag.text('append a line for each item to this file as it ends, without values', {
    placeholder: 'file',
    complete: 'file',
    excludes: ['plan'],
  }),
  resume: flag.text(
    "continue from this journal: skip completed items, check unknown ones; create it if it doesn't exist",
    {
      placeholder: 'file',
      complete: 'file',
      excludes: ['plan', 'journal'],
    },
  ),
}

/** Flags of commands that can show what they would write. */
export const planFlags = {
  plan: flag.boolean('show what would be done with each secret, without values, and write nothing'),
  exitCode: flag.boolean('with --plan, exit with 9 if there is something to do', { needs: ['plan'] }),
}

/** What the flags say; a command that only reads, or has no plan, has some of them. */
export type BulkInput = Partial<Input<typeof bulkFlags & typeof planFlags>>
