import { describe, expect, it } from 'vitest'
import { cronFault, nextTime } from '../../../src/dev/jobs/scheduler/launcher.ts'
import { durationMilliseconds, formatDuration, hasten } from '../../../src/dev/go.ts'
import { planTask } from '../../../src/dev/jobs/client/tasks.ts'

/** A Saturday. */
const from = new Date('2026-11-21T07:10:26.500Z')

function nextLaunch(spec: string, timeZone = 'UTC'): Date | undefined {
  return nextTime(spec, timeZone, from)
}

describe('cron expressions', () => {
  it.for([
    ['15 3 * * *', '2026-11-22T03:15:00.000Z'],
    ['*/15 * * * *', '2026-11-21T07:15:00.000Z'],
    ['10 7 * * *', '2026-11-22T07:10:00.000Z'],
    ['0 0 1 * *', '2026-12-01T00:00:00.000Z'],
    ['0 12 * * mon-fri', '2026-11-23T12:00:00.000Z'],
    ['30 8 29 feb *', '2028-02-29T08:30:00.000Z'],
    ['0 0 13 * fri', '2026-11-27T00:00:00.000Z'],
    ['12/15 * * * *', '2026-11-21T07:12:00.000Z'],
    ['0 0 l * *', '2026-11-30T00:00:00.000Z'],
    ['0 0 * * mon#2', '2026-12-14T00:00:00.000Z'],
    ['@hourly', '2026-11-21T08:00:00.000Z'],
    ['@daily', '2026-11-22T00:00:00.000Z'],
    ['0 9 * * 7', '2026-11-22T09:00:00.000Z'],
  ] as const)('%s comes next at %s', ([spec, next]) => {
    expect(nextLaunch(spec)?.toISOString()).toBe(next)
  })

  it('are read in their time zone', () => {
    const next = nextLaunch('15 3 * * *', 'America/New_York')
    expect(next?.toISOString()).toBe('2026-11-21T08:15:00.000Z')
  })

  it('need a time zone that exists', () => {
    expect(cronFault('15 3 * * *', 'America/New_York')).toBeUndefined()
    expect(cronFault('15 3 * * *', 'Mars/Olympus')).toBeDefined()
  })

  it("never come for a day that doesn't exist", () => {
    expect(nextLaunch('0 0 31 feb *')).toBeUndefined()
  })

  it.for(['0 99 * * *', '0 0 * * someday', '* *', '@sometimes', ''])('%j is refused', (spec) => {
    expect(cronFault(spec, 'UTC')).toBe(`syntax error in '${spec}'`)
  })
})

describe('durations', () => {
  it.for([
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['750ms', 750],
    ['1.5s', 1500],
    ['0', 0],
    ['-2s', -2000],
    ['2', undefined],
    ['soon', undefined],
    ['', undefined],
  ] as const)('%s is %s ms', ([text, milliseconds]) => {
    expect(durationMilliseconds(text)).toBe(milliseconds)
  })

  it('are worded as the server words them', () => {
    expect([15e9, 1800e9, 3600e9, 0.5e9, 90e9].map(formatDuration)).toEqual(['15s', '30m0s', '1h0m0s', '0.5s', '1m30s'])
  })

  it('pass forty times as fast, within bounds', () => {
    expect([0, 10e9, 600e9].map(hasten)).toEqual([50, 250, 1000])
  })
})

describe('what a task would do', () => {
  it.for([
    [{ run_for: '2s', exit_code: 1 }, 'service', 2000, 1],
    [{ fail: true }, 'service', 20, 1],
    [{ command: '/bin/false' }, 'service', 20, 1],
    [{ command: '/bin/true' }, 'batch', 20, 0],
    [{ command: '/bin/sleep', args: ['3600'] }, 'service', 3_600_000, 0],
    [{ command: '/bin/sleep', args: ['infinity'] }, 'service', Infinity, 0],
    [{ command: '/bin/sh', args: ['-c', 'echo boom 1>&2; exit 7'] }, 'service', 20, 7],
    [{ command: 'bash', args: ['-c', 'sleep 1; sleep 2m; exit 3'] }, 'batch', 121_020, 3],
    [{ command: 'sh', args: ['-c', 'while true; do sleep 1; done'] }, 'batch', Infinity, 0],
    [{ image: 'nginx' }, 'service', Infinity, 0],
    [{ image: 'report' }, 'batch', 500, 0],
  ] as const)('%j in a %s job', ([config, type, runs, exitCode]) => {
    const task = { Config: config as never }
    expect(planTask(task, type)).toMatchObject({ runs, exitCode })
  })
})
