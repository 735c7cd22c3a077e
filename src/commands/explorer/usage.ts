import * as api from '../../api/explorer.ts'
import { at, text } from '../../core/answer.ts'
import { cell, command, list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { exitCodes, usageError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { didYouMean, plural } from '../../core/words.ts'
import type { Column } from '../../core/output.ts'
import { argument, flag } from '../../core/param.ts'
import type { EveryRow } from './paging.ts'
import { everyRow } from './paging.ts'
import { readQuery } from './query-params.ts'
import { rowFlattener } from './rows.ts'
import type { Use, UsedVersion, WorkspaceFacts } from './uses.ts'
import { isAbout, isVersion, place, usesOf, versionOrder, workspaceNames } from './uses.ts'

const views = ['providers', 'modules', 'tf_versions'] as const

/** What people call the views too. */
const otherNames = {
  provider: 'providers',
  module: 'modules',
  terraform: 'tf_versions',
  versions: 'tf_versions',
  terraform_versions: 'tf_versions',
} as const

export const usage = command({
  name: 'usage',
  summary: 'List the workspaces that use a provider, module or tool version',
  description: `Joins the rows of the view with those of workspaces: one row for each workspace and version, with its project and whether it has drifted.

<name> is the name of a provider or module (aws), or its source or the end of it (hashicorp/aws). For tf_versions it is a version or its first parts (1.5); without it, or with terraform or opentofu, every version counts.

--below keeps older versions, compared as versions: 5.9 is older than 5.94. A version that can't be compared, such as a range, is listed too and marked.`,
  also: [api.query],
  params: {
    view: argument.choice('providers, modules or tf_versions', views, { required: true, meant: otherNames }),
    name: argument.text('name or source; for tf_versions a version', { placeholder: 'name' }),
    below: flag.text('only versions below this one', { placeholder: 'version' }),
    by: flag.choice('count workspaces by project or version', ['project_name', 'version'], {
      meant: { project: 'project_name' },
    }),
    exitCode: flag.boolean('exit with 9 if a workspace is listed'),
  },
  examples: [
    { line: 'explorer usage providers hashicorp/aws --below 6', note: 'who still runs a version before 6' },
    { line: 'explorer usage providers hashicorp/aws --below 6 --by project_name', note: 'how many, by project' },
    { line: 'explorer usage tf_versions --below 1.9 -o csv', note: 'workspaces with an old tool, as CSV' },
    {
      line: "explorer usage tf_versions --below 1.9 -o csv --query 'sort_by(@, &project)'",
      note: 'the same, sorted by project',
    },
    { line: 'explorer usage modules network', note: 'every workspace with the module' },
  ],
  async run({ view, name, below, by, exitCode = false }, context) {
    if (name === undefined && view !== 'tf_versions')
      throw usageError('<name> is required', `${context.commandLine('explorer query', view, '--all')} lists them`)
    if (below !== undefined && !isVersion(below))
      throw usageError(`--below: '${below}' is not a version`, 'for example --below 6, or --below 5.94.1')
    const [listed, all] = await Promise.all([rowsOf(context, view), rowsOf(context, 'workspaces')])
    const found = await matchingRows(listed, name)
    const uses = usesOf(found.rows).filter((use) => below === undefined || place(use.version, below) !== 'not below')
    const used = new Set(uses.map(({ workspace }) => workspace))
    const facts = used.size === 0 ? new Map<string, WorkspaceFacts>() : await factsOf(all, used)
    const status = listed.finish() ?? (used.size === 0 ? undefined : all.finish())
    warnings(context, found, name, uses, facts)
    const rows = uses.map((use) => rowOf(use, facts.get(use.workspace), below))
    return {
      data: by === undefined ? rows : counts(rows, by === 'project_name' ? 'project' : by),
      view: by === undefined ? useView(view, below) : countView(by === 'project_name' ? 'project' : by),
      ...(status === undefined ? exitOf(exitCode && rows.length > 0) : { exitCode: status }),
    }
  },
})

function exitOf(isFinding: boolean) {
  return isFinding ? { exitCode: exitCodes.differences } : {}
}

const fieldsOf: Readonly<Record<string, string[]>> = {
  workspaces: ['workspace_name', 'project_name', 'drifted'],
  tf_versions: ['version', 'workspace_count', 'workspaces'],
  providers: ['name', 'source', 'version', 'workspace_count', 'workspaces'],
  modules: ['name', 'source', 'version', 'workspace_count', 'workspaces'],
}

/** Every row of a view, with flat rows of the fields that are needed. */
interface FlatRows {
  readonly rows: AsyncIterable<readonly JsonObject[]>
  readonly finish: EveryRow['finish']
}

async function rowsOf(context: Context, view: string): Promise<FlatRows> {
  const query = readQuery(context, { view, filter: [], fields: fieldsOf[view], noCheck: false })
  const { rows, finish } = await everyRow(context, { ...query, request: (parts) => api.query({}, parts) })
  const flatten = rowFlattener(view, query.fields)
  async function* flat() {
    for await (const batch of rows) yield batch.map(flatten)
  }
  return { rows: flat(), finish }
}

interface Found {
  readonly rows: readonly UsedVersion[]
  /** Names and sources of the other rows. */
  readonly others: ReadonlySet<string>
  /** How many of the workspaces that rows count are not in their lists. */
  readonly unlisted: number
}

async function matchingRows({ rows }: FlatRows, name: string | undefined): Promise<Found> {
  const matching: UsedVersion[] = []
  const others = new Set<string>()
  let unlisted = 0
  for await (const batch of rows) {
    for (const row of batch) {
      const used = usedVersion(row)
      if (name === undefined || isAbout(used, name)) {
        matching.push(used)
        const count = Number(row['workspace_count'] ?? 0)
        unlisted += Math.max(0, count - new Set(workspaceNames(used.workspaces)).size)
      } else for (const other of [used.name, used.source, used.version]) if (other !== null) others.add(other)
    }
  }
  return { rows: matching, others, unlisted }
}

function usedVersion(row: JsonObject): UsedVersion {
  const [source, name, version, workspaces] = ['source', 'name', 'version', 'workspaces'].map(
    (field) => text(row, field) ?? null,
  ) as [string | null, string | null, string | null, string | null]
  return { source, name, version, workspaces }
}

async function factsOf({ rows }: FlatRows, wanted: ReadonlySet<string>): Promise<Map<string, WorkspaceFacts>> {
  const facts = new Map<string, WorkspaceFacts>()
  for await (const batch of rows) {
    for (const row of batch) {
      const { workspace_name: workspace, project_name: project, drifted } = row
      if (typeof workspace !== 'string' || !wanted.has(workspace)) continue
      facts.set(workspace, {
        project: typeof project === 'string' ? project : null,
        drifted: typeof drifted === 'boolean' ? drifted : null,
      })
    }
  }
  return facts
}

function warnings(
  { io }: Context,
  { rows, others, unlisted }: Found,
  name: string | undefined,
  uses: readonly Use[],
  facts: ReadonlyMap<string, WorkspaceFacts>,
): void {
  if (rows.length === 0 && name !== undefined) {
    io.note(`nothing named '${name}' is in use${didYouMean(name, others)}`)
  }
  if (unlisted > 0) io.warn(`incomplete: the service counts ${plural(unlisted, 'workspace')} that it doesn't list`)
  const unknown = new Set(uses.flatMap(({ workspace }) => (facts.has(workspace) ? [] : [workspace])))
  if (unknown.size > 0)
    io.warn(
      `${plural(unknown.size, 'workspace')} of the list ${unknown.size === 1 ? "isn't" : "aren't"} among the workspaces that you may read`,
    )
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

function rowOf(use: Use, facts: WorkspaceFacts | undefined, below: string | undefined): UsageRow {
  return {
    workspace: use.workspace,
    project: facts?.project ?? null,
    version: use.version,
    drifted: facts?.drifted ?? null,
    source: use.source,
    ...(below === undefined ? {} : { comparable: place(use.version, below) !== 'unknown' }),
  }
}

function useView(view: string, below: string | undefined) {
  const column = (name: keyof UsageRow): Column<UsageRow> => ({ name, value: (row) => row[name] })
  const columns: Column<UsageRow>[] = [
    { ...column('workspace'), whole: true },
    column('project'),
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
function counts(rows: readonly UsageRow[], by: 'project' | 'version'): JsonObject[] {
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

function countView(by: 'project' | 'version') {
  const column = (name: string): Column<Json> => ({ name, value: (row) => at(row, name) })
  const columns: Column<Json>[] = [
    { ...column(by), whole: true },
    { ...column('workspaces'), align: 'right' },
    { ...column('drifted'), align: 'right' },
    ...(by === 'project' ? [{ ...column('versions'), long: true }] : []),
  ]
  return list<Json>(columns, (row) => text(row, by) ?? '', { empty: 'no workspaces' })
}
