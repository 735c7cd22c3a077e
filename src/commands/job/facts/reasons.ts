import type { Allocation, TaskEvent, TaskState } from '../../../api/allocation-shapes.ts'
import type { Job } from '../../../api/job-shapes.ts'
import { fromNanoseconds } from './nanoseconds.ts'
import { entriesOf, lookUp } from '../../../core/json.ts'
import { plural } from '../../../core/words.ts'

/** Something that went wrong in a task: one event, in words that follow `task srv`. */
export interface TaskFailure {
  readonly task: string
  /** The server's name of the event: `Terminated`, `Driver Failure`. */
  readonly type: string
  /** `exited with status 7`. */
  readonly words: string
  readonly exitCode: number
  readonly signal: number
  /** Nanoseconds as the server spells them; distinguishes events of one task. */
  readonly time: string
  /** The number of the restart that followed; undefined if none did, or its number isn't known. */
  readonly restart: number | undefined
}

/** The part of an allocation that shows why it failed. */
type WithTasks = Pick<Allocation, 'TaskStates' | 'TaskGroup' | 'JobVersion'>

/**
 * Why an allocation failed, from the events of its tasks: `task srv exited with status 7, was restarted once, then gave up
 * (1 attempt in 1m)`. Undefined if no event shows it. No endpoint shows the state of a check: with the job, those that can have
 * failed are named.
 */
export function failureReason(one: WithTasks, job?: Job): string | undefined {
  const found = decisiveFailure(one)
  if (found === undefined) return undefined
  const { task, cause, state } = found
  const hook = cause.type === 'Alloc Unhealthy' ? hangingHook(one, job) : undefined
  if (hook !== undefined)
    return `the other tasks were not started: they wait for prestart task ${hook}, which did not end`
  const checks = cause.type === 'Alloc Unhealthy' && job !== undefined ? failedChecks(one, job, state) : ''
  return `task ${task} ${cause.words}${checks}${cause.type === 'Not Restarting' ? '' : afterwards(state)}`
}

/** The same without what the client did about it. */
export function failureCause({ TaskStates }: WithTasks): string | undefined {
  const found = decisiveFailure({ TaskStates })
  return found && `task ${found.task} ${found.cause.words}`
}

/** A prestart task that still ran when its allocation was found unhealthy: the others wait for its end. */
function hangingHook({ TaskGroup, TaskStates }: WithTasks, job?: Job): string | undefined {
  const group = job?.TaskGroups?.find(({ Name }) => Name === TaskGroup)
  const hooks = group?.Tasks?.filter(({ Lifecycle }) => Lifecycle?.Hook === 'prestart' && Lifecycle.Sidecar !== true)
  const hanging = hooks?.find(({ Name }) => {
    const types = (TaskStates?.[Name ?? '']?.Events ?? []).map(({ Type }) => Type)
    const before = types.slice(0, types.lastIndexOf('Alloc Unhealthy'))
    return types.includes('Alloc Unhealthy') && before.lastIndexOf('Started') > before.lastIndexOf('Terminated')
  })
  return hanging?.Name ?? undefined
}

/**
 * The checks of the group, if a task that ran for long enough was not healthy: the server words that as if it had not run.
 * `; check alive did not pass`.
 */
function failedChecks({ TaskGroup, JobVersion }: WithTasks, job: Job, { Events }: TaskState): string {
  const group = job.TaskGroups?.find(({ Name }) => Name === TaskGroup)
  const update = group?.Update ?? job.Update
  if (!group || job.Version !== JobVersion || !['', 'checks'].includes(update?.HealthCheck ?? '')) return ''
  const events = Events ?? []
  const end = events.findLastIndex(({ Type }) => Type === 'Alloc Unhealthy')
  const begin = events.findLastIndex(({ Type }, index) => index < end && (Type === 'Started' || Type === 'Terminated'))
  if (events[begin]?.Type !== 'Started') return ''
  const ran = Number(events[end]?.Time ?? 0) - Number(events[begin].Time ?? 0)
  if (ran < Number(update?.MinHealthyTime ?? 0)) return ''
  const services = [...(group.Services ?? []), ...(group.Tasks ?? []).flatMap(({ Services }) => Services ?? [])]
  const names = services.flatMap(({ Checks }) => Checks ?? []).map(({ Name }) => Name ?? '')
  if (names.length === 0) return ''
  return names.length === 1 ? `; check ${names[0]} did not pass` : `; a check did not pass: ${names.join(', ')}`
}

