import * as api from '../../../api/jobs.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, unlessForbidden, usageError } from '../../../core/errors.ts'
import { argument, flag } from '../../../core/param.ts'
import { withoutFlag } from '../../../core/shell.ts'
import { firstNames, plural } from '../../../core/words.ts'
import type { Decision, Shown, Stage, Unlisted, Work } from '../../../write/work.ts'
import { stage } from '../../../write/work.ts'
import { write, writeFlags } from '../../../write/write.ts'
import type { JobFile } from '../file/file.ts'
import { inNamespace, namespaceFlag, namespaceName } from '../jobs.ts'
import { findingsOf, isOneFile, jobFileFlags, jobFilesOf, readJobFiles } from '../file/file.ts'
import { showValuesFlag } from '../plan/masks.ts'
import type { FilePlan } from '../plan/planned.ts'
import { diffFlag } from '../plan/view.ts'
import { changeCounts, countFlags, nameOf, notPlanned, planCompared, sameJob } from '../plan/planned.ts'
import type { Target } from '../targets.ts'
import { checkFilter, indexIn, jobsAtOnce, readListed, targetOf } from '../targets.ts'
import { checkCompletes, followParams, waitEndpoints } from '../wait/params.ts'
import { followWrites } from '../wait/write.ts'
import type { ApplyRun } from './decide.ts'
import { decideFile } from './decide.ts'
import { savedWork } from './saved.ts'

const params = {
  files: argument.texts('job files and folders (-: standard input)', { placeholder: 'file|folder', complete: 'file' }),
  // The usual ones come first in help.
  ...writeFlags,
  ...followParams,
  ...countFlags,
  ...jobFileFlags,
  startStopped: flag.boolean('start jobs that somebody has stopped'),
  rerun: flag.boolean('apply, and so run again, changed batch jobs that have finished'),
  prune: flag.boolean(
    'stop jobs that match --filter and are in none of the files, in their namespaces and that of -n',
    { needs: ['filter'] },
  ),
  filter: flag.text('jobs that --prune may stop: Meta.owner == "team-a"', {
    placeholder: 'expression',
    needs: ['prune'],
  }),
  saved: flag.text('apply only the plans that job plan --save wrote', {
    placeholder: 'file',
    complete: 'file',
    // A saved plan was made with these.
    excludes: ['files', 'prune', 'keepCounts', 'keepScaledCounts', 'var', 'varFile', 'policyOverride', 'noSubmission'],
  }),
  showValues: showValuesFlag,
  diff: diffFlag,
  policyOverride: flag.boolean('override soft mandatory policies'),
  noSubmission: flag.boolean('do not store the job files with the jobs'),
} as const

export const apply = write({
  name: 'apply',
  summary: 'Plan job files, ask, register exactly what was planned, and wait for the outcome',
  description: `Folders are read recursively (*.hcl, *.nomad, *.json; hidden files and variable files are skipped). web.vars.hcl next to web.hcl has variables for that file; --var and --var-file apply to every file that declares them.

Registers the document that was planned: a change of the job in between is a conflict for that job (exit 5; 10 if others were applied). Unchanged jobs are not registered again, but followed: a deployment that has failed is a failure (exit 8) however often the line is typed.

Without --start-stopped, the file of a stopped job on the command line is a conflict (exit 5), one in a folder is skipped; so is, without --rerun, a finished batch job whose file has changed. Once the server has collected it, a finished batch job is a new one. A file that cannot be parsed stops everything before anything is registered. After a job that fails no other is begun, unless --max-failures allows more.`,
  params,
  endpoint: [],
  also: [api.register, api.parse, api.plan, api.list, api.stop, ...waitEndpoints],
  examples: [
    { line: 'job apply web.hcl', note: 'see the plan, confirm it, apply exactly that' },
    { line: 'job apply jobs/ --yes --keep-counts', note: 'in a pipeline: what has changed, and nothing else' },
    { line: 'job apply jobs/ --plan --exit-code', note: 'is anything not applied yet? 9 if so' },
  ],
  async open(input, context): Promise<Work> {
    const { files: places, saved, prune, filter = '', noWait } = input
    if (saved === undefined && places.length === 0)
      throw usageError('name a job file or a folder', context.commandLine('job apply', 'jobs/'))
    if (prune === true) await checkPruned(context, filter)
    const isOne = saved === undefined && prune !== true && isOneFile(context.io.cwd, places)
    const common = {
      action: 'apply',
      target: 'job',
      noun: 'job',
      progress: 'applying jobs',
      columns: ['namespace', 'file'],
      parallel: jobsAtOnce,
      maxFailures: 1,
      showsDecisions: true,
    }
    const follow = noWait === true ? undefined : followWrites(context, input, { isOnly: isOne })
    const run: ApplyRun = { context, input, follow, isOne, named: new Set(places) }
    if (saved !== undefined) return { ...common, stages: [await savedWork(run, saved)] }
    const paths = jobFilesOf(context.io.cwd, places)
    // With --prune, -n names a namespace that may have no file any more; it contradicts no file.
    const targetFlags = withoutFlag(context.settings.targetFlags, '-n')
    const planning = prune === true ? { ...context, settings: { ...context.settings, targetFlags } } : context
    const { files, problems } = await readJobFiles(planning, input, paths)
    const plans = new Map<string, FilePlan>()
    const targets: (JobFile | Unlisted)[] = [
      ...files,
      ...problems.map(({ item, error }) => ({ unlisted: item, error })),
    ]
    return {
      ...common,
      ...(isOne ? { one: paths[0] ?? '' } : {}),
      stages: [
        stage<JobFile>({
          targets,
          nameOf: ({ file }) => file,
          // The document is what was confirmed.
          keeps: true,
          decide: async (file) => {
            try {
              const plan = await planCompared(planning, input, file)
              checkCompletes(plan.job, input)
              plans.set(file.file, plan)
              return decideFile(run, plan)
            } catch (error) {
              if (!(error instanceof TugError) || error.code === 'interrupted') throw error
              const [words = '', ...more] = findingsOf(file.file, error)
              return { action: 'refused', words, more, error }
            }
          },
          together: (shown) => {
            const failed = shown.flatMap(({ item, error, action }) =>
              error === undefined || action === 'conflict' ? [] : [{ item, error }],
            )
            return failed.length > 0 ? notPlanned(failed, shown.length) : sameJob(plans.values())
          },
          ask: (shown) => {
            const due = shown.filter(({ hasWork }) => hasWork)
            const [only] = due
            return `Apply ${changeCounts(due)}${due.length === 1 && only !== undefined ? `: ${only.item}` : ''}?`
          },
        }),
        ...(prune === true ? [pruneStage(context, filter, { plans, files: targets.length })] : []),
      ],
    }
  },
})

