import { usageError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { hclParts } from './hcl.ts'
import type { HclPart } from './hcl.ts'
import type { VariableFile } from './variables.ts'
import { assignedNames } from './variables.ts'

/** What an HCL job file contains, as far as its text shows before the server parses it. */
export interface Declared {
  /** The variables it declares; undefined if the file cannot be read. */
  readonly variables: ReadonlySet<string> | undefined
  /** True if the job block sets a namespace. */
  readonly namesNamespace: boolean
  /** The namespace, if it is a plain text rather than an expression. */
  readonly namespace: string | undefined
}

/** Reads the top of an HCL job file. */
export function declaredIn(source: string): Declared {
  const parts = hclParts(source)
  if (parts === undefined) return { variables: undefined, namesNamespace: false, namespace: undefined }
  const job = parts.find((part) => part.kind === 'block' && part.name === 'job')
  const inside = job?.kind === 'block' ? (hclParts(job.body) ?? []) : []
  const namespace = inside.findLast((part) => part.kind === 'attribute' && part.name === 'namespace')
  const expression = namespace?.kind === 'attribute' ? namespace.expression : ''
  return {
    variables: new Set(parts.flatMap(variablesOf)),
    namesNamespace: expression !== '',
    namespace: /^"([^"\\$%]+)"/.exec(expression)?.[1],
  }
}

/** `variable "image" { … }`, or the names in `variables { … }`. */
function variablesOf(part: HclPart): string[] {
  if (part.kind !== 'block') return []
  if (part.name === 'variable') return part.labels.slice(0, 1)
  return part.name === 'variables' ? (hclParts(part.body) ?? []).map(({ name }) => name) : []
}

/** Refuses values for variables that the file doesn't declare: the server would ignore them and use defaults. */
export function refuseUndeclared(
  { variables }: Declared,
  name: string,
  flags: readonly (readonly [name: string, value: string])[],
  files: readonly VariableFile[],
): void {
  if (variables === undefined) return
  const given = [...flags.map(([one]) => [one, '--var'] as const), ...assignedNames(files)]
  const unknown = given.find(([one]) => !variables.has(one))
  if (unknown === undefined) return
  const [variable, where] = unknown
  const [near] = nearest(variable, variables)
  const declared = [...variables].toSorted().join(', ')
  throw usageError(
    `${where}: ${name} declares no variable '${variable}'${near === undefined ? '' : `; did you mean '${near}'?`}`,
    declared === '' ? `declare it in ${name}: variable "${variable}" {}` : `it declares: ${declared}`,
  )
}

/** `NOMAD_VAR_<name>` of the environment, for declared variables that neither a flag nor a var-file sets. */
export function environmentVariables(
  { variables }: Declared,
  env: Readonly<Record<string, string | undefined>>,
  flags: readonly (readonly [name: string, value: string])[],
  files: readonly VariableFile[],
): [name: string, value: string][] {
  const set = new Set([...flags.map(([name]) => name), ...assignedNames(files).keys()])
  return [...(variables ?? [])].flatMap((name): [string, string][] => {
    const value = env[`NOMAD_VAR_${name}`]
    return value === undefined || set.has(name) ? [] : [[name, value]]
  })
}
