import { describe, expect, it } from 'vitest'
import { cronFault, nextLaunchOf } from '../../../src/dev/jobs/scheduler/launcher.ts'
import { planTask } from '../../../src/dev/jobs/client/tasks.ts'

describe('cron expressions', () => {
  it.for([
    ['15 3 * * *', 'UTC', '2026-11-22T03:15:00.000Z'],
    ['15 3 * * *', 'America/New_York', '2026-11-21T08:15:00.000Z'],
    ['12/15 * * * *', 'UTC', '2026-11-21T07:12:00.000Z'],
    ['@daily', 'UTC', '2026-11-22T00:00:00.000Z'],
    ['0 0 31 feb *', 'UTC', undefined],
  ] as const)('%s in %s comes next at %s', ([spec, timeZone, next]) => {
    const job = { Periodic: { Spec: spec, TimeZone: timeZone } }
    expect(nextLaunchOf(job, new Date('2026-11-21T07:10:26.500Z'))?.toISOString()).toBe(next)
  })

  it.for([
    ['0 99 * * *', 'UTC'],
    ['@sometimes', 'UTC'],
    ['', 'UTC'],
    ['15 3 * * *', 'Mars/Olympus'],
  ] as const)('%j in %s is refused', ([spec, timeZone]) => {
    expect(cronFault(spec, timeZone)).toBe(`syntax error in '${spec}'`)
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
