import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { failureMoment, failureReason, shortReason, taskFailures } from '../../../src/commands/job/facts/reasons.ts'
import { says, told } from '../../support/told.ts'

function event(Type: string, more: JsonObject = {}): JsonObject {
  return { Type, ExitCode: 0, Signal: 0, Time: 1, ...more }
}

function allocation(...Events: JsonObject[]): JsonObject {
  return { TaskStates: { srv: { Failed: true, Events } } }
}

const exited = event('Terminated', { ExitCode: 7, Details: { oom_killed: 'false' } })
const restarting = event('Restarting', { RestartReason: 'Restart within policy' })
const exceeded = (attempts: number, interval: string) =>
  event('Not Restarting', {
    FailsTask: true,
    RestartReason: `Exceeded allowed attempts ${attempts} in interval ${interval} and mode is "fail"`,
  })

test.each<[reason: string | undefined, ...events: JsonObject[]]>([
  ['task srv exited with status 7', event('Started'), exited],
  [
    'task srv exited with status 7, was restarted once, then gave up (1 attempt in 1m)',
    exited,
    restarting,
    event('Started'),
    exited,
    exceeded(1, '1m0s'),
  ],
  [
    'task srv exited with status 7, was restarted twice, then gave up (2 attempts in 30m)',
    exited,
    restarting,
    exited,
    restarting,
    exited,
    exceeded(2, '30m0s'),
  ],
  [
    'task srv exited with status 7, and its restart block allows no restart',
    exited,
    event('Not Restarting', { RestartReason: 'Policy allows no restarts' }),
  ],
  [
    'task srv exited with status 7, then gave up (Error was unrecoverable)',
    exited,
    event('Not Restarting', { RestartReason: 'Error was unrecoverable' }),
  ],
  ['task srv was killed by signal 9', event('Terminated', { ExitCode: 137, Signal: 9 })],
  [
    'task srv was killed because it ran out of memory',
    event('Terminated', { ExitCode: 137, Signal: 9, Details: { oom_killed: 'true' } }),
  ],
  [
    'task srv could not be started: no such image',
    event('Driver Failure', { DriverError: 'no such image', DisplayMessage: 'other' }),
  ],
  ['task srv could not be started: older server', event('Driver Failure', { Message: 'older server' })],
  ['task srv could not be set up: disk full', event('Setup Failure', { SetupError: 'disk full' })],
  ['task srv is not valid: no command', event('Failed Validation', { ValidationError: 'no command' })],
  ['task srv could not download an artifact: 404', event('Failed Artifact Download', { DownloadError: '404' })],
  [
    'task srv was killed: a stop was asked for',
    event('Killing', { KillReason: 'a stop was asked for', FailsTask: true }),
  ],
  [
    'task srv was told to restart: check "web" unhealthy',
    event('Restart Signaled', { RestartReason: 'check "web" unhealthy' }),
  ],
  [
    'task srv was not healthy in time: not running for 10s',
    event('Alloc Unhealthy', { Message: 'not running for 10s' }),
  ],
  ['task srv used more disk than it may: 300 MB', event('Disk Resources Exceeded', { KillReason: '300 MB' })],
  ['task srv could not be restored: gone', event('Failed Restoring Task', { RestartReason: 'gone' })],
  ['task srv failed in a hook', event('Hook Failed')],
  ['task srv failed in a hook', event('Task hook failed')],
  ['task srv runs a plugin that became unhealthy', event('Plugin became unhealthy')],
  ['task srv lost its access to secrets: expired', event('Vault Renewal Failed', { VaultError: 'expired' })],
  ['task srv lost its access to secrets: denied', event('Vault Renewal Failed', { SecretsError: 'denied' })],
  ['task srv could not be started: busy', event('Driver Failure', { DriverMessage: 'busy' })],
  ['task srv ended: no such container', event('Terminated', { Message: 'no such container' })],
  ['task srv exited with status 7', exited, event('Alloc Unhealthy', { Message: 'Unhealthy because of failed task' })],
  ['task srv failed: missing key', event('Template', { FailsTask: true, DisplayMessage: 'missing key' })],
  [undefined, event('Template', { DisplayMessage: 'rendered' }), event('Started')],
  [undefined, event('Killing'), event('Terminated', { ExitCode: 130 }), event('Killed')],
])('%s', (reason, ...events) => {
  expect(failureReason(allocation(...events))).toBe(reason)
})

test.each<[reason: string, ...events: JsonObject[]]>([
  [
    'task srv was told to restart: check "web" unhealthy, was restarted once',
    event('Started'),
    event('Restart Signaled', { RestartReason: 'check "web" unhealthy' }),
    event('Terminated', { ExitCode: 130, Signal: 2 }),
    restarting,
    event('Alloc Unhealthy', { Message: 'not running' }),
  ],
  [
    'task srv was killed because it ran out of memory',
    event('Started'),
    event('Restart Signaled', { RestartReason: 'check "web" unhealthy' }),
    event('Terminated', { Signal: 9, Details: { oom_killed: 'true' } }),
  ],
])('a check that makes a task restart is the reason of its end: %s', (reason, ...events) => {
  expect(failureReason(allocation(...events))).toBe(reason)
})

