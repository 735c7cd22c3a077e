import { compareBytes, parseBoolean } from '../../go.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { Dialect, DevRequest } from '../../http.ts'
import { diffJobs } from '../diff/diff.ts'
import { boolOf, Refusal, type Found, type ReadQuery } from '../api/answers.ts'
import { countOf, groupNamed, number, objects, strings, text } from '../state/documents.ts'
import { servicesOf } from '../client/tasks.ts'
import type { Allocation, JobRecord } from '../state/model.ts'
import type { Store } from '../state/store.ts'
import { allocationView, deploymentView, evaluationView, submissionView, summaryView, jobStub } from './views.ts'
import { FilterError, compileFilter } from './filter.ts'
import { shownIndex } from './register.ts'
import { demand, secretOf, type Access } from '../api/tokens.ts'

export interface JobQuery {
  readonly store: Store
  readonly request: DevRequest
  readonly namespace: string
  readonly id: string
}

/** The reads of one job by the last word of their path. The empty one is the job itself. */
export const jobReads: Readonly<Record<string, (query: JobQuery) => Found>> = {
  ''(query) {
    const record = recordOf(query)
    if (record === undefined) return { index: query.store.indexOf('jobs'), missing: notFound }
    const job = record.current
    return { index: number(job, 'ModifyIndex'), body: spokenJob(job, query.request.dialect) }
  },

  submission(query) {
    const version = submissionVersion(query.request)
    const record = recordOf(query)
    const submission = record?.submissions.find((candidate) => candidate.version === version)
    if (record === undefined || submission === undefined) return { index: 0, missing: 'job source not found' }
    return { index: submission.index, body: submissionView(record, submission, query.request.dialect) }
  },

  versions(query) {
    const wantsDiffs = boolOf(query.request.query, 'diffs')
    const record = recordOf(query)
    if (record === undefined) return { index: query.store.indexOf('jobs'), missing: 'job versions not found' }
    const { versions } = record
    const index = Math.max(...versions.map((version) => number(version, 'ModifyIndex')))
    const body = {
      // Each version compared with the one before it.
      Diffs: wantsDiffs
        ? versions.slice(0, -1).map((version, place) => diffJobs(versions[place + 1] as JsonObject, version))
        : null,
      Index: index,
      KnownLeader: true,
      LastContact: 0,
      NextToken: '',
      Versions: versions.map((version) => spokenJob(version, query.request.dialect)),
    }
    return { index, body }
  },

  allocations(query) {
    const found = query.store.allocations.ofJob(query.namespace, query.id).filter((alloc) => isShown(query, alloc))
    const body = byId(found).map((alloc) => allocationView(alloc, query.request.dialect))
    return { index: query.store.indexOf('allocations'), body }
  },

  evaluations(query) {
    const found = query.store.evaluations.ofJob(query.namespace, query.id)
    const body = byId(found).map((evaluation) => evaluationView(evaluation, query.request.dialect))
    return { index: query.store.indexOf('evaluations'), body }
  },

  deployments(query) {
    const found = query.store.deployments.ofJob(query.namespace, query.id).filter((one) => isShown(query, one))
    return { index: query.store.indexOf('deployments'), body: byId(found).map(deploymentView) }
  },

  deployment(query) {
    const record = recordOf(query)
    const latest = record === undefined ? undefined : query.store.deploymentOf(record)
    const body: Json = latest === undefined ? null : deploymentView(latest)
    return { index: query.store.indexOf('deployments'), body }
  },

  summary(query) {
    const record = recordOf(query)
    if (record === undefined) return { index: query.store.indexOf('jobs'), missing: notFound }
    return { index: record.summaryIndex, body: summaryView(query.store, record) }
  },

  scale: readScale,

  services(query) {
    const { store } = query
    if (recordOf(query) === undefined) return { index: store.indexOf('jobs'), missing: notFound }
    const found = store.allocations.ofJob(query.namespace, query.id).flatMap(servicesOf)
    const body = found.toSorted((left, right) => compareBytes(text(left, 'ID'), text(right, 'ID')))
    return { index: store.indexOf('allocations'), body }
  },

  actions(query) {
    const record = recordOf(query)
    if (record === undefined) throw new Refusal(500, `Unknown job "${query.id}"`)
    const body = objects(record.current, 'TaskGroups').flatMap((group) =>
      objects(group, 'Tasks').flatMap((task) =>
        objects(task, 'Actions').map((action) => ({
          Args: Array.isArray(action['Args']) ? strings(action, 'Args') : null,
          Command: text(action, 'Command'),
          Name: text(action, 'Name'),
          TaskGroupName: text(group, 'Name'),
          TaskName: text(task, 'Name'),
        })),
      ),
    )
    return { index: 0, body, knownLeader: false }
  },
}

const notFound = 'job not found'

