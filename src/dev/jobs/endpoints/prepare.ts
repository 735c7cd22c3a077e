import type { Json, JsonObject } from '../../../core/json.ts'
import { canonicalizeJob } from '../../hcl/canonicalize.ts'
import { object, objects, text } from '../state/documents.ts'
import { Refusal, joinErrors } from '../api/refusal.ts'
import type { JobWrite } from '../api/write.ts'
import { currentJob } from '../state/store.ts'
import { validateJob } from './validate.ts'

/** The one region of the local server. */
const region = 'global'

const discovery = { LTarget: '${attr.nomad.service_discovery}', Operand: '=', RTarget: 'true' }

/**
 * The job of a register or plan request as it will be stored: namespace decided (contract b.0), defaults filled in, what the
 * server implies added, checked. Throws {@link Refusal} for a job that is not valid, or that the token may not submit.
 */
export function prepareJob(write: JobWrite, body: JsonObject, sent: JsonObject): JsonObject {
  const wanted = text(body, 'Region') || write.request.query.get('region') || text(sent, 'Region') || region
  if (wanted !== region) throw new Refusal(500, 'No path to region')
  const namespace =
    write.request.query.get('namespace') || text(body, 'Namespace') || text(sent, 'Namespace') || 'default'
  const job = completeJob(sent, namespace)
  const excess = write.store.excessOf(job)
  const errors = [...validateJob(job, write.store.namespaces), ...(excess === undefined ? [] : [excess])]
  if (errors.length > 0) throw new Refusal(500, joinErrors(errors))
  write.access.demand(write.request, namespace, 'submit-job')
  if (body['PolicyOverride'] === true) {
    write.access.demand(write.request, namespace, 'sentinel-override', 'policy-override')
  }
  keepOwned(write, job)
  return job
}

/** A job as sent, with its defaults and with what the server implies. */
export function completeJob(sent: JsonObject, namespace: string): JsonObject {
  const job = canonicalizeJob({ ...sent, Namespace: namespace, Region: region })
  for (const group of objects(job, 'TaskGroups')) implyConstraints(group)
  const parameterized = object(job, 'ParameterizedJob')
  if (parameterized !== undefined) parameterized['Payload'] = text(parameterized, 'Payload') || 'optional'
  return job
}

/** Services that the scheduler itself lists need a node that can. */
function implyConstraints(group: JsonObject): void {
  const holders = [group, ...objects(group, 'Tasks')]
  const native = holders.some((holder) =>
    objects(holder, 'Services').some((service) => text(service, 'Provider') === 'nomad'),
  )
  const present = objects(group, 'Constraints')
  if (!native || present.some((constraint) => text(constraint, 'LTarget') === discovery.LTarget)) return
  group['Constraints'] = [...present, { ...discovery }]
}

/** Members that the server owns: taken from the registered job, whatever was sent (contract b.2). */
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

/** The `Job` of a body. Throws {@link Refusal} (400) when there is none. */
export function sentJob(body: JsonObject): JsonObject {
  const job = object(body, 'Job')
  if (job === undefined) throw new Refusal(400, 'Job must be specified')
  return job
}
