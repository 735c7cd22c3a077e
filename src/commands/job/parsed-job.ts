import * as api from '../../api/jobs.ts'
import { ifKnown } from '../../core/answer.ts'
import type { Context } from '../../core/context.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isObject, objectFrom } from '../../core/json.ts'
import { ignoredByProduct } from '../../http/dialect-guard.ts'
import { explainParseFailure, isParseFailure } from './diagnostics.ts'
import { checkNamespace, inNamespace, namespaceOf } from './job-file.ts'
import type { JobFile } from './job-file.ts'
import { keepJobSecrets, parseSecrets } from './secrets.ts'
import type { VariablesText } from './variables.ts'
import { joinFiles, variablesText } from './variables.ts'

/** The `Variables` and `VariableFlags` of a parse; product servers ignore the latter (docs/servers.md, Parsing and variables). */
function parseVariables(
  { settings }: Context,
  file: JobFile,
): { variables: VariablesText; flags: JsonObject | undefined } {
  const fold = settings.dialect === 'hashicorp'
  return {
    variables: variablesText(file.variableFiles, fold ? file.flags : []),
    flags: fold || file.flags.length === 0 ? undefined : objectFrom(file.flags),
  }
}

/** The job of a file, and the server's bytes if it parsed the file. */
export interface ParsedJob {
  readonly job: Json
  readonly rawBody?: Uint8Array
}

/** The job of a file: JSON unchanged, HCL as parsed by the server. Errors in the file are shown with their lines. */
export async function parseJobFile(context: Context, file: JobFile, canonicalize: boolean): Promise<ParsedJob> {
  if (file.job !== undefined) return { job: file.job }
  const { variables, flags } = parseVariables(context, file)
  try {
    const response = await context.http.send(
      api.parse(
        {},
        {
          ...inNamespace(context, file.namespace),
          secretBody: parseSecrets,
          body: {
            JobHCL: file.source,
            ...(canonicalize ? { Canonicalize: true } : {}),
            ...(variables.text === '' ? {} : { Variables: variables.text }),
            ...(flags === undefined ? {} : { VariableFlags: flags }),
            ...(file.format === 'hcl1' ? { HCLv1: true } : {}),
          },
        },
      ),
    )
    const job = response.json()
    keepJobSecrets(context.io, job)
    if (flags !== undefined && isProductJob(job)) throw ignoredByProduct('Nomad', '--var', 'scheduler')
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

/** The answer to a parse has no headers that name a product, but a job's members do (docs/servers.md, Parsing and variables). */
function isProductJob(job: Json): boolean {
  return isObject(job) && 'NomadTokenID' in job
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
