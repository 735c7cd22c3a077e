import * as api from '../../../api/jobs.ts'
import type { Account } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import { openBulk } from '../../../bulk/engine.ts'
import type { Done } from '../../../bulk/task.ts'
import { ifKnown } from '../../../core/answer.ts'
import { bulkFlags } from '../../../bulk/flags.ts'
import type { Result } from '../../../core/command.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import type { Paint } from '../../../core/output.ts'
import type { Input } from '../../../core/param.ts'
import { argument, flag } from '../../../core/param.ts'
import { jobFileFlags, inNamespace, namespaceFlag } from '../job-file.ts'
import { jobFilesOf } from '../job-files.ts'
import type { Target } from '../targets.ts'
import { jobsAtOnce, targetOf } from '../targets.ts'
import { compareAgain, isForPeople, runMany } from '../many.ts'
import { showValuesFlag } from '../plan/masks.ts'
import type { Action, FilePlan } from '../plan/planned.ts'
import { keepCounts, nameOf } from '../plan/planned.ts'
import { followParams, waitEndpoints } from '../wait/params.ts'
import { emptyFilter } from '../messages.ts'
import { noFileNamed, notPlanned, otherNamespace, savedQuestion, stopQuestion } from './messages.ts'
import type { Overview } from './overview.ts'
import { changeCounts, overviewView, planResult } from './overview.ts'
import { isDryRun, planFiles } from './plan-files.ts'
import type { PinnedJob } from './saved.ts'
import { pinned, register, readSaved } from './saved.ts'

const params = {
  files: argument.texts('job files and folders (-: standard input)', { placeholder: 'file|folder', complete: 'file' }),
  ...jobFileFlags,
  keepCounts,
  startStopped: flag.boolean('start jobs that somebody has stopped'),
  rerun: flag.boolean('run finished batch jobs again'),
  prune: flag.boolean('stop the jobs that match --filter and are in none of the files', { needs: ['filter'] }),
  filter: flag.text('which jobs --prune may stop: a filter such as Meta.owner == "team-a"', {
    placeholder: 'expression',
    needs: ['prune'],
  }),
  plan: flag.boolean('show what would be done, and change nothing'),
  exitCode: flag.boolean('with --plan, exit with 9 if there is something to do', { needs: ['plan'] }),
  saved: flag.text('apply the plans that job plan --save wrote, and nothing else', {
    placeholder: 'file',
    complete: 'file',
    // A saved plan was made with these.
    excludes: ['files', 'plan', 'prune', 'keepCounts', 'var', 'varFile', 'policyOverride', 'noSubmission'],
  }),
  showValues: showValuesFlag,
  policyOverride: flag.boolean('override soft mandatory policies'),
  noSubmission: flag.boolean('do not store the job files with the jobs'),
  ...followParams,
  ...bulkFlags,
} as const

type ApplyInput = Input<typeof params>

export const apply = command({
  name: 'apply',
  summary: 'Plan job files, ask, register exactly what was planned, and wait for the outcome',
  description: `Arguments are job files and folders, which are read recursively (*.hcl, *.nomad, *.json; hidden files and variable files are skipped). web.vars.hcl next to web.hcl has variables for that file; --var and --var-file apply to every file that declares them.

What is registered is the document that was planned, if the job is still the one that was planned: a change in between is a conflict for that job (exit 5; 10 if others were applied). Unchanged jobs are left alone, so applying twice is the same as once.

A stopped job is not started without --start-stopped, and a finished batch job does not run again without --rerun; once the server has collected it, a finished batch job is a new one. One file that cannot be parsed stops everything before anything is registered. After a job that fails no other is begun, unless --max-failures allows more.`,
  params,
  also: [api.register, api.parse, api.plan, api.list, api.stop, ...waitEndpoints],
  examples: [
    { line: 'job apply web.hcl', note: 'see the plan, confirm it, apply exactly that' },
    { line: 'job apply jobs/ --yes --keep-counts', note: 'in a pipeline: what has changed, and nothing else' },
    { line: 'job apply jobs/ --plan --exit-code', note: 'is anything not applied yet? 9 if so' },
  ],
  run: applyJobs,
})

async function applyJobs(input: ApplyInput, context: Context): Promise<Result | undefined> {
  const { files, saved, prune, filter = '' } = input
  if (saved === undefined && files.length === 0) throw noFileNamed(context)
  if (prune === true && filter.trim() === '') throw emptyFilter()
  const bulk = await openBulk(context, { ...input }, { action: 'job apply', parallel: jobsAtOnce })
  return input.saved === undefined ? applyFiles(bulk, input) : applySaved(bulk, input, input.saved)
}

async function applyFiles(bulk: Bulk, input: ApplyInput): Promise<Result | undefined> {
  const { context } = bulk
  const paths = await jobFilesOf(context.io.cwd, input.files)
  const { plans, problems } = await planFiles(bulk, input, paths)
  // A file that cannot be read may be that of any job.
  const isPruning = input.prune === true && problems.length === 0
  const extra = isPruning ? await prunable(context, input.filter ?? '', plans) : []
  const overview: Overview = {
    plans,
    problems,
    pruned: extra,
    heldBack: (plan) => heldBack(plan, input),
    showValues: input.showValues === true,
  }
  const changing = plans.filter((plan) => plan.action !== 'none' && overview.heldBack(plan) === undefined)
  if (input.plan === true) return planResult(overview, input.exitCode === true && changing.length + extra.length > 0)
  await show(context, overview)
  if (problems.length > 0) throw notPlanned(problems, paths.length)
  return carryOut(bulk, input, {
    registrations: plans.map((plan) => pinned(context, input, plan, changing.includes(plan))),
    extra,
    listAgain: () => prunable(context, input.filter ?? '', plans),
    question: questionOf(changing),
    count: changing.length,
  })
}

