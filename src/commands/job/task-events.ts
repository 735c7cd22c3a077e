import { entries, items, number, text, truth } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'
import { spanAt } from './cells.ts'

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
export function eventWords(event: Json): string {
  const type = text(event, 'Type') ?? ''
  const facts = [...numbersOf(event), ...textsOf(event, type)]
  return facts.length === 0 ? type : `${type}: ${facts.join(', ')}`
}

function numbersOf(event: Json): string[] {
  const [exit, signal, disk] = ['ExitCode', 'Signal', 'DiskLimit'].map((key) => number(event, key) ?? 0)
  const delay = spanAt(event, 'StartDelay')
  const timeout = spanAt(event, 'KillTimeout')
  const sibling = text(event, 'FailedSibling') ?? ''
  const sent = text(event, 'TaskSignal') ?? ''
  const hasEnded = text(event, 'Type') === 'Terminated' && signal === 0
  return [
    ...(exit === 0 && !hasEnded ? [] : [`exit ${exit}`]),
    ...(signal === 0 ? [] : [`signal ${signal}`]),
    ...(disk === 0 ? [] : [`disk limit ${disk}`]),
    ...(sibling === '' ? [] : [`task ${sibling} failed`]),
    ...(sent === '' ? [] : [sent]),
    ...(delay === '' ? [] : [`again in ${delay}`]),
    ...(timeout === '' ? [] : [`has ${timeout} to end`]),
    ...(truth(event, 'FailsTask') ? ['fails the task'] : []),
  ]
}

/** The texts that say something; the general message only if no other member does. */
function textsOf(event: Json, type: string): string[] {
  const found = tellingMembers.flatMap((key) => words(event, key))
  if (found.length > 0) return [...new Set(found)]
  // The numbers are all that the message says.
  if (plainEvents.has(type) || numbersOf(event).length > 0) return words(event, 'Message')
  return [...words(event, 'DisplayMessage'), ...words(event, 'Message')].slice(0, 1)
}

function words(event: Json, key: string): string[] {
  const found = (text(event, key) ?? '').trim()
  return found === '' ? [] : [found]
}

/**
 * The last event of the task that matters most: one that failed, else the one with the newest event. With several
 * tasks, the task is named.
 */
export function lastEvent(allocation: Json): string {
  const tasks = entries(allocation, 'TaskStates').map(([name, state]) => ({
    name,
    failed: truth(state, 'Failed'),
    event: tellingEvent(state),
  }))
  const found = tasks
    .filter(({ event }) => event !== undefined)
    .toSorted((one, other) => Number(other.failed) - Number(one.failed) || timeOf(other.event) - timeOf(one.event))[0]
  if (found?.event === undefined) return text(allocation, 'ClientDescription') ?? ''
  return tasks.length === 1 ? eventWords(found.event) : `${found.name}: ${eventWords(found.event)}`
}

/** Events about the end of a task follow those with the reason, which is what people want. */
const echoes = new Set(['Not Restarting', 'Killing', 'Killed', 'Sibling Task Failed', 'Alloc Unhealthy', 'Restarting'])

function tellingEvent(state: Json): Json | undefined {
  const events = items(state, 'Events')
  const last = events.at(-1)
  if (!truth(state, 'Failed')) return last
  return events.findLast((event) => !echoes.has(text(event, 'Type') ?? '')) ?? last
}

function timeOf(event: Json | undefined): number {
  return number(event, 'Time') ?? 0
}

/** Task by task, state and every event: `srv dead (failed): Started; Terminated: exit 7; Not Restarting: …`. */
export function taskStories(allocation: Json): string[] {
  return entries(allocation, 'TaskStates').map(([name, state]) => {
    const how = `${name} ${text(state, 'State') ?? ''}${truth(state, 'Failed') ? ' (failed)' : ''}`.trim()
    const events = items(state, 'Events').map(eventWords)
    return events.length === 0 ? how : `${how}: ${events.join('; ')}`
  })
}
