import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { isNumber } from '../../../core/json.ts'
import type { Paint } from '../../../core/output.ts'
import { escapeControl } from '../../../output/safe.ts'
import type { Decision } from '../../../write/work.ts'
import { overNamespace, warningsOf } from '../jobs.ts'
import { namespaceOf } from '../file/file.ts'
import { whatOf } from '../plan/overview.ts'
import type { FilePlan } from '../plan/planned.ts'
import { goFlags } from '../plan/planned.ts'
import { notPlacedLines, planDocument } from '../plan/view.ts'
import type { BodyInput, Registration } from '../register.ts'
import { explainConflict, registration, registrationBody } from '../register.ts'
import type { FollowWork } from '../wait/write.ts'
import { followsJob, startsWork } from '../wait/write.ts'
import { sendWork } from '../writes.ts'

/** What all job files of a line share. */
export interface ApplyRun {
  readonly context: Context
  readonly input: BodyInput & {
    readonly startStopped?: boolean | undefined
    readonly rerun?: boolean | undefined
    readonly showValues?: boolean | undefined
    readonly diff?: 'full' | undefined
  }
  /** Undefined if the outcome is not waited for. */
  readonly follow: FollowWork | undefined
  readonly isOne: boolean
  /** Files and folders as they were typed. */
  readonly named: ReadonlySet<string>
}

/** What applying a job file does, by its plan. */
export function decideFile(run: ApplyRun, plan: FilePlan): Decision {
  const { context, input, follow } = run
  const { id, name, namespace, path, job, answer, index, file } = plan
  const guard = isNumber(index) ? { guard: Number(index) } : {}
  const about = { item: name, facts: { namespace, file: path }, ...guard }
  const below = belowOf(run, plan)
  if (plan.refused !== undefined)
    return { ...about, below, action: 'refused', words: plan.refused.message, error: plan.refused }
  // A job that its file describes as stopped has no outcome.
  const followed = job.Stop === true ? {} : followsJob(follow, id, { namespace, name })
  if (plan.action === 'unchanged')
    return {
      ...about,
      action: 'unchanged',
      words: plan.change === 'placement' ? 'unchanged, but allocations are not placed' : 'unchanged',
      ...(plan.change === 'placement' ? { below } : {}),
      ...followed,
    }
  const held = heldBack(run, plan)
  if (held !== undefined) return { ...about, ...held, facts: { ...about.facts, ...held.facts } }
  return {
    ...about,
    action: plan.action,
    words: whatOf(plan, input.showValues === true),
    below,
    ...registers(run, {
      id,
      namespace,
      path,
      name,
      ...overNamespace(context, namespaceOf(file, job)),
      body: registrationBody(input, file, job, index),
      warned: warningsOf(answer),
    }),
  }
}

/** A plan that would change something, and isn't applied. */
export function heldBack(
  { context, input, named }: ApplyRun,
  { action, name, path }: Pick<FilePlan, 'action' | 'name' | 'path'>,
): Decision | undefined {
  const [isStart, flag] = [action === 'start', goFlags[action]]
  if (flag === undefined || (isStart ? input.startStopped : input.rerun) === true) return undefined
  const why = isStart ? 'stopped' : 'finished'
  const does = `${flag} ${isStart ? 'starts it' : 'runs it again'}`
  if (!named.has(path)) return { action: 'skipped', words: `left ${why} (${does})`, facts: { why } }
  const message = isStart
    ? `${name} is stopped, and is started only with ${flag}`
    : `${name} has finished; not run again: the file differs`
  const hint = `${isStart ? 'start it' : 'run it again'}: ${context.typedLine({ files: path, [isStart ? 'startStopped' : 'rerun']: 'true' })}`
  return { action: 'conflict', words: `${why}; ${does}`, error: new TugError('conflict', message, { hints: [hint] }) }
}

/** What is registered for one job: the planned document, at the index at which it was planned. */
export interface PinnedJob extends Registration {
  readonly name: string
  readonly namespace: string
  readonly path: string
  /** Warnings of the server that the plan had. */
  readonly warned: readonly string[]
}

/** Registers exactly what was planned, if the job is still the one that was planned. */
export function registers({ follow }: ApplyRun, pinned: PinnedJob): Pick<Decision, 'apply' | 'follow' | 'enforced'> {
  const { id, name, path, warned } = pinned
  return {
    enforced: true,
    ...startsWork(follow, (here) =>
      sendWork(here, { ...registration(here, pinned), warned, message: () => `registered ${id}` }).catch(
        explainConflict(`${name} has changed since it was planned; see: ${here.commandLine('job plan', path)}`),
      ),
    ),
  }
}

/** The whole plan of one file; of several what cannot be placed, and with `-o wide` the whole plan too. */
export function belowOf(
  { context, input, isOne }: Pick<ApplyRun, 'context' | 'input' | 'isOne'>,
  { answer, job, change }: FilePlan,
): NonNullable<Decision['below']> {
  const { io, settings, now } = context
  return (paint: Paint) => {
    const wide = settings.format === 'wide'
    const notPlaced = notPlacedLines({ answer, job }).map((line) => `${paint('bad', '!')}   ${escapeControl(line)}\n`)
    if (!isOne && !wide) return notPlaced.join('')
    const document = planDocument({
      answer,
      job,
      isChanged: change !== 'none',
      showValues: input.showValues === true,
      diff: input.diff,
    })
    const width = io.terminal.stdout ? io.columns : undefined
    // Its first line names the job, as the row does.
    const [, ...lines] = document
      .text(paint, { now: now(), wide, absoluteTimes: false, draws: false, width }, null)
      .trimEnd()
      .split('\n')
    return lines.map((line) => `${isOne ? '' : '  '}${line}\n`).join('')
  }
}