/** The same for a narrow cell, the fact first: `exit status 7 (srv)`. */
export function shortReason({ TaskStates }: WithTasks): string | undefined {
  const found = decisiveFailure({ TaskStates })
  if (found === undefined) return undefined
  const { exitCode, signal, words } = found.cause
  const isExit = words === exitWords(exitCode)
  const fact = isExit ? `exit status ${exitCode}` : words === signalWords(signal) ? `signal ${signal}` : words
  return `${fact} (${found.task})`
}

/** When the failure happened that {@link failureReason} names. */
export function failureMoment({ TaskStates }: WithTasks): Date | undefined {
  return fromNanoseconds(Number(decisiveFailure({ TaskStates })?.cause.time ?? 0))
}

/** The failure of the task that failed by itself; what only followed from another one counts last. */
function decisiveFailure({ TaskStates }: WithTasks) {
  const stories = entriesOf(TaskStates ?? {}).flatMap(([task, state]) => {
    const failures = taskFailures(task, state)
    const cause = causeOf(failures)
    return cause === undefined ? [] : [{ task, state, cause }]
  })
  const rank = ({ state, cause }: (typeof stories)[number]) =>
    (isConsequence(cause) ? 2 : 0) + (state.Failed === true ? 0 : 1)
  return stories.toSorted((one, other) => rank(one) - rank(other))[0]
}

/** What went wrong in a task, oldest first. The end of a task that was told to stop is not a failure. */
export function taskFailures(task: string, state: TaskState): TaskFailure[] {
  let isKilled = false
  const { Events, Restarts } = state
  const events = Events ?? []
  return events.flatMap((event, index) => {
    const type = event.Type ?? ''
    if (type === 'Killing') isKilled = true
    else if (type === 'Started') isKilled = false
    const words = wordsOf(event, { before: events.slice(0, index), after: events.slice(index + 1), isKilled })
    if (words === undefined) return []
    return [
      {
        task,
        type,
        words,
        exitCode: Number(event.ExitCode ?? 0),
        signal: Number(event.Signal ?? 0),
        time: String(event.Time ?? ''),
        restart: restartAfter(events.slice(index + 1), Restarts ?? undefined),
      },
    ]
  })
}

/** What went wrong by an event among those of its task; undefined if nothing did. */
function wordsOf(
  event: TaskEvent,
  { before, after, isKilled }: { before: readonly TaskEvent[]; after: readonly TaskEvent[]; isKilled: boolean },
): string | undefined {
  const type = event.Type ?? ''
  const run = before.slice(before.findLastIndex(({ Type }) => Type === 'Started') + 1)
  if (type === 'Alloc Unhealthy' && run.length === before.length) {
    const template = run.findLast(({ Type }) => Type === 'Template')
    if (template !== undefined) return `was not healthy in time: its template waits: ${best(template, [])}`
  }
  if (type !== 'Terminated') return eventWords(type, event)
  if (isKilled) return undefined
  // A task that was told to restart ends for that reason; any other that should run all the time fails by ending, however well.
  if (run.some(({ Type }) => Type === 'Restart Signaled')) return wasOutOfMemory(event) ? endWords(event) : undefined
  const isUnwanted = after[0]?.Type === 'Restarting' || after[0]?.Type === 'Not Restarting'
  return endWords(event) ?? (isUnwanted ? exitWords(0) : undefined)
}

/** The number of the restart that these later events begin with. Servers keep only the last events, but count all restarts. */
function restartAfter(later: readonly TaskEvent[], restarts: number | undefined): number | undefined {
  const types = later.map(({ Type }) => Type)
  const next = types.find((type) => type === 'Restarting' || type === 'Started' || type === 'Not Restarting')
  if (next !== 'Restarting' || restarts === undefined) return undefined
  const found = restarts - types.filter((type) => type === 'Restarting').length + 1
  return found > 0 ? found : undefined
}

/** The last thing that went wrong in a task: `exited with status 7`; undefined if no event shows it. */
export function failureOf(task: string, state: TaskState): string | undefined {
  return causeOf(taskFailures(task, state))?.words
}

/** Types of events that follow from another one: they are the reason only if nothing else is. */
const consequences = new Set([
  'Alloc Unhealthy',
  'Killing',
  'Not Restarting',
  'Restart Signaled',
  'Sibling Task Failed',
])

/** That a check was not passed is the reason of a restart. */
function isConsequence({ type, words }: TaskFailure): boolean {
  return consequences.has(type) && !(type === 'Restart Signaled' && /check/i.test(words))
}

function causeOf(failures: readonly TaskFailure[]): TaskFailure | undefined {
  return (
    failures.findLast((one) => !isConsequence(one)) ??
    failures.findLast(({ type }) => type !== 'Not Restarting') ??
    failures.at(-1)
  )
}

