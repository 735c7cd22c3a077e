import type { Result } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { StartedWork, WaitInput } from './wait-params.ts'

/** Says what was started and, with `--wait`, follows it; without, the server's answer is the result. */
export async function followOutcome(
  input: WaitInput,
  started: StartedWork,
  context: Context,
): Promise<Result | undefined> {
  context.io.note(started.said)
  const { answer, view, rawBody } = started
  return { data: answer, view, ...(rawBody === undefined ? {} : { rawBody }) }
}
