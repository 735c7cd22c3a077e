import * as api from '../../api/kv.ts'
import type { Context, HttpResponse } from '../../core/context.ts'
import { isGone, isMissing } from './missing.ts'
import type { Metadata } from './read.ts'
import { readMetadata } from './read.ts'
import { explainEmpty } from './version1.ts'
import type { Version } from './versions.ts'
import { currentVersion, versionsOf } from './versions.ts'

/** The metadata with the current version, which a secret with metadata only doesn't have. */
export async function readLatest(
  context: Context,
  path: string,
): Promise<Metadata & { readonly latest: Version | undefined }> {
  const found = await readMetadata(context, path)
  const current = currentVersion(found.metadata)
  return { ...found, latest: versionsOf(found.metadata, found.moment).find(({ version }) => version === current) }
}

/** What a read of a secret returns; undefined if the secret doesn't exist. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** What a read of a version returns; undefined if the secret doesn't exist, or the version was deleted or destroyed. */
export function ifLive<T>(reading: Promise<T>): Promise<T | undefined> {
  return ifThere(reading).catch((error: unknown) => {
    if (isGone(error)) return undefined
    throw error
  })
}

/** Pauses between reads that wait for a standby to catch up; 2 s in all. */
const pauses = [100, 200, 300, 600, 800]

/** Reads until the answer is as expected, for two seconds at most; returns the last one. */
export async function readUntil<T>(
  { sleep }: Context,
  read: () => Promise<T>,
  isExpected: (found: T) => boolean,
): Promise<T> {
  let found = await read()
  for (const pause of pauses) {
    if (isExpected(found)) break
    await sleep(pause)
    found = await read()
  }
  return found
}

/** GET of the engine's settings. */
export async function readConfig(context: Context): Promise<HttpResponse<{ readonly data: api.EngineConfig }>> {
  const response = await context.http.send(api.readConfig({}, { allow: [404] }))
  if (response.status !== 404) return response
  await explainEmpty(context)
  throw response.failure()
}
