import { group } from '../../core/command.ts'
import { actions } from './actions.ts'
import { action } from './action/action.ts'
import { apply } from './apply/apply.ts'
import { allocs } from './allocs.ts'
import { deployment } from './deployment.ts'
import { deployments } from './deployments.ts'
import { dispatch } from './dispatch.ts'
import { evals } from './evals.ts'
import { evaluate } from './evaluate.ts'
import { jobExport } from './export.ts'
import { get } from './get.ts'
import { init } from './init.ts'
import { jobList } from './list.ts'
import { parse } from './parse.ts'
import { periodic } from './periodic.ts'
import { plan } from './plan/plan.ts'
import { restart } from './restart.ts'
import { revert } from './revert.ts'
import { run } from './run.ts'
import { scale } from './scale.ts'
import { scaleStatus } from './scale-status.ts'
import { services } from './services.ts'
import { start } from './start.ts'
import { status } from './status/status.ts'
import { stable } from './stable.ts'
import { stop } from './stop.ts'
import { summary } from './summary.ts'
import { update } from './update.ts'
import { submission } from './versions/submission.ts'
import { versions } from './versions/versions.ts'

const commands = [
  jobList,
  status,
  get,
  plan,
  apply,
  run,
  update,
  parse,
  init,
  summary,
  allocs,
  evals,
  deployments,
  deployment,
  versions,
  submission,
  dispatch,
  periodic,
  revert,
  stable,
  evaluate,
  scale,
  scaleStatus,
  stop,
  start,
  restart,
  jobExport,
  services,
  actions,
  action,
]

export const job = group('job', 'Plan, run, scale, follow and stop the jobs of Nomad', commands, {
  raw: ['summary', 'deployment', 'scale-status', 'update'],
})
