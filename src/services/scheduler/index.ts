import { group } from '../../core/command.ts'
import { allocs, evals } from './allocs.ts'
import { deployment, deployments } from './deployments.ts'
import { jobList } from './job-list.ts'
import { actions, get, services, summary } from './jobs.ts'

export const job = group('job', 'Plan, run, scale, follow and stop the jobs of the scheduler', [
  jobList,
  get,
  summary,
  allocs,
  evals,
  deployments,
  deployment,
  services,
  actions,
])