/** `1 changed job: web`; of several only the counts. */
function questionOf(plans: readonly FilePlan[]): string {
  const [first, ...others] = plans
  return `${changeCounts(plans)}${first !== undefined && others.length === 0 ? `: ${first.name}` : ''}`
}

function heldBack({ action }: { readonly action: Action }, { startStopped, rerun }: ApplyInput): string | undefined {
  if (action === 'start' && startStopped !== true) return 'stopped; left alone (--start-stopped starts it)'
  if (action === 'rerun' && rerun !== true) return 'finished; left alone (--rerun runs it again)'
  return undefined
}

/** The plans are a part of the result. They go to stderr where stdout has data. */
async function show(context: Context, overview: Overview): Promise<void> {
  // Files without a plan are in the error.
  if (overview.plans.length === 0 || isDryRun(overview.plans)) return
  const { io, now, settings } = context
  const isResult = isForPeople(context)
  const width = io.terminal[isResult ? 'stdout' : 'stderr'] ? io.columns : undefined
  const showing = { now: now(), wide: settings.format === 'wide', absoluteTimes: false, draws: false, width }
  const textOf = (paint: Paint) => overviewView(overview).text(paint, showing, null).trimEnd()
  if (isResult) await io.print(textOf)
  else if (!io.quiet) await io.write('stderr', `${textOf(io.paint)}\n`)
}

async function applySaved(bulk: Bulk, input: ApplyInput, file: string): Promise<Result> {
  const saved = await readSaved(bulk.context, file)
  refuseOtherNamespace(bulk.context, saved, file)
  const registrations = saved.map((one) =>
    heldBack(one, input) === undefined ? one : { ...one, fate: 'left_out' as const },
  )
  const changing = registrations.filter(({ fate }) => fate === 'register')
  return carryOut(bulk, input, {
    registrations,
    extra: [],
    listAgain: async () => [],
    question: savedQuestion(changeCounts(changing), changing),
    count: changing.length,
  })
}

function refuseOtherNamespace({ settings }: Context, saved: readonly PinnedJob[], file: string): void {
  const { targetFlags, namespace } = settings
  const other = saved.find((one) => one.namespace !== namespace)
  if (other === undefined || !targetFlags.includes('-n')) return
  throw otherNamespace(file, other.namespace, namespace)
}

interface Work {
  readonly registrations: readonly PinnedJob[]
  readonly extra: readonly Target[]
  readonly listAgain: () => Promise<readonly Target[]>
  readonly question: string
  readonly count: number
}

async function carryOut(bulk: Bulk, input: ApplyInput, work: Work): Promise<Result> {
  const { context } = bulk
  if (work.count > 0) await context.io.confirm(`Apply ${work.question}?`)
  const isAsked = work.extra.length > 0 && (await context.io.confirm(stopQuestion(work.extra)))
  const isSettled = isAsked ? await compareAgain(work.listAgain) : undefined
  return runMany<PinnedJob | Target>(
    bulk,
    { ...input, wait: input.noWait !== true },
    {
      what: 'applying jobs',
      action: 'apply',
      items: work.registrations,
      last: work.extra,
      send: async (here, item) =>
        'body' in item ? register(here, item, input.noWait !== true) : (isSettled?.(item) ?? remove(here, item)),
      // A plan of now knows better than the journal; a saved one is as old as that.
      isDue: (item) => input.saved === undefined && (!('body' in item) || item.fate === 'register'),
      before: (item) => ('body' in item ? String(item.body['JobModifyIndex'] ?? 0) : undefined),
      done: doneWords,
      dataOf: (item) => ({
        name: item.name,
        namespace: item.namespace ?? null,
        job: item.id,
        action: 'body' in item ? item.action : 'stop',
      }),
      stopsAtFailure: context.settings.limits.maxFailures === undefined,
    },
  )
}

function doneWords({ counts }: Account, stopped: number): string {
  const parts = [
    `${counts.done - stopped} applied`,
    ...(stopped > 0 ? [`${stopped} stopped`] : []),
    ...(counts.unchanged > 0 ? [`${counts.unchanged} unchanged`] : []),
    ...(counts.left_out > 0 ? [`${counts.left_out} left alone`] : []),
  ]
  return parts.join(', ')
}

/** The running jobs that match the filter and are in no file, in the namespaces of the files; never those that a job started. */
async function prunable(context: Context, filter: string, plans: readonly FilePlan[]): Promise<Target[]> {
  const described = new Set(plans.map(({ name }) => name))
  const found: Target[] = []
  for (const namespace of new Set(plans.map((plan) => plan.namespace))) {
    // The answers of a dry run name no namespace.
    const { query = [] } = isDryRun(plans) ? {} : inNamespace(context, namespace)
    const listed = await context.http.send(api.list({}, { query: [...query, ['filter', filter]] }))
    ifKnown(listed.value, (jobs) => {
      for (const stub of jobs ?? []) {
        const target = { ...targetOf(context, stub), namespace, name: nameOf(stub.ID, namespace) }
        const isHere = (stub.Namespace ?? namespace) === namespace
        if (isHere && !stub.ParentID && stub.Stop !== true && !described.has(target.name)) found.push(target)
      }
    })
  }
  return found
}

/** Stops a job. */
async function remove(context: Context, { id, namespace }: Target): Promise<Done> {
  const checkCommand = context.commandLine('job get', id, ...namespaceFlag(context, namespace))
  await context.http.send(api.stop({ job: id }, { ...inNamespace(context, namespace), checkCommand }))
  return { after: 'stopped' }
}
