import type { DevReply } from '../../http.ts'
import { HclError } from '../../hcl/diagnostics.ts'
import { parseJobHcl } from '../../hcl/parse-job.ts'
import { answerWrite } from '../api/answers.ts'
import { spokenJob } from './reads.ts'
import { flag, object, text } from '../state/documents.ts'
import { Refusal } from '../api/refusal.ts'
import { bodyOf, type JobWrite } from '../api/write.ts'

/** POST /v1/jobs/parse. Only the neutral dialect has VariableFlags; products ignore them. */
export function parseJob(write: JobWrite): DevReply {
  const body = bodyOf(write, 'parse')
  const source = text(body, 'JobHCL')
  if (source === '') throw new Refusal(400, 'Job spec is empty')
  const flags = write.request.dialect === 'neutral' ? Object.entries(object(body, 'VariableFlags') ?? {}) : []
  try {
    const job = parseJobHcl(source, {
      variables: text(body, 'Variables'),
      variableFlags: Object.fromEntries(flags.map(([name, value]) => [name, String(value)])),
      canonicalize: flag(body, 'Canonicalize'),
    })
    return answerWrite(write.request, spokenJob(job, write.request.dialect))
  } catch (error) {
    throw error instanceof HclError ? new Refusal(400, `Failed to parse job: ${error.message}`) : error
  }
}