function recordOf({ store, namespace, id }: JobQuery): JobRecord | undefined {
  return store.job(namespace, id)
}

/** In the neutral dialect a job also has the tokens of its registration, always empty. */
export function spokenJob(job: JsonObject, dialect: Dialect): JsonObject {
  return dialect === 'neutral' ? { ...job, VaultNamespace: '', VaultToken: '', ConsulToken: '' } : job
}

/** The version in the query of a submission. Throws {@link Refusal} (400). */
export function submissionVersion(request: DevRequest): number {
  const version = request.query.get('version') ?? ''
  if (!/^\d+$/.test(version)) throw new Refusal(400, 'Unable to parse job submission version parameter')
  return Number(version)
}

function readScale(query: JobQuery): Found {
  const { store } = query
  const record = recordOf(query)
  if (record === undefined) return { index: store.indexOf('jobs'), missing: notFound }
  const job = record.current
  const allocations = store.allocationsOf(record)
  const indexes = allocations.map((alloc) => alloc.modifyIndex)
  // An event's Error is a text in the neutral dialect and a boolean otherwise.
  const scalingEvent = (event: JsonObject): JsonObject => {
    const error = event['Error'] === true ? 'true' : event['Error'] || ''
    return { ...event, Error: query.request.dialect === 'neutral' ? error : error !== '' }
  }
  const groups = objects(job, 'TaskGroups').map((group) => {
    const name = text(group, 'Name')
    const isTesting = (alloc: Allocation): boolean =>
      alloc.canary && store.deployments.get(alloc.deploymentId)?.groups.get(alloc.group)?.promoted !== true
    const active = allocations.filter((alloc) => alloc.group === name && alloc.desired === 'run' && !isTesting(alloc))
    const status = {
      Desired: countOf(groupNamed(job, name)),
      Events: record.scaling.get(name)?.map(scalingEvent) ?? null,
      Healthy: active.filter((alloc) => alloc.health?.healthy === true).length,
      Placed: active.length,
      Running: active.filter((alloc) => alloc.client === 'running').length,
      Unhealthy: active.filter((alloc) => alloc.health?.healthy === false).length,
    }
    return [name, status] as const
  })
  const body = {
    JobCreateIndex: record.createIndex,
    JobID: record.id,
    JobModifyIndex: number(job, shownIndex(query.request.dialect)),
    JobStopped: job['Stop'] === true,
    Namespace: record.namespace,
    TaskGroups: Object.fromEntries(groups),
  }
  return { index: Math.max(number(job, 'ModifyIndex'), record.scalingIndex, ...indexes), body }
}

/** True for what belongs to the job's current registration, or with `all` to any, even of a purged job. */
function isShown(query: JobQuery, item: { readonly jobCreateIndex: number }): boolean {
  const all = parseBoolean(query.request.query.get('all') ?? '') === true
  return all || recordOf(query)?.createIndex === item.jobCreateIndex
}

/** Real servers list by random ID. */
function byId<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return items.toSorted((left, right) => compareBytes(left.id, right.id))
}

/** GET /v1/jobs: stubs by namespace and id, a page at a time. */
export function listJobs(store: Store, access: Access, request: DevRequest, query: ReadQuery): Found {
  const withMeta = boolOf(request.query, 'meta')
  // `*` stands for every namespace whose jobs the token may list.
  const wanted = query.namespace === '*' ? [...store.namespaces] : [query.namespace]
  const namespaces = wanted.filter((name) => access.mayRead(secretOf(request), name))
  demand(namespaces.length > 0)
  const ordered = store
    .allJobs()
    .filter((record) => namespaces.includes(record.namespace) && record.id.startsWith(query.prefix))
  if (query.reverse) ordered.reverse()
  const index = store.indexOf('jobs')
  if (query.perPage < 0) return { index, body: [] }
  const isFrom = (record: JobRecord): boolean => {
    const order = compareBytes(tokenOf(record), query.nextToken)
    return query.reverse ? order <= 0 : order >= 0
  }
  const started = query.nextToken === '' ? ordered : ordered.filter(isFrom)
  const matching = filtered(started, query.filter)
  const size = query.perPage === 0 ? matching.length : query.perPage
  const next = matching[size]
  const body = matching.slice(0, size).map((record) => jobStub(store, record, withMeta, request.dialect))
  return { index, body, ...(next === undefined ? {} : { nextToken: tokenOf(next) }) }
}

/** The jobs that match a filter; all of them without one. Throws {@link Refusal} (400) for a bad filter. */
function filtered(records: readonly JobRecord[], expression: string): readonly JobRecord[] {
  if (expression === '') return records
  try {
    const matches = compileFilter(expression)
    return records.filter((record) => matches(record.current))
  } catch (error) {
    throw error instanceof FilterError ? new Refusal(400, error.message) : error
  }
}

function tokenOf(record: JobRecord): string {
  return `${record.namespace}.${record.id}`
}
