import type { Json, JsonObject } from '../../../core/json.ts'
import type { DevReply, DevRequest } from '../../http.ts'
import { answerWrite } from './answers.ts'
import { decodeBody } from './body.ts'
import type { Launcher } from '../scheduler/launcher.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Store } from '../state/store.ts'
import type { Access } from './tokens.ts'

/** What every endpoint works with. */
export interface Service {
  readonly store: Store
  readonly scheduler: Scheduler
  readonly launcher: Launcher
  readonly access: Access
}

/** A write to one job, or to none yet: registering through `/v1/jobs` has an empty id. */
export interface JobWrite extends Service {
  readonly request: DevRequest
  readonly namespace: string
  readonly id: string
}

export type WriteHandler = (write: JobWrite) => DevReply

/** The decoded body of a write. */
export function bodyOf({ request }: JobWrite, type: string): JsonObject {
  return decodeBody(request.body, type, request.dialect)
}

/** The members that the answers to registering, reverting, scaling, stopping and evaluating share (contract b.2). */
export function registerReply(
  { request }: JobWrite,
  values: { evalId: string; evalIndex: number; jobIndex: number; index: number },
  more: Readonly<Record<string, Json>> = {},
): DevReply {
  const body = {
    EvalCreateIndex: values.evalIndex,
    EvalID: values.evalId,
    Index: values.index,
    JobModifyIndex: values.jobIndex,
    KnownLeader: false,
    LastContact: 0,
    NextToken: '',
    ...more,
  }
  return answerWrite(request, body, values.index)
}
