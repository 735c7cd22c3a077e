import { TugError } from '../../../core/errors.ts'
import { plural } from '../../../core/words.ts'
import type { Decision } from '../../../write/work.ts'
import { versionWords } from '../data/versions.ts'
import type { Follows } from '../histories/compare.ts'
import { readSnapshot } from '../histories/record.ts'
import type { HistoryTarget } from '../histories/restore.ts'
import { planHistory } from '../histories/restore.ts'
import type { Rights } from '../histories/rights.ts'
import type { Route, Sides } from './sides.ts'
import { guardOf, moveOf, refuseSameSecret } from './source.ts'

interface HistoryOptions {
  readonly histories: HistoryTarget
  readonly follows: Follows | undefined
  /** Undefined for a copy. `onRefused`: called for each secret of a folder that has deleted versions. */
  readonly moves?:
    | { readonly withoutDeleted: boolean; readonly onRefused: (() => void) | undefined; readonly rights: Rights }
    | undefined
}

const actions = { restore: 'create', continue: 'change', identical: 'unchanged', conflict: 'conflict' } as const

/**
 * What copying or moving a secret with every version, its settings and custom metadata would do. A history is never replaced: a path that
 * has another one is a conflict; one with the beginning of this one is continued. Undefined if the secret doesn't exist.
 */
export async function decideHistory(
  sides: Sides,
  route: Route,
  { histories, follows, moves }: HistoryOptions,
): Promise<Decision | undefined> {
  const { from, to } = route
  const { source, target } = sides
  const record = await readSnapshot(source, from, to)
  if (record === undefined) return undefined
  const guard = guardOf(record)
  const deleted = record.versions.filter(({ state }) => state === 'deleted').map(({ version }) => version)
  const facts = { from, versions: record.current_version }
  if (moves?.withoutDeleted === false && deleted.length > 0) {
    moves.onRefused?.()
    return { action: 'conflict', ...refusal(sides, from, deleted, moves.onRefused === undefined), facts, guard }
  }
  const removal = moves && { rights: moves.rights, path: from }
  const { kind, words, error, actual, carryOut } = await planHistory(histories, to, record, {
    from: sides.sourceWords(from),
    follows,
    removal,
    settingsHint: () => `to change its settings: ${source.typedLine({ update: 'true' })}`,
  })
  if (moves !== undefined && kind !== 'conflict' && actual !== undefined) await refuseSameSecret(sides, route)
  const copy: Decision = {
    action: actions[kind],
    // A path that follows a history may have more versions, so it need not be identical.
    words: kind === 'identical' ? 'up to date' : words,
    facts,
    guard: `${guard} ${actual === undefined ? '0' : guardOf(actual)}`,
    enforced: true,
    ...(error === undefined ? {} : { error }),
    ...(kind === 'conflict' || kind === 'identical'
      ? {}
      : {
          apply: async (item) => {
            await carryOut(item.within(target), moves !== undefined)
            const done = `${moves === undefined ? 'copied' : 'moved'} ${sides.sourceWords(from)} to ${sides.targetWords(to)}`
            return { words: `${done}, ${plural(record.current_version, 'version')}`, guard: record.current_version }
          },
        }),
  }
  return moves === undefined ? copy : moveOf(copy, { sides, route, guard, equal: 'identical' })
}

/** The data of deleted versions can't be read, so a move would lose it. */
function refusal({ source }: Sides, from: string, deleted: readonly number[], isOnly: boolean) {
  const what = `${versionWords(deleted)} ${deleted.length === 1 ? 'is' : 'are'} deleted`
  return {
    words: `${what}, and a move would lose the data`,
    error: new TugError('conflict', `${from}: ${what}, and a move would lose the data; nothing was done`, {
      service: 'secrets',
      hints: [
        `to keep the data: ${source.commandLine('kv undelete', from, ['--versions', deleted.join(',')])}`,
        ...(isOnly ? [`to move it without that data: ${source.typedLine({ withoutDeleted: 'true' })}`] : []),
      ],
    }),
  }
}
