import { usageError } from '../core/errors.ts'
import type { Dialect } from '../core/service.ts'

/** A field's type, which determines its operators and how values are read. */
export type FieldType = 'boolean' | 'number' | 'string' | 'datetime'

/** A field of a view, by the specification's name. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly meaning: string
}

/** An operator and its field types. */
export interface Operator {
  /** The specification's name. */
  readonly name: string
  readonly types: readonly FieldType[]
  /** True if it takes no value. */
  readonly alone?: boolean
  /** The operator to send instead, if the value is a time span that ends now. */
  readonly sent?: string
}

interface View {
  readonly name: string
  readonly fields: readonly Field[]
  /** The default columns of a table. */
  readonly shown: readonly string[]
  /** True for a view that only newer services have. */
  readonly later?: boolean
}

const fields = (type: FieldType, rows: Readonly<Record<string, string>>): Field[] =>
  Object.entries(rows).map(([name, meaning]) => ({ name, type, meaning }))

const workspaceFields = [
  ...fields('boolean', {
    all_checks_succeeded: 'true if checks have succeeded for the workspace',
    drifted: 'true if drift was detected',
  }),
  ...fields('number', {
    checks_errored: 'checks that errored without completing',
    checks_failed: 'checks that completed and failed',
    checks_passed: 'checks that completed and passed',
    checks_unknown: 'checks that could not be assessed',
    module_count: 'distinct modules used',
    provider_count: 'distinct providers used',
    resources_drifted: 'resources with detected drift',
    resources_undrifted: 'resources without detected drift',
  }),
  ...fields('datetime', {
    current_run_applied_at: 'time the current run was applied',
    workspace_created_at: 'creation time',
    workspace_updated_at: 'last update time',
  }),
  ...fields('string', {
    current_run_external_id: 'ID of the current run',
    current_run_status: 'status of the current run',
    external_id: 'ID of the workspace',
    modules: 'modules used, separated by commas',
    organization_name: 'owning organization',
    project_external_id: 'ID of the owning project',
    project_name: 'name of the owning project',
    providers: 'providers used, separated by commas',
    state_version_tool_version: "tool version that created the current run's state",
    vcs_repo_identifier: 'repository configured for the workspace',
    workspace_name: 'workspace name',
    workspace_tool_version: 'tool version currently configured',
  }),
].toSorted((a, b) => (a.name < b.name ? -1 : 1))

const laterWorkspaceFields = [
  ...fields('number', { current_rum_count: 'billable resources', resource_count: 'resources' }),
  ...fields('string', {
    source_module_id: 'module that the workspace was created from',
    tags: 'tags, separated by commas (key:value or key)',
  }),
]

const inUse = (what: string): Field[] => [
  ...fields('number', { workspace_count: `workspaces using this ${what}` }),
  ...fields('string', { workspaces: 'their names, separated by commas' }),
]

const versionFields = [...fields('string', { version: 'semantic version' }), ...inUse('version')]

const laterVersionFields = fields('string', { unique_identifier: 'identifier of the version' })

const packageFields = (what: string): Field[] => [
  ...fields('string', { name: 'name', source: 'source', version: 'semantic version' }),
  ...inUse(`${what} version`),
]

/** Not in the specification's list of fields, but in a sample filter. */
const registryType = fields('string', { registry_type: 'public or private' })

const curated = fields('boolean', { curated: 'true if curated' })

const resourceFields = [
  ...fields('string', {
    name: 'name',
    address: 'address in the state',
    provider_type: 'type of the provider',
    provider_name: 'name of the provider',
    module_name: 'module of the resource',
    terraform_version: 'tool version',
  }),
  ...fields('boolean', { billable_rum: 'true if it is billable' }),
  ...fields('string', { source_type: 'run or local', source_id: 'run that created it' }),
  ...fields('datetime', { source_updated_at: 'last update time' }),
  ...fields('string', {
    workspace_name: 'workspace name',
    workspace_external_id: 'ID of the workspace',
    project_name: 'name of the owning project',
    project_external_id: 'ID of the owning project',
    organization_external_id: 'owning organization',
  }),
]

const packageColumns = ['name', 'version', 'workspace_count', 'workspaces', 'source']

/** The views and their fields: the specification's, in its order, then a later one. */
const views: readonly View[] = [
  {
    name: 'workspaces',
    fields: workspaceFields,
    shown: [
      'workspace_name',
      'project_name',
      'current_run_status',
      'drifted',
      'resources_drifted',
      'workspace_updated_at',
    ],
  },
  { name: 'tf_versions', fields: versionFields, shown: ['version', 'workspace_count', 'workspaces'] },
  { name: 'providers', fields: packageFields('provider'), shown: packageColumns },
  { name: 'modules', fields: packageFields('module'), shown: packageColumns },
  {
    name: 'resources',
    later: true,
    fields: resourceFields,
    shown: ['address', 'provider_name', 'module_name', 'workspace_name', 'project_name', 'source_updated_at'],
  },
]

/** Fields that the service added later (docs/servers.md, Explorer fields). */
const laterFields: Readonly<Record<string, readonly Field[]>> = {
  workspaces: laterWorkspaceFields,
  tf_versions: laterVersionFields,
  providers: [...registryType, ...curated],
  modules: [...registryType, ...curated],
}

/** The names of all views. */
export function viewNames(dialect?: Dialect): string[] {
  return views.filter(({ later }) => later !== true || dialect !== 'neutral').map(({ name }) => name)
}

