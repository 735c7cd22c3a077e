import type { Job } from '../../api/job-shapes.ts'
import * as api from '../../api/jobs.ts'
import type { Context } from '../../core/context.ts'
import { TugError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject, plainText } from '../../core/json.ts'
import { compareNames } from '../../core/lists.ts'
import { path } from '../../core/param.ts'
import type { HttpRequest } from '../../core/request.ts'
import type { LineFlag } from '../../core/shell.ts'

/** The job argument: a whole ID, never a prefix. */
export const jobArgument = path.segment("the job's full ID", { complete: 'job' })

/** The namespace to show for a job: the job's own, else that of the settings, else the server's default. */
export function namespaceName({ settings }: Pick<Context, 'settings'>, namespace?: string | null): string {
  return namespace || settings.namespace || 'default'
}

/** The query of a request with a job in its body, whose file names another namespace than the settings. */
export function overNamespace({ settings }: Context, namespace: string | undefined): Pick<HttpRequest, 'query'> {
  if (namespace === undefined || settings.namespace === undefined || settings.namespace === namespace) return {}
  return { query: [['namespace', namespace]] }
}

/** The query of a request about a job in another namespace than that of the settings. */
export function inNamespace(context: Context, namespace: string | undefined): Pick<HttpRequest, 'query'> {
  return namespaceFlag(context, namespace).length === 0 ? {} : { query: [['namespace', namespace as string]] }
}

/** `-n team-a`, for a hint about a job in another namespace than that of the settings. */
export function namespaceFlag({ settings }: Context, namespace: string | undefined): LineFlag[] {
  return namespace === undefined || namespace === (settings.namespace ?? 'default') ? [] : [['-n', namespace]]
}

