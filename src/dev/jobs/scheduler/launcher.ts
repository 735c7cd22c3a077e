import type { JsonObject } from '../../../core/json.ts'
import { copyOf, object, strings, text } from '../state/documents.ts'
import type { Evaluation, JobRecord } from '../state/model.ts'
import type { Scheduler } from './scheduler.ts'
import { isPeriodic, type Store } from '../state/store.ts'
import { addJob, addVersion } from '../state/versions.ts'
import { Cron } from 'croner'

/** Launches the children of periodic jobs, by the clock and on request. */
export class Launcher {
  private readonly store: Store
  private readonly scheduler: Scheduler
  private readonly timers = new Map<JobRecord, () => void>()

  constructor(store: Store, scheduler: Scheduler) {
    this.store = store
    this.scheduler = scheduler
  }

  /** Schedules or cancels the next launch after a job was registered, stopped or purged. */
  track(record: JobRecord): void {
    this.timers.get(record)?.()
    this.timers.delete(record)
    const job = record.current
    const known = this.store.job(record.namespace, record.id) === record
    const next =
      known && isPeriodic(job) && job['Stop'] !== true ? nextLaunchOf(job, this.store.clock.now()) : undefined
    if (next === undefined) return
    const wait = next.getTime() - this.store.clock.now().getTime()
    this.timers.set(
      record,
      this.store.clock.after(wait, () => this.fire(record)),
    )
  }

  /** Launches a child. A second launch within one second makes a new version of the same child. */
  launch(record: JobRecord): Evaluation {
    const { store } = this
    const id = `${record.id}/periodic-${Math.floor(store.clock.now().getTime() / 1000)}`
    const index = store.write('jobs', 'evaluations')
    const changes = { ID: id, Name: id, ParentID: record.current['ID'], Periodic: null, Stop: false }
    const child: JsonObject = Object.assign(copyOf(record.current), changes)
    const present = store.job(record.namespace, id)
    const added = present ?? addJob(store, child, index)
    if (present !== undefined) addVersion(store, present, child, index)
    record.summaryIndex = index
    return this.scheduler.evaluate(added, { trigger: 'periodic-job', index })
  }

  private fire(record: JobRecord): void {
    const prohibits = object(record.current, 'Periodic')?.['ProhibitOverlap'] === true
    const running = this.store.childrenOf(record).some((child) => child.current['Status'] !== 'dead')
    if (!prohibits || !running) this.launch(record)
    this.track(record)
  }
}

/** The next launch of a periodic job after a time; undefined for other jobs and disabled ones. */
export function nextLaunchOf(job: JsonObject, from: Date): Date | undefined {
  const periodic = object(job, 'Periodic')
  if (periodic === undefined || periodic['Enabled'] === false) return undefined
  const times = cronSpecs(periodic).flatMap((spec) => {
    const next = cron(spec, text(periodic, 'TimeZone')).nextRun(from)
    return next === null ? [] : [next.getTime()]
  })
  return times.length === 0 ? undefined : new Date(Math.min(...times))
}

/** The cron expressions of a periodic block, from either of its members. */
export function cronSpecs(periodic: JsonObject): string[] {
  return [text(periodic, 'Spec'), ...strings(periodic, 'Specs')].filter((spec) => spec !== '')
}

/** What is wrong with an expression or its time zone. */
export function cronFault(spec: string, timeZone: string): string | undefined {
  try {
    cron(spec, timeZone).nextRun()
    return undefined
  } catch {
    return `syntax error in '${spec}'`
  }
}

/** `sloppyRanges` allows `10/15`: every fifteen from ten on. */
function cron(spec: string, timeZone: string): Cron {
  return new Cron(spec, { timezone: timeZone || 'UTC', sloppyRanges: true })
}
