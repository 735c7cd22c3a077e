import type { JsonObject } from '../../../core/json.ts'
import type { DevReply, Dialect } from '../../http.ts'
import { countOf, groupNamed, number, object, objects, text } from '../state/documents.ts'
import type { JobRecord } from '../state/model.ts'
import { warningsOf, prepareJob, sentJob } from './validate.ts'
import { Refusal } from '../api/answers.ts'
import { bodyOf, registerReply, type JobWrite, type Service } from '../api/write.ts'
import { isParameterized, isParent, isPeriodic } from '../state/store.ts'
import { addJob, addSubmission, addVersion, specChanged } from '../state/versions.ts'

const largestSource = 1_000_000

/** POST /v1/jobs and POST /v1/job/:id. */
export function registerJob(write: JobWrite): DevReply {
  const body = bodyOf(write, 'register')
  const sent = sentJob(body)
  if (typeof sent['ID'] !== 'string') throw new Refusal(400, "Job ID hasn't been provided")
  if (write.id !== '' && write.id !== sent['ID']) throw new Refusal(400, 'Job ID does not match name')
  const priority = evaluationPriority(number(body, 'EvalPriority'))
  const scales = objects(sent, 'TaskGroups').some((group) => object(group, 'Scaling') !== undefined)
  if (scales && text(sent, 'Type') === 'system') {
    throw new Refusal(400, 'Task groups with job type system do not support scaling blocks')
  }
  const job = prepareJob(write, body, sent)
  const record = write.store.job(text(job, 'Namespace'), text(job, 'ID'))
  if (body['EnforceIndex'] === true) enforceIndex(record, number(body, 'JobModifyIndex'))
  if (record !== undefined) refuseTransition(record.current, job)
  // Counts as sent decide whether the specification changed, not those that are kept.
  const changed = record === undefined || specChanged(record.current, job)
  // The neutral dialect has PreserveCounts for a new registration only.
  const preserves = body['PreserveCounts'] === true && (write.id === '' || write.request.dialect === 'hashicorp')
  for (const group of record !== undefined && preserves ? objects(job, 'TaskGroups') : []) {
    const present = groupNamed(record?.current ?? {}, text(group, 'Name'))
    if ('Count' in present) group['Count'] = countOf(present)
  }

  const submission = object(body, 'Submission') ?? {}
  const size = Buffer.byteLength(text(submission, 'Source')) + Buffer.byteLength(text(submission, 'Variables'))
  const megabytes = (size / 1e6).toFixed(1)
  const excess =
    size > largestSource ? [`job source size of ${megabytes} MB exceeds maximum of 1.0 MB and will be discarded`] : []
  const kept = excess.length === 0 ? object(body, 'Submission') : undefined
  const named = number(sent, 'Version')
  const { dialect } = write.request
  const upsert = { priority, trigger: 'job-register', submission: kept, named, changed, dialect }
  const result = upsertJob(write, record, job, upsert)
  return registerReply(write, result, { Warnings: warningsOf(job, ...excess) })
}

export interface Upsert {
  readonly priority?: number | undefined
  readonly trigger: string
  readonly submission?: JsonObject | undefined
  /** The version whose source is inherited if none is sent. */
  readonly named: number
  /** Whether it makes a new version. Determined from the specification if absent. */
  readonly changed?: boolean
  readonly dialect?: Dialect
}

/** Stores a checked job if it differs from the registered one, and evaluates it. */
export function upsertJob(service: Service, known: JobRecord | undefined, job: JsonObject, upsert: Upsert) {
  const { store, scheduler } = service
  const changed = known === undefined || (upsert.changed ?? specChanged(known.current, job))
  const priorIndex = known === undefined ? 0 : number(known.current, shownIndex(upsert.dialect))
  const evaluated = !isParent(job)
  const index = store.write('jobs', ...(evaluated ? (['evaluations'] as const) : []))
  const record = known ?? addJob(store, job, index)
  if (changed && known !== undefined) addVersion(store, record, { ...job, Stable: false }, index)
  if (changed) addSubmission(record, upsert.submission, upsert.named)
  service.launcher.track(record)
  store.refreshStatus(record)
  const jobIndex = changed ? index : priorIndex
  if (!evaluated) return { evalId: '', evalIndex: 0, jobIndex, index }
  const { trigger, priority } = upsert
  const evaluation = scheduler.evaluate(record, { trigger, priority, index })
  return { evalId: evaluation.id, evalIndex: index, jobIndex, index }
}

/** The member that an answer shows as JobModifyIndex: real servers show the other index of a job that did not change. */
export function shownIndex(dialect: Dialect | undefined): 'JobModifyIndex' | 'ModifyIndex' {
  return dialect === 'neutral' ? 'JobModifyIndex' : 'ModifyIndex'
}

/** The priority of an evaluation; undefined for the job's own. Throws {@link Refusal} (400) outside 1 to 100. */
export function evaluationPriority(priority: number): number | undefined {
  if (priority === 0) return undefined
  if (priority < 1 || priority > 100) throw new Refusal(400, 'Eval priority must be between 1 and 100 inclusively')
  return priority
}

/** Check-and-set on the job's JobModifyIndex; 0 requires a new job. Throws {@link Refusal} (500). */
export function enforceIndex(record: JobRecord | undefined, wanted: number): void {
  const prefix = `Enforcing job modify index ${wanted}: job`
  if (record === undefined) {
    if (wanted !== 0) throw new Refusal(500, `${prefix} does not exist`)
    return
  }
  const present = number(record.current, 'JobModifyIndex')
  if (wanted === 0) throw new Refusal(500, `${prefix} already exists`)
  if (wanted !== present) throw new Refusal(500, `${prefix} exists with conflicting job modify index: ${present}`)
}

function refuseTransition(old: JsonObject, next: JsonObject): void {
  const [from, to] = [text(old, 'Type'), text(next, 'Type')]
  if (from !== to) throw new Refusal(500, `cannot update job from type "${from}" to "${to}"`)
  for (const [kind, holds] of [['periodic', isPeriodic] as const, ['parameterized', isParameterized] as const]) {
    if (holds(old) === holds(next)) continue
    const words = holds(old) ? `${kind} job to being non-${kind}` : `non-${kind} job to being ${kind}`
    throw new Refusal(500, `cannot update ${words}`)
  }
}
