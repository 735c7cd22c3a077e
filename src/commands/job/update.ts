import * as api from '../../api/jobs.ts'
import { ifKnown } from '../../core/answer.ts'
import { command } from '../../core/command.ts'
import { usageError } from '../../core/errors.ts'
import { fileWords } from '../../core/words.ts'
import { readJobFile } from './job-file.ts'
import { parseJobFile } from './parsed-job.ts'
import { jobArgument } from './reads.ts'
import { fileNotes, registerEndpoints, registerJob, registerParams } from './register.ts'

export const update = command({
  name: 'update',
  summary: 'Register a new version of a job; the file must have the same job ID',
  description: fileNotes,
  params: { job: jobArgument, ...registerParams },
  endpoint: api.update,
  also: registerEndpoints,
  examples: [{ line: 'job update web web.hcl --wait', note: 'refused if the file contains another job' }],
  run: async (input, context) => {
    const file = await readJobFile(context, input)
    const { job } = await parseJobFile(context, file, true)
    ifKnown(job, () => {
      if (job.ID === input.job) return
      throw usageError(
        `${fileWords(file.file)} contains the job '${job.ID ?? ''}', not '${input.job}'; nothing was registered`,
        'job run registers whatever job the file contains',
      )
    })
    return registerJob(context, input, file, job, (parts) => api.update({ job: input.job }, parts))
  },
})
