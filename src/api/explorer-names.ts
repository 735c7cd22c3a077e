import type { Dialect } from '../core/service.ts'

/** Explorer fields whose spelling differs: the specification's word and the product's. */
const pairs: readonly (readonly [neutral: string, hashicorp: string])[] = [
  ['state_version_tool_version', 'state_version_terraform_version'],
  ['workspace_tool_version', 'workspace_terraform_version'],
]

/** An explorer field as the dialect writes it. */
export function wireField(field: string, dialect: Dialect): string {
  const pair = pairs.find((names) => names.includes(field))
  if (pair === undefined) return field
  return dialect === 'hashicorp' ? pair[1] : pair[0]
}

/** An explorer field, in either spelling, dashes or underscores, as the specification names it. */
export function specField(field: string): string {
  return wireField(field.replaceAll('-', '_'), 'neutral')
}
