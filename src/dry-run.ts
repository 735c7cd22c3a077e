import type { Result, RowSink, WriteRow } from './core/command.ts'
import type { Invocation } from './invocation.ts'
import { createMessages } from './output/io.ts'

/** A dry run decides every target up to its first write, and starts a watch, so its first request is printed. */
export async function printRequests(result: Result | undefined, invocation: Invocation): Promise<number> {
  if (result !== undefined && 'carryOut' in result) {
    const { host, io, redactor } = invocation
    let isAnyPrinted = false
    const ended = ({ outcome }: WriteRow) => void (isAnyPrinted ||= outcome === 'printed')
    const { failure, line } = await result.carryOut({ ...noRows, ended })
    if (failure !== undefined) throw failure
    if (!isAnyPrinted && line !== '' && !io.quiet)
      createMessages(host, redactor).write({ text: `nothing to send: ${line}` })
    return 0
  }
  if (result !== undefined && 'snapshots' in result) for await (const _ of result.snapshots) break
  return 0
}

/** A dry run prints requests in place of rows. */
const noRows: RowSink = {
  decided: () => undefined,
  shown: () => Promise.resolve(),
  ended: () => undefined,
  step: () => undefined,
  stop: undefined,
}
