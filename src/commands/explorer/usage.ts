import { didYouMean, plural } from '../../core/words.ts'
import { compareVersions, validate } from 'compare-versions'
import * as api from '../../api/explorer.ts'
import { at, text } from '../../core/answer.ts'
import type { Rows } from '../../core/command.ts'
import { cell, command, list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { exitCodes, usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Column } from '../../core/output.ts'
import { argument, flag } from '../../core/param.ts'
import { flatRows } from './paging.ts'
import { readQuery } from './query.ts'

const views = ['providers', 'modules', 'tf_versions'] as const

const groupings = ['project', 'version'] as const

/** Aliases of the views. */
const otherNames = {
  provider: 'providers',
  module: 'modules',
  terraform: 'tf_versions',
  versions: 'tf_versions',
  terraform_versions: 'tf_versions',
} as const

/** Reads page by page. */
export const usage = command({
  name: 'usage',
  summary: 'List the workspaces that use a provider, module or tool version',
  description: `One row for each workspace and version, with its project and whether it has drifted.

<name> is the name of a provider or module (aws), or its source or the end of it (hashicorp/aws). For tf_versions it is a version or its first parts (1.5); without it, or with terraform or opentofu, every version counts.

--below compares versions: 5.9 is older than 5.94. One that can't be compared, such as a range, is listed too and marked.`,
  also: [api.query],
  params: {
    view: argument.choice('what the workspaces use', views, { required: true, meant: otherNames }),
    name: argument.text('name or source; for tf_versions a version', { placeholder: 'name' }),
    below: flag.text('only versions below this one', { placeholder: 'version' }),
    by: flag.choice('count workspaces by project or version', groupings, { meant: { project_name: 'project' } }),
    exitCode: flag.boolean('exit with 9 if a workspace is listed'),
  },
  examples: [
    { line: 'explorer usage providers hashicorp/aws --below 6', note: 'who still runs a version before 6' },
    { line: 'explorer usage providers hashicorp/aws --below 6 --by project', note: 'how many, by project' },
    { line: 'explorer usage tf_versions --below 1.9 -o csv', note: 'workspaces with an old tool, as CSV' },
    {
      line: "explorer usage tf_versions --below 1.9 -o csv --query 'sort_by(@, &project)'",
      note: 'the same, sorted by project',
    },
    { line: 'explorer usage modules network', note: 'every workspace with the module' },
  ],
  async run({ view, name, below, by, exitCode = false }, context) {
    if (name === undefined && view !== 'tf_versions')
      throw usageError(
        `the name of one of the ${view} is missing`,
        `${context.commandLine('explorer query', view, ['--all'])} lists them`,
      )
    if (below !== undefined && !isVersion(below))
      throw usageError(`--below: '${below}' is not a version`, 'for example --below 6, or --below 5.94.1')
    const [listed, all] = await Promise.all([rowsOf(context, view), rowsOf(context, 'workspaces')])
    const found = await matchingRows(listed.rows, name)
    const uses = usesOf(found.rows).filter(({ version }) => below === undefined || isBelow(version, below) !== false)
    const workspaces = new Set(uses.map(({ workspace }) => workspace))
    const facts = workspaces.size === 0 ? new Map<string, WorkspaceFacts>() : await factsOf(all.rows, workspaces)
    const failed = listed.finish() ?? (workspaces.size === 0 ? undefined : all.finish())
    if (found.rows.length === 0 && name !== undefined)
      context.io.note(`nothing named '${name}' is in use${didYouMean(name, found.others)}`)
    const unreadable = workspaces.size - facts.size
    if (found.unlisted > 0)
      context.io.warnAlways(
        `incomplete: the service counts ${plural(found.unlisted, 'workspace')} that it doesn't list`,
      )
    if (unreadable > 0)
      context.io.warnAlways(
        `${plural(unreadable, 'workspace')} of the list ${unreadable === 1 ? "isn't" : "aren't"} among the workspaces that you may read`,
      )
    const rows = uses.map(({ workspace, version, source }): UsageRow => ({
      workspace,
      project: facts.get(workspace)?.project ?? null,
      version,
      drifted: facts.get(workspace)?.drifted ?? null,
      source,
      ...(below === undefined ? {} : { comparable: isBelow(version, below) !== undefined }),
    }))
    const isFinding = exitCode && rows.length > 0
    return {
      data: by === undefined ? rows : counts(rows, by),
      view: by === undefined ? useView(view, below) : countView(by),
      exitCode: failed ?? (isFinding ? exitCodes.differences : 0),
    }
  },
})

const packageFields = ['name', 'source', 'version', 'workspace_count', 'workspaces']

const fieldsOf: Readonly<Record<string, string[]>> = {
  workspaces: ['workspace_name', 'project_name', 'drifted'],
  tf_versions: ['version', 'workspace_count', 'workspaces'],
  providers: packageFields,
  modules: packageFields,
}

/** The fields that a result needs of every row of a view. */
async function rowsOf(context: Context, view: string) {
  return flatRows(context, await readQuery(context, { view, filter: [], fields: fieldsOf[view], noCheck: false }))
}

interface Found {
  readonly rows: readonly UsedVersion[]
  /** Names and sources of the other rows. */
  readonly others: ReadonlySet<string>
  /** Workspaces that are in the counts and not in the lists. */
  readonly unlisted: number
}

async function matchingRows(rows: Rows, name: string | undefined): Promise<Found> {
  const matching: UsedVersion[] = []
  const others = new Set<string>()
  let unlisted = 0
  for await (const batch of rows) {
    for (const row of batch) {
      const of = (field: string) => text(row, field) ?? null
      const used = { source: of('source'), name: of('name'), version: of('version'), workspaces: of('workspaces') }
      if (name === undefined || matchesName(used, name)) {
        matching.push(used)
        const listed = new Set(workspaceNames(used.workspaces)).size
        unlisted += Math.max(0, Number(at(row, 'workspace_count') ?? 0) - listed)
      } else for (const other of [used.name, used.source, used.version]) if (other !== null) others.add(other)
    }
  }
  return { rows: matching, others, unlisted }
}

async function factsOf(rows: Rows, wanted: ReadonlySet<string>): Promise<Map<string, WorkspaceFacts>> {
  const facts = new Map<string, WorkspaceFacts>()
  for await (const batch of rows) {
    for (const row of batch) {
      const workspace = text(row, 'workspace_name')
      const drifted = at(row, 'drifted')
      if (workspace === undefined || !wanted.has(workspace)) continue
      facts.set(workspace, {
        project: text(row, 'project_name') ?? null,
        drifted: typeof drifted === 'boolean' ? drifted : null,
      })
    }
  }
  return facts
}

/** A workspace and a version that it uses, as a row of the result. */
type UsageRow = {
  readonly workspace: string
  readonly project: string | null
  readonly version: string | null
  readonly drifted: boolean | null
  readonly source: string | null
  /** With `--below`: whether the version can be compared. */
  readonly comparable?: boolean
}

function useView(view: string, below: string | undefined) {
  const column = (name: keyof UsageRow): Column<UsageRow> => ({ name, value: (row) => row[name] })
  const columns: Column<UsageRow>[] = [
    { ...column('workspace'), also: 'workspace_name', whole: true },
    { ...column('project'), also: 'project_name' },
    {
      ...column('version'),
      show: ({ version, comparable }) =>
        comparable === false ? cell(`${version ?? '(none)'} (not a version)`, 'warn') : (version ?? ''),
    },
    {
      ...column('drifted'),
      show: ({ drifted }) => cell(String(drifted ?? ''), drifted === true ? 'warn' : undefined),
    },
    ...(view === 'tf_versions' ? [] : [column('source')]),
    ...(below === undefined ? [] : [column('comparable')]),
  ]
  return list(columns, ({ workspace }) => workspace, {
    empty: below === undefined ? 'no workspace uses it' : `no workspace uses a version below ${below}`,
    usual: ['workspace', 'project', 'version', 'drifted'],
  })
}

/** Workspaces and their versions, counted by a field; the largest count first. */
function counts(rows: readonly UsageRow[], by: (typeof groupings)[number]): JsonObject[] {
  const groups = new Map<string | null, { workspaces: Set<string>; versions: Set<string>; drifted: Set<string> }>()
  for (const row of rows) {
    const key = row[by]
    const group = groups.get(key) ?? { workspaces: new Set(), versions: new Set(), drifted: new Set() }
    group.workspaces.add(row.workspace)
    group.versions.add(row.version ?? '')
    if (row.drifted === true) group.drifted.add(row.workspace)
    groups.set(key, group)
  }
  return [...groups]
    .toSorted(
      ([one, { workspaces: a }], [other, { workspaces: b }]) => b.size - a.size || versionOrder(one ?? '', other ?? ''),
    )
    .map(([key, { workspaces, versions, drifted }]) => ({
      [by]: key,
      workspaces: workspaces.size,
      drifted: drifted.size,
      ...(by === 'project' ? { versions: [...versions].toSorted(versionOrder) } : {}),
    }))
}

function countView(by: (typeof groupings)[number]) {
  const column = (name: string): Column<Json> => ({ name, value: (row) => at(row, name) })
  const columns: Column<Json>[] = [
    { ...column(by), ...(by === 'project' ? { also: 'project_name' } : {}), whole: true },
    { ...column('workspaces'), align: 'right' },
    { ...column('drifted'), align: 'right' },
    ...(by === 'project' ? [{ ...column('versions'), long: true }] : []),
  ]
  return list<Json>(columns, (row) => text(row, by) ?? '', { empty: 'no workspaces' })
}

/** A row of `providers`, `modules` or `tf_versions`: a version and the workspaces that use it. */
interface UsedVersion {
  /** Null in `tf_versions`. */
  readonly source: string | null
  readonly name: string | null
  readonly version: string | null
  /** Workspace names joined by commas. */
  readonly workspaces: string | null
}

interface WorkspaceFacts {
  readonly project: string | null
  readonly drifted: boolean | null
}

/** One workspace and a version that it uses. */
interface Use {
  readonly workspace: string
  readonly source: string | null
  readonly version: string | null
}

const toolNames: ReadonlySet<string> = new Set(['terraform', 'opentofu', 'tofu'])

/** Workspace names of a list; names contain no commas. */
function workspaceNames(names: string | null): string[] {
  return (names ?? '').split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
}

/**
 * True if `typed` is the row's name, its source, or the end of its source (`hashicorp/aws` of
 * `registry.terraform.io/hashicorp/aws`). A tool version matches by its first parts (`1.5`), and by any tool's name.
 * Case-insensitive, as registries are.
 */
function matchesName(row: UsedVersion, typed: string): boolean {
  const wanted = typed.toLowerCase()
  if (row.source === null && row.name === null)
    return toolNames.has(wanted) || `${row.version}.`.startsWith(`${wanted.replace(/^v/, '')}.`)
  const source = (row.source ?? '').toLowerCase()
  return row.name?.toLowerCase() === wanted || source === wanted || source.endsWith(`/${wanted}`)
}

/** True if a version is older than the limit; undefined if it can't be compared, such as `>= 5`. */
function isBelow(version: string | null, limit: string): boolean | undefined {
  return version === null || !isVersion(version) ? undefined : compareVersions(version, limit) < 0
}

/** True for a version such as `6`, `5.94`, `v1.2.0-beta1`; false for a wildcard (`5.x`). */
function isVersion(version: string): boolean {
  return validate(version) && /^v?\d+(?:\.\d+)*(?:[-+]|$)/.test(version)
}

/** The distinct uses in the rows, sorted by workspace, source and version. */
function usesOf(rows: Iterable<UsedVersion>): Use[] {
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

/** Sorts versions by their numbers; other strings come last. */
function versionOrder(one: string, other: string): number {
  const both = [isVersion(one), isVersion(other)]
  if (both[0] && both[1]) return compareVersions(one, other) || order(one, other)
  return Number(both[1]) - Number(both[0]) || order(one, other)
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
