import * as api from '../../api/jobs.ts'
import { openBulk } from '../../bulk/engine.ts'
import type { BulkInput } from '../../bulk/flags.ts'
import { known } from '../../core/answer.ts'
import type { DoneResult } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { HttpRequest } from '../../core/request.ts'
import { plural } from '../../core/words.ts'
import { isStarter } from './jobs.ts'
import { firstNames, jobsAtOnce, runMany } from './many.ts'
import type { Target } from './targets.ts'
import { compareAgain, ofTarget, targetOf, targetsOf } from './targets.ts'
import type { StartedWork, WaitInput } from './wait/params.ts'
import type { Started } from './writes.ts'
import { sendWork } from './writes.ts'

/** What stops several jobs. */
export interface StopMany {
  readonly input: WaitInput &
    BulkInput & {
      readonly jobs: readonly string[]
      readonly filter: string | undefined
      readonly purge?: boolean | undefined
    }
  /** The request that stops a job, or removes it. */
  readonly request: (target: Target, purge: boolean) => HttpRequest<Started>
  /** Throws if the answer shows that no job was met. */
  readonly check: (context: Context, job: string, answer: Started) => void
}

/**
 * Stops the jobs side by side, and what they have started. With `--purge` each is removed once its allocations are down, if it has
 * not changed since.
 */
export async function stopMany(context: Context, { input, request, check }: StopMany): Promise<DoneResult> {
  const bulk = await openBulk(context, { ...input }, { action: 'job stop', parallel: jobsAtOnce })
  const purge = input.purge === true
  const select = async () => {
    const found = (await targetsOf(bulk.context, input)).filter(
      ({ stub }) => purge || stub === undefined || stub.Stop !== true,
    )
    return { found, children: await childrenOf(bulk.context, found) }
  }
  const all = ({ found, children }: Awaited<ReturnType<typeof select>>) => [...found, ...children]
  const selected = await select()
  const targets = all(selected)
  const isAsked = targets.length > 0 && (await context.io.confirm(questionOf(targets, selected.children.length, purge)))
  const isSettled =
    isAsked && input.filter !== undefined ? await compareAgain(async () => all(await select())) : undefined
  return runMany<Target>(bulk, purge ? { ...input, wait: true } : input, {
    what: 'stopping jobs',
    action: 'stop',
    items: targets,
    send: async (here, target) =>
      isSettled?.(target) ??
      sendWork(here, {
        kind: 'stop',
        request: request(target, false),
        ...(purge ? { purge: request(target, true) } : {}),
        jobId: () => target.id,
        namespace: target.namespace,
        check: (answer) => check(here, target.id, answer),
        message: () => `stopped ${target.id}`,
      }),
    ...(purge ? { finish: removeStopped } : {}),
    done: ({ counts }) => `${purge ? 'stopped and purged' : 'stopped'} ${plural(counts.done, 'job')}`,
    dataOf: ({ id, namespace = null }) => ({ job: id, namespace }),
  })
}

/** The running jobs that periodic and parameterized ones have started: to stop a parent leaves them running. */
async function childrenOf(context: Context, targets: readonly Target[]): Promise<Target[]> {
  const children: Target[] = []
  for (const target of targets) {
    if (target.stub === undefined || !isStarter(target.stub)) continue
    const { query = [] } = ofTarget(context, target)
    const listed = await context.http.send(api.list({}, { query: [...query, ['prefix', `${target.id}/`]] }))
    const running = (known(listed.value) ?? []).filter(
      ({ ParentID, Status }) => ParentID === target.id && Status !== 'dead',
    )
    children.push(...running.map((stub) => targetOf(context, stub)))
  }
  return children
}

function questionOf(targets: readonly Target[], children: number, purge: boolean): string {
  const started = children === 0 ? '' : `, ${children} of them started by another`
  const removed = purge ? ' and remove with all versions' : ''
  return `Stop${removed} ${plural(targets.length, 'job')}${started}: ${firstNames(targets.map(({ name }) => name))}?`
}

/** Removes a job that has stopped, if nobody has changed it meanwhile. */
async function removeStopped(context: Context, target: Target, { answer, purge }: StartedWork): Promise<void> {
  if (purge === undefined) return
  const live = (await context.http.send(api.read({ job: target.id }, ofTarget(context, target)))).value
  if (String(live.JobModifyIndex ?? 0) !== String(answer.JobModifyIndex)) {
    throw new TugError('conflict', `${target.name} has changed since it was stopped, so it was not purged`)
  }
  await context.http.send(purge)
}
