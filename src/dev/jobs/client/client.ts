import type { JsonObject } from '../../../core/json.ts'
import { number, object, text } from '../state/documents.ts'
import { hasten } from '../../go.ts'
import { isTerminal, type Allocation, type TaskRun } from '../state/model.ts'
import { groupOf, isPrestart, planFor, tasksOf, type TaskPlan } from './tasks.ts'
import { isBatch, type Store } from '../state/store.ts'
import * as events from './task-events.ts'

/** Milliseconds from placement to running, and from stopping to the end. */
const startDelay = 300
const stopDelay = 100

type Exit = Pick<TaskPlan, 'exitCode' | 'signal'>

/** Receives what becomes of an allocation. */
export interface ClientListener {
  running(alloc: Allocation): void
  /** Complete or failed: see `alloc.client`. */
  ended(alloc: Allocation): void
}

/** Simulates the nodes: runs allocations by the clock according to {@link planFor}. Executes nothing. */
export class Client {
  private readonly store: Store
  private readonly listener: ClientListener
  private readonly timers = new Map<string, Set<() => void>>()

  constructor(store: Store, listener: ClientListener) {
    this.store = store
    this.listener = listener
  }

  /** Starts an allocation that was just placed. */
  start(alloc: Allocation): void {
    for (const task of tasksOf(alloc)) {
      const run: TaskRun = {
        state: 'pending',
        failed: false,
        restarts: 0,
        retries: 0,
        lastRestart: null,
        startedAt: null,
        finishedAt: null,
        events: [],
      }
      alloc.tasks.set(text(task, 'Name'), run)
      this.record(run, events.received, events.setUp)
    }
    this.later(alloc, startDelay, () => this.run(alloc))
  }

  stop(alloc: Allocation): void {
    if (isTerminal(alloc)) return
    this.clear(alloc)
    for (const task of tasksOf(alloc)) {
      const run = alloc.tasks.get(text(task, 'Name'))
      if (run !== undefined && run.state !== 'dead') this.record(run, events.killing(number(task, 'KillTimeout', 5e9)))
    }
    this.later(alloc, stopDelay, () => {
      for (const run of alloc.tasks.values()) if (run.state !== 'dead') this.kill(run)
      this.end(alloc, 'complete')
    })
  }

  private run(alloc: Allocation): void {
    alloc.client = 'running'
    alloc.clientDescription = 'Tasks are running'
    this.touch(alloc)
    const failing = tasksOf(alloc).find((task) => planFor(alloc, task).startError !== '')
    for (const task of tasksOf(alloc)) if (task !== failing) this.runTask(alloc, task)
    const failed = alloc.tasks.get(text(failing ?? {}, 'Name'))
    if (failing !== undefined && failed !== undefined) {
      this.record(failed, events.driverFailure(planFor(alloc, failing).startError))
      failed.finishedAt = this.store.clock.now()
      this.retry(alloc, failing, failed)
    }
    if (alloc.client === 'running') this.listener.running(alloc)
  }

  private runTask(alloc: Allocation, task: JsonObject): void {
    const run = alloc.tasks.get(text(task, 'Name'))
    if (run === undefined || object(task, 'Lifecycle')?.['Hook'] === 'poststop') return
    run.state = 'running'
    run.startedAt = this.store.clock.now()
    this.record(run, events.started)
    const plan = planFor(alloc, task)
    const { restarts } = run
    if (plan.runs === Infinity) return
    this.later(alloc, plan.runs, () => {
      if (run.restarts === restarts) this.exit(alloc, task, run, plan)
    })
  }

  private exit(alloc: Allocation, task: JsonObject, run: TaskRun, { exitCode, signal }: Exit): void {
    const succeeded = exitCode === 0 && signal === 0
    this.record(run, events.terminated(exitCode, signal))
    run.finishedAt = this.store.clock.now()
    if (succeeded && (isBatch(alloc.job) || isPrestart(task))) {
      run.state = 'dead'
      this.touch(alloc)
      const mains = tasksOf(alloc).filter((one) => object(one, 'Lifecycle') === undefined)
      if (mains.every((one) => alloc.tasks.get(text(one, 'Name'))?.state === 'dead')) this.end(alloc, 'complete')
    } else {
      this.retry(alloc, task, run)
    }
  }

  private retry(alloc: Allocation, task: JsonObject, run: TaskRun): void {
    const policy = object(task, 'RestartPolicy') ?? object(groupOf(alloc), 'RestartPolicy') ?? {}
    const attempts = number(policy, 'Attempts')
    const delay = number(policy, 'Delay')
    if (run.retries >= attempts && text(policy, 'Mode') !== 'delay') {
      this.record(run, events.notRestarting(attempts, number(policy, 'Interval')))
      this.fail(alloc, text(task, 'Name'), run)
      return
    }
    run.retries += 1
    this.record(run, events.restarting(delay))
    run.restarts += 1
    run.lastRestart = this.store.clock.now()
    run.state = 'pending'
    this.touch(alloc)
    this.later(alloc, hasten(delay), () => {
      this.runTask(alloc, task)
      this.touch(alloc)
    })
  }

  private fail(alloc: Allocation, name: string, failed: TaskRun): void {
    failed.state = 'dead'
    failed.failed = true
    for (const run of alloc.tasks.values()) {
      if (run.state === 'dead') continue
      this.record(run, events.siblingFailed(name))
      this.kill(run)
    }
    this.end(alloc, 'failed')
  }

  private kill(run: TaskRun): void {
    if (run.state === 'running') this.record(run, events.terminated(130, 2))
    this.record(run, events.killed)
    run.state = 'dead'
    run.finishedAt = this.store.clock.now()
  }

  private end(alloc: Allocation, status: 'complete' | 'failed'): void {
    this.clear(alloc)
    alloc.client = status
    alloc.clientDescription = status === 'complete' ? 'All tasks have completed' : 'Failed tasks'
    this.touch(alloc)
    this.listener.ended(alloc)
  }

  private record(run: TaskRun, ...added: events.TaskEvent[]): void {
    for (const event of added) run.events.push(event(this.store.nanoseconds()))
    if (run.events.length > 10) run.events.splice(0, run.events.length - 10)
  }

  private touch(alloc: Allocation): void {
    alloc.modifyIndex = this.store.write('allocations', 'jobs')
    alloc.modifyTime = this.store.nanoseconds()
  }

  private later(alloc: Allocation, milliseconds: number, call: () => void): void {
    const timers = this.timers.get(alloc.id) ?? new Set()
    this.timers.set(alloc.id, timers)
    const cancel = this.store.clock.after(milliseconds, () => {
      timers.delete(cancel)
      call()
    })
    timers.add(cancel)
  }

  private clear(alloc: Allocation): void {
    for (const cancel of this.timers.get(alloc.id) ?? []) cancel()
    this.timers.delete(alloc.id)
  }
}
