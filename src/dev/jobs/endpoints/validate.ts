import { errorList } from '../../go.ts'
import type { JsonObject } from '../../../core/json.ts'
import { RE2JS } from 're2js'
import { isTimeZone, parseCron } from '../time/cron.ts'
import { number, object, objects, strings, text, words } from '../state/documents.ts'
import { cronSpecs } from '../scheduler/launcher.ts'
import { poolNames } from '../placement/constraints.ts'
import { isBatch, isSystem, type Store } from '../state/store.ts'

const jobTypes = ['service', 'batch', 'system', 'sysbatch']

/** What is wrong with a job, in the words and order of real servers; empty for a valid job. */
export function validateJob(job: JsonObject, store: Store): string[] {
  const id = text(job, 'ID')
  const type = text(job, 'Type')
  const groups = objects(job, 'TaskGroups')
  const errors: string[] = []
  if (id === '') errors.push('Missing job ID')
  else if (id.includes(' ')) errors.push('Job ID contains a space')
  else if (id.includes('\u0000')) errors.push('Job ID contains a null character')
  if (!jobTypes.includes(type)) errors.push(`Invalid job type: ${JSON.stringify(type)}`)
  if (strings(job, 'Datacenters').includes('')) errors.push('Job datacenter must be non-empty string')
  errors.push(...constraintErrors(job))
  if (groups.length === 0) errors.push('Missing job task groups')
  errors.push(...nameErrors(groups, 'Job task group'))
  for (const group of groups) {
    const name = text(group, 'Name')
    if (isSystem(job) && number(group, 'Count') > 1) {
      errors.push(
        `Job task group ${name} has count ${number(group, 'Count')}. Count cannot exceed 1 with system scheduler`,
      )
    }
    const faults = groupErrors(group)
    if (faults.length > 0) errors.push(`Task group ${name} validation failed: ${errorList(faults)}`)
  }
  errors.push(...periodicErrors(job), ...parameterizedErrors(job))
  const priority = number(job, 'Priority')
  if (priority < 1 || priority > 100) errors.push('job priority must be between [1, 100]')
  const namespace = text(job, 'Namespace')
  if (!store.namespaces.has(namespace)) {
    errors.push(`job ${JSON.stringify(id)} is in nonexistent namespace ${JSON.stringify(namespace)}`)
  }
  const pool = text(job, 'NodePool') || 'default'
  if (!poolNames.includes(pool)) {
    errors.push(`job ${JSON.stringify(id)} is in nonexistent node pool ${JSON.stringify(pool)}`)
  }
  const excess = store.excessOf(job)
  return excess === undefined ? errors : [...errors, excess]
}

/** What real servers accept with a warning. */
export function jobWarnings(job: JsonObject): string[] {
  return objects(job, 'TaskGroups').flatMap((group) => {
    const name = text(group, 'Name')
    const tasks = objects(group, 'Tasks')
    const holders = [group, ...tasks]
    const serves = holders.some((holder) => objects(holder, 'Services').length > 0)
    const delays = holders.some((holder) => number(holder, 'ShutdownDelay') > 0)
    const greedy = tasks.filter((task) => number(object(task, 'Resources') ?? {}, 'MemoryMaxMB') > 0)
    const delayWarning = `group ${JSON.stringify(name)} defines services, but neither the group nor any of its tasks have shutdown_delay set`
    return [
      ...greedy.map((task) => memoryWarning(`${name}.${text(task, 'Name')}`)),
      ...(serves && !delays ? [delayWarning] : []),
    ]
  })
}

function memoryWarning(task: string): string {
  const outcome = `Task "${task}" memory_max value will be ignored`
  return `Memory oversubscription is not enabled; ${outcome}. Update the Scheduler Configuration to allow oversubscription.`
}

function groupErrors(group: JsonObject): string[] {
  const tasks = objects(group, 'Tasks')
  const errors: string[] = []
  if (text(group, 'Name') === '') errors.push('Missing task group name')
  if (number(group, 'Count') < 0) errors.push("Task group count can't be negative")
  if (tasks.length === 0) errors.push('Missing tasks for task group')
  errors.push(...constraintErrors(group), ...scalingErrors(group), ...nameErrors(tasks, 'Task'))
  const leaders = tasks.filter((task) => task['Leader'] === true).length
  if (leaders > 1) errors.push('Only one task may be marked as leader')
  for (const task of tasks) {
    const faults = taskErrors(task)
    if (faults.length > 0) errors.push(`Task ${text(task, 'Name')} validation failed: ${errorList(faults)}`)
  }
  return errors
}

