import type { Dialect } from '../http.ts'

/** The views of the demo explorer, their fields, and which operators suit them (spec: View types; contract a). */

/** A version is a string to the operators, but is sorted as versions are. */
export type FieldType = 'boolean' | 'number' | 'string' | 'version' | 'datetime'

export interface Field {
  /** Snake case, in the neutral vocabulary. */
  readonly name: string
  readonly type: FieldType
  /**
   * `always`: part of every answer. `named`: part of neutral answers only when asked for. `later`: unknown to the neutral
   * vocabulary.
   */
  readonly presence: 'always' | 'named' | 'later'
}

export type ViewName = 'workspaces' | 'tf_versions' | 'providers' | 'modules' | 'resources'

export interface View {
  readonly name: ViewName
  /** What a row calls itself. */
  readonly rowType: string
  readonly fields: readonly Field[]
  /** Unknown to the neutral vocabulary. */
  readonly later?: true
}

type FieldTypes = Readonly<Record<string, FieldType>>

function fields(types: FieldTypes, presence: Field['presence'] = 'always'): Field[] {
  return Object.entries(types).map(([name, type]) => ({ name, type, presence }))
}

const versionUse: FieldTypes = { workspace_count: 'number', workspaces: 'string' }
const componentFields: FieldTypes = { name: 'string', source: 'string', version: 'version' }

export const views: Readonly<Record<ViewName, View>> = {
  workspaces: {
    name: 'workspaces',
    rowType: 'visibility-workspace',
    fields: [
      ...fields({
        all_checks_succeeded: 'boolean',
        checks_errored: 'number',
        checks_failed: 'number',
        checks_passed: 'number',
        checks_unknown: 'number',
        current_run_applied_at: 'datetime',
        current_run_external_id: 'string',
        current_run_status: 'string',
        drifted: 'boolean',
        external_id: 'string',
        module_count: 'number',
        modules: 'string',
        organization_name: 'string',
        project_external_id: 'string',
        project_name: 'string',
        provider_count: 'number',
        providers: 'string',
        resources_drifted: 'number',
        resources_undrifted: 'number',
        state_version_tool_version: 'version',
        vcs_repo_identifier: 'string',
        workspace_created_at: 'datetime',
        workspace_name: 'string',
        workspace_tool_version: 'version',
        workspace_updated_at: 'datetime',
      }),
      ...fields(
        { current_rum_count: 'number', resource_count: 'number', source_module_id: 'string', tags: 'string' },
        'later',
      ),
    ],
  },
  tf_versions: {
    name: 'tf_versions',
    rowType: 'visibility-tf-version',
    fields: [...fields({ version: 'version', ...versionUse }), ...fields({ unique_identifier: 'string' }, 'later')],
  },
  providers: {
    name: 'providers',
    rowType: 'visibility-provider-version',
    fields: [
      ...fields(componentFields),
      ...fields({ registry_type: 'string', curated: 'boolean' }, 'later'),
      ...fields(versionUse),
    ],
  },
  modules: {
    name: 'modules',
    rowType: 'visibility-module-version',
    fields: [
      ...fields(componentFields),
      // The spec lists no such field, but a sample of its filters uses it.
      ...fields({ registry_type: 'string' }, 'named'),
      ...fields({ curated: 'boolean' }, 'later'),
      ...fields(versionUse),
    ],
  },
  resources: {
    name: 'resources',
    rowType: 'visibility-resource',
    later: true,
    fields: fields({
      name: 'string',
      address: 'string',
      provider_type: 'string',
      provider_name: 'string',
      module_name: 'string',
      terraform_version: 'version',
      billable_rum: 'boolean',
      source_type: 'string',
      source_id: 'string',
      source_updated_at: 'datetime',
      workspace_name: 'string',
      workspace_external_id: 'string',
      project_name: 'string',
      project_external_id: 'string',
      organization_external_id: 'string',
    }),
  },
}

/** The view of that name, if the dialect knows one. */
export function findView(name: string, dialect: Dialect): View | undefined {
  const view = Object.hasOwn(views, name) ? views[name as ViewName] : undefined
  return view?.later === true && dialect === 'neutral' ? undefined : view
}

/** The names of the views that the dialect knows. */
export function viewNames(dialect: Dialect): string[] {
  return Object.keys(views).filter((name) => findView(name, dialect) !== undefined)
}

/** The field of that name in either vocabulary, with dashes or underscores, if the dialect knows it. */
export function findField(view: View, name: string, dialect: Dialect): Field | undefined {
  const snake = name.replaceAll('-', '_')
  const field = view.fields.find((one) => one.name === snake || fieldName(one, 'hashicorp') === snake)
  return field?.presence === 'later' && dialect === 'neutral' ? undefined : field
}

/** The fields of an answer that named none. */
export function shownFields(view: View, dialect: Dialect): readonly Field[] {
  return dialect === 'neutral' ? view.fields.filter(({ presence }) => presence === 'always') : view.fields
}

/** The snake-case name in the dialect's vocabulary. */
export function fieldName({ name }: Field, dialect: Dialect): string {
  return dialect === 'neutral' ? name : name.replace('_tool_version', '_terraform_version')
}

const comparisons = ['gt', 'lt', 'gteq', 'lteq'] as const
const emptiness = ['is_empty', 'is_not_empty'] as const
const text = ['is', 'is_not', 'contains', 'does_not_contain', ...emptiness] as const
const moments = ['is_before', 'is_after'] as const

export type Operator = (typeof comparisons)[number] | (typeof text)[number] | (typeof moments)[number]

/** Spec: Filter format, the table of operators. */
export const operatorsOf: Readonly<Record<FieldType, readonly Operator[]>> = {
  boolean: ['is', ...emptiness],
  number: ['is', 'is_not', ...emptiness, ...comparisons],
  string: text,
  version: text,
  datetime: moments,
}

/** The operator that a text means; undefined when the field's type has none such. Blanks, dashes and underscores are equal. */
export function findOperator(type: FieldType, spelling: string): Operator | undefined {
  const folded = spelling.trim().replaceAll(/[\s_-]+/g, '_')
  return operatorsOf[type].find((operator) => operator === folded)
}

/** As the spec writes it. */
export function documentedOperator(operator: Operator): string {
  return operator === 'does_not_contain' ? 'does not contain' : operator
}
