import { path } from '../../core/param.ts'

/** The job argument: a whole ID, never a prefix. */
export const jobArgument = path.segment("the job's whole ID", { complete: 'job' })
