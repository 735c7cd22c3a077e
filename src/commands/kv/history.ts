import * as api from '../../api/kv.ts'
import { asJson } from '../../core/answer.ts'
import { cell, command, list } from '../../core/command.ts'
import { showExactTime } from './data/times.ts'
import type { Tone } from '../../core/output.ts'
import { secretPath } from './data/paths.ts'
import type { Version, VersionState } from './data/versions.ts'
import { actorColumn } from './data/versions.ts'
import { readMetadata } from './secret/index.ts'

const tones: Readonly<Record<VersionState, Tone>> = { live: 'good', deleted: 'warn', destroyed: 'bad' }

/** Only Vault 1.21 and newer show who wrote and deleted a version. */
const historyView = (versions: readonly Version[]) =>
  list<Version>(
    [
      { name: 'version', value: ({ version }) => version, align: 'right' },
      {
        name: 'state',
        value: ({ state }) => state,
        show: ({ state }) => cell(state, tones[state]),
      },
      {
        name: 'created_time',
        title: 'written',
        value: ({ created_time }) => created_time,
        show: ({ created_time }, showing) => showExactTime(created_time, showing),
      },
      {
        name: 'deletion_time',
        title: 'deleted',
        value: ({ deletion_time }) => deletion_time,
        show: ({ state, deletion_time }, showing) => {
          const time = showExactTime(deletion_time, showing)
          return time !== '' && state === 'live' ? `due ${time}` : time
        },
      },
      ...(['created_by', 'deleted_by'] as const)
        .filter((name) => versions.some((one) => one[name] !== undefined))
        .map((name) => actorColumn<Version>(name, (one) => one[name])),
    ],
    ({ version }) => String(version),
    { empty: 'no versions: the secret has metadata only' },
  )

export const history = command({
  name: 'history',
  summary: 'List the versions of a secret',
  description: `Shows when each version was written, and which are live, deleted or destroyed. kv rollback --at shows and undoes what happened in a folder.`,
  endpoint: [],
  also: [api.readMetadata, api.list, api.readMount],
  params: { path: secretPath },
  examples: [
    { line: 'kv history app/db', note: 'newest first' },
    { line: 'kv history app/db -o json --query "[?state==\'live\'].version"', note: 'the live ones, for a script' },
  ],
  async run({ path }, context) {
    const { versions, response } = await readMetadata(context, path)
    return { data: versions.map(asJson), view: historyView(versions), rawBody: response.body }
  },
})
