import type { JsonObject } from '../../../core/json.ts'
import { number, object, objects, strings, text } from '../state/documents.ts'
import type { Allocation } from '../state/model.ts'
import type { Store } from '../state/store.ts'
import { durationMilliseconds } from '../../go.ts'

/** The task group that an allocation runs. */
export function groupOf(alloc: Allocation): JsonObject {
  return objects(alloc.job, 'TaskGroups').find((group) => text(group, 'Name') === alloc.group) ?? {}
}

/** The tasks that an allocation runs. */
export function tasksOf(alloc: Allocation): JsonObject[] {
  return objects(groupOf(alloc), 'Tasks')
}

/** A task by name; an empty document if there is none. */
export function taskNamed(alloc: Allocation, name: string): JsonObject {
  return tasksOf(alloc).find((task) => text(task, 'Name') === name) ?? {}
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

/** Lists a running allocation's services whose provider is the scheduler itself. */
export function registerServices(store: Store, alloc: Allocation): void {
  const holders: [string, JsonObject][] = [[`group-${alloc.group}`, groupOf(alloc)]]
  for (const task of tasksOf(alloc)) holders.push([text(task, 'Name'), task])
  for (const [holder, document] of holders) {
    for (const service of objects(document, 'Services')) {
      if (text(service, 'Provider') === 'nomad') addService(store, alloc, holder, service)
    }
  }
}

/** Removes an allocation's services from the list. */
export function deregisterServices(store: Store, alloc: Allocation): void {
  const mine = [...store.services.values()].filter((entry) => entry.alloc === alloc)
  for (const entry of mine) store.services.delete(entry.id)
  if (mine.length > 0) store.write('services')
}

function addService(store: Store, alloc: Allocation, holder: string, service: JsonObject): void {
  const label = text(service, 'PortLabel')
  const name = text(service, 'Name')
  const id = `_nomad-task-${alloc.id}-${holder}-${name}-${label}`
  store.services.set(id, {
    id,
    name,
    alloc,
    tags: strings(service, 'Tags'),
    port: alloc.ports.get(label) ?? (Number(label) || 0),
    createIndex: store.write('services'),
  })
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
  const hinted = 'run_for' in config || 'exit_code' in config || 'exit_signal' in config || config['fail'] === true
  const guess = hinted ? { runs: atOnce, exitCode: 0 } : (commandPlan(config) ?? usual(jobType))
  return {
    runs: durationMilliseconds(text(config, 'run_for')) ?? guess.runs,
    exitCode: number(config, 'exit_code', config['fail'] === true ? 1 : guess.exitCode),
    signal: number(config, 'exit_signal'),
    startError: text(config, 'start_error'),
  }
}

/** Milliseconds that the shortest task takes. */
const atOnce = 20

type Guess = Pick<TaskPlan, 'runs' | 'exitCode'>

function usual(jobType: string): Guess {
  return { runs: jobType === 'batch' || jobType === 'sysbatch' ? 500 : Infinity, exitCode: 0 }
}

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
