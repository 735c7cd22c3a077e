import type { ViewName } from './fields.ts'
import type { Component, Workspace } from './workspaces.ts'

export type Value = boolean | number | string | Date | null

export interface Row {
  readonly id: string
  /** By the field's neutral name. */
  readonly values: Readonly<Record<string, Value>>
}

/** The rows of each view in their default order, derived from the workspaces when first asked for. */
export function createRows(organization: string, workspaces: readonly Workspace[]): (view: ViewName) => readonly Row[] {
  const made = new Map<ViewName, readonly Row[]>()
  const makers: Readonly<Record<ViewName, () => Row[]>> = {
    workspaces: () => workspaces.map((one) => workspaceRow(organization, one)),
    tf_versions: () => toolVersionRows(workspaces),
    providers: () => componentRows(workspaces, 'providers'),
    modules: () => componentRows(workspaces, 'modules'),
    resources: () => workspaces.flatMap((one) => resourceRows(organization, one)),
  }
  return (view) => {
    const rows = made.get(view) ?? makers[view]()
    made.set(view, rows)
    return rows
  }
}

function workspaceRow(organization: string, one: Workspace): Row {
  const { checks, drifted, run } = one
  const values = {
    all_checks_succeeded: checks === null ? null : checks.errored + checks.failed + checks.unknown === 0,
    checks_errored: checks?.errored ?? null,
    checks_failed: checks?.failed ?? null,
    checks_passed: checks?.passed ?? null,
    checks_unknown: checks?.unknown ?? null,
    current_run_applied_at: run?.appliedAt ?? null,
    current_run_external_id: run?.id ?? null,
    current_run_status: run?.status ?? null,
    drifted: drifted === null ? null : drifted > 0,
    external_id: one.id,
    module_count: one.modules.length,
    modules: joined(one.modules.map(({ name, version }) => `${name}:${version}`)),
    organization_name: organization,
    project_external_id: one.project.id,
    project_name: one.project.name,
    provider_count: one.providers.length,
    providers: joined(
      one.providers.map((used) => [used.host, 'providers', used.namespace, used.name, used.version].join('/')),
    ),
    resources_drifted: drifted,
    resources_undrifted: drifted === null ? null : one.resourceCount - drifted,
    state_version_tool_version: one.stateVersion,
    vcs_repo_identifier: one.repository,
    workspace_created_at: one.createdAt,
    workspace_name: one.name,
    workspace_tool_version: one.toolVersion,
    workspace_updated_at: one.updatedAt,
    // Every sixth resource is of a kind that isn't billed.
    current_rum_count: one.resourceCount - Math.floor(one.resourceCount / 6),
    resource_count: one.resourceCount,
    source_module_id: one.sourceModule,
    tags: joined(one.tags),
  }
  return { id: one.id, values }
}

function resourceRows(organization: string, one: Workspace): Row[] {
  const names = ['main', 'replica', 'standby', 'archive']
  return one.providers.slice(0, one.resourceCount).map((used, index) => {
    const [module] = one.modules
    const name = names[index % names.length] ?? 'main'
    const address = `${used.name}_instance.${name}`
    const values = {
      name,
      address: module === undefined ? address : `module.${module.name}.${address}`,
      provider_type: [used.host, used.namespace, used.name].join('/'),
      provider_name: used.name,
      module_name: module?.name ?? null,
      terraform_version: one.stateVersion,
      billable_rum: used.name !== 'null' && used.name !== 'random',
      source_type: one.run === null ? 'local' : 'run',
      source_id: one.run?.id ?? null,
      source_updated_at: one.updatedAt,
      workspace_name: one.name,
      workspace_external_id: one.id,
      project_name: one.project.name,
      project_external_id: one.project.id,
      organization_external_id: identifier('org', organization),
    }
    return { id: identifier('res', one.id, String(index)), values }
  })
}

/** A list as the service joins it; null if it is empty. */
function joined(items: readonly string[]): string | null {
  return items.length === 0 ? null : items.join(', ')
}

function toolVersionRows(workspaces: readonly Workspace[]): Row[] {
  const users = grouped(workspaces.map((one) => [one.toolVersion, one]))
  const rows = [...users].map(([version, used]) => {
    const id = identifier('tfv', version)
    return { id, values: { version, ...use(used), unique_identifier: id } }
  })
  return rows.toSorted((one, other) => compareVersions(one.values.version, other.values.version))
}

function componentRows(workspaces: readonly Workspace[], kind: 'providers' | 'modules'): Row[] {
  const users = grouped(workspaces.flatMap((one) => one[kind].map((component) => [component, one] as const)))
  const prefix = kind === 'providers' ? 'prov' : 'mod'
  const rows = [...users].map(([component, used]) => {
    const { host, namespace, name, system, version } = component
    const values = {
      name,
      source: [host, namespace, name, ...(system === undefined ? [] : [system])].join('/'),
      version,
      registry_type: isPublic(component) ? 'public' : 'private',
      curated: isPublic(component) && namespace === 'hashicorp',
      ...use(used),
    }
    return { id: identifier(prefix, namespace, name, version), values }
  })
  return rows.toSorted(
    ({ values: one }, { values: other }) =>
      Number(one.source > other.source) - Number(one.source < other.source) ||
      compareVersions(one.version, other.version),
  )
}

function isPublic({ host }: Component): boolean {
  return host.startsWith('registry.')
}

/** Values by key, in order of first appearance. */
function grouped<Key, Item>(pairs: Iterable<readonly [Key, Item]>): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const [key, item] of pairs) {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

function use(used: readonly Workspace[]): { workspace_count: number; workspaces: string | null } {
  return { workspace_count: used.length, workspaces: joined(used.map(({ name }) => name)) }
}

function identifier(...words: readonly string[]): string {
  return words
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')
}

const natural = new Intl.Collator('en', { numeric: true })

/** 1.9 before 1.10, a pre-release before its release. */
export function compareVersions(one: string, other: string): number {
  const [release = '', preRelease] = one.split(/-(.*)/s, 2)
  const [otherRelease = '', otherPreRelease] = other.split(/-(.*)/s, 2)
  return (
    natural.compare(release, otherRelease) || Number(preRelease === undefined) - Number(otherPreRelease === undefined)
  )
}
