import { asJson } from '../../../core/answer.ts'
import type { Result } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes } from '../../../core/errors.ts'
import { plural } from '../../../core/words.ts'
import type { Failure } from '../../../bulk/account.ts'
import type { BulkInput } from '../../../bulk/flags.ts'
import { folderWords, isFolder } from '../place.ts'
import type { JobReads } from './jobs.ts'
import { readJobs } from './jobs.ts'
import { danglingPaths, orphanPaths } from './missing.ts'
import type { Reference } from './references.ts'
import { pathIn } from './references.ts'

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

/** Which secrets, and what to find about them. */
interface Search {
  readonly path: string
  readonly dangling: boolean
  readonly orphans: boolean
  readonly exitCode: boolean
  readonly pace: BulkInput
}

/** Finds the jobs that read a secret, broken references, or secrets that no job names. */
export async function findUsers(
  context: Context,
  { path, dangling, orphans, exitCode, pace }: Search,
): Promise<Result> {
  const reads = await readJobs(context, pace)
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
  if (dangling) rows = [...(await danglingPaths(context, named, { pace, failures })), ...open]
  if (orphans) {
    const isCertain = open.length + reads.failures.length === 0
    const names = new Set(named.map((row) => row.path ?? ''))
    const paths = await orphanPaths(context, path, { names, failures })
    rows = paths.map((one) => orphanRow(one, isCertain))
  }
  return resultOf(context, rows, { reads, failures, undecidable: open.length, exitCode })
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

function orphanRow(path: string, isCertain: boolean): Row {
  const rest = { job: null, namespace: null, group: null, task: null }
  return { path, use: isCertain ? 'orphan' : 'probably orphan', ...rest, detail: '' }
}

function resultOf(
  { io }: Context,
  rows: readonly Row[],
  facts: {
    readonly reads: JobReads
    readonly failures: readonly Failure[]
    readonly undecidable: number
    readonly exitCode: boolean
  },
): Result {
  const { reads, failures, undecidable, exitCode } = facts
  const isFound = rows.some(({ use }) => use !== 'undecidable' && use !== 'reads')
  return {
    data: rows.map(asJson),
    view,
    finish: () => {
      const unclear = undecidable === 0 ? '' : `; ${plural(undecidable, 'reference')} undecidable`
      io.note(`read ${plural(reads.jobs, 'job')}${unclear}`)
      for (const { item, error } of failures) io.warn(`${folderWords(item)}: ${error.message}`)
    },
    ...(failures.length > 0
      ? { exitCode: exitCodes.partial }
      : exitCode && isFound
        ? { exitCode: exitCodes.differences }
        : {}),
  }
}
