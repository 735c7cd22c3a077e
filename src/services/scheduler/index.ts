import { group } from '../../core/command.ts'
import { allocs, evals } from './allocs.ts'
import { deployment, deployments } from './deployments.ts'
import { parse } from './parse.ts'
import { plan } from './plan.ts'
import { run, update } from './run.ts'
import { jobList } from './job-list.ts'
import { actions, get, services, summary } from './jobs.ts'

export const job = group('job', 'Plan, run, scale, follow and stop the jobs of the scheduler', [
  jobList,
  plan,
  run,
  update,
  parse,
  get,
  summary,
  allocs,
  evals,
  deployments,
  deployment,
  services,
  actions,
])
