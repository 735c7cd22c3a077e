import type { Json, JsonObject } from '../../../src/core/json.ts'
import { diagnosticsGist } from '../../contract/gist.ts'
import { HclError } from '../../../src/dev/hcl/syntax.ts'
import { parseJobHcl } from '../../../src/dev/hcl/parse-job.ts'

interface Given {
  readonly variables?: string
  readonly flags?: Readonly<Record<string, string>>
}

/** The job that a file stands for. */
export function parse(source: string, { variables = '', flags = {} }: Given = {}): JsonObject {
  return parseJobHcl(source, { variables, variableFlags: flags, canonicalize: false })
}

/** The diagnostics of a file that cannot be read, as `place: summary`. */
export function refusal(source: string, given: Given = {}): string {
  return diagnosticsGist(diagnostics(source, given))
}

/** The diagnostics of a file that cannot be read, in full. */
export function diagnostics(source: string, given: Given = {}): string {
  try {
    parse(source, given)
  } catch (error) {
    if (error instanceof HclError) return error.message
    throw error
  }
  throw new Error('the file was read')
}

/** The first group of a job. */
export function firstGroup(job: JsonObject): JsonObject {
  return (job.TaskGroups as JsonObject[])[0] as JsonObject
}

/** The first task of the first group of a job. */
export function firstTask(job: JsonObject): JsonObject {
  return (firstGroup(job).Tasks as JsonObject[])[0] as JsonObject
}

/** The value of an expression, as the configuration of a task shows it. `before` comes ahead of the job. */
export function value(expression: string, before = ''): Json {
  const job = parse(`${before}\n${jobWith(expression)}`)
  return (firstTask(job).Config as JsonObject).v as Json
}

/** What is wrong with an expression that cannot be evaluated, without the place. */
export function complaint(expression: string, before = ''): string {
  const [first = ''] = refusal(`${before}\n${jobWith(expression)}`).split('\n')
  return first.replace(/^\S+ /, '')
}

function jobWith(expression: string): string {
  return `job "x" {\n group "g" {\n task "t" {\n config {\n v = ${expression}\n }\n }\n }\n}\n`
}
