import * as api from '../../api/kv.ts'
import { cell, command, list } from '../../core/command.ts'
import type { Json } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import { at, text } from '../../core/answer.ts'
import type { Tone } from '../../core/output.ts'
import { secretPath } from './place.ts'
import { readMetadata } from './read.ts'
import { readableTime } from '../../core/duration.ts'
import type { VersionState } from './versions.ts'
import { momentOf, versionsOf } from './versions.ts'

const tones: Readonly<Record<VersionState, Tone>> = { live: 'good', deleted: 'warn', destroyed: 'bad' }

const historyView = list<Json>(
  [
    { name: 'version', value: (row) => at(row, 'version'), align: 'right' },
    {
      name: 'state',
      value: (row) => at(row, 'state'),
      show: (row) => {
        const state = text(row, 'state') as VersionState
        return cell(state, tones[state])
      },
    },
    {
      name: 'created_time',
      title: 'written',
      value: (row) => at(row, 'created_time'),
      show: (row) => readableTime(text(row, 'created_time') ?? ''),
    },
    {
      name: 'deletion_time',
      title: 'deleted',
      value: (row) => at(row, 'deletion_time'),
      show: (row) => {
        const time = readableTime(text(row, 'deletion_time') ?? '')
        return time !== '' && text(row, 'state') === 'live' ? `due ${time}` : time
      },
    },
  ],
  (row) => String(at(row, 'version') ?? ''),
  { empty: 'no versions: the secret has metadata only' },
)

export const history = command({
  name: 'history',
  summary: 'List the versions of a secret: live, deleted or destroyed, and when',
  also: [api.readMetadata],
  params: { path: secretPath },
  examples: [
    { line: 'kv history app/db', note: 'newest first' },
    { line: 'kv history app/db -o json --query "[?state==\'live\'].version"', note: 'the live ones, for a script' },
  ],
  async run({ path }, context) {
    const { metadata, response } = await readMetadata(context, path)
    const rows = versionsOf(metadata, momentOf(context, response)).map((version) => objectFrom(Object.entries(version)))
    return { data: rows, view: historyView, rawBody: response.body }
  },
})
