import { errorList } from '../../go.ts'
import type { JsonObject } from '../../../core/json.ts'
import { cronFault } from '../time/cron.ts'
import { number, object, objects, text } from '../state/documents.ts'
import { cronSpecs } from '../scheduler/launcher.ts'
import { isBatch, type Store } from '../state/store.ts'

const jobTypes = ['service', 'batch', 'system', 'sysbatch']

/** What is wrong with a job, in the words and order of real servers; empty for a valid job. */
export function validateJob(job: JsonObject, store: Store): string[] {
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
  errors.push(...periodicErrors(job), ...parameterizedErrors(job))
  const priority = number(job, 'Priority')
  if (priority < 1 || priority > 100) errors.push('job priority must be between [1, 100]')
  const namespace = text(job, 'Namespace')
  if (!store.namespaces.has(namespace)) {
    errors.push(`job ${JSON.stringify(id)} is in nonexistent namespace ${JSON.stringify(namespace)}`)
  }
  const excess = store.excessOf(job)
  return excess === undefined ? errors : [...errors, excess]
}

/** What real servers accept with a warning. */
export function jobWarnings(job: JsonObject): string[] {
  return objects(job, 'TaskGroups').flatMap((group) => {
    const name = text(group, 'Name')
    const holders = [group, ...objects(group, 'Tasks')]
    const serves = holders.some((holder) => objects(holder, 'Services').length > 0)
    const delays = holders.some((holder) => number(holder, 'ShutdownDelay') > 0)
    const delayWarning = `group ${JSON.stringify(name)} defines services, but neither the group nor any of its tasks have shutdown_delay set`
    return serves && !delays ? [delayWarning] : []
  })
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

function parameterizedErrors(job: JsonObject): string[] {
  if (object(job, 'ParameterizedJob') === undefined || isBatch(job)) return []
  return ['Parameterized job can only be used with "batch" or "sysbatch" scheduler']
}
