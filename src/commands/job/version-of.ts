import type { Job } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'

/** The versions of a job that the server keeps, the newest first. */
export async function versionsOf({ http }: Context, job: string): Promise<readonly Job[]> {
  const { Versions } = (await http.send(api.versions({ job }))).value
  return Versions.toSorted((one, other) => (other.Version ?? 0) - (one.Version ?? 0))
}

/** The version with this number, or else with this tag. Throws if the server keeps none. */
export function versionNamed(versions: readonly Job[], job: string, name: string): Job {
  const found =
    versions.find(({ Version }) => String(Version) === name) ??
    versions.find(({ VersionTag }) => VersionTag?.Name === name)
  if (found !== undefined) return found
  const tags = versions.flatMap(({ VersionTag }) => VersionTag?.Name ?? [])
  const kept = [...versions.map(({ Version }) => String(Version)), ...tags]
  const what = /^\d+$/.test(name) ? `version ${name}` : `version tagged '${name}'`
  throw new TugError('not_found', `${job} has no ${what}`, { hints: [`kept: ${kept.join(', ')}`] })
}
