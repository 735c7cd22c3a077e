import { JsonNumber, entriesOf, isObject, objectFrom, type Json, type JsonObject } from '../../../core/json.ts'
import type { DevReply } from '../../http.ts'
import { isActive } from '../scheduler/records.ts'
import { copyOf, countOf, groupNamed, number, object, text } from '../state/documents.ts'
import type { JobRecord } from '../state/model.ts'
import { enforceIndex } from './register.ts'
import { Refusal } from '../api/answers.ts'
import { bodyOf, registerReply, type JobWrite } from '../api/write.ts'
import { isParent, isSystem, versionOf } from '../state/store.ts'
import { addSubmission, addVersion } from '../state/versions.ts'

const eventsKept = 20

/** POST /v1/job/:id/scale. */
export function scaleJob(write: JobWrite): DevReply {
  const neutral = write.request.dialect === 'neutral'
  const body = bodyOf(write, neutral ? 'neutral scale' : 'scale')
  const asked = readScaling(write, body)
  const { store } = write
  const record = store.job(write.namespace, write.id)
  if (record === undefined) throw new Refusal(404, `job "${write.id}" not found`)
  const group = groupNamed(record.current, asked.group)
  if (text(group, 'Name') === '') {
    throw new Refusal(400, `task group "${asked.group}" specified for scaling does not exist in job`)
  }
  const cas = number(body, 'JobModifyIndex')
  if (cas > 0) enforceIndex(record, cas)
  const previous = countOf(group)
  const scaled = asked.count === undefined ? nothing : changeCount(write, record, group, asked.count)

  const index = store.write('jobs')
  record.scalingIndex = index
  const event: JsonObject = {
    Count: asked.count ?? null,
    CreateIndex: index,
    Error: asked.error,
    EvalID: scaled.evalId === '' ? null : scaled.evalId,
    Message: asked.message,
    Meta: asked.meta,
    PreviousCount: previous,
    Time: store.nanoseconds(),
  }
  record.scaling.set(asked.group, [event, ...(record.scaling.get(asked.group) ?? [])].slice(0, eventsKept))
  const jobIndex = number(record.current, 'JobModifyIndex')
  const more = { KnownLeader: true, Warnings: '' }
  // The specification: present only if an evaluation was created.
  const absent = neutral && scaled.evalId === '' ? { EvalCreateIndex: undefined, EvalID: undefined } : {}
  return registerReply(write, { ...scaled, jobIndex, index }, { ...more, ...absent })
}

const nothing = { evalId: '', evalIndex: 0 }

/** What the body asks for. The neutral dialect has a text as Error and requires that or a Message; the product has a boolean. */
function readScaling(write: JobWrite, body: JsonObject) {
  const target = object(body, 'Target') ?? {}
  const count = body['Count'] === undefined || body['Count'] === null ? undefined : number(body, 'Count')
  const error = typeof body['Error'] === 'string' ? body['Error'] : body['Error'] === true
  const message = text(body, 'Message')
  if (text(target, 'Group') === '') throw new Refusal(400, 'missing task group name for scaling action')
  if (error === true && count !== undefined) {
    throw new Refusal(400, 'scaling action should not contain count if error is true')
  }
  if (write.request.dialect === 'neutral' && message === '' && error === '') {
    throw new Refusal(400, 'scaling action must contain a message or an error')
  }
  if (count !== undefined && count < 0) throw new Refusal(400, "scaling action count can't be negative")
  return { group: text(target, 'Group'), count, message, error, meta: floats(body['Meta'] ?? null) }
}

function changeCount(write: JobWrite, record: JobRecord, group: JsonObject, count: number) {
  const { store, scheduler } = write
  const job = record.current
  if (isSystem(job) && count > 1) {
    throw new Refusal(400, `jobs of type "${text(job, 'Type')}" can only be scaled between 0 and 1`)
  }
  const { Min: least, Max: most } = object(group, 'Scaling') ?? {}
  if (typeof least === 'number' && count < least) {
    throw new Refusal(400, `group count was less than scaling policy minimum: ${count} < ${least}`)
  }
  if (typeof most === 'number' && count > most) {
    throw new Refusal(400, `group count was greater than scaling policy maximum: ${count} > ${most}`)
  }
  const next = copyOf(job)
  groupNamed(next, text(group, 'Name'))['Count'] = count
  const excess = store.excessOf(next)
  if (excess !== undefined) throw new Refusal(500, excess)
  if (isActive(store.deploymentOf(record))) throw new Refusal(400, 'job scaling blocked due to active deployment')
  addVersion(store, record, next, store.write('jobs'))
  addSubmission(record, undefined, versionOf(job))
  if (isParent(job)) return nothing
  const evaluation = scheduler.evaluate(record, { trigger: 'job-scaling' })
  return { evalId: evaluation.id, evalIndex: evaluation.createIndex }
}

/** Numbers of an event's Meta come back as floats. */
function floats(value: Json): Json {
  if (typeof value === 'number' && Number.isInteger(value)) return new JsonNumber(`${value}.0`)
  if (Array.isArray(value)) return value.map(floats)
  return isObject(value) ? objectFrom(entriesOf(value).map(([key, item]) => [key, floats(item)])) : value
}
