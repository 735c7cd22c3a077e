import type { Json, JsonObject } from '../../../core/json.ts'
import type { DevReply, DevRequest } from '../../http.ts'
import { answerWrite } from './answers.ts'
import { decodeBody, type RequestName } from './body.ts'
import type { Launcher } from '../scheduler/launcher.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Store } from '../state/store.ts'
import type { Access } from './tokens.ts'

/** What every endpoint uses. */
export interface Service {
  readonly store: Store
  readonly scheduler: Scheduler
  readonly launcher: Launcher
  readonly access: Access
}

/** A write to one job. Registering through `/v1/jobs` has an empty ID. */
export interface JobWrite extends Service {
  readonly request: DevRequest
  readonly namespace: string
  readonly id: string
}

export type WriteHandler = (write: JobWrite) => DevReply

/** The decoded body of a write. */
export function bodyOf({ request }: JobWrite, name: RequestName): JsonObject {
  return decodeBody(request.body, name, request.dialect)
}

/**
 * The answer that registering, reverting, scaling, stopping and evaluating share. The neutral dialect omits an evaluation that was not
 * created.
 */
export function registerReply(
  { request }: JobWrite,
  values: { evalId: string; evalIndex: number; jobIndex: number; index: number },
  more: Readonly<Record<string, Json>> = {},
): DevReply {
  const { evalId, evalIndex } = values
  const body = {
    ...(evalId === '' && request.dialect === 'neutral' ? {} : { EvalCreateIndex: evalIndex, EvalID: evalId }),
    Index: values.index,
    JobModifyIndex: values.jobIndex,
    KnownLeader: false,
    LastContact: 0,
    NextToken: '',
    ...more,
  }
  return answerWrite(request, body, values.index)
}