/** The fields of a view that the specification lists; none for an unknown view. */
export function specFields(view: string): readonly Field[] {
  return views.find(({ name }) => name === view)?.fields ?? []
}

/** The fields of a view, later ones included; none for an unknown view. */
export function fieldsOf(view: string): readonly Field[] {
  return [...specFields(view), ...(laterFields[view] ?? [])]
}

/**
 * The view, or the first of its fields, that only newer services have: `the view resources`. A sample in the specification filters
 * modules by `registry_type`, so that is not one.
 */
export function laterName(
  view: string,
  { filtered, named }: { readonly filtered: readonly string[]; readonly named: readonly string[] },
): string | undefined {
  if (views.some(({ name, later }) => name === view && later === true)) return `the view ${view}`
  const shown = filtered.filter((name) => view !== 'modules' || name !== 'registry_type')
  const later = [...shown, ...named].find((name) => findField(laterFields[view] ?? [], name) !== undefined)
  return later === undefined ? undefined : `the field ${later}`
}

/** A field by its name in either dialect, with dashes or underscores. */
export function findField(candidates: readonly Field[], typed: string): Field | undefined {
  const wanted = specField(typed.toLowerCase())
  return candidates.find(({ name }) => name === wanted)
}

const everyField = new Map(viewNames().flatMap((view) => fieldsOf(view).map((field) => [field.name, field] as const)))

/** A field of any view; a name has the same type in all of them. */
export function anyField(typed: string): Field | undefined {
  return everyField.get(specField(typed.toLowerCase()))
}

/** The default columns of a view's table; undefined for an unknown view. */
export function shownFields(view: string): readonly string[] | undefined {
  return views.find(({ name }) => name === view)?.shown
}

/** The view that rows with these fields come from, if they show it. Providers and modules also have all columns of versions. */
export function viewOfRows(names: readonly string[]): string | undefined {
  return views.findLast(({ shown }) => shown.every((name) => names.includes(name)))?.name
}

const plainTypes: readonly FieldType[] = ['boolean', 'number', 'string']

/** The operators of filters. */
export const operators: readonly Operator[] = [
  { name: 'is', types: plainTypes },
  { name: 'is_not', types: ['number', 'string'] },
  { name: 'contains', types: ['string'] },
  { name: 'does not contain', types: ['string'] },
  { name: 'is_empty', types: plainTypes, alone: true },
  { name: 'is_not_empty', types: plainTypes, alone: true },
  { name: 'gt', types: ['number'] },
  { name: 'lt', types: ['number'] },
  { name: 'gteq', types: ['number'] },
  { name: 'lteq', types: ['number'] },
  { name: 'is_before', types: ['datetime'] },
  { name: 'is_after', types: ['datetime'] },
  { name: 'within', types: ['datetime'], sent: 'is_after' },
  { name: 'older than', types: ['datetime'], sent: 'is_before' },
]

/** Symbols, and the operator that each one stands for, by field type. */
export const signs: Readonly<Record<string, Readonly<Partial<Record<FieldType, string>>>>> = {
  '!~': { string: 'does not contain' },
  '!=': { number: 'is_not', string: 'is_not' },
  '>=': { number: 'gteq', datetime: 'is_after' },
  '<=': { number: 'lteq', datetime: 'is_before' },
  '==': { boolean: 'is', number: 'is', string: 'is' },
  '=': { boolean: 'is', number: 'is', string: 'is' },
  '~': { string: 'contains' },
  '>': { number: 'gt', datetime: 'is_after' },
  '<': { number: 'lt', datetime: 'is_before' },
}

/** The operators of a field type. */
export function operatorsOf(type: FieldType): readonly Operator[] {
  return operators.filter(({ types }) => types.includes(type))
}

/** An operator by its name, with any separators. */
export function findOperator(typed: string): Operator | undefined {
  const wanted = typed.toLowerCase().replaceAll(/[\s_-]+/g, ' ')
  return operators.find(({ name }) => name.replaceAll('_', ' ') === wanted)
}

/** An operator in a dialect: the product has underscores where the specification has blanks (docs/servers.md, Explorer filters). */
export function wireOperator(name: string, dialect: Dialect): string {
  if (dialect === 'hashicorp') return name.replaceAll(' ', '_')
  return name === 'does_not_contain' ? 'does not contain' : name
}

/** True for a field whose value is several values separated by commas. */
export function isListField(name: string): boolean {
  return ['modules', 'providers', 'tags', 'workspaces'].includes(name)
}

/** Fields whose names differ between the dialects. */
const pairs: readonly (readonly [neutral: string, hashicorp: string])[] = [
  ['state_version_tool_version', 'state_version_terraform_version'],
  ['workspace_tool_version', 'workspace_terraform_version'],
]

/** A field's name in the dialect. */
export function wireField(field: string, dialect: Dialect): string {
  const pair = pairs.find((names) => names.includes(field))
  if (pair === undefined) return field
  return dialect === 'hashicorp' ? pair[1] : pair[0]
}

/** A field's name in the specification, from either dialect's, with dashes or underscores. */
export function specField(field: string): string {
  return wireField(field.replaceAll('-', '_'), 'neutral')
}

/** Throws a usage error for a feature that the neutral dialect doesn't have. */
export function refuseNewer(dialect: Dialect, productOnly: string | undefined): void {
  if (dialect === 'neutral' && productOnly !== undefined)
    throw usageError(
      `the neutral dialect doesn't have ${productOnly}`,
      'newer services may have it: add --dialect auto',
    )
}
