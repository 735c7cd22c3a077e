import type { Status } from '../../src/commands/job/status/screen.ts'
import { statusScreen } from '../../src/commands/job/status/screen.ts'
import type { Paint, Showing } from '../../src/core/output.ts'
import { tableLines } from '../../src/output/table.ts'

/** What `job status` prints with `-o table` or `-o wide` of these answers. */
export function screenText(status: Readonly<Record<keyof Status, unknown>>, paint: Paint, showing: Showing): string {
  const width = showing.wide ? undefined : showing.width
  return statusScreen(status as unknown as Status, paint, showing)
    .map((block) =>
      typeof block === 'string' ? block : [...tableLines(block, { width, paint, headers: true })].join(''),
    )
    .join('')
}
