import type { Json, JsonObject } from '../../../core/json.ts'
import { copyOf, object, objects, sameDocument, text, words } from './documents.ts'
import type { JobRecord } from './model.ts'
import { versionOf, type Store } from './store.ts'

/** Versions, and sources, kept for each job. */
const kept = 6

/** Members that the server sets itself: a change of these makes no new version. */
const owned = words(`
  CreateIndex ModifyIndex JobModifyIndex SubmitTime Status StatusDescription Stable Version VersionTag NomadTokenID
  Dispatched DispatchIdempotencyToken ParentID Payload
`)

export function specChanged(old: JsonObject, next: JsonObject): boolean {
  const keys = new Set([...Object.keys(old), ...Object.keys(next)])
  for (const key of owned) keys.delete(key)
  return [...keys].some((key) => !sameDocument(old[key], next[key]))
}

/** A new job with its first version, written at `index`. */
export function addJob(store: Store, job: JsonObject, index: number): JobRecord {
  const first = stamped(store, job, { version: 0, create: index, index })
  const record: JobRecord = {
    namespace: text(job, 'Namespace'),
    id: text(job, 'ID'),
    createIndex: index,
    current: first,
    versions: [first],
    submissions: [],
    summaryIndex: index,
    groups: new Set(),
    queued: new Map(),
    scaling: new Map(),
    scalingIndex: 0,
  }
  noteGroups(record)
  store.addJob(record)
  return record
}

/**
 * A new version of a known job, written at `index`. It is stable if the document marks it as stable. A version that already has the
 * number (the current one is then an older version marked stable) is overwritten.
 */
export function addVersion(store: Store, record: JobRecord, job: JsonObject, index: number): JsonObject {
  const number = versionOf(record.current) + 1
  const next = stamped(store, job, { version: number, create: record.createIndex, index })
  next['Status'] = record.current['Status'] as Json
  putVersion(record, next, true)
  // The newest stable version is one of those that are kept, even if it is the oldest of all.
  const stable = record.versions.findIndex((version) => version['Stable'] === true)
  if (record.versions.length > kept) record.versions.splice(stable === kept ? kept - 1 : kept, 1)
  noteGroups(record)
  return next
}

/** Puts a version in its place among the versions and, if it is `current`, in force. */
export function putVersion(record: JobRecord, job: JsonObject, current: boolean): void {
  const others = record.versions.filter((version) => versionOf(version) !== versionOf(job))
  record.versions = [...others, job].toSorted((left, right) => versionOf(right) - versionOf(left))
  if (current) record.current = job
}

export function findVersion(record: JobRecord, number: number): JsonObject | undefined {
  return record.versions.find((version) => versionOf(version) === number)
}

/** Keeps the source of the current version: the one sent, else a copy of the source of version `named`, as real servers do. */
export function addSubmission(record: JobRecord, sent: JsonObject | undefined, named: number): void {
  const job = record.current
  const version = versionOf(job)
  const index = Number(job['JobModifyIndex'])
  const inherited = record.submissions.find((submission) => submission.version === named)
  const source =
    sent === undefined
      ? inherited
      : {
          source: text(sent, 'Source'),
          format: text(sent, 'Format'),
          variables: text(sent, 'Variables'),
          variableFlags: object(sent, 'VariableFlags') ?? null,
        }
  if (source === undefined) return
  record.submissions.unshift({ ...source, version, index })
  record.submissions.length = Math.min(record.submissions.length, kept)
}

function stamped(store: Store, job: JsonObject, at: { version: number; create: number; index: number }): JsonObject {
  return Object.assign(copyOf(job), {
    Version: at.version,
    CreateIndex: at.create,
    ModifyIndex: at.index,
    JobModifyIndex: at.index,
    SubmitTime: store.nanoseconds(),
    Status: 'pending',
    StatusDescription: '',
    Stable: at.version > 0 && job['Stable'] === true,
  })
}

function noteGroups(record: JobRecord): void {
  for (const group of objects(record.current, 'TaskGroups')) record.groups.add(text(group, 'Name'))
}
