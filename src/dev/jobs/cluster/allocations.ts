import { errorList } from '../../go.ts'
import type { DevReply } from '../../http.ts'
import { answerWrite, type Found } from '../api/answers.ts'
import { boolOf } from '../api/query.ts'
import { Refusal, checkUuid } from '../api/refusal.ts'
import { bodyOf, type JobWrite } from '../api/write.ts'
import { serviceView } from '../endpoints/views.ts'
import { compare, flag, text } from '../state/documents.ts'
import { isLive, type Allocation } from '../state/model.ts'
import type { Question } from './question.ts'

const notFound = 'allocation not found'

/** PUT /v1/allocation/:id/stop: the scheduler replaces it. One that has ended already gets an evaluation without effect. */
export function stopAllocation(write: JobWrite): DevReply {
  const { store, scheduler, request } = write
  const transition = {
    noShutdownDelay: boolOf(request.query, 'no_shutdown_delay'),
    reschedule: boolOf(request.query, 'reschedule'),
  }
  const alloc = findAllocation(write, notFound)
  const record = store.job(alloc.namespace, alloc.jobId)
  if (record?.createIndex !== alloc.jobCreateIndex) throw new Refusal(404, notFound)
  const { id, createIndex } = scheduler.replace(record, alloc, transition)
  return answerWrite(request, { EvalID: id, Index: createIndex }, createIndex)
}

/** PUT /v1/client/allocation/:id/restart: one task, those that run, or with AllTasks also those that have ended. */
export function restartAllocation(write: JobWrite): DevReply {
  const body = write.request.body.length === 0 ? {} : bodyOf(write, 'restart')
  const [name, all] = [text(body, 'TaskName'), flag(body, 'AllTasks')]
  const alloc = findAllocation(write, `Unknown allocation "${write.id}"`)
  if (all && name !== '') throw new Refusal(500, 'task name cannot be set when restarting all tasks')
  if (name !== '' && !alloc.tasks.has(name)) throw new Refusal(500, `Could not find task runner for task: ${name}`)
  if (name !== '' && !isRunning(alloc, name)) throw new Refusal(500, 'Task not running')
  if (name === '' && !isLive(alloc)) throw new Refusal(500, 'restart of an alloc that should not run')
  const states = all ? ['running', 'dead'] : ['running']
  const chosen = [...alloc.tasks].filter(([task, run]) => states.includes(run.state) && (name === '' || task === name))
  const names = chosen.map(([task]) => task)
  const asked = name === '' ? (all ? 'all tasks' : 'running tasks') : 'task'
  write.scheduler.client.restart(alloc, names, `User requested ${asked} to restart`)
  return answerWrite(write.request, { Index: 0 })
}

/** PUT /v1/client/allocation/:id/signal: one task, or all. */
export function signalAllocation(write: JobWrite): DevReply {
  const body = bodyOf(write, 'signal')
  const [name, signal] = [text(body, 'Task'), text(body, 'Signal')]
  const alloc = findAllocation(write, `Unknown allocation "${write.id}"`)
  if (name !== '' && !alloc.tasks.has(name)) throw new Refusal(500, 'Task not found')
  if (name !== '' && !isRunning(alloc, name)) throw new Refusal(500, 'Task not running')
  const names = name === '' ? [...alloc.tasks.keys()] : [name]
  const idle = names.filter((task) => !isRunning(alloc, task))
  write.scheduler.client.signal(alloc, names, signal)
  if (idle.length === 0) return answerWrite(write.request, { Index: 0 })
  throw new Refusal(500, errorList(idle.map((task) => `Failed to signal task: ${task}, err: Task not running`)))
}

/** GET /v1/allocation/:id/services. */
export function readAllocationServices({ store, access, request, name }: Question): Found {
  const alloc = store.allocations.get(name)
  const index = store.indexOf('services')
  checkUuid('alloc', name)
  access.demand(request, alloc?.namespace ?? 'default', 'read-job')
  if (alloc === undefined) return { index, missing: notFound }
  const own = [...store.services.values()].filter((entry) => entry.alloc === alloc)
  return { index, body: own.toSorted((left, right) => compare(left.id, right.id)).map(serviceView) }
}

function findAllocation({ store, access, request, id }: JobWrite, missing: string): Allocation {
  checkUuid('alloc', id)
  const alloc = store.allocations.get(id)
  if (alloc === undefined) throw new Refusal(404, missing)
  access.demand(request, alloc.namespace, 'alloc-lifecycle')
  return alloc
}

function isRunning(alloc: Allocation, task: string): boolean {
  return alloc.tasks.get(task)?.state === 'running'
}
