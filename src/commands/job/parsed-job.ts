import type { Job } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import { asJson, ifKnown } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import type { JsonObject } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import { explainParseFailure, isParseFailure } from './diagnostics.ts'
import { checkNamespace, inNamespace, namespaceOf } from './job-file.ts'
import type { JobFile } from './job-file.ts'
import { keepJobSecrets, parseSecrets } from './secrets.ts'
import type { VariablesText } from './variables.ts'
import { joinFiles, variablesText } from './variables.ts'

/** The job of a file, and the server's bytes if it parsed the file. */
export interface ParsedJob {
  readonly job: Job
  readonly rawBody?: Uint8Array
}

/** The job of a file: JSON unchanged, HCL as parsed by the server. Errors in the file are shown with their lines. */
export async function parseJobFile(context: Context, file: JobFile, canonicalize: boolean): Promise<ParsedJob> {
  if (file.job !== undefined) return { job: file.job }
  const variables = variablesText(file.variableFiles, file.flags)
  try {
    const response = await context.http.send(
      api.parse(
        {},
        {
          ...inNamespace(context, file.namespace),
          secretBody: parseSecrets,
          body: parseBody(file, canonicalize, variablesText(file.variableFiles, []), file.flags),
          // A product ignores `VariableFlags` (docs/servers.md, Parsing and variables).
          ...(file.flags.length === 0 ? {} : { productBody: parseBody(file, canonicalize, variables, []) }),
        },
      ),
    )
    const job = response.value
    keepJobSecrets(context.io, asJson(job))
    ifKnown(job, () => {
      const namespace = namespaceOf(file, job)
      if (namespace !== undefined && file.namespace === undefined) checkNamespace(context, file, namespace)
    })
    return { job, rawBody: response.body }
  } catch (error) {
    if (isParseFailure(error)) throw explainParseFailure(error, { file: file.file, text: file.source, variables })
    throw error
  }
}

function parseBody(
  { source, format }: JobFile,
  canonicalize: boolean,
  { text }: VariablesText,
  flags: JobFile['flags'],
): JsonObject {
  return {
    JobHCL: source,
    ...(canonicalize ? { Canonicalize: true } : {}),
    ...(text === '' ? {} : { Variables: text }),
    ...(flags.length === 0 ? {} : { VariableFlags: objectFrom(flags) }),
    ...(format === 'hcl1' ? { HCLv1: true } : {}),
  }
}

/** What is stored with the job: the unchanged file and its variables. */
export function submissionOf(file: JobFile): JsonObject {
  return {
    Source: file.source,
    Format: file.format,
    VariableFlags: objectFrom(file.flags),
    Variables: joinFiles(file.variableFiles),
  }
}
