import * as api from '../../../api/kv.ts'
import { listNames } from '../../../api/secrets.ts'
import type { Context } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'
import { objectFrom } from '../../../core/json.ts'
import type { EngineConfig } from '../backup/record.ts'
import { readEngine } from '../backup/snapshot.ts'
import { engineDifferences } from './compare.ts'
import * as messages from './messages.ts'
import type { Source } from './source.ts'

/** The settings that let any history be written: no limit above the secrets' own, nothing that expires. */
const cleared: EngineConfig = { max_versions: 0, cas_required: false, delete_version_after: '0s' }

/** Restores the engine's settings, if the mount is ours to set. */
export interface EngineRestore {
  /** Call it at the end; unless all secrets have been restored, it only says what is left to set. */
  finish(isWhole: boolean): Promise<void>
}

/**
 * Prepares the engine's settings for a restore of a whole mount into an empty one, or one that such a restore has begun. Those of
 * any other mount stay as they are, because they are about other secrets too; what they mean for this restore is printed.
 */
export async function openEngine(
  context: Context,
  { files, isMount }: Source,
  { isResumed }: { isResumed: boolean },
): Promise<EngineRestore> {
  const current = await readEngine(context)
  const wanted = files.at(-1)?.header.config ?? null
  if (current === null || wanted === null) return { finish: () => Promise.resolve() }
  const isOurs = isMount && ((await isEmpty(context)) || (isResumed && isSame(current, cleared)))
  if (isOurs && !isSame(current, cleared)) await write(context, cleared)
  if (!isOurs && !isSame(current, wanted)) sayDifferences(context, current, wanted, isMount)
  return {
    async finish(isWhole) {
      if (!isOurs || isSame(wanted, cleared)) return
      const line = settingLine(context, wanted)
      if (!isWhole) return context.io.hint(messages.settingsLeft(line))
      await write(context, wanted).catch((error: unknown) => {
        throw error instanceof TugError && error.code !== 'interrupted' ? messages.settingsFailed(error, line) : error
      })
    },
  }
}

async function isEmpty(context: Context): Promise<boolean> {
  return (await listNames(context, api.list({ path: '' }), { emptyWhen404: true })).length === 0
}

function isSame(one: EngineConfig, other: EngineConfig): boolean {
  return engineDifferences(one, other).length === 0
}

async function write(context: Context, config: EngineConfig): Promise<void> {
  await context.http.send(api.writeConfig({}, { body: objectFrom(Object.entries(config)) }))
}

function sayDifferences(context: Context, current: EngineConfig, wanted: EngineConfig, isMount: boolean): void {
  const { io } = context
  if (current.delete_version_after !== '0s' && !current.delete_version_after.startsWith('-'))
    io.doubt(messages.willExpire(current.delete_version_after))
  if (isMount) io.hint(messages.settingsKept(settingLine(context, wanted)))
}

/** The command that gives the mount these settings. */
function settingLine(context: Context, wanted: EngineConfig): string {
  return context.commandLine(
    'kv config set',
    ['--max-versions', String(wanted.max_versions)],
    [`--cas-required=${String(wanted.cas_required)}`],
    ['--delete-version-after', wanted.delete_version_after],
  )
}
