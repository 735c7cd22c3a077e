import * as api from '../../../api/kv.ts'
import type { SecretMetadata } from '../../../api/kv.ts'
import { asJson } from '../../../core/answer.ts'
import { command, record } from '../../../core/command.ts'
import { readableTime, showMomentAndAge } from '../../../core/duration.ts'
import type { Showing } from '../../../core/output.ts'
import { secretPath } from '../place.ts'
import { readMetadata } from '../read.ts'
import { customMetadataWords, deleteAfterColumn, maxVersionsColumn } from '../settings.ts'
import { momentOf, versionsOf } from '../versions.ts'

const time = (name: 'created_time' | 'updated_time') => ({
  name,
  value: (metadata: SecretMetadata) => metadata[name],
  show: (metadata: SecretMetadata, showing: Pick<Showing, 'now' | 'absoluteTimes'>) => {
    const shown = metadata[name] ?? ''
    const moment = new Date(shown)
    return Number.isNaN(moment.getTime()) ? shown : showMomentAndAge(moment, showing)
  },
})
const plain = (name: keyof SecretMetadata) => ({ name, value: (metadata: SecretMetadata) => asJson(metadata[name]) })

/** A secret's metadata, with its versions counted as they are at a moment. OpenBao versions the metadata too. */
const metadataView = (path: string, metadata: SecretMetadata, moment: Date) =>
  record<SecretMetadata>(
    [
      plain('current_version'),
      plain('oldest_version'),
      time('created_time'),
      time('updated_time'),
      maxVersionsColumn("the mount's setting"),
      plain('cas_required'),
      deleteAfterColumn("the mount's setting"),
      { ...plain('custom_metadata'), show: ({ custom_metadata: custom }) => customMetadataWords(asJson(custom)) },
      ...(['current_metadata_version', 'metadata_cas_required'] as const)
        .filter((name) => metadata[name] !== undefined)
        .map(plain),
      {
        ...plain('versions'),
        show: (value, { absoluteTimes }) => (absoluteTimes ? countStates(value, moment) : versionLines(value, moment)),
      },
    ],
    () => path,
  )

/** `2 live, 1 deleted`. */
function countStates(metadata: SecretMetadata, now: Date): string {
  const states = versionsOf(metadata, now).map(({ state }) => state)
  const counted = (['live', 'deleted', 'destroyed'] as const).flatMap((state) => {
    const count = states.filter((one) => one === state).length
    return count === 0 ? [] : [`${count} ${state}`]
  })
  return counted.length === 0 ? 'none' : counted.join(', ')
}

/** The newest versions, one per line, or as many as are usually kept. */
function versionLines(metadata: SecretMetadata, now: Date): string {
  const versions = versionsOf(metadata, now)
  if (versions.length === 0) return 'none'
  const digits = String(versions[0]?.version).length
  const lines = versions.slice(0, mostShown).map(({ version, state, created_time, deletion_time }) => {
    const written = `${String(version).padStart(digits)}  ${state.padEnd('destroyed'.length)}  written ${readableTime(created_time)}`
    if (deletion_time === '') return written
    return `${written}, ${state === 'live' ? 'expires' : 'deleted'} ${readableTime(deletion_time)}`
  })
  const rest = versions.length - lines.length
  return [countStates(metadata, now), ...lines, ...(rest > 0 ? [`and ${rest} older`] : [])].join('\n')
}

const mostShown = 10

export const get = command({
  name: 'get',
  summary: "Show a secret's settings, custom metadata and versions",
  endpoint: api.readMetadata,
  params: { path: secretPath },
  examples: [
    { line: 'kv metadata get app/db', note: 'settings and custom metadata' },
    { line: 'kv metadata get app/api -o json --query custom_metadata.owner', note: 'a single value, for a script' },
  ],
  async run({ path }, context) {
    const { metadata, response } = await readMetadata(context, path)
    const view = metadataView(path, metadata, momentOf(context, response))
    return { data: asJson(metadata), view, rawBody: response.body }
  },
})