const second = 1e9
const slow = 'was not healthy in time: Task not running for min_healthy_time of 1s'
const late = [event('Started'), event('Alloc Unhealthy', { Time: 6 * second, Message: slow.split(': ')[1] ?? '' })]
const named = (...names: string[]) => [{ Name: 'web', Checks: names.map((Name) => ({ Name })) }]

test.each<[what: string, checks: string, group: JsonObject, events?: JsonObject[]]>([
  ['of the group', '; check alive did not pass', { Services: named('alive') }],
  ['of a task', '; check alive did not pass', { Tasks: [{ Name: 'srv', Services: named('alive') }] }],
  ['any of several', '; a check did not pass: alive, ready', { Services: named('alive', 'ready') }],
  ['none', '', {}],
  ['not counted', '', { Services: named('alive'), Update: { HealthCheck: 'task_states' } }],
  ['not run for long enough', '', { Services: named('alive'), Update: { MinHealthyTime: 10 * second } }],
  ['ended before', '', { Services: named('alive') }, [event('Started'), event('Terminated'), ...late.slice(1)]],
])('a running task that is not healthy has failed its checks: %s', (_, checks, group, events = late) => {
  const job = { ID: 'web', Name: 'web', Status: 'running', Version: 2, TaskGroups: [{ Name: 'app', ...group }] }
  const one = { ...allocation(...events), TaskGroup: 'app', JobVersion: 2 }
  expect(failureReason(one, job)).toBe(`task srv ${slow}${checks}`)
  expect(failureReason({ ...one, JobVersion: 1 }, job)).toBe(`task srv ${slow}`)
})

test('the task that failed by itself is named, not those that were stopped with it', () => {
  const TaskStates = {
    proxy: { Failed: true, Events: [event('Sibling Task Failed', { FailedSibling: 'srv' })] },
    srv: { Failed: true, Events: [exited] },
  }
  expect(failureReason({ TaskStates })).toMatch(told('task srv … 7'))
  expect(failureReason({ TaskStates: { proxy: TaskStates.proxy } })).toMatch(told('task proxy … srv failed'))
})

test("the count of restarts is the server's where it has forgotten the events", () => {
  expect(failureReason({ TaskStates: { srv: { Failed: true, Restarts: 12, Events: [exited] } } })).toMatch(
    told('task srv … 7, was restarted 12 times'),
  )
})

test('each failure of a task is an event of its own, with its exit code and signal', () => {
  const failures = taskFailures('srv', {
    Events: [event('Started'), exited, restarting, event('Driver Failure', { DriverError: 'gone' })],
  })
  expect(failures.map(({ type, words, exitCode }) => [type, words, exitCode])).toEqual([
    ['Terminated', 'exited with status 7', 7],
    ['Driver Failure', says('…: gone'), 0],
  ])
})

test.each<[string, ...JsonObject[]]>([
  ['exit status 7 (srv)', event('Started'), exited, exceeded(1, '1m0s')],
  ['signal 9 (srv)', event('Terminated', { ExitCode: 137, Signal: 9 })],
  [
    'was killed because it ran out of memory (srv)',
    event('Terminated', { ExitCode: 137, Signal: 9, Details: { oom_killed: 'true' } }),
  ],
  ['could not be started: no such image (srv)', event('Driver Failure', { DriverError: 'no such image' })],
])('in a narrow cell the fact comes first: %s', (words, ...events) => {
  expect(shortReason(allocation(...events))).toBe(words)
})

test.each<[string, (number | undefined)[], JsonObject]>([
  [
    'each restart has its number',
    [1, 2, undefined],
    { Restarts: 2, Events: [exited, restarting, exited, restarting, exited] },
  ],
  [
    'also if the first events are gone',
    [9, undefined],
    { Restarts: 9, Events: [exited, restarting, event('Started'), exited] },
  ],
  ['not known without a count', [undefined], { Events: [exited, restarting] }],
  ['none that follows a later start', [undefined], { Restarts: 1, Events: [exited, event('Started'), restarting] }],
  ['not one of an impossible count', [undefined, undefined], { Restarts: 0, Events: [exited, restarting, exited] }],
])('restarts after a failure: %s', (_, numbers, state) => {
  expect(taskFailures('srv', state).map(({ restart }) => restart)).toEqual(numbers)
})

