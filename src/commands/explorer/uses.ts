import { compareVersions, validate } from 'compare-versions'

/** A row of `providers`, `modules` or `tf_versions`: a version and the workspaces that use it. */
export interface UsedVersion {
  /** Null in `tf_versions`. */
  readonly source: string | null
  readonly name: string | null
  readonly version: string | null
  /** Workspace names joined by commas. */
  readonly workspaces: string | null
}

/** What is known about a workspace. */
export interface WorkspaceFacts {
  readonly project: string | null
  readonly drifted: boolean | null
}

/** One workspace and a version that it uses. */
export interface Use {
  readonly workspace: string
  readonly source: string | null
  readonly version: string | null
}

const toolNames: ReadonlySet<string> = new Set(['terraform', 'opentofu', 'tofu'])

/** Workspace names of a list; a name holds no comma. */
export function workspaceNames(list: string | null): string[] {
  return (list ?? '').split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
}

/**
 * True if a row is about `typed`: its name, its source, or the end of its source (`hashicorp/aws` of
 * `registry.terraform.io/hashicorp/aws`). A tool version has neither: `typed` is then the version or its first parts (`1.5`), or a tool's name, which stands for every version.
 * Letter case doesn't count, as in registries.
 */
export function isAbout(row: UsedVersion, typed: string): boolean {
  const wanted = typed.toLowerCase()
  if (row.source === null && row.name === null)
    return toolNames.has(wanted) || `${row.version}.`.startsWith(`${wanted.replace(/^v/, '')}.`)
  const source = (row.source ?? '').toLowerCase()
  return row.name?.toLowerCase() === wanted || source === wanted || source.endsWith(`/${wanted}`)
}

/** How a version compares with a limit. Constraints such as `>= 5` and other texts that aren't versions are `unknown`. */
export function place(version: string | null, limit: string): 'below' | 'not below' | 'unknown' {
  if (version === null || !isVersion(version)) return 'unknown'
  return compareVersions(version, limit) < 0 ? 'below' : 'not below'
}

/** True for a version such as `6`, `5.94`, `v1.2.0-beta1`; false for a wildcard (`5.x`). */
export function isVersion(text: string): boolean {
  return validate(text) && /^v?\d+(?:\.\d+)*(?:[-+]|$)/.test(text)
}

/** Every use that rows list, by workspace, then by version. A use that two rows list appears once. */
export function usesOf(rows: Iterable<UsedVersion>): Use[] {
  const uses = new Map<string, Use>()
  for (const { source, version, workspaces } of rows)
    for (const workspace of workspaceNames(workspaces))
      uses.set(JSON.stringify([workspace, source, version]), { workspace, source, version })
  return [...uses.values()].toSorted(
    (one, other) =>
      order(one.workspace, other.workspace) ||
      order(one.source ?? '', other.source ?? '') ||
      versionOrder(one.version ?? '', other.version ?? ''),
  )
}

/** Versions by their numbers; other texts come last. */
export function versionOrder(one: string, other: string): number {
  const both = [isVersion(one), isVersion(other)]
  if (both[0] && both[1]) return compareVersions(one, other) || order(one, other)
  return Number(both[1]) - Number(both[0]) || order(one, other)
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
