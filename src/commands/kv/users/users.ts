import * as jobs from '../../../api/jobs.ts'
import * as api from '../../../api/kv.ts'
import type { Failure } from '../../../bulk/account.ts'
import { exitStatus, warnFailures } from '../../../bulk/account.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import { openReads } from '../../../bulk/engine.ts'
import { asJson } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { cell, command, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { flag } from '../../../core/param.ts'
import { ifThere, readLatest } from '../latest.ts'
import { jobsRead, nothingNamed } from '../folder-messages.ts'
import { asFolder, isFolder, secretOrFolder } from '../place.ts'
import { secretsBelow } from '../walk.ts'
import type { Reference } from './references.ts'
import { pathIn, readJobs } from './references.ts'

export const users = command({
  name: 'users',
  summary: 'Find the jobs that read a secret, broken references and unused secrets',
  description: `Reads every job of the scheduler and finds what its templates read: secret "…", with secret "…" and "…" | secret, with or without data/ in the path. Only tasks with the same namespace of the secrets store count. Needs both services.

A path that is made at run time, a template in a file and a vault block without templates are listed as undecidable. --dangling lists references to secrets that don't exist or are deleted, --orphans the secrets that no job names: only probably orphans if anything is undecidable.`,
  endpoint: [],
  also: [jobs.list, jobs.read, api.readMetadata, api.list, api.readMount],
  params: {
    path: secretOrFolder('secret, or a folder for everything in it', { required: false }),
    dangling: flag.boolean("list references to secrets that don't exist"),
    orphans: flag.boolean('list secrets that no job names', { excludes: ['dangling'] }),
    exitCode: flag.boolean('with --dangling or --orphans, exit with 9 if there are any', {
      needs: ['dangling', 'orphans'],
    }),
  },
  examples: [
    { line: 'kv users app/db', note: 'who reads it? Before it is moved or deleted' },
    { line: 'kv users --dangling --exit-code', note: 'jobs whose templates cannot be rendered' },
    { line: 'kv users --orphans team/', note: 'secrets that nobody seems to read' },
  ],
  async run({ path, dangling = false, orphans = false, exitCode = false }, context): Promise<Result> {
    const searches = dangling || orphans
    if (path === '' && !searches) throw nothingNamed()
    const reads = await readJobs(context)
    const here = reads.references.filter((reference) => isHere(context, reference))
    const open = here.filter(({ place }) => place === undefined).map((reference) => rowOf(reference, null))
    const isMeant = (one: string) => {
      // A job may read a secret through a folder above, too.
      if (orphans) return true
      // The path of --dangling is a folder, with or without a slash.
      return isFolder(path) ? one.startsWith(path) : one === path || (dangling && one.startsWith(`${path}/`))
    }
    const named = here.flatMap((reference) => namedRows(context, reference, isMeant))
    const failures: Failure[] = [...reads.failures]
    let rows: readonly Row[] = [...named, ...open]
    if (dangling) rows = [...(await danglingRows(await openReads(context), named, failures)), ...open]
    if (orphans) {
      const use = open.length + reads.failures.length === 0 ? 'orphan' : 'probably orphan'
      const names = new Set(named.map((row) => row.path ?? ''))
      rows = (await orphanPaths(context, path, names, failures)).map((one) => ({ ...noPlace, path: one, use }))
    }
    const isFound = rows.some(({ use }) => use !== 'undecidable' && use !== 'reads')
    return {
      data: rows.map(asJson),
      view,
      finish: () => {
        context.io.note(jobsRead(reads.jobs, open.length))
        warnFailures(context.io, failures)
      },
      exitCode: exitStatus(failures.length > 0, exitCode && isFound),
    }
  },
})

const view = list<Row>(
  [
    { name: 'path', value: ({ path }) => path, whole: true },
    {
      name: 'use',
      value: ({ use }) => use,
      show: ({ use }) => cell(use, use === 'reads' ? 'good' : 'warn'),
    },
    { name: 'job', value: ({ job }) => job, whole: true },
    { name: 'namespace', value: ({ namespace }) => namespace },
    { name: 'group', value: ({ group }) => group },
    { name: 'task', value: ({ task }) => task },
    { name: 'detail', value: ({ detail }) => detail, long: true },
  ],
  ({ job, path }) => job ?? path ?? '',
  { empty: 'nothing found' },
)

/** One line: a place in a job that reads a secret, or a secret that no job names. */
interface Row {
  readonly path: string | null
  readonly use: 'reads' | 'undecidable' | 'missing' | 'deleted' | 'orphan' | 'probably orphan'
  readonly job: string | null
  readonly namespace: string | null
  readonly group: string | null
  readonly task: string | null
  readonly detail: string
}

/** True for a task that reads from the namespace of this command; one without a namespace may be configured elsewhere. */
function isHere({ settings }: Context, { secretsNamespace }: Reference): boolean {
  const own = (settings.namespace ?? '').replace(/\/$/, '')
  return secretsNamespace === '' || secretsNamespace === own
}

function namedRows({ settings }: Context, reference: Reference, isMeant: (path: string) => boolean): Row[] {
  const path = reference.place === undefined ? undefined : pathIn(settings.route.mount, reference.place)
  return path !== undefined && path !== '' && isMeant(path) ? [rowOf(reference, path)] : []
}

function rowOf({ job, namespace, group, task, place, why }: Reference, path: string | null): Row {
  return { path, use: path === null ? 'undecidable' : 'reads', job, namespace, group, task, detail: place ?? why ?? '' }
}

const noPlace = { job: null, namespace: null, group: null, task: null, detail: '' }

/** The rows whose secret doesn't exist, or whose latest version is deleted; each secret is looked up once. */
async function danglingRows(bulk: Bulk, rows: readonly Row[], failures: Failure[]): Promise<Row[]> {
  const uses = new Map<string, Row['use']>()
  const paths = [...new Set(rows.map(({ path }) => path ?? ''))].filter((path) => !path.endsWith('/'))
  const look = (path: string) => ifThere(readLatest(bulk.context, path))
  for await (const outcome of bulk.read('looking up secrets', paths, look)) {
    if ('error' in outcome) failures.push(outcome)
    else if (outcome.value === undefined) uses.set(outcome.item, 'missing')
    else if (outcome.value.latest?.state !== 'live') uses.set(outcome.item, 'deleted')
  }
  return rows.flatMap((row) => {
    const use = uses.get(row.path ?? '')
    return use === undefined ? [] : [{ ...row, use }]
  })
}

/** The secrets below a folder that are not among the names, nor in a folder that is. */
async function orphanPaths(
  context: Context,
  folder: string,
  names: ReadonlySet<string>,
  failures: Failure[],
): Promise<string[]> {
  const folders = [...names].filter((name) => name.endsWith('/'))
  const found = await secretsBelow(context, asFolder(folder))
  failures.push(...found.failures)
  return found.paths.filter((path) => !names.has(path) && folders.every((one) => !path.startsWith(one)))
}
