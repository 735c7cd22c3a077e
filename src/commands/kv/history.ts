import { cell, command, list } from '../../core/command.ts'
import { asJson } from '../../core/answer.ts'
import type { Tone } from '../../core/output.ts'
import * as api from '../../api/kv.ts'
import { asFolder, isFolder, secretOrFolder } from './place.ts'
import { orMeant } from './missing.ts'
import { paceFlags, refuseBulkFlags } from '../../bulk/flags.ts'
import { readMetadata } from './read.ts'
import { readableTime, parseMoment, resolveMoment } from '../../core/duration.ts'
import { flag } from '../../core/param.ts'
import type { Version, VersionState } from './versions.ts'
import { momentOf, versionsOf } from './versions.ts'

const tones: Readonly<Record<VersionState, Tone>> = { live: 'good', deleted: 'warn', destroyed: 'bad' }

const historyView = list<Version>(
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
      show: ({ created_time }) => readableTime(created_time),
    },
    {
      name: 'deletion_time',
      title: 'deleted',
      value: ({ deletion_time }) => deletion_time,
      show: ({ state, deletion_time }) => {
        const time = readableTime(deletion_time)
        return time !== '' && state === 'live' ? `due ${time}` : time
      },
    },
  ],
  ({ version }) => String(version),
  { empty: 'no versions: the secret has metadata only' },
)

export const history = command({
  name: 'history',
  summary: 'List the versions of a secret, or what happened in a folder, and when',
  description: `For a secret: its versions, which are live, deleted or destroyed. For a folder, which ends with a slash: every version below it that was written, deleted or destroyed, newest first. Servers don't store when a version was destroyed, so these come last and are not in a list with --since.`,
  endpoint: [],
  also: [api.list, api.readMetadata, api.readMount],
  params: {
    path: secretOrFolder('path of the secret, or a folder with a slash at its end (/ for the whole mount)'),
    since: flag.of('only what happened since, such as 2h (ago) or 2026-11-20T14:00:00Z', parseMoment, {
      placeholder: 'time',
    }),
    ...paceFlags,
  },
  examples: [
    { line: 'kv history app/db', note: 'newest first' },
    { line: 'kv history team/ --since 7d', note: 'what was written or deleted in a folder this week' },
    { line: 'kv history app/db -o json --query "[?state==\'live\'].version"', note: 'the live ones, for a script' },
  ],
  async run({ path, since: typed, ...pace }, context) {
    const since = typed === undefined ? undefined : resolveMoment(typed, context.now())
    if (isFolder(path)) {
      const { folderHistory } = await import('./past/events.ts')
      return folderHistory(context, asFolder(path), { since, pace })
    }
    refuseBulkFlags(pace, 'needs a folder')
    const { metadata, response } = await readMetadata(context, path).catch(async (error: unknown) => {
      throw await orMeant(context, path, error, [`its history: ${context.lineAgain(path, `${path}/`)}`])
    })
    const now = momentOf(context, response)
    const versions = versionsOf(metadata, now).filter((version) => since === undefined || isSince(version, since, now))
    return { data: versions.map(asJson), view: historyView, rawBody: response.body }
  },
})

/** True if the version was written or deleted at that moment or later. */
function isSince({ created_time, deletion_time }: Version, since: Date, now: Date): boolean {
  return [created_time, deletion_time].some((time) => {
    const moment = Date.parse(time)
    return moment >= since.getTime() && moment <= now.getTime()
  })
}
