import type { DevReply } from '../../http.ts'
import { HclError } from '../../hcl/diagnostics.ts'
import { parseJobHcl } from '../../hcl/parse-job.ts'
import { answerWrite } from '../api/answers.ts'
import { spokenJob } from './reads.ts'
import { flag, object, text } from '../state/documents.ts'
import { Refusal } from '../api/refusal.ts'
import { bodyOf, type JobWrite } from '../api/write.ts'
import { secretOf } from '../api/tokens.ts'

const tokenShape = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** POST /v1/jobs/parse. Only the neutral dialect has VariableFlags; products ignore them. */
export function parseJob(write: JobWrite): DevReply {
  refuseTokens(write)
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

/** Throws {@link Refusal}: 500 for a token of the wrong form, as on real servers, else 403. */
function refuseTokens({ access, request, namespace }: JobWrite): void {
  const secret = secretOf(request)
  if (access.enabled && secret !== undefined && !access.knows(secret) && !tokenShape.test(secret)) {
    const reason = 'failed to parse signed token: go-jose/go-jose: compact JWS format must have three parts'
    throw new Refusal(500, `ACL token not found or invalid workload identity: ${reason}`)
  }
  access.demand(request, namespace, 'parse-job', 'submit-job')
}
