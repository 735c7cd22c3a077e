import * as api from '../../../api/kv.ts'
import { bulkFlags, planFlags } from '../../../bulk/flags.ts'
import { ifKnown } from '../../../core/answer.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { parseMoment, resolveMoment } from '../../../core/moment.ts'
import { argument, flag, needing, readInteger } from '../../../core/param.ts'
import { goneVersion } from '../messages.ts'
import { explainMissing } from '../missing.ts'
import { asSecret, secretOrFolder } from '../place.ts'
import { readMetadata, readSecret } from '../read.ts'
import * as messages from './messages.ts'
import { rollbackAt } from './at.ts'
import { dataToWrite } from '../values.ts'
import type { Version } from '../versions.ts'
import { versionsOf } from '../versions.ts'
import { unchangedResult, writeSecret, writtenResult } from '../write.ts'

/** The number of a version. Throws RangeError, which for a moment names the flag that takes one. */
function readTarget(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new RangeError(`'${text}' is not a version; a moment is given with --at`)
  return readInteger(text, 1)
}

export const rollback = command({
  name: 'rollback',
  summary: 'Write an older version of a secret again, or go back to a moment',
  description: `Reads the metadata and the older version, and writes its data as a new version unless there was a concurrent change (check-and-set).

--at brings a secret, or everything below a folder, back to its state at a moment, as the stored times show it: an older version is written again, a version deleted since is undeleted, and one written since, where nothing was before, is deleted. What was pruned or destroyed since cannot come back; it is listed, and the exit status is 10.`,
  also: [
    api.readMetadata,
    api.readData,
    api.writeData,
    api.list,
    api.undeleteVersions,
    api.deleteVersions,
    api.readMount,
  ],
  params: {
    path: secretOrFolder('path of the secret; with --at a secret or a folder'),
    version: argument.of('the version to restore', readTarget, { placeholder: 'n' }),
    to: flag.of('the same as a flag; for a moment use --at', readTarget, { placeholder: 'n' }),
    at: flag.of(
      'the moment to go back to: 2h (ago), yesterday, "monday 18:00" or 2026-11-20T14:00:00Z (UTC without an offset)',
      parseMoment,
      {
        placeholder: 'time',
        excludes: ['version', 'to'],
      },
    ),
    ...needing({ ...planFlags, ...bulkFlags }, 'at'),
  },
  examples: [
    { line: 'kv rollback app/db --to 3', note: 'the data of version 3 as a new version' },
    { line: 'kv rollback app/db 3 --dry-run', note: 'the requests, without sending them' },
    { line: 'kv rollback team/ --at 2h --plan', note: 'what has to change for a folder to be as two hours ago?' },
  ],
  async run({ path: typed, version, to: flagged, at: moment, ...input }, context) {
    const to = version ?? flagged
    if (moment !== undefined) {
      return rollbackAt(context, typed, resolveMoment(moment, context.now()), input)
    }
    const path = asSecret(typed, messages.nameMoment(context.commandLine('kv rollback', typed)))
    if (to === undefined) throw messages.whichVersion(context, path)
    if (version !== undefined && flagged !== undefined && version !== flagged) throw messages.twoVersions(context, path)
    const { metadata, moment: now } = await readMetadata(context, path).catch(explainMissing(context, path))
    const current = metadata.current_version ?? 0
    ifKnown(current, () => checkTarget(context, path, versionsOf(metadata, now), to))
    if (current === to) return unchangedResult('rollback', path, to)
    const older = await readSecret(context, path, to)
    const done = await writeSecret(context, path, dataToWrite(older.data), current)
    return writtenResult(done, `${path} ${String(current)} → ${String(done.version)}   data of version ${to}`)
  },
})

function checkTarget(context: Context, path: string, versions: readonly Version[], wanted: number): void {
  const target = versions.find(({ version }) => version === wanted)
  if (target?.state === 'live') return
  const live = versions.filter(({ state }) => state === 'live').map(({ version }) => version)
  const nearest = live.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted)).slice(0, 3)
  const hint = messages.nearestLive(nearest)
  if (target === undefined) throw messages.noVersion(path, wanted, hint)
  const { state, deletion_time } = target
  const error = goneVersion(context, path, { version: wanted, state, deletion_time })
  throw error.with({ hints: [...(state === 'deleted' ? error.hints.slice(0, 1) : []), hint] })
}