/** Throws for an expression that the server refuses: jobs would be registered before they are listed with it. */
async function checkPruned({ http }: Context, filter: string): Promise<void> {
  checkFilter(filter)
  const query = Object.entries({ namespace: '*', filter, per_page: '1' })
  await http.send(api.list({}, { query })).catch(unlessForbidden)
}

/**
 * Stops the running jobs that match the filter and are in no file, in the namespaces of the files and that of -n; never those that a
 * job started.
 */
function pruneStage(
  context: Context,
  filter: string,
  { plans, files }: { readonly plans: ReadonlyMap<string, FilePlan>; readonly files: number },
): Stage {
  async function* surplus(): AsyncGenerator<Target> {
    // A file without a plan may be that of any job.
    if (plans.size < files) return
    const described = new Set([...plans.values()].map(({ name }) => name))
    const { namespace: typed, targetFlags } = context.settings
    const more = typed !== undefined && targetFlags.includes('-n') ? [typed] : []
    for (const namespace of new Set([...[...plans.values()].map((plan) => plan.namespace), ...more])) {
      const { query = [] } = inNamespace(context, namespace)
      const listed = await context.http.send(api.list({}, { query: [...query, ['filter', filter]] }))
      for (const stub of listed.value ?? []) {
        const target = { ...targetOf(context, stub), namespace, name: nameOf(stub.ID, namespace) }
        const isHere = (stub.Namespace ?? namespace) === namespace
        if (isHere && !stub.ParentID && stub.Stop !== true && !described.has(target.name)) yield target
      }
    }
  }
  const decided = ({ id, namespace, stub }: Target, job: Parameters<typeof indexIn>[0]): Decision => ({
    action: 'stop',
    words: 'stop: in none of the files',
    facts: { namespace: namespaceName(context, namespace), file: null },
    ...indexIn(job.JobModifyIndex === undefined && stub !== undefined ? stub : job),
    apply: async ({ context: here }) => {
      const checkCommand = here.commandLine('job get', id, ...namespaceFlag(here, namespace))
      await here.http.send(api.stop({ job: id }, { ...inNamespace(here, namespace), checkCommand }))
    },
  })
  return stage<Target>({
    targets: surplus(),
    nameOf: ({ name }) => name,
    glance: async (target) => decided(target, target.stub ?? {}),
    decide: async (target) => {
      const live = await readListed(context, target)
      if (live?.Stop === true) return { action: 'unchanged', words: 'already stopped', facts: { file: null } }
      return live && decided(target, live)
    },
    ask: (shown: readonly Shown<Target>[]) => {
      const names = shown.filter(({ hasWork }) => hasWork).map(({ item }) => item)
      const are = names.length === 1 ? 'is' : 'are'
      return `Stop ${plural(names.length, 'job')} that ${are} in none of the files: ${firstNames(names)}?`
    },
  })
}
