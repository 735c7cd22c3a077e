import * as api from '../../../api/kv.ts'
import type { Context } from '../../../core/context.ts'
import { TugError, unlessForbidden, usageError } from '../../../core/errors.ts'
import { objectFrom } from '../../../core/json.ts'
import type { Decision, ItemRun, Stage } from '../../../write/work.ts'
import { stage } from '../../../write/work.ts'
import { below } from '../data/paths.ts'
import { settingDifferences } from '../histories/compare.ts'
import { usualLimit } from '../histories/steps.ts'
import { readConfig } from '../mount/engine.ts'
import { secretsIn } from '../mount/walk.ts'
import type { EngineConfig, Source } from './file.ts'

/**
 * The stages before and after the secrets: settings with which any history can be written, then those of the backup. The first has nothing
 * to do without `hasWork`: if no secret is to be written. Throws a usage error if the backup has no settings.
 */
export async function engineStages(
  context: Context,
  source: Source,
  hasWork: () => Promise<boolean>,
): Promise<{ readonly before: Stage; readonly after: Stage }> {
  const wanted = source.header.config
  if (!source.isMount || wanted === null)
    throw usageError('--engine-settings needs a backup of a whole mount, with its settings')
  const present = await readEngine(context)
  if (present === null) throw usageError("--engine-settings needs permission to read the engine's settings")
  // The limit of versions stays: a lower one would prune other secrets.
  const cleared = { ...present, cas_required: false, delete_version_after: '0s' }
  const isClearing = async () => !isSame(present, cleared) && (await hasWork())
  const limit = ({ max_versions }: EngineConfig) => (max_versions === 0 ? usualLimit : max_versions)
  const expires = wanted.delete_version_after !== '0s' && wanted.delete_version_after !== present.delete_version_after
  // Other secrets of the mount would lose versions.
  const isLowering = limit(wanted) < limit(present) || expires
  const guard = wordsOf(present)
  const refusal = async (): Promise<Decision | undefined> => {
    if (!isLowering || !(await hasOthers(context, source))) return undefined
    const error = new TugError(
      'conflict',
      `the backup's settings would remove versions of other secrets in the mount: ${wordsOf(wanted)}`,
      { service: 'secrets', hints: ['omit --engine-settings to restore only the secrets'] },
    )
    return { action: 'conflict', words: 'the mount has other secrets', guard, error }
  }
  const unchanged: Decision = { action: 'unchanged', words: `settings: ${guard}`, guard }
  /** `find`: the settings to write; undefined if there is nothing to do. */
  const settingsStage = (label: string, find: () => Promise<EngineConfig | undefined>): Stage =>
    stage<string>({
      targets: ['/'],
      nameOf: (root) => root,
      async decide() {
        const refused = await refusal()
        if (refused !== undefined) return refused
        const config = await find()
        if (config === undefined) return unchanged
        const write = async ({ context: { http } }: ItemRun) => {
          await http.send(api.writeConfig({}, { body: objectFrom(Object.entries(config)) }))
          return { words: `the mount's settings: ${wordsOf(config)}` }
        }
        return { action: 'change', words: `${label}: ${wordsOf(config)}`, guard, apply: write }
      },
    })
  const clearing = async () => ((await isClearing()) ? cleared : undefined)
  const restoring = async () => (isSame((await clearing()) ?? present, wanted) ? undefined : wanted)
  return {
    before: settingsStage('settings while secrets are written', clearing),
    after: { ...settingsStage('settings of the backup', restoring), always: true },
  }
}

/** The engine's settings as a backup has them; null, with a warning, if the token may not read them. */
export async function readEngine(context: Context): Promise<EngineConfig | null> {
  try {
    const { data } = (await readConfig(context)).value
    return {
      max_versions: data.max_versions,
      cas_required: data.cas_required === true,
      delete_version_after: data.delete_version_after ?? '0s',
    }
  } catch (error) {
    unlessForbidden(error)
    context.io.warnAlways("not allowed to read the engine's settings")
    return null
  }
}

function isSame(one: EngineConfig, other: EngineConfig): boolean {
  return settingDifferences(one, other).length === 0
}

function wordsOf({ max_versions, cas_required, delete_version_after }: EngineConfig): string {
  return `max_versions ${max_versions}, cas_required ${cas_required}, delete_version_after ${delete_version_after}`
}

/** True if the mount has a secret that the backup doesn't have. */
async function hasOthers(context: Context, { secrets, base }: Source): Promise<boolean> {
  const backedUp = new Set<string>()
  for await (const { path } of secrets()) backedUp.add(below(base, path))
  for await (const { path } of await secretsIn(context, '')) if (!backedUp.has(path)) return true
  return false
}

/** Tells what the mount's settings mean for a restore that leaves them alone, if they can be read. */
export async function adviseSettings(context: Context, { header, isMount }: Source): Promise<void> {
  const { io } = context
  const wanted = header.config
  const present = await readEngine(context).catch((error: unknown) => {
    if (error instanceof TugError && error.code !== 'interrupted') return null
    throw error
  })
  if (present === null) return
  if (present.delete_version_after !== '0s' && !present.delete_version_after.startsWith('-'))
    io.warnAlways(`this mount deletes versions after ${present.delete_version_after}: restored versions expire then`)
  if (isMount && wanted !== null && !isSame(present, wanted))
    io.hint(`the mount's settings are unchanged; --engine-settings restores them too: ${wordsOf(wanted)}`)
}
