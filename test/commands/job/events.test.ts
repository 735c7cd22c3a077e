import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isSuccess, outcomes } from '../../../src/commands/job/state/judgement.ts'
import { startDevServer } from '../../support/dev.ts'
import { root } from '../../support/process.ts'
import { quickClock } from '../../support/quick-clock.ts'
import { tug } from '../../support/run.ts'
import { alloc, scheduler } from './wait-scheduler.ts'

/** What docs/machines.md says of the events of a wait is what a wait prints. */

const page = readFileSync(join(root, 'docs/machines.md'), 'utf8')

/** Words in backquotes that are keys; what stands in parentheses describes them. */
function keysIn(text: string): string[] {
  return Array.from(text.replace(/\([^)]*\)/g, '').matchAll(/`([a-z_]+)`/g), ([, key]) => key as string)
}

const [, section = ''] = page.split('## Events of a wait')
const [eventsText = '', outcomesText = ''] = section.split('### Outcomes')

/** The names in the first cell of each row, with the second cell. */
function rowsOf(text: string): (readonly [name: string, rest: string])[] {
  return Array.from(text.matchAll(/^\| (`.*?) \| (.*?) \|/gm), ([, names = '', rest = '']) => ({
    names,
    rest,
  })).flatMap(({ names, rest }) =>
    Array.from(names.matchAll(/`([a-z.-]+)`/g), ([, name]) => [name as string, rest] as const),
  )
}

const documented = new Map(rowsOf(eventsText))
const [, outcomeText = '', allocationText = ''] =
  /The outcome is an object with ([^.]*)\. Each allocation has ([^.]*)\./.exec(page.replaceAll('\n', ' ')) ?? []

/** The keys of an event by the page. */
function keysOf(event: string): string[] {
  if (outcomes.some((one) => one === event)) return ['event', 'time', ...keysIn(outcomeText), 'progress']
  const rest = documented.get(event) ?? ''
  return [
    'event',
    'time',
    ...keysIn(rest.startsWith('the same') ? (documented.get('deployment.canary-ready') ?? '') : rest),
  ]
}

const failing = readFileSync(join(root, 'examples/failing.hcl'), 'utf8')

test.each([
  ['job run - --wait', ['started', 'evaluation', 'deployment.progress', 'task.failed', 'deployment.failed', 'failed']],
  ['job periodic force cleanup --force --wait', ['started', 'launched', 'evaluation', 'allocations', 'succeeded']],
  ['job evaluate stuck --wait --wait-timeout 1s', ['started', 'evaluation', 'placement.failed']],
])('the events of %s have the names and keys of the page', async (line, expected) => {
  const { env } = await startDevServer({ clock: quickClock(40) })
  const { stdout } = await tug(`${line} -o ndjson`, { env, stdin: failing, now: new Date() })
  checkEvents(stdout, expected)
})

test('so have those of a purge', async () => {
  const job = { Version: 2, CreateIndex: 5, JobModifyIndex: 10, Stop: true }
  const { env } = await scheduler([
    { job, allocations: [alloc('a', 'running', { DesiredStatus: 'stop' })] },
    { job, allocations: [alloc('a', 'complete', { DesiredStatus: 'stop' })] },
  ])
  const { stdout } = await tug('job stop web --purge --yes --wait -o ndjson', { env })
  checkEvents(stdout, ['started', 'evaluation', 'allocations.stopped', 'job.purged', 'succeeded'])
})

function checkEvents(stdout: string, expected: readonly string[]): void {
  const lines = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Record<string, unknown> & { event: string })
  const events = lines.filter((line) => !('item' in line))
  for (const one of events) expect(Object.keys(one).toSorted(), one.event).toEqual(keysOf(one.event).toSorted())
  expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining([...expected]))
  for (const allocation of (events.at(-1)?.['allocations'] ?? []) as object[])
    expect(Object.keys(allocation).toSorted()).toEqual(keysIn(allocationText).toSorted())
}

test('every event in the source is on the page', () => {
  const source = ['state/progress', 'wait/wait']
    .map((name) => readFileSync(join(root, `src/commands/job/${name}.ts`), 'utf8'))
    .join('')
  const names = Array.from(source.matchAll(/\bstep\((?:context, )?'([a-z.-]+)'/g), ([, name]) => name as string)
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !documented.has(name))).toEqual([])
})

test('every outcome is on the page, with its exit status', () => {
  const exits = new Map(
    Array.from(outcomesText.matchAll(/^\| `([a-z-]+)` \| .* \| (\d+) \|$/gm), ([, name, exit]) => [name, exit]),
  )
  expect(Object.fromEntries(exits)).toEqual(
    Object.fromEntries(
      outcomes.map((outcome) => [outcome, isSuccess({ outcome, rule: '', final: true, why: '' }) ? '0' : '8']),
    ),
  )
})
