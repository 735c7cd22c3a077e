import type { DevReply } from '../../http.ts'
import { answerWrite } from '../api/answers.ts'
import { Refusal } from '../api/refusal.ts'
import { bodyOf, type JobWrite } from '../api/write.ts'
import { number, object, text } from '../state/documents.ts'
import type { JobRecord } from '../state/model.ts'
import { currentJob, versionOf } from '../state/store.ts'
import { findVersion } from '../state/versions.ts'

/** POST /v1/job/:id/versions/:tag/tag: names a version, the current one if the body asks for the `Latest` or names none. */
export function tagVersion(write: JobWrite): DevReply {
  const body = bodyOf(write, 'tag')
  const { record, tag } = target(write)
  const current = versionOf(currentJob(record))
  const wanted = body['Latest'] === true ? current : number(body, 'Version', current)
  const version = findVersion(record, wanted)
  if (version === undefined) throw new Refusal(500, `job "${record.id}" version ${wanted} not found`)
  const holder = taggedVersion(record, tag)
  if (holder !== undefined && holder !== version) {
    throw new Refusal(500, `tag "${tag}" already exists on a different version of job "${record.id}"`)
  }
  const index = write.store.write('jobs')
  const named = { Description: text(body, 'Description'), Name: tag, TaggedTime: write.store.nanoseconds() }
  Object.assign(version, { VersionTag: named, ModifyIndex: index })
  const envelope = { Index: index, KnownLeader: false, LastContact: 0, NextToken: '' }
  return answerWrite(write.request, { ...named, ...envelope }, index)
}

/** DELETE /v1/job/:id/versions/:tag/tag: removes the name; the version stays. */
export function untagVersion(write: JobWrite): DevReply {
  const { record, tag } = target(write)
  const version = taggedVersion(record, tag)
  if (version === undefined) throw new Refusal(404, `tag "${tag}" not found on job "${record.id}"`)
  const index = write.store.write('jobs')
  Object.assign(version, { VersionTag: null, ModifyIndex: index })
  return answerWrite(write.request, { Index: index, KnownLeader: false, LastContact: 0, NextToken: '' }, index)
}

/** The version that bears a tag. */
export function taggedVersion(record: JobRecord, tag: string) {
  return record.versions.find((version) => text(object(version, 'VersionTag') ?? {}, 'Name') === tag)
}

function target(write: JobWrite): { record: JobRecord; tag: string } {
  write.access.demand(write.request, write.namespace, 'submit-job')
  const cut = write.id.lastIndexOf('/versions/')
  const record = write.store.job(write.namespace, write.id.slice(0, cut))
  if (cut === -1 || record === undefined) throw new Refusal(404, 'job not found')
  return { record, tag: write.id.slice(cut + '/versions/'.length) }
}