function taskErrors(task: JsonObject): string[] {
  const errors: string[] = []
  if (text(task, 'Name') === '') errors.push('Missing task name')
  if (/[/\\]/.test(text(task, 'Name'))) errors.push('Task name cannot include slashes')
  if (text(task, 'Driver') === '') errors.push('Missing task driver')
  if (number(task, 'KillTimeout') < 0) errors.push('KillTimeout must be a positive value')
  const resources = object(task, 'Resources')
  const memory = resources === undefined ? 10 : number(resources, 'MemoryMB')
  if (memory < 10) errors.push(errorList([`minimum MemoryMB value is 10; got ${memory}`]))
  errors.push(...constraintErrors(task))
  return errors
}

const operands = words(`
  = == is != not < <= > >= regexp version semver set_contains set_contains_all set_contains_any is_set is_not_set distinct_hosts
  distinct_property
`)

function constraintErrors(holder: JsonObject): string[] {
  return objects(holder, 'Constraints').flatMap((constraint, place) => {
    const fault = constraintFault(text(constraint, 'Operand'), text(constraint, 'RTarget'))
    return fault === undefined ? [] : [`Constraint ${place + 1} validation failed: ${errorList([fault])}`]
  })
}

function constraintFault(operand: string, target: string): string | undefined {
  if (operand === '') return 'Missing constraint operand'
  if (!operands.includes(operand)) return `Unknown constraint type ${JSON.stringify(operand)}`
  try {
    if (operand === 'regexp') RE2JS.compile(target)
    return undefined
  } catch (error) {
    return `Regular expression failed to compile: ${(error as Error).message}`
  }
}

function nameErrors(items: readonly JsonObject[], kind: string): string[] {
  const names = items.map((item) => text(item, 'Name'))
  return names.flatMap((name, place) => {
    if (name === '') return [`${kind} ${place + 1} missing name`]
    const first = names.indexOf(name)
    const what = kind === 'Task' ? 'task' : 'group'
    return first < place ? [`${kind} ${place + 1} redefines '${name}' from ${what} ${first + 1}`] : []
  })
}

function scalingErrors(group: JsonObject): string[] {
  const scaling = object(group, 'Scaling')
  if (scaling === undefined || scaling['Max'] === null || scaling['Max'] === undefined) return []
  const errors: string[] = []
  if (number(scaling, 'Max') < number(scaling, 'Min')) errors.push('maximum count must not be less than minimum count')
  const count = number(group, 'Count')
  if (count < number(scaling, 'Min')) {
    errors.push(
      `task group count must not be less than minimum count in scaling policy: ${count} < ${number(scaling, 'Min')}`,
    )
  }
  if (count > number(scaling, 'Max')) {
    errors.push(
      `task group count must not be greater than maximum count in scaling policy: ${count} > ${number(scaling, 'Max')}`,
    )
  }
  return errors.length === 0 ? [] : [`Task Group Scaling validation failed: ${errorList(errors)}`]
}

function periodicErrors(job: JsonObject): string[] {
  const periodic = object(job, 'Periodic')
  if (periodic === undefined) return []
  if (!isBatch(job)) return ['Periodic can only be used with "batch" or "sysbatch" scheduler']
  if (periodic['Enabled'] === false) return []
  const specs = cronSpecs(periodic)
  if (specs.length === 0) return [errorList(['Must specify a spec'])]
  const zone = text(periodic, 'TimeZone')
  const faults = specs.flatMap((spec) => {
    const parsed = parseCron(spec)
    return 'fault' in parsed ? [`Invalid cron spec ${JSON.stringify(spec)}: ${parsed.fault}`] : []
  })
  if (zone !== '' && !isTimeZone(zone))
    faults.push(`Invalid time zone ${JSON.stringify(zone)}: unknown time zone ${zone}`)
  return faults.length === 0 ? [] : [errorList(faults)]
}

function parameterizedErrors(job: JsonObject): string[] {
  const block = object(job, 'ParameterizedJob')
  if (block === undefined) return []
  if (!isBatch(job)) {
    return ['Parameterized job can only be used with "batch" or "sysbatch" scheduler']
  }
  const errors: string[] = []
  const payload = text(block, 'Payload')
  if (!['optional', 'required', 'forbidden'].includes(payload)) {
    errors.push(`Unknown payload requirement: ${JSON.stringify(payload)}`)
  }
  const shared = strings(block, 'MetaRequired').filter((key) => strings(block, 'MetaOptional').includes(key))
  if (shared.length > 0) {
    errors.push(
      `Required and optional meta keys should be disjoint. Following keys exist in both: [${shared.join(' ')}]`,
    )
  }
  return errors.length === 0 ? [] : [errorList(errors)]
}
