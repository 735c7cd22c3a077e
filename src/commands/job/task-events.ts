import type { Allocation, TaskEvent, TaskState } from '../../api/job-shapes.ts'
import { entriesOf } from '../../core/json.ts'
import { spanOf } from './cells.ts'

/** Members of an event that hold a text about what happened, the most telling first. */
const tellingMembers = [
  'DriverError',
  'SetupError',
  'ValidationError',
  'DownloadError',
  'SecretsError',
  'VaultError',
  'KillError',
  'KillReason',
  'RestartReason',
  'TaskSignalReason',
  'DriverMessage',
] as const

/** Events whose message adds nothing to their name. */
const plainEvents = new Set(['Received', 'Started', 'Killed'])

/** `Terminated: exit 137, signal 9`, `Driver Failure: image not found`: everything that an event tells. */
export function eventWords(event: TaskEvent): string {
  const type = event.Type ?? ''
  const facts = [...numbersOf(event), ...textsOf(event, type)]
  return facts.length === 0 ? type : `${type}: ${facts.join(', ')}`
}

function numbersOf(event: TaskEvent): string[] {
  const [exit, signal, disk] = [event.ExitCode, event.Signal, event.DiskLimit].map((value) => Number(value ?? 0))
  const delay = spanOf(event.StartDelay)
  const timeout = spanOf(event.KillTimeout)
  const sibling = event.FailedSibling ?? ''
  const sent = event.TaskSignal ?? ''
  const hasEnded = event.Type === 'Terminated' && signal === 0
  return [
    ...(exit === 0 && !hasEnded ? [] : [`exit ${exit}`]),
    ...(signal === 0 ? [] : [`signal ${signal}`]),
    ...(disk === 0 ? [] : [`disk limit ${disk}`]),
    ...(sibling === '' ? [] : [`task ${sibling} failed`]),
    ...(sent === '' ? [] : [sent]),
    ...(delay === '' ? [] : [`again in ${delay}`]),
    ...(timeout === '' ? [] : [`has ${timeout} to end`]),
    ...(event.FailsTask === true ? ['fails the task'] : []),
  ]
}

/** The texts that say something; the general message only if no other member does. */
function textsOf(event: TaskEvent, type: string): string[] {
  const found = tellingMembers.flatMap((key) => words(event[key]))
  if (found.length > 0) return [...new Set(found)]
  // The numbers are all that the message says.
  if (plainEvents.has(type) || numbersOf(event).length > 0) return words(event.Message)
  return [...words(event.DisplayMessage), ...words(event.Message)].slice(0, 1)
}

function words(message: string | null | undefined): string[] {
  const found = (message ?? '').trim()
  return found === '' ? [] : [found]
}

/**
 * The last event of the task that matters most: one that failed, else the one with the newest event. With several
 * tasks, the task is named.
 */
export function lastEvent(allocation: Pick<Allocation, 'TaskStates' | 'ClientDescription'>): string {
  const tasks = entriesOf(allocation.TaskStates ?? {}).map(([name, state]) => ({
    name,
    failed: state.Failed === true,
    event: tellingEvent(state),
  }))
  const found = tasks
    .filter(({ event }) => event !== undefined)
    .toSorted((one, other) => Number(other.failed) - Number(one.failed) || timeOf(other.event) - timeOf(one.event))[0]
  if (found?.event === undefined) return allocation.ClientDescription ?? ''
  return tasks.length === 1 ? eventWords(found.event) : `${found.name}: ${eventWords(found.event)}`
}

/** Events about the end of a task follow those with the reason, which is what people want. */
const echoes = new Set(['Not Restarting', 'Killing', 'Killed', 'Sibling Task Failed', 'Alloc Unhealthy', 'Restarting'])

function tellingEvent(state: TaskState): TaskEvent | undefined {
  const events = state.Events ?? []
  const last = events.at(-1)
  if (state.Failed !== true) return last
  return events.findLast(({ Type }) => !echoes.has(Type ?? '')) ?? last
}

function timeOf(event: TaskEvent | undefined): number {
  return Number(event?.Time ?? 0)
}

/** Task by task, state and every event: `srv dead (failed): Started; Terminated: exit 7; Not Restarting: …`. */
export function taskStories({ TaskStates }: Pick<Allocation, 'TaskStates'>): string[] {
  return entriesOf(TaskStates ?? {}).map(([name, { State, Failed, Events }]) => {
    const how = `${name} ${State ?? ''}${Failed === true ? ' (failed)' : ''}`.trim()
    const events = (Events ?? []).map(eventWords)
    return events.length === 0 ? how : `${how}: ${events.join('; ')}`
  })
}
