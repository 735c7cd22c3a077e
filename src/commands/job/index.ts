import { group } from '../../core/group.ts'

export const job = group(
  'job',
  'Plan, run, scale, follow and stop the jobs of Nomad',
  {
    list: async () => (await import('./list.ts')).jobList,
    status: async () => (await import('./status/status.ts')).status,
    get: async () => (await import('./get.ts')).get,
    plan: async () => (await import('./plan/plan.ts')).plan,
    apply: async () => (await import('./apply/apply.ts')).apply,
    run: async () => (await import('./run.ts')).run,
    update: async () => (await import('./run.ts')).update,
    parse: async () => (await import('./parse.ts')).parse,
    init: async () => (await import('./init.ts')).init,
    summary: async () => (await import('./summary.ts')).summary,
    allocs: async () => (await import('./allocs.ts')).allocs,
    evals: async () => (await import('./evals.ts')).evals,
    deployments: async () => (await import('./deployments.ts')).deployments,
    deployment: async () => (await import('./deployments.ts')).deployment,
    versions: async () => (await import('./versions.ts')).versions,
    submission: async () => (await import('./submission.ts')).submission,
    dispatch: async () => (await import('./dispatch.ts')).dispatch,
    periodic: async () =>
      group('periodic', 'Launch periodic jobs', {
        force: async () => (await import('./periodic.ts')).force,
      }),
    revert: async () => (await import('./revert.ts')).revert,
    stable: async () => (await import('./stable.ts')).stable,
    evaluate: async () => (await import('./evaluate.ts')).evaluate,
    scale: async () => (await import('./scale.ts')).scale,
    'scale-status': async () => (await import('./scale-status.ts')).scaleStatus,
    stop: async () => (await import('./stop.ts')).stop,
    start: async () => (await import('./start.ts')).start,
    restart: async () => (await import('./restart.ts')).restart,
    export: async () => (await import('./export.ts')).jobExport,
    services: async () => (await import('./services.ts')).services,
    actions: async () => (await import('./actions.ts')).actions,
    action: async () => (await import('./action/action.ts')).action,
  },
  {
    raw: ['summary', 'deployment', 'scale-status', 'update'],
  },
)