function endWords({ ExitCode, Signal, Details, Message }: TaskEvent): string | undefined {
  const exitCode = Number(ExitCode ?? 0)
  const signal = Number(Signal ?? 0)
  if (wasOutOfMemory({ Details })) return 'was killed because it ran out of memory'
  if (signal !== 0) return signalWords(signal)
  if (exitCode !== 0) return exitWords(exitCode)
  return (Message ?? '') === '' ? undefined : `ended: ${Message}`
}

function wasOutOfMemory({ Details }: TaskEvent): boolean {
  return Details?.['oom_killed'] === 'true'
}

function signalWords(signal: number): string {
  return `was killed by signal ${signal}`
}

function exitWords(exitCode: number): string {
  return `exited with status ${exitCode}`
}

/** Members of an event that can hold a reason. */
type Reason = Exclude<keyof TaskEvent, 'Details' | 'FailsTask'>

/** How each kind of failure is worded, and the members that can hold the reason; the first that has a text counts. */
const failing: Readonly<Record<string, readonly [words: string, ...members: Reason[]]>> = {
  'Alloc Unhealthy': ['was not healthy in time', 'Message'],
  'Disk Resources Exceeded': ['used more disk than it may', 'KillReason'],
  'Driver Failure': ['could not be started', 'DriverError', 'DriverMessage'],
  'Failed Artifact Download': ['could not download an artifact', 'DownloadError'],
  'Failed Restoring Task': ['could not be restored', 'RestartReason'],
  'Failed Validation': ['is not valid', 'ValidationError'],
  'Hook Failed': ['failed in a hook'],
  'Plugin became unhealthy': ['runs a plugin that became unhealthy'],
  'Restart Signaled': ['was told to restart', 'RestartReason'],
  'Setup Failure': ['could not be set up', 'SetupError'],
  'Sibling Task Failed': ['was stopped because another task failed'],
  'Task hook failed': ['failed in a hook'],
  'Vault Renewal Failed': ['lost its access to secrets', 'VaultError', 'SecretsError'],
}

function eventWords(type: string, event: TaskEvent): string | undefined {
  if (type === 'Killing') {
    const reason = event.KillReason ?? ''
    // A task that is told to stop is also killed, without a reason.
    return reason === '' || !failsTask(event) ? undefined : `was killed: ${reason}`
  }
  if (type === 'Not Restarting') return `is not restarted again${gaveUp(event)}`
  if (type === 'Template' || type === 'Secrets') return failsTask(event) ? `failed: ${best(event, [])}` : undefined
  if (type === 'Sibling Task Failed') {
    const sibling = event.FailedSibling ?? ''
    if (sibling !== '') return `was stopped because task ${sibling} failed`
  }
  const [words, ...members] = lookUp(failing, type) ?? []
  if (words === undefined) return undefined
  const reason = best(event, members)
  return reason === '' ? words : `${words}: ${reason}`
}

function failsTask({ FailsTask, Details }: TaskEvent): boolean {
  return FailsTask === true || Details?.['fails_task'] === 'true'
}

/** The most telling text of an event. Older servers have no DisplayMessage. */
function best(event: TaskEvent, members: readonly Reason[]): string {
  for (const member of [...members, 'DisplayMessage', 'Message'] as const) {
    const found = String(event[member] ?? '').trim()
    if (found !== '') return found
  }
  return ''
}

/** What the client did about it: `, was restarted once, then gave up (1 attempt in 1m)`. */
function afterwards(state: TaskState): string {
  const events = state.Events ?? []
  const seen = events.filter(({ Type }) => Type === 'Restarting').length
  const restarts = Math.max(state.Restarts ?? 0, seen)
  const times = restarts === 1 ? 'once' : restarts === 2 ? 'twice' : `${restarts} times`
  const restarted = restarts === 0 ? '' : `, was restarted ${times}`
  const last = events.findLast(({ Type }) => Type === 'Not Restarting')
  if (last === undefined) return restarted
  const isForbidden = /allows no restarts/.test(best(last, ['RestartReason']))
  if (isForbidden) return restarted === '' ? ', and its restart block allows no restart' : restarted
  return `${restarted}, then gave up${gaveUp(last)}`
}

/** Why a task is not restarted any more, in brackets: ` (1 attempt in 1m)`. */
function gaveUp(event: TaskEvent): string {
  const reason = best(event, ['RestartReason'])
  const limit = /allowed attempts (\d+) in interval (\S+)/.exec(reason)
  if (limit !== null) {
    const [, attempts, interval = ''] = limit
    // Without its zeros: `1m0s` → `1m`, `1h0m0s` → `1h`.
    const span = interval.replace(/(?<=[hm])0s$/, '').replace(/(?<=h)0m$/, '')
    return ` (${plural(Number(attempts), 'attempt')} in ${span})`
  }
  return reason === '' ? '' : ` (${reason})`
}
