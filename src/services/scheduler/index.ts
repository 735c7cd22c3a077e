import { group } from '../../core/command.ts'

export const job = group('job', 'Plan, run, scale, follow and stop the jobs of the scheduler', [])
