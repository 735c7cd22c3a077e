import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, usageError } from '../../../core/errors.ts'
import { parseMoment, resolveMoment } from '../../../core/moment.ts'
import { argument, flag, readInteger } from '../../../core/param.ts'
import type { Decision, Work } from '../../../write/work.ts'
import { onlyTarget } from '../../../write/work.ts'
import { write } from '../../../write/write.ts'
import { decideData, keyColumns, readPresentData } from '../decide-data.ts'
import { goneVersion, seeVersions } from '../messages.ts'
import { explainMissing } from '../missing.ts'
import { asSecret, secretOrFolder } from '../place.ts'
import { readMetadata, readSecret } from '../read.ts'
import { dataToWrite } from '../values.ts'
import type { Version } from '../versions.ts'
import { currentVersion, versionsOf } from '../versions.ts'
import { rollBackTo } from './at.ts'

/** The number of a version. Throws RangeError, which for a moment names the flag that takes one. */
function readTarget(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new RangeError(`'${text}' is not a version; a moment is given with --at`)
  return readInteger(text, 1)
}

export const rollback = write({
  name: 'rollback',
  summary: 'Write an older version of a secret again, or return to a moment',
  description: `Reads the metadata and the older version, and writes its data as a new version unless there was a concurrent change (check-and-set). If the current version has the same data, nothing is written.

--at returns a secret, or everything below a folder, to its state at a moment, as the stored times show it: an older version is written again, a version deleted since is undeleted, and one written since, where nothing was before, is deleted. What was pruned or destroyed since cannot come back; it is listed as not found.`,
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
      'the moment to return to: 2h (ago), yesterday, "monday 18:00" or 2026-11-20T14:00:00Z (UTC without an offset)',
      parseMoment,
      {
        placeholder: 'time',
        excludes: ['version', 'to'],
      },
    ),
  },
  examples: [
    { line: 'kv rollback app/db --to 3', note: 'the data of version 3 as a new version' },
    { line: 'kv rollback app/db 3 --plan', note: 'which keys would change?' },
    { line: 'kv rollback team/ --at 2h --plan', note: 'preview rolling a folder back two hours' },
  ],
  async open({ path: typed, version, to: flagged, at }, context): Promise<Work> {
    if (at !== undefined) return rollBackTo(context, typed, resolveMoment(at, context.now()))
    const path = asSecret(
      typed,
      `for a folder, name a moment: ${context.commandLine('kv rollback', typed)} --at <time>`,
    )
    const to = version ?? flagged
    if (to === undefined)
      throw usageError(
        'give the version to restore',
        `write: ${context.commandLine('kv rollback', path, ['--to <n>'])}`,
        seeVersions(context, path),
      )
    if (version !== undefined && flagged !== undefined && version !== flagged)
      throw usageError('two versions are named', seeVersions(context, path))
    return {
      action: 'rollback',
      target: 'path',
      noun: 'secret',
      columns: keyColumns,
      ...onlyTarget(path, { decide: (one) => decideVersion(context, one, to) }),
    }
  },
})

/** Decides to write the data of a version again. Throws if it isn't live, and names those that are. */
async function decideVersion(context: Context, path: string, to: number): Promise<Decision> {
  const { metadata, moment } = await readMetadata(context, path).catch(explainMissing(context, path))
  const current = currentVersion(metadata)
  checkTarget(context, path, versionsOf(metadata, moment), to)
  if (current === to) return { action: 'unchanged', words: `unchanged at version ${current}`, guard: current }
  const { data } = await readSecret(context, path, to)
  const decision = await decideData(await readPresentData(context, path), {
    path,
    data: dataToWrite(data),
    mayReplace: true,
    checkMount: () => Promise.resolve(),
  })
  const { apply } = decision
  if (apply === undefined) return decision
  return {
    ...decision,
    action: 'change',
    words: `as version ${to} was   ${decision.words}`,
    apply: async (item) => {
      const applied = await apply(item)
      return { ...applied, words: `${applied?.words ?? path}   data of version ${to}` }
    },
  }
}

function checkTarget(context: Context, path: string, versions: readonly Version[], wanted: number): void {
  const target = versions.find(({ version }) => version === wanted)
  if (target?.state === 'live') return
  const live = versions.filter(({ state }) => state === 'live').map(({ version }) => version)
  const nearest = live.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted)).slice(0, 3)
  const hint = nearest.length === 0 ? 'no version is live' : `nearest live versions: ${nearest.join(', ')}`
  if (target === undefined)
    throw new TugError('not_found', `${path} has no version ${wanted}: never written, or pruned`, { hints: [hint] })
  const { state, deletion_time } = target
  const error = goneVersion(context, path, { version: wanted, state, deletion_time })
  throw error.with({ hints: [...(state === 'deleted' ? error.hints.slice(0, 1) : []), hint] })
}
