import { randomBytes } from 'node:crypto'
import type { JsonObject } from '../../../core/json.ts'
import type { DevReply } from '../../http.ts'
import { answerWrite, Refusal } from '../api/answers.ts'
import { copyOf, number, object, strings, text } from '../state/documents.ts'
import type { JobRecord } from '../state/model.ts'
import { bodyOf, type JobWrite, type Service } from '../api/write.ts'
import { isParameterized } from '../state/store.ts'
import { addJob } from '../state/versions.ts'

const largestPayload = 16_384

/** POST /v1/job/:id/dispatch. */
export function dispatchJob(write: JobWrite): DevReply {
  const body = bodyOf(write, 'dispatch')
  const { store, request } = write
  if (text(body, 'JobID') !== '' && text(body, 'JobID') !== write.id) throw new Refusal(400, 'Job ID does not match')
  const sent = text(body, 'Payload')
  const payload = Buffer.from(sent, 'base64')
  if (payload.toString('base64') !== sent.replaceAll(/\s/g, '')) throw new Refusal(400, 'illegal base64 data')
  const parent = store.job(write.namespace, write.id)
  if (parent === undefined) throw new Refusal(500, 'parameterized job not found')
  if (!isParameterized(parent.current)) {
    throw new Refusal(500, `Specified job "${parent.id}" is not a parameterized job`)
  }
  if (parent.current['Stop'] === true) throw new Refusal(500, `Specified job "${parent.id}" is stopped`)
  const priority = number(body, 'Priority')
  if (priority < 0 || priority > 100) throw new Refusal(500, 'dispatch job priority must be between [1, 100]')
  const meta = object(body, 'Meta') ?? {}
  checkPayload(parent.current, payload)
  checkMeta(parent.current, meta)

  const parameter = request.dialect === 'neutral' ? 'IdempotencyToken' : 'idempotency_token'
  const token = request.query.get(parameter) || text(body, 'IdempotencyToken')
  const present =
    token === ''
      ? undefined
      : store.childrenOf(parent).find((child) => text(child.current, 'DispatchIdempotencyToken') === token)
  if (present !== undefined) return reply(write, present, number(present.current, 'ModifyIndex'))
  const prefix = text(body, 'IdPrefixTemplate')
  const seconds = Math.floor(store.clock.now().getTime() / 1000)
  const name = `${prefix === '' ? '' : `${prefix}-`}${seconds}-${randomBytes(4).toString('hex')}`
  const { child, evaluation } = startChild(write, parent, `${write.id}/dispatch-${name}`, {
    payload,
    meta,
    token,
    priority,
  })
  return reply(write, child, evaluation.createIndex, evaluation.id)
}

/** Without an evaluation the job existed before. */
function reply({ request }: JobWrite, child: JobRecord, index: number, evalId = ''): DevReply {
  const body = {
    DispatchedJobID: child.id,
    EvalCreateIndex: evalId === '' ? 0 : index,
    EvalID: evalId,
    Index: index,
    JobCreateIndex: child.createIndex,
  }
  return answerWrite(request, body, index)
}

function checkPayload(job: JsonObject, payload: Buffer): void {
  const rule = text(object(job, 'ParameterizedJob') ?? {}, 'Payload')
  if (rule === 'required' && payload.length === 0) {
    throw new Refusal(500, 'Payload is not provided but required by parameterized job')
  }
  if (rule === 'forbidden' && payload.length > 0) {
    throw new Refusal(500, 'Payload provided but forbidden by parameterized job')
  }
  if (payload.length > largestPayload) {
    throw new Refusal(500, `Payload exceeds maximum size; ${payload.length} > ${largestPayload}`)
  }
}

function checkMeta(job: JsonObject, meta: JsonObject): void {
  const block = object(job, 'ParameterizedJob') ?? {}
  const required = strings(block, 'MetaRequired')
  const known = [...required, ...strings(block, 'MetaOptional')]
  const unpermitted = Object.keys(meta).filter((key) => !known.includes(key))
  if (unpermitted.length > 0) {
    throw new Refusal(500, `Dispatch request included unpermitted metadata keys: [${unpermitted.join(' ')}]`)
  }
  const missing = required.filter((key) => !Object.hasOwn(meta, key))
  if (missing.length > 0) {
    throw new Refusal(500, `Dispatch did not provide required meta keys: [${missing.join(' ')}]`)
  }
}

interface ChildValues {
  readonly meta: JsonObject
  readonly payload?: Buffer
  readonly token?: string
  /** 0: the parent's. */
  readonly priority?: number
}

/** Registers a child of a parameterized job and evaluates it. */
export function startChild({ store, scheduler }: Service, parent: JobRecord, id: string, values: ChildValues) {
  const { payload, meta, token = '', priority } = values
  const index = store.write('jobs', 'evaluations')
  const job = Object.assign(copyOf(parent.current), {
    ID: id,
    Name: id,
    ParentID: parent.id,
    Dispatched: true,
    DispatchIdempotencyToken: token,
    Payload: payload?.toString('base64') || null,
    Meta: { ...object(parent.current, 'Meta'), ...meta },
    Priority: priority || number(parent.current, 'Priority'),
  })
  const child = addJob(store, job, index)
  parent.summaryIndex = index
  return { child, evaluation: scheduler.evaluate(child, { trigger: 'job-register', index }) }
}