/** The versions of a job that the server keeps, the newest first. */
export async function versionsOf(
  { http }: Context,
  job: string,
  more: Pick<HttpRequest, 'query' | 'policy'> = {},
): Promise<readonly Job[]> {
  const { Versions } = (await http.send(api.versions({ job }, more))).value
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

/** What stubs and jobs have in common. */
interface Described {
  readonly Type?: string | null | undefined
  readonly Status?: string | null | undefined
  readonly Stop?: boolean | null | undefined
  /** True or false in stubs; the block or null in jobs. */
  readonly Periodic?: unknown
  readonly ParameterizedJob?: unknown
  readonly Dispatched?: boolean | null | undefined
}

/** `batch`, `batch periodic`, `service` …: the kind of a stub or job. */
export function kindOf(job: Described): string {
  const words = [job.Type ?? '']
  if (isPeriodic(job)) words.push('periodic')
  if (isParameterized(job)) words.push('parameterized')
  return words.join(' ').trim()
}

/** True for a job that ends by itself. */
export function isBatchJob({ Type }: Described): boolean {
  return Type === 'batch' || Type === 'sysbatch'
}

/** True for a job that runs on every eligible node: the server doesn't show how many are wanted. */
export function isSystemJob({ Type }: Described): boolean {
  return Type === 'system' || Type === 'sysbatch'
}

/** A periodic or parameterized job: it starts other jobs, and has no allocations itself. */
export function isParentJob(job: Described): boolean {
  return isPeriodic(job) || isParameterized(job)
}

/** ` (batch periodic: nothing runs until it is launched)` for a job that only starts others; else ''. */
export function starterNote(job: Described): string {
  return isParentJob(job) ? ` (${kindOf(job)}: nothing runs until it is launched)` : ''
}

/** True for a job that is launched at set times. */
export function isPeriodic(job: Described): boolean {
  return isOn(job.Periodic)
}

/** True for a job to dispatch, not for its instances, which have the block too. */
export function isParameterized(job: Described): boolean {
  const { ParameterizedJob, Dispatched } = job
  return isOn(ParameterizedJob) && Dispatched !== true
}

function isOn(value: unknown): boolean {
  return value === true || isObject(value)
}

/** `running` or `dead`; of a job that was stopped `running (stopping)` or `dead (stopped)`. */
export function jobStatus(job: Described): string {
  const { Status, Stop } = job
  const status = Status ?? ''
  return Stop === true ? `${status} (${status === 'dead' ? 'stopped' : 'stopping'})` : status
}

/** A map in one line: `owner=team-a, tier=1`. */
export function pairs(map: Readonly<Record<string, Json>> | null | undefined): string {
  return entriesOf(map ?? {})
    .map(([key, value]) => `${key}=${plainText(value)}`)
    .join(', ')
}

/** When a periodic job is launched: `15 3 * * * (UTC), never two at once`; '' for any other. */
export function periodicTimes(job: Job): string {
  const { Periodic } = job
  if (Periodic === null || Periodic === undefined) return ''
  const { TimeZone = '', ProhibitOverlap, Enabled } = Periodic
  const times = launchSpecs(job).join('; ')
  return [
    TimeZone === '' || TimeZone === null ? times : `${times} (${TimeZone})`,
    ...(ProhibitOverlap === true ? ['never two at once'] : []),
    ...(Enabled === false ? ['disabled'] : []),
  ].join(', ')
}

/** The cron expressions of a periodic job. */
function launchSpecs({ Periodic }: Job): readonly string[] {
  const specs = Periodic?.Specs ?? []
  return specs.length > 0 ? specs : [Periodic?.Spec ?? []].flat()
}

/**
 * When the scheduler will launch a periodic job next: the earliest time of its cron expressions in its time zone. Undefined
 * for other jobs, for one that is stopped or whose launches are disabled, and if an expression cannot be read.
 */
export type LaunchOf = (job: Job, now: Date) => Date | undefined

/** Loads the reader of cron expressions. */
export async function loadLaunches(): Promise<LaunchOf> {
  const { Cron } = await import('croner')
  return (job, now) => {
    if (job.Periodic?.Enabled !== true || job.Stop === true) return undefined
    const timezone = job.Periodic.TimeZone || 'UTC'
    try {
      const times = launchSpecs(job).flatMap((spec) => {
        const fields = spec.trim().split(/\s+/)
        // Seconds come first only if all seven fields are given; the scheduler ignores the year.
        const pattern =
          fields.length === 1 ? fields : fields.length < 7 ? ['0', ...fields.slice(0, 5)] : fields.slice(0, 6)
        return new Cron(pattern.join(' '), { timezone, sloppyRanges: true }).nextRun(now) ?? []
      })
      return times.toSorted((a, b) => a.getTime() - b.getTime())[0]
    } catch {
      return undefined
    }
  }
}

/** The parameters of a dispatch: `payload optional; meta day`; '' for a job that isn't parameterized. */
export function parameters(job: Job): string {
  const block = job.ParameterizedJob
  if (block === null || block === undefined) return ''
  const required = block.MetaRequired ?? []
  const optional = block.MetaOptional ?? []
  return [
    `payload ${block.Payload || 'optional'}`,
    ...(required.length > 0 ? [`meta ${required.join(', ')}`] : []),
    ...(optional.length > 0 ? [`optional meta ${optional.join(', ')}`] : []),
  ].join('; ')
}

/** The entries of a map, sorted by name: the server's maps have no order. */
export function byName<T>(map: Readonly<Record<string, T>> | null | undefined): [string, T][] {
  return entriesOf(map ?? {}).toSorted(([one], [other]) => compareNames(one, other))
}

/** The warnings in the response to a write or a plan, a line each. They arrive as one text: `1 warning:\n\n* text`. */
export function warningsOf({ Warnings }: { readonly Warnings?: string | null | undefined }): string[] {
  const lines = (Warnings ?? '').replace(/^\d+ (?:warnings?|errors?)[^\n]*:\s*\n/, '').split(/\n[^\S\n]*\* ?|^\s*\* ?/)
  return lines.map((line) => line.trim().replace(/\s+/g, ' ')).filter((line) => line !== '')
}
