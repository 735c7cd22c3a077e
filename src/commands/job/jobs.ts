import { at, entries, items, text, truth } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'
import { isObject } from '../../core/json.ts'

/** `batch`, `batch periodic`, `service` …: the kind of a stub or job. */
export function kindOf(job: Json): string {
  const words = [text(job, 'Type') ?? '']
  if (isPeriodic(job)) words.push('periodic')
  if (isParameterized(job)) words.push('parameterized')
  return words.join(' ').trim()
}

/** A periodic or parameterized job: it starts other jobs, and has no allocations itself. */
export function isStarter(job: Json): boolean {
  return isPeriodic(job) || isParameterized(job)
}

/** ` (batch periodic: nothing runs until it is launched)` behind the name of a job that only starts others; else ''. */
export function starterNote(job: Json): string {
  return isStarter(job) ? ` (${kindOf(job)}: nothing runs until it is launched)` : ''
}

/** True for a job that is launched at set times. */
export function isPeriodic(job: Json): boolean {
  return isOn(at(job, 'Periodic'))
}

/** True for a job that is dispatched; its instances have the block too. */
export function isParameterized(job: Json): boolean {
  return isOn(at(job, 'ParameterizedJob')) && !truth(job, 'Dispatched')
}

/** Stubs carry true or false, jobs the block itself or null. */
function isOn(value: Json | undefined): boolean {
  return value === true || isObject(value)
}

/** `running`, `dead` and, if somebody stopped it, `running (stopping)` or `dead (stopped)`. */
export function jobStatus(job: Json): string {
  const status = text(job, 'Status') ?? ''
  if (!truth(job, 'Stop')) return status
  return `${status} (${status === 'dead' ? 'stopped' : 'stopping'})`
}

/** The kind in a list: `periodic` and `parameterized` jobs are batch jobs unless it says otherwise. */
export function shortKind(job: Json): string {
  return kindOf(job).replace(/^batch (?=p)/, '')
}

/** The status in a list: `stopped` for `dead (stopped)`, `stopping` for `running (stopping)`. */
export function shortStatus(job: Json): string {
  return jobStatus(job).replace(/^.* \((stopped|stopping)\)$/, '$1')
}

/** A map in one line: `owner=team-a, tier=1`. */
export function pairs(value: Json | undefined): string {
  return entries(value)
    .map(([key, item]) => `${key}=${text(item) ?? ''}`)
    .join(', ')
}

/** When a periodic job is launched: `15 3 * * * (UTC), never two at once`; '' for any other. */
export function periodicTimes(job: Json): string {
  if (!isObject(at(job, 'Periodic'))) return ''
  const zone = text(job, 'Periodic', 'TimeZone')
  const times = launchSpecs(job).join('; ')
  return [
    zone === undefined || zone === '' ? times : `${times} (${zone})`,
    ...(truth(job, 'Periodic', 'ProhibitOverlap') ? ['never two at once'] : []),
    ...(at(job, 'Periodic', 'Enabled') === false ? ['disabled'] : []),
  ].join(', ')
}

/** The cron expressions of a periodic job. */
export function launchSpecs(job: Json): string[] {
  const specs = items(job, 'Periodic', 'Specs').map((spec) => text(spec) ?? '')
  return specs.length > 0 ? specs : [text(job, 'Periodic', 'Spec') ?? '']
}

/** What a dispatch takes: `payload optional; meta day`; '' for a job that isn't parameterized. */
export function parameters(job: Json): string {
  if (!isObject(at(job, 'ParameterizedJob'))) return ''
  const names = (key: string) => items(job, 'ParameterizedJob', key).map((name) => text(name) ?? '')
  const required = names('MetaRequired')
  const optional = names('MetaOptional')
  return [
    `payload ${text(job, 'ParameterizedJob', 'Payload') || 'optional'}`,
    ...(required.length > 0 ? [`meta ${required.join(', ')}`] : []),
    ...(optional.length > 0 ? [`optional meta ${optional.join(', ')}`] : []),
  ].join('; ')
}

/** The rows of an answer keyed by group, with the group's name as `Group`. */
export function groupRows(...keys: readonly string[]): (body: Json) => Json[] {
  return (body) =>
    entriesByName(body, ...keys).map(([name, facts]) => ({ Group: name, ...(isObject(facts) ? facts : {}) }))
}

/** The entries of a map at a path, by name: the order of the server's maps means nothing. */
export function entriesByName(value: Json, ...keys: readonly string[]): [string, Json][] {
  return entries(value, ...keys).toSorted(([one], [other]) => (one < other ? -1 : 1))
}
