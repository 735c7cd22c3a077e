import type { JsonNumber, JsonObject } from '../../../core/json.ts'
import { formatDuration } from '../../go.ts'
import { allOf } from '../state/documents.ts'

/** Task events, worded as on real servers. */

const empty: JsonObject = {
  ...allOf('DiskLimit ExitCode KillTimeout Signal StartDelay', 0),
  ...allOf(
    `DownloadError DriverError DriverMessage FailedSibling GenericSource KillError KillReason Message RestartReason
    SetupError TaskSignal TaskSignalReason ValidationError VaultError`,
    '',
  ),
  FailsTask: false,
}

function event(type: string, display: string, members: JsonObject, details: JsonObject = {}) {
  return (time: JsonNumber): JsonObject => ({
    ...empty,
    ...members,
    Type: type,
    Time: time,
    DisplayMessage: display,
    Details: details,
  })
}

export type TaskEvent = ReturnType<typeof event>

export const received = event('Received', 'Task received by client', {})

export const setUp = event(
  'Task Setup',
  'Building Task Directory',
  { Message: 'Building Task Directory' },
  { message: 'Building Task Directory' },
)

export const started = event('Started', 'Task started by client', {})

export const killed = event('Killed', 'Task successfully killed', {})

export function terminated(exitCode: number, signal: number): TaskEvent {
  const display = `Exit Code: ${exitCode}${signal === 0 ? '' : `, Signal: ${signal}`}`
  const details = { exit_code: String(exitCode), signal: String(signal), oom_killed: 'false' }
  return event('Terminated', display, { ExitCode: exitCode, Signal: signal }, details)
}

export function driverFailure(error: string): TaskEvent {
  return event('Driver Failure', error, { DriverError: error }, { driver_error: error })
}

/** The restart policy allows no further restart; its interval is in nanoseconds. */
export function notRestarting(attempts: number, interval: number): TaskEvent {
  const reason =
    attempts === 0
      ? 'Policy allows no restarts'
      : `Exceeded allowed attempts ${attempts} in interval ${formatDuration(interval)} and mode is "fail"`
  const details = { restart_reason: reason, fails_task: 'true' }
  return event('Not Restarting', reason, { FailsTask: true, RestartReason: reason }, details)
}

/** The signal before a kill, which waits `timeout` nanoseconds. */
export function killing(timeout: number): TaskEvent {
  const display = `Sent interrupt. Waiting ${formatDuration(timeout)} before force killing`
  return event('Killing', display, { KillTimeout: timeout }, { kill_timeout: formatDuration(timeout) })
}

export function siblingFailed(sibling: string): TaskEvent {
  const details = { failed_sibling: sibling }
  return event('Sibling Task Failed', `Task's sibling "${sibling}" failed`, { FailedSibling: sibling }, details)
}

/** A restart after `delay` nanoseconds. */
export function restarting(delay: number): TaskEvent {
  const reason = 'Restart within policy'
  const details = { restart_reason: reason, start_delay: String(delay) }
  const display = `Task restarting in ${formatDuration(delay)}`
  return event('Restarting', display, { RestartReason: reason, StartDelay: delay }, details)
}
