import type { JsonObject } from '../../../core/json.ts'
import { number, object, objects, strings, text } from '../state/documents.ts'
import type { Allocation } from '../state/model.ts'
import { durationMilliseconds } from '../../go.ts'

export function groupOf(alloc: Allocation): JsonObject {
  return objects(alloc.job, 'TaskGroups').find((group) => text(group, 'Name') === alloc.group) ?? {}
}

export function tasksOf(alloc: Allocation): JsonObject[] {
  return objects(groupOf(alloc), 'Tasks')
}

/** What a task of an allocation would do. */
export function planFor(alloc: Allocation, task: JsonObject): TaskPlan {
  return isPrestart(task) ? planTask(task, 'batch') : planTask(task, text(alloc.job, 'Type'))
}

/** True for a task that has to end before the main tasks start. */
export function isPrestart(task: JsonObject): boolean {
  const lifecycle = object(task, 'Lifecycle')
  return lifecycle?.['Hook'] === 'prestart' && lifecycle['Sidecar'] !== true
}

/** The addresses of a running allocation's services whose provider is the scheduler itself. */
export function servicesOf(alloc: Allocation): JsonObject[] {
  if (alloc.client !== 'running' || alloc.desired === 'stop') return []
  const holders: [string, JsonObject][] = [[`group-${alloc.group}`, groupOf(alloc)]]
  for (const task of tasksOf(alloc)) holders.push([text(task, 'Name'), task])
  return holders.flatMap(([holder, document]) => {
    const services = objects(document, 'Services').filter((service) => text(service, 'Provider') === 'nomad')
    return services.map((service) => serviceView(alloc, holder, service))
  })
}

function serviceView(alloc: Allocation, holder: string, service: JsonObject): JsonObject {
  const [name, label] = [text(service, 'Name'), text(service, 'PortLabel')]
  return {
    Address: alloc.node.address,
    AllocID: alloc.id,
    CreateIndex: alloc.createIndex,
    Datacenter: alloc.node.datacenter,
    ID: `_nomad-task-${alloc.id}-${holder}-${name}-${label}`,
    JobID: alloc.jobId,
    ModifyIndex: alloc.createIndex,
    Namespace: alloc.namespace,
    NodeID: alloc.node.id,
    Port: alloc.ports.get(label) ?? (Number(label) || 0),
    ServiceName: name,
    Tags: strings(service, 'Tags'),
  }
}

/** What a task would do, judged by its config (docs/servers.md has the table). Nothing is executed. */
export interface TaskPlan {
  /** Milliseconds until it exits; Infinity for a task that runs until it is stopped. */
  readonly runs: number
  readonly exitCode: number
  readonly signal: number
  readonly startError: string
}

/** The plan for one task of a job of this type. */
export function planTask(task: JsonObject, jobType: string): TaskPlan {
  const config = object(task, 'Config') ?? {}
  const isBatch = jobType === 'batch' || jobType === 'sysbatch'
  const hinted = 'run_for' in config || 'exit_code' in config || 'exit_signal' in config || config['fail'] === true
  const guess = hinted
    ? { runs: atOnce, exitCode: 0 }
    : (commandPlan(config) ?? { runs: isBatch ? 500 : Infinity, exitCode: 0 })
  return {
    runs: durationMilliseconds(text(config, 'run_for')) ?? guess.runs,
    exitCode: number(config, 'exit_code', config['fail'] === true ? 1 : guess.exitCode),
    signal: number(config, 'exit_signal'),
    startError: text(config, 'start_error'),
  }
}

const atOnce = 20

type Guess = Pick<TaskPlan, 'runs' | 'exitCode'>

function commandPlan(config: JsonObject): Guess | undefined {
  const command = text(config, 'command').split('/').at(-1) ?? ''
  const args = strings(config, 'args')
  if (command === 'true') return { runs: atOnce, exitCode: 0 }
  if (command === 'false') return { runs: atOnce, exitCode: 1 }
  if (command === 'sleep' && args.length === 0) return { runs: atOnce, exitCode: 1 }
  if (command === 'sleep') return { runs: seconds(args[0] ?? ''), exitCode: 0 }
  if (/^(?:ba|da|z)?sh$/.test(command) && args[0] === '-c') return scriptPlan(args[1] ?? '')
  return undefined
}

function scriptPlan(script: string): Guess | undefined {
  if (/\b(?:while|until|exec)\b/.test(script)) return { runs: Infinity, exitCode: 0 }
  const sleeps = [...script.matchAll(/\bsleep\s+([\d.]+[smh]?|infinity)/g)].map((match) => seconds(match[1] as string))
  const exit = [...script.matchAll(/\bexit\s+(\d+)/g)].at(-1)
  if (sleeps.length === 0 && exit === undefined) return undefined
  const runs = sleeps.reduce((sum, sleep) => sum + sleep, atOnce)
  return { runs, exitCode: exit === undefined ? 0 : Number(exit[1]) % 256 }
}

function seconds(argument: string): number {
  if (argument === 'infinity') return Infinity
  return durationMilliseconds(/[smh]$/.test(argument) ? argument : `${argument}s`) ?? 0
}
