import type { Dialect } from '../http.ts'

/** A version is a string to the operators, but is sorted as versions are. */
export type FieldType = 'boolean' | 'number' | 'string' | 'version' | 'datetime'

export interface Field {
  /** Snake case, in the neutral dialect. */
  readonly name: string
  readonly type: FieldType
  /**
   * `always`: part of every answer. `named`: part of neutral answers only when asked for. `later`: unknown to the neutral
   * dialect.
   */
  readonly presence: 'always' | 'named' | 'later'
}

export type ViewName = 'workspaces' | 'tf_versions' | 'providers' | 'modules' | 'resources'

export interface View {
  readonly name: ViewName
  /** The `type` of its rows. */
  readonly rowType: string
  readonly fields: readonly Field[]
}

/** `name:type` each; a name alone is a string. */
function fields(list: string, presence: Field['presence'] = 'always'): Field[] {
  return list.split(/\s+/).map((entry) => {
    const [name = '', type = 'string'] = entry.split(':')
    return { name, type: type as FieldType, presence }
  })
}

const use = 'workspace_count:number workspaces'
const component = fields('name source version:version')

export const views: Readonly<Record<ViewName, View>> = {
  workspaces: {
    name: 'workspaces',
    rowType: 'visibility-workspace',
    fields: [
      ...fields(`all_checks_succeeded:boolean checks_errored:number checks_failed:number checks_passed:number
        checks_unknown:number current_run_applied_at:datetime current_run_external_id current_run_status drifted:boolean
        external_id module_count:number modules organization_name project_external_id project_name provider_count:number
        providers resources_drifted:number resources_undrifted:number state_version_tool_version:version
        vcs_repo_identifier workspace_created_at:datetime workspace_name workspace_tool_version:version
        workspace_updated_at:datetime`),
      ...fields('current_rum_count:number resource_count:number source_module_id tags', 'later'),
    ],
  },
  tf_versions: {
    name: 'tf_versions',
    rowType: 'visibility-tf-version',
    fields: [...fields(`version:version ${use}`), ...fields('unique_identifier', 'later')],
  },
  providers: {
    name: 'providers',
    rowType: 'visibility-provider-version',
    fields: [...component, ...fields('registry_type curated:boolean', 'later'), ...fields(use)],
  },
  modules: {
    name: 'modules',
    rowType: 'visibility-module-version',
    // The specification lists no `registry_type`, but a sample of its filters uses it.
    fields: [...component, ...fields('registry_type', 'named'), ...fields('curated:boolean', 'later'), ...fields(use)],
  },
  // Only the product has it.
  resources: {
    name: 'resources',
    rowType: 'visibility-resource',
    fields: fields(
      `name address provider_type provider_name module_name terraform_version:version billable_rum:boolean source_type
      source_id source_updated_at:datetime workspace_name workspace_external_id project_name project_external_id
      organization_external_id`,
      'later',
    ),
  },
}

/** The product takes names with dashes too, which JSON:API clients send. */
export function findField(view: View, name: string, dialect: Dialect): Field | undefined {
  const folded = dialect === 'neutral' ? name : name.replaceAll('-', '_')
  const field = view.fields.find((one) => fieldName(one, dialect) === folded)
  return field?.presence === 'later' && dialect === 'neutral' ? undefined : field
}

export function fieldName({ name }: Field, dialect: Dialect): string {
  return dialect === 'neutral' ? name : name.replace('_tool_version', '_terraform_version')
}
