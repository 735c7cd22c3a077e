import { at, ifKnown } from '../../core/answer.ts'
import type { DoneResult, ValueResult } from '../../core/command.ts'
import { list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { exitCodes, TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { readMetadata } from './read.ts'
import { ifVersion1 } from './version1.ts'
import type { VersionState } from './versions.ts'
import { currentVersion, momentOf, versionsOf } from './versions.ts'

export const verifyFlag = flag.boolean('read the metadata before and after, and report what changed')

/** What a single request says it did: the server confirms changes without effect too, so this is what was asked for. */
export function askedResult(
  context: Context,
  { path, action, place, ...facts }: { path: string; action: string; place: string; versions: Json; undo?: string },
): DoneResult {
  const undo = facts.undo === undefined ? '' : ` (undo: ${facts.undo})`
  return {
    done: `asked to ${action} of ${path}${undo}`,
    hint: ifVersion1(context, `${place}/${path}`),
    data: objectFrom([
      ['path', path],
      ['asked', action],
      ['versions', facts.versions],
    ]),
  }
}

const view = list<Json>(
  [
    { name: 'version', value: (row) => at(row, 'version'), align: 'right' },
    { name: 'before', value: (row) => at(row, 'before') },
    { name: 'after', value: (row) => at(row, 'after') },
  ],
  (row) => String(at(row, 'version') ?? ''),
)

/**
 * Reads the metadata, sends the change, reads it again, and reports each version's state before and after: a server reports
 * success for a change without effect too. The exit status is "not found" if no version got the wanted state, and "partial"
 * if some did.
 */
export async function verified(
  context: Context,
  path: string,
  change: {
    /** Undefined: the current one. */
    readonly versions: readonly number[] | undefined
    readonly wanted: VersionState
    readonly send: () => Promise<unknown>
  },
): Promise<ValueResult> {
  const first = await readMetadata(context, path)
  if (change.versions === undefined) {
    ifKnown(at(first.metadata, 'current_version'), (current) => {
      if (current === 0) throw new TugError('not_found', `${path} has no versions; nothing was sent`)
    })
  }
  await change.send()
  const second = await readMetadata(context, path)
  const versions = change.versions ?? [currentVersion(first.metadata)]
  const before = statesOf(first.metadata, momentOf(context, first.response))
  const after = statesOf(second.metadata, momentOf(context, second.response))
  const missed = versions.filter((version) => after.get(version) !== change.wanted)
  const rows = versions.map((version) =>
    objectFrom([
      ['version', version],
      ['before', before.get(version) ?? null],
      ['after', after.get(version) ?? null],
    ]),
  )
  if (missed.length === 0) return { data: rows, view }
  const found = missed.map((version) => `version ${version} ${wordsOf(after.get(version))}`)
  context.io.warn(`${path}: not ${change.wanted}: ${found.join(', ')}`)
  return { data: rows, view, exitCode: missed.length === versions.length ? exitCodes.not_found : exitCodes.partial }
}

function wordsOf(state: VersionState | undefined): string {
  return state === undefined ? "doesn't exist" : `is ${state}`
}

function statesOf(metadata: Json, now: Date): ReadonlyMap<number, VersionState> {
  return new Map(versionsOf(metadata, now).map(({ version, state }) => [version, state]))
}