test.each<[string | undefined, ...JsonObject[]]>([
  ['task srv was stopped because another task failed', event('Sibling Task Failed')],
  ['task srv is not restarted again', event('Not Restarting')],
  ['task srv is not restarted again (2 attempts in 30m)', exceeded(2, '30m0s')],
  ['task srv exited with status 7, then gave up (1 attempt in 1h)', exited, exceeded(1, '1h0m0s')],
  ['task srv exited with status 7, then gave up (3 attempts in 1h30m)', exited, exceeded(3, '1h30m0s')],
  ['task srv exited with status 7, then gave up (3 attempts in 1h0m10s)', exited, exceeded(3, '1h0m10s')],
  ['task srv exited with status 7, then gave up (3 attempts in 10s)', exited, exceeded(3, '10s')],
  ['task srv exited with status 7, then gave up', exited, event('Not Restarting')],
  ['task srv exited with status 7, was restarted 3 times', exited, restarting, restarting, restarting],
  [
    'task srv exited with status 7, was restarted once',
    exited,
    restarting,
    event('Not Restarting', { RestartReason: 'Policy allows no restarts' }),
  ],
  ['task srv could not be started', event('Driver Failure')],
  ['task srv could not be started: x', event('Driver Failure', { DriverError: ' ', DriverMessage: ' x ' })],
  ['task srv was not healthy in time', event('Alloc Unhealthy')],
  ['task srv failed: denied', event('Secrets', { Details: { fails_task: 'true' }, Message: 'denied' })],
  [undefined, event('Secrets', { Details: { fails_task: 'false' }, Message: 'denied' })],
  ['task srv was killed: asked', event('Killing', { KillReason: 'asked', Details: { fails_task: 'true' } })],
  [undefined, event('Killing', { KillReason: 'asked' })],
  [undefined, event('Killing', { FailsTask: true })],
  [undefined, event('Terminated')],
  [undefined, event('Killing'), event('Terminated', { ExitCode: 1 })],
  ['task srv exited with status 1', event('Killing'), event('Started'), event('Terminated', { ExitCode: 1 })],
  [
    'task srv could not be started: b',
    event('Driver Failure', { DriverError: 'a' }),
    event('Driver Failure', { DriverError: 'b' }),
  ],
  [
    'task srv was told to restart: b',
    event('Alloc Unhealthy', { Message: 'a' }),
    event('Restart Signaled', { RestartReason: 'b' }),
  ],
  [undefined, event('Something New', { Message: 'a' })],
  [undefined],
])('%s: events in other words', (reason, ...events) => {
  expect(failureReason(allocation(...events))).toBe(reason)
})

test('of several tasks the one that failed counts, before one that only ended, and a cause before a consequence', () => {
  const own = (Failed: boolean, ...Events: JsonObject[]) => ({ Failed, Events })
  const reason = (TaskStates: JsonObject) => failureReason({ TaskStates } as JsonObject)
  const other = event('Terminated', { ExitCode: 2 })
  expect(reason({ a: own(false, other), b: own(true, exited) })).toMatch(told('task b … 7'))
  expect(reason({ a: own(true, event('Alloc Unhealthy')), b: own(false, exited) })).toMatch(told('task b … 7'))
  expect(reason({ a: own(true, other), b: own(true, exited) })).toMatch(told('task a … 2'))
})

test('a failure has the moment of its cause', () => {
  const at = (Time: number) => event('Terminated', { ExitCode: 7, Time })
  const moment = failureMoment(allocation(at(1_795_246_200_000_000_000), event('Not Restarting', { Time: 5 })))
  expect(moment?.toISOString()).toBe('2026-11-21T07:30:00.000Z')
  expect(failureMoment(allocation())).toBeUndefined()
})

test('what an event leaves out is nothing, and an unknown reason is none', () => {
  expect(taskFailures('srv', { Events: [{ Type: 'Hook Failed' }] })).toEqual([
    {
      task: 'srv',
      type: 'Hook Failed',
      words: 'failed in a hook',
      exitCode: 0,
      signal: 0,
      time: '',
      restart: undefined,
    },
  ])
  expect(shortReason(allocation())).toBeUndefined()
})

test('a hanging prestart task is the reason why the others did not start', () => {
  const unhealthy = { Type: 'Alloc Unhealthy', Message: 'Task not running by deadline' }
  const reason = (Sidecar: boolean, ...events: string[]) =>
    failureReason(
      {
        TaskGroup: 'app',
        TaskStates: {
          init: { State: 'running', Events: [...events.map((Type) => ({ Type })), unhealthy] },
          main: { State: 'pending', Events: [unhealthy] },
        },
      },
      {
        TaskGroups: [
          { Name: 'app', Tasks: [{ Name: 'init', Lifecycle: { Hook: 'prestart', Sidecar } }, { Name: 'main' }] },
        ],
      },
    )
  expect(reason(false, 'Started')).toContain('prestart task init')
  for (const other of [reason(true, 'Started'), reason(false), reason(false, 'Started', 'Terminated')])
    expect(other).not.toContain('prestart')
})
