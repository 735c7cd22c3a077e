import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { entriesOf, objectFrom, plainText } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import type { Decision, Work } from '../../../write/work.ts'
import { stage } from '../../../write/work.ts'
import { write } from '../../../write/write.ts'
import { below, folderWords } from '../data/paths.ts'
import type { SecretRecord } from '../histories/record.ts'
import type { HistoryTarget } from '../histories/restore.ts'
import { noteDestroyed, openHistories, planHistory } from '../histories/restore.ts'
import { announced } from '../histories/rights.ts'
import { refuseMisplaced, typedLineIn } from '../mount/misplaced.ts'
import { adviseSettings, engineStages } from './engine.ts'
import { openSource, sourceParams } from './file.ts'

export const restore = write({
  name: 'restore',
  summary: 'Write a backup back: every version, state and setting',
  description: `Writes the secrets where they came from, with --mount to another mount, and below the folder after the file. No history is ever replaced: an empty path gets the whole history, one with its beginning is continued, an identical one is skipped, and any other is a conflict that is left alone. Every write is guarded by check-and-set. To continue an interrupted restore, run it again.

Times cannot be restored. Deleted versions are destroyed, because a backup does not have their data. Versions that were pruned are destroyed where the mount keeps more versions than the source did. --engine-settings needs a backup of a whole mount, and is rejected if other secrets in the mount would lose versions. kv verify checks the result.`,
  endpoint: [],
  also: [
    api.readConfig,
    api.list,
    api.readMetadata,
    api.readData,
    api.writeConfig,
    api.writeMetadata,
    api.patchMetadata,
    api.writeData,
    api.destroyVersions,
    api.readMount,
    api.readCapabilities,
  ],
  params: {
    ...sourceParams,
    engineSettings: flag.boolean("restore the engine's settings too"),
  },
  examples: [
    { line: 'kv restore secret.tugkv --mount secret --plan', note: 'what would be done?' },
    { line: 'kv restore team.tugkv scratch', note: 'below another folder; cut off? run it again' },
    { line: 'kv restore secret.tugkv --engine-settings', note: 'a whole mount, with its settings' },
  ],
  async open({ engineSettings, ...typed }, context): Promise<Work> {
    const source = await openSource(context, typed)
    const { base } = source
    if (source.isPathTyped) await refuseMisplaced(context, base, { before: [source.name] })
    const nameOf = (record: SecretRecord) => below(base, record.path)
    const lineIn = typedLineIn(context, base, typed.path === undefined ? undefined : 'path')
    const histories = openHistories(context, lineIn)
    const decide = (record: SecretRecord) => decideRestore(histories, nameOf(record), record)
    const expectRights = (next: readonly SecretRecord[]) => histories.rights.expect(next.map(nameOf), [])
    const targets =
      source.only === undefined ? announced(source.secrets(), expectRights, ({ bytes = 0 }) => bytes) : source.secrets()
    const secrets = stage<SecretRecord>({ targets, nameOf, decide })
    let hasWork: Promise<boolean> | undefined
    const findWork = async () => {
      for await (const record of source.secrets()) if ((await decide(record)).apply !== undefined) return true
      return false
    }
    const engine =
      engineSettings === true ? await engineStages(context, source, () => (hasWork ??= findWork())) : undefined
    if (engine === undefined) await adviseSettings(context, source)
    return {
      action: 'restore',
      target: 'path',
      noun: 'secret',
      progress: 'restoring secrets',
      columns: ['versions', 'writes'],
      where: `below ${folderWords(base)}`,
      data: { path: base },
      close: () => noteDestroyed(histories),
      stages: engine === undefined ? [secrets] : [engine.before, secrets, engine.after],
    }
  },
})

const actions = { restore: 'restore', continue: 'continue', identical: 'unchanged', conflict: 'conflict' } as const

async function decideRestore(histories: HistoryTarget, path: string, record: SecretRecord): Promise<Decision> {
  const { context } = histories
  const { kind, words, actual, writes, error, carryOut } = await planHistory(histories, path, record, {
    from: record.path,
    settingsHint: () => `to change its settings: ${settingsLine(context, path, record)}`,
  })
  const decision = {
    action: actions[kind],
    words,
    facts: { versions: record.current_version, writes },
    guard: actual?.current_version ?? 0,
  }
  if (error !== undefined) return { ...decision, error }
  if (kind === 'identical') return decision
  return {
    ...decision,
    enforced: true,
    apply: async (item) => {
      await carryOut(item.context)
      return { guard: record.current_version }
    },
  }
}

/** The line that sets the settings and custom metadata of a record. */
function settingsLine({ commandLine }: Context, path: string, record: SecretRecord): string {
  const { max_versions: versions, cas_required: cas, delete_version_after: expiry, custom_metadata: custom } = record
  const pairs = entriesOf(custom ?? objectFrom([])).map(([key, value]) => `${key}=${plainText(value)}`)
  return commandLine(
    'kv metadata put',
    path,
    ['--max-versions', String(versions)],
    [cas ? '--cas-required' : '--cas-required=false'],
    ['--delete-version-after', expiry],
    ...(pairs.length === 0
      ? ([['--clear-custom-metadata']] as const)
      : pairs.map((pair) => ['--custom-metadata', pair] as const)),
  )
}
