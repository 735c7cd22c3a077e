import * as api from '../../../api/jobs.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { usageError } from '../../../core/errors.ts'
import { argument, flag, readFilled } from '../../../core/param.ts'
import { chooseTargets, findTargets, placeOf, readAllocation } from './target.ts'
import type { ActionRun, Write } from './session.ts'
import { runAction } from './session.ts'
import { watchUnusedInput, withoutDoubledReturns } from './terminal.ts'
import { actionsView } from '../actions.ts'
import { jobArgument } from '../jobs.ts'

export const action = command({
  name: 'action',
  summary: 'Run a predefined action of a job in one of its running allocations',
  description: `The action's output and exit status are passed on; 125 means that tug itself failed or lost the connection after the action had begun, so its outcome is unknown.

If several allocations can run the action, a terminal asks which one; elsewhere that is an error that lists them. In a script, \`tug job allocs web --query "[?ClientStatus=='running'].ID | [0]"\` prints an ID for --alloc. With --all, every line begins with its allocation's ID, and the exit status is 0 or 10. With -o too, stdout has how it ended on each (allocation, exit_status, error), and all output goes to stderr.

An action goes on when tug is interrupted. It gets standard input from a pipe or file; a pipe is waited for until it ends, so give it </dev/null where a script leaves one open. With --tty it gets the typed keys, Ctrl-C included; ~. at the start of a line leaves it. With --dialect neutral it takes no input.`,
  endpoint: api.action,
  also: [api.actions, api.allocations],
  passesThrough: true,
  rawOutput: ({ action: name, all }) => name !== undefined && all !== true,
  writes: true,
  params: {
    job: jobArgument,
    action: argument.of('the name of the action; without it, the actions are listed', readFilled, {
      complete: 'job-action',
      placeholder: 'action',
    }),
    alloc: flag.of('the allocation: its ID or any prefix of it', readAllocation, {
      complete: 'job-alloc',
      placeholder: 'id',
    }),
    group: flag.text('only allocations of this group', { complete: 'job-group', placeholder: 'group' }),
    task: flag.text('the task', { complete: 'job-task', placeholder: 'task' }),
    tty: flag.boolean('give it a terminal', { short: 't' }),
    all: flag.boolean('run it on every allocation', { excludes: ['alloc', 'tty'] }),
  },
  examples: [
    { line: 'job action web migrate', note: 'asks for the allocation if there are several' },
    { line: 'job action web migrate --alloc 9c0f11aa > migrate.log', note: 'its output alone, and its exit status' },
    { line: 'job action web flush --all', note: 'on each, with prefixed lines and a count of successes' },
    { line: 'job action web flush --all -o json', note: 'the exit status of each, for a script' },
    { line: 'job action web hello --group app --tty', note: 'on a terminal' },
    { line: 'job action web', note: 'list the actions' },
  ],
  async run({ job, action: name, alloc, group, task, tty = false, all = false }, context) {
    if (name === undefined) {
      // A script that lost the action's name must not take the list for a run that succeeded.
      const run = Object.entries({ alloc, group, task, tty, all }).find(([, value]) => (value ?? false) !== false)?.[0]
      if (run !== undefined)
        throw usageError(
          `<action> is required with --${run}: the name of the action`,
          `see: ${context.commandLine('job actions', job)}`,
        )
      // As `job actions` shows them.
      const response = await context.http.send(api.actions({ job }))
      return { data: response.json(), view: actionsView, rawBody: response.body }
    }
    const wanted = { job, action: name, alloc, group, task }
    const found = await findTargets(context, wanted)
    const targets = all || found.length === 1 ? found : await chooseTargets(context, wanted, found, tty)
    // On a terminal, all of several can be chosen.
    const onAll = all || targets.length > 1
    const runs = targets.map((target): ActionRun => ({ job, action: name, target, tty, takesInput: !onAll }))
    return runAny(context, runs, onAll)
  },
})

/** Runs one action, or several with prefixed lines. */
async function runAny(context: Context, runs: readonly ActionRun[], onAll: boolean): Promise<Result> {
  const { io } = context
  const [run] = runs
  const mayTakeInput = run?.takesInput === true && !run.tty
  const release = mayTakeInput ? () => {} : watchUnusedInput(context.io)
  try {
    if (onAll) return await (await import('./all.ts')).resultOfAll(context, runs)
    if (run === undefined) return { raw: '' }
    const { allocation, group } = run.target
    if (group !== undefined) io.note(`${run.action} on ${allocation}, ${placeOf(run.target)}`)
    const isRaw = (stream: 'stdout' | 'stderr') => run.tty && io.stdin.isTTY === true && io.terminal[stream]
    const writeOutput: Write = (stream, bytes) => io.write(stream, isRaw(stream) ? withoutDoubledReturns(bytes) : bytes)
    return { raw: '', exitCode: await runAction(context, run, writeOutput) }
  } finally {
    release()
  }
}
