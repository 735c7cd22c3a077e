import { usageError } from '../core/errors.ts'
import type { Input } from '../core/param.ts'
import { flag, flagName } from '../core/param.ts'
import { readRate } from './rate.ts'

/** How many requests of secrets are under way at a time. */
export const secretsAtOnce = 16

/** Flags of commands that read many items. */
export const paceFlags = {
  parallel: flag.integer('how many at once', { min: 1, max: 256, defaultText: String(secretsAtOnce) }),
  rate: flag.of('at most so many requests a second', readRate, { placeholder: 'n/s' }),
}

/** Flags of commands that write many items. */
export const bulkFlags = {
  ...paceFlags,
  maxFailures: flag.integer('stop sending after so many failures', { min: 1 }),
  journal: flag.text('append a line for each item to this file as it ends, without values', {
    placeholder: 'file',
    complete: 'file',
  }),
  resume: flag.text('skip what this journal says is done, check what it leaves unknown, and go on', {
    placeholder: 'file',
    complete: 'file',
  }),
}

/** What the flags say; a command that only reads has some of them. */
export type BulkInput = Partial<Input<typeof bulkFlags>>

/** Refuses the flags of bulk work where one item is meant: `--journal needs --recursive`. */
export function refuseBulkFlags(input: BulkInput, why: string): void {
  for (const [key, value] of Object.entries(input)) if (value !== undefined) throw usageError(`${flagName(key)} ${why}`)
}

/** Refuses the flags of writes beside `--plan`, which writes nothing. */
export function refusePlanFlags({ maxFailures, journal, resume }: BulkInput): void {
  refuseBulkFlags({ maxFailures, journal, resume }, 'and --plan cannot be combined')
}
