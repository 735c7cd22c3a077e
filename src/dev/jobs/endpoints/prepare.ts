import { errorList } from '../../go.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { canonicalizeJob } from '../../hcl/canonical/canonicalize.ts'
import { object, text } from '../state/documents.ts'
import { Refusal } from '../api/refusal.ts'
import type { JobWrite } from '../api/write.ts'
import { currentJob } from '../state/store.ts'
import { validateJob } from './validate.ts'

/** The one region of the local server. */
const region = 'global'

/**
 * The job of a register or plan request as it will be stored: namespace decided, defaults and implied constraints added,
 * checked. Throws {@link Refusal} for a job that is invalid, denied by a policy, or beyond what the token may submit.
 */
export function prepareJob(write: JobWrite, body: JsonObject, sent: JsonObject): JsonObject {
  const wanted = text(body, 'Region') || write.request.query.get('region') || text(sent, 'Region') || region
  if (wanted !== region) throw new Refusal(500, 'No path to region')
  const namespace =
    write.request.query.get('namespace') || text(body, 'Namespace') || text(sent, 'Namespace') || 'default'
  const job = completeJob(sent, namespace)
  const errors = validateJob(job, write.store)
  if (errors.length > 0) throw new Refusal(500, errorList(errors))
  write.access.demand(write.request, namespace, 'submit-job')
  const overrides = body['PolicyOverride'] === true
  if (overrides) write.access.demand(write.request, namespace, 'sentinel-override', 'policy-override')
  else checkPolicy(job)
  keepOwned(write, job)
  return job
}

/** A policy to try overriding: it denies any job whose meta has `soft_policy = "deny"`. */
function checkPolicy(job: JsonObject): void {
  if (text(object(job, 'Meta') ?? {}, 'soft_policy') !== 'deny') return
  const reason = 'policy "demo" denied the job (soft-mandatory, may be overridden)'
  throw new Refusal(500, errorList([reason]))
}

/** A job as sent, with its defaults and the constraints that it implies. */
export function completeJob(sent: JsonObject, namespace: string): JsonObject {
  const job = canonicalizeJob({ ...sent, Namespace: namespace, Region: region })
  const parameterized = object(job, 'ParameterizedJob')
  if (parameterized !== undefined) parameterized['Payload'] = text(parameterized, 'Payload') || 'optional'
  return job
}

/** Takes the members that the server owns from the registered job, whatever was sent. */
function keepOwned(write: JobWrite, job: JsonObject): void {
  const record = write.store.job(text(job, 'Namespace'), text(job, 'ID'))
  const known: JsonObject = record === undefined ? {} : currentJob(record)
  const kept: Record<string, Json> = {
    Dispatched: false,
    DispatchIdempotencyToken: '',
    ParentID: '',
    Payload: null,
    VersionTag: null,
  }
  for (const [key, otherwise] of Object.entries(kept)) if (key in job) job[key] = known[key] ?? otherwise
  job['NomadTokenID'] = write.access.enabled ? (write.access.token(write.request)?.accessor ?? '') : ''
}

/** The `Job` of a body. Throws {@link Refusal} (400) if it is missing. */
export function sentJob(body: JsonObject): JsonObject {
  const job = object(body, 'Job')
  if (job === undefined) throw new Refusal(400, 'Job must be specified')
  return job
}
