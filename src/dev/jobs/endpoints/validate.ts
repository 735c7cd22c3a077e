import { errorList } from '../../go.ts'
import type { JsonObject } from '../../../core/json.ts'
import { cronFault, cronSpecs } from '../scheduler/launcher.ts'
import { number, object, objects, text } from '../state/documents.ts'
import { isBatch, type Store } from '../state/store.ts'
import { canonicalizeJob } from '../../hcl/canonicalize.ts'
import { Refusal } from '../api/answers.ts'
import type { JobWrite } from '../api/write.ts'

const jobTypes = ['service', 'batch', 'system', 'sysbatch']

/** What is wrong with a job, in the words and order of real servers; empty for a valid job. */
function validateJob(job: JsonObject, store: Store): string[] {
  const id = text(job, 'ID')
  const type = text(job, 'Type')
  const groups = objects(job, 'TaskGroups')
  const errors: string[] = []
  if (id === '') errors.push('Missing job ID')
  else if (id.includes(' ')) errors.push('Job ID contains a space')
  if (!jobTypes.includes(type)) errors.push(`Invalid job type: ${JSON.stringify(type)}`)
  if (groups.length === 0) errors.push('Missing job task groups')
  for (const group of groups) {
    const faults = groupErrors(group)
    if (faults.length > 0) errors.push(`Task group ${text(group, 'Name')} validation failed: ${errorList(faults)}`)
  }
  errors.push(...periodicErrors(job))
  if (object(job, 'ParameterizedJob') !== undefined && !isBatch(job))
    errors.push('Parameterized job can only be used with "batch" or "sysbatch" scheduler')
  const priority = number(job, 'Priority')
  if (priority < 1 || priority > 100) errors.push('job priority must be between [1, 100]')
  const namespace = text(job, 'Namespace')
  if (!store.namespaces.has(namespace)) {
    errors.push(`job ${JSON.stringify(id)} is in nonexistent namespace ${JSON.stringify(namespace)}`)
  }
  const excess = store.excessOf(job)
  return excess === undefined ? errors : [...errors, excess]
}

/** What real servers accept with a warning, and `more`: `N warnings:` with one starred line each; empty for none. */
export function warningsOf(job: JsonObject, ...more: string[]): string {
  const silent = objects(job, 'TaskGroups').filter((group) => {
    const holders = [group, ...objects(group, 'Tasks')]
    const serves = holders.some((holder) => objects(holder, 'Services').length > 0)
    return serves && !holders.some((holder) => number(holder, 'ShutdownDelay') > 0)
  })
  const reason = 'defines services, but neither the group nor any of its tasks have shutdown_delay set'
  const warnings = [...silent.map((group) => `group ${JSON.stringify(text(group, 'Name'))} ${reason}`), ...more]
  if (warnings.length === 0) return ''
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`
  return `${count}:\n\n${warnings.map((warning) => `* ${warning}`).join('\n')}`
}

function groupErrors(group: JsonObject): string[] {
  const tasks = objects(group, 'Tasks')
  const errors: string[] = []
  if (text(group, 'Name') === '') errors.push('Missing task group name')
  if (number(group, 'Count') < 0) errors.push("Task group count can't be negative")
  if (tasks.length === 0) errors.push('Missing tasks for task group')
  for (const task of tasks) {
    const missing = ['Name', 'Driver'].filter((key) => text(task, key) === '')
    if (missing.length === 0) continue
    const faults = missing.map((key) => `Missing task ${key.toLowerCase()}`)
    errors.push(`Task ${text(task, 'Name')} validation failed: ${errorList(faults)}`)
  }
  return errors
}

function periodicErrors(job: JsonObject): string[] {
  const periodic = object(job, 'Periodic')
  if (periodic === undefined) return []
  if (!isBatch(job)) return ['Periodic can only be used with "batch" or "sysbatch" scheduler']
  if (periodic['Enabled'] === false) return []
  const faults = cronSpecs(periodic).flatMap((spec) => {
    const fault = cronFault(spec, text(periodic, 'TimeZone'))
    return fault === undefined ? [] : [`Invalid cron spec ${JSON.stringify(spec)}: ${fault}`]
  })
  return faults.length === 0 ? [] : [errorList(faults)]
}

const region = 'global'

/**
 * The job of a register or plan request as it will be stored: namespace decided, defaults and implied constraints added,
 * checked. Throws {@link Refusal} for a job that is invalid.
 */
export function prepareJob(write: JobWrite, body: JsonObject, sent: JsonObject): JsonObject {
  const wanted = text(body, 'Region') || write.request.query.get('region') || text(sent, 'Region') || region
  if (wanted !== region) throw new Refusal(500, 'No path to region')
  const namespace =
    write.request.query.get('namespace') || text(body, 'Namespace') || text(sent, 'Namespace') || 'default'
  const job = completeJob(sent, namespace)
  const errors = validateJob(job, write.store)
  if (errors.length > 0) throw new Refusal(500, errorList(errors))
  // The server owns these members, whatever was sent.
  const known = write.store.job(namespace, text(job, 'ID'))?.current ?? {}
  const kept = { Dispatched: false, DispatchIdempotencyToken: '', ParentID: '', Payload: null, VersionTag: null }
  for (const [key, otherwise] of Object.entries(kept)) if (key in job) job[key] = known[key] ?? otherwise
  job['NomadTokenID'] = write.access.enabled ? accessor : ''
  return job
}

/** A job as sent, with its defaults and the constraints that it implies. */
export function completeJob(sent: JsonObject, namespace: string): JsonObject {
  const job = canonicalizeJob({ ...sent, Namespace: namespace, Region: region })
  const parameterized = object(job, 'ParameterizedJob')
  if (parameterized !== undefined) parameterized['Payload'] = text(parameterized, 'Payload') || 'optional'
  return job
}

const accessor = '5eedacce-0000-4000-8000-000000000001'

/** The `Job` of a body. Throws {@link Refusal} (400) if it is missing. */
export function sentJob(body: JsonObject): JsonObject {
  const job = object(body, 'Job')
  if (job === undefined) throw new Refusal(400, 'Job must be specified')
  return job
}
