import * as api from '../../../api/kv.ts'
import { at, text } from '../../../core/answer.ts'
import { command, record } from '../../../core/command.ts'
import { showMomentAndAge } from '../../../core/duration.ts'
import type { Json } from '../../../core/json.ts'
import type { Showing } from '../../../core/output.ts'
import { secretPath } from '../place.ts'
import { readMetadata } from '../read.ts'
import { maxVersionsColumn } from '../settings.ts'
import { momentOf, versionsOf } from '../versions.ts'

const time = (name: string) => ({
  name,
  value: (value: Json) => at(value, name),
  show: (value: Json, showing: Pick<Showing, 'now' | 'lasting'>) => {
    const shown = text(value, name) ?? ''
    const moment = new Date(shown)
    return Number.isNaN(moment.getTime()) ? shown : showMomentAndAge(moment, showing)
  },
})
const plain = (name: string) => ({ name, value: (value: Json) => at(value, name) })

/** A secret's metadata, with its versions counted as they are at a moment. OpenBao versions the metadata too. */
const metadataView = (metadata: Json, moment: Date) =>
  record<Json>(
    [
      plain('current_version'),
      plain('oldest_version'),
      {
        name: 'versions',
        value: (value) => at(value, 'versions'),
        show: (value) => countStates(value, moment),
      },
      time('created_time'),
      time('updated_time'),
      maxVersionsColumn("the mount's setting"),
      plain('cas_required'),
      plain('delete_version_after'),
      plain('custom_metadata'),
      ...['current_metadata_version', 'metadata_cas_required']
        .filter((name) => at(metadata, name) !== undefined)
        .map(plain),
    ],
    (value) => String(at(value, 'current_version') ?? ''),
  )

/** `2 live, 1 deleted`. */
function countStates(metadata: Json, now: Date): string {
  const states = versionsOf(metadata, now).map(({ state }) => state)
  const counted = (['live', 'deleted', 'destroyed'] as const).flatMap((state) => {
    const count = states.filter((one) => one === state).length
    return count === 0 ? [] : [`${count} ${state}`]
  })
  return counted.length === 0 ? 'none' : counted.join(', ')
}

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
    return { data: metadata, view: metadataView(metadata, momentOf(context, response)), rawBody: response.body }
  },
})
