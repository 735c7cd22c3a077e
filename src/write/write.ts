import { bulkContext } from '../read/bulk.ts'
import type { Command, CommandDeclaration, Result } from '../core/command.ts'
import { command } from '../core/command.ts'
import type { Context } from '../core/context.ts'
import { formatSpan } from '../core/duration.ts'
import { TugError } from '../core/errors.ts'
import type { Input, Params } from '../core/param.ts'
import { flag } from '../core/param.ts'
import { noWrites } from './item.ts'
import { runWork } from './run.ts'
import { OpenSummary } from './summary.ts'
import type { Work } from './work.ts'

/** The flags of every write. */
export const writeFlags = {
  plan: flag.boolean('only show what would change'),
  exitCode: flag.boolean('with --plan, exit 9 if there is something to do', { needs: ['plan'] }),
}

/** A write. `open` reads what all targets share, and returns the work. */
export interface WriteDeclaration<P extends Params> extends Omit<CommandDeclaration<P>, 'run'> {
  /** Why it isn't idempotent. Such a write always has something to do. */
  readonly repeats?: string
  readonly open: (input: Input<P & typeof writeFlags>, context: Context) => Promise<Work>
}

/**
 * The context of a command with `--wait-timeout`, which limits the time of everything it does: a request without a response by then
 * ends the command like a wait (124).
 */
export function withDeadline(context: Context, input: object): Context {
  const timeout = 'waitTimeout' in input ? input.waitTimeout : undefined
  if (typeof timeout !== 'number') return context
  const deadline = { at: context.monotonic() + timeout }
  const limited = context.through((next) => async (request) => {
    try {
      return await next({ ...request, policy: { ...request.policy, deadline: deadline.at } })
    } catch (error) {
      // A wait has words of its own.
      const isOfWait = request.policy?.persists !== undefined
      if (!(error instanceof TugError) || error.facts.isLate !== true || isOfWait) throw error
      const message = `${error.message} (--wait-timeout ${formatSpan(timeout)})`
      const hints = error.hints.map((hint) => hint.replace(' --timeout ', ' --wait-timeout '))
      throw error.with({ code: 'wait_timeout', message, hints })
    }
  })
  return { ...limited, deadline }
}

/**
 * Declares a command that changes something on a service. One runner plans it (`--plan`), carries it out, and continues it when
 * it is run again, always with the same decisions.
 */
export function write<const P extends Params>({ repeats, open, ...declaration }: WriteDeclaration<P>): Command {
  const { plan, exitCode } = writeFlags
  return {
    ...command({
      ...declaration,
      params: { ...declaration.params, plan, exitCode },
      run: async (input, context): Promise<Result> => {
        let isBulk = false
        const mayWrite = (input as Input<typeof writeFlags>).plan === true ? context.through(noWrites) : context
        const summary = new OpenSummary()
        const ended = withDeadline(mayWrite, input).through((next) => (request) => {
          if (request.policy?.listsTargets === true && summary.stop !== undefined)
            throw summary.stop.with({ unsent: true })
          return next(request)
        })
        const bulk = bulkContext(ended, () => isBulk)
        const work = await open(input, bulk)
        isBulk = work.one === undefined
        return runWork(work, input as Input<typeof writeFlags>, {
          context: bulk,
          summary,
          repeats: repeats !== undefined,
        })
      },
    }),
    decides: repeats === undefined ? {} : { repeats },
  }
}
