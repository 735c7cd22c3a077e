import type { Job } from '../../../api/job-shapes.ts'
import type { Diff } from '../../../api/plan-shapes.ts'
import { asJson, at, changed, items, text } from '../../../core/answer.ts'
import { parseDuration } from '../../../core/duration.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import {
  decimalOf,
  entriesOf,
  isNumber,
  isObject,
  keysOf,
  lookUp,
  objectFrom,
  plainText,
  stringifyJson,
} from '../../../core/json.ts'
import { isFree } from './fields.ts'
import { isMap, ownedByServer } from './documents.ts'
import { identities, markOf } from './tree.ts'

/**
 * The job as the server would show it after registering `next` over `live`. Members that `next` doesn't set stay as they are: the
 * server fills them in, and the scheduler's diff shows where they change, except for those that the diff omits (docs/servers.md,
 * Plans). Groups and tasks that the diff calls equal stay as they are too.
 */
export function expectedJob(live: Job, next: Job, { TaskGroups: groups }: Diff): Job {
  const set = withoutKeys(asJson(next), [...ownedByServer, ...notShown])
  const job = expected(withoutKeys(asJson(live), ownedByServer), set, 'Job') as JsonObject
  const expectedGroups = expectedParts(asJson(live), asJson(next), 'TaskGroups', groups, expectedGroup)
  return changed(job, { Update: expectedUpdate(asJson(live), asJson(next)), TaskGroups: expectedGroups }) as Job
}

/** Members that the server doesn't store with the job, or that are compared separately. */
const notShown = ['VaultToken', 'ConsulToken', 'SecretsToken', 'DiscoveryToken', 'ID', 'TaskGroups', 'Update']

/** Members that the scheduler's diff omits, by their holder; `*` is any. If they aren't set, they are deleted. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  '*': ['Env', 'Meta', 'CanaryMeta', 'TaggedAddresses', 'Spreads'],
  Spreads: ['SpreadTarget'],
  Tasks: ['Lifecycle', 'CSIPluginConfig', 'ScalingPolicies'],
  Checks: ['Args'],
  Devices: ['Constraints', 'Affinities'],
  SidecarService: ['Tags'],
  Upstreams: ['Config'],
}

function isLeftOut(holder: string, key: string): boolean {
  return leftOut['*']?.includes(key) === true || lookUp(leftOut, holder)?.includes(key) === true
}

type ExpectPart = (live: Json, next: Json, diff: Diff | undefined) => Json

function expectedParts(live: Json, next: Json, key: string, diffs: Diff['Tasks'], expect: ExpectPart): Json {
  return expectedList(items(live, key), items(next, key), key, (old, part) => {
    const diff = diffs?.find(({ Name }) => Name === text(old, 'Name'))
    return diff !== undefined && markOf(diff) === ' ' ? old : expect(old, part, diff)
  })
}

const expectedGroup: ExpectPart = (live, next, diff) => {
  const group = expected(withoutKeys(live, ['Tasks']), withoutKeys(next, ['Tasks']), 'TaskGroups')
  const tasks = expectedParts(live, next, 'Tasks', diff?.Tasks, (old, task) => {
    // A task inherits the group's policy, and overrides members.
    const policy = expected(at(group, 'RestartPolicy') ?? null, at(task, 'RestartPolicy'), 'RestartPolicy')
    const isSet = at(old, 'RestartPolicy') !== undefined && policy !== null
    const rest = expected(old, withoutKeys(task, ['RestartPolicy']), 'Tasks')
    return isSet ? changed(rest, { RestartPolicy: policy }) : rest
  })
  return changed(group, { Tasks: tasks })
}

/** The server keeps two members of the job's own block, if it is a rolling update; the others are in the groups. */
function expectedUpdate(live: Json, next: Json): Json | undefined {
  const old = at(live, 'Update')
  if (!isObject(old)) return old
  const type = text(next, 'Type') || 'service'
  const otherwise = type === 'service' || type === 'system' ? { MaxParallel: 1, Stagger: 30_000_000_000 } : {}
  const set = { MaxParallel: 0, Stagger: 0, ...otherwise, ...(at(next, 'Update') as JsonObject | null | undefined) }
  const isRolling = String(set.MaxParallel) !== '0'
  const kept = (['MaxParallel', 'Stagger'] as const).filter((key) => key in old)
  return changed(old, objectFrom(kept.map((key) => [key, isRolling ? expected(old[key], set[key], key) : 0])))
}

function expected(live: Json | undefined, next: Json | undefined, key: string): Json {
  if (isMap(key, live, next) || isFree(key)) return sameText(live) === sameText(next) ? (live ?? null) : (next ?? null)
  if (live === undefined || live === null) return isEmpty(next) ? null : (next ?? null)
  if (isObject(live) && isObject(next)) return expectedBlock(live, next, key)
  if (Array.isArray(live) && Array.isArray(next) && [...live, ...next].some(isObject))
    return expectedList(live, next, key, (old, item) => expected(old, item, key))
  return isSameScalar(live, next) ? live : (next ?? null)
}

function expectedBlock(live: JsonObject, next: JsonObject, holder: string): Json {
  const keys = [...new Set([...keysOf(live), ...keysOf(next).filter((key) => isLeftOut(holder, key))])]
  return objectFrom(
    keys.flatMap((key): [string, Json][] => {
      const [old, set] = [at(live, key), at(next, key)]
      if (isUnset(set))
        return isLeftOut(holder, key) && typeof old !== 'boolean'
          ? [[key, null]]
          : old === undefined
            ? []
            : [[key, old]]
      // The server replaces variables in the names of services.
      if (key === 'Name' && String(set).includes('${')) return [[key, old ?? null]]
      return [[key, expected(old, set, key)]]
    }),
  )
}

/** The items of `next` in their order, and those that the server added to `live`, at their places. */
function expectedList(
  live: readonly Json[],
  next: readonly Json[],
  key: string,
  expect: (live: Json, next: Json) => Json,
): Json[] {
  const left = new Set(live.keys())
  const label = identities.find((name) => [...live, ...next].some((item) => text(item, name)))
  const twinOf = (item: Json, index: number) => {
    const name = label === undefined ? undefined : text(item, label)
    const isTwin = (other: number) => {
      if (!left.has(other)) return false
      const old = live[other] as Json
      return name ? text(old, label as string) === name : stringifyJson(expect(old, item)) === stringifyJson(old)
    }
    const found = [...left].find(isTwin) ?? (name || !left.has(index) ? undefined : index)
    if (found !== undefined) left.delete(found)
    return found
  }
  const list = next.map((item, index) => {
    const twin = twinOf(item, index)
    return twin === undefined ? item : expect(live[twin] as Json, item)
  })
  const isRemoved = ['Spreads', 'ScalingPolicies', 'SpreadTarget'].includes(key)
  if (!isRemoved) for (const index of left) list.splice(index, 0, live[index] as Json)
  return list
}

function withoutKeys(value: Json, keys: readonly string[]): Json {
  return changed(value, Object.fromEntries(keys.map((key) => [key, undefined])))
}

/** True for a value that is not set. Any number or boolean is set. */
function isUnset(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) ? keysOf(value).length === 0 : value === undefined || value === null || value === ''
}

/** True for a value that is not set or zero, in all of its members. */
function isEmpty(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.every(isEmpty)
  if (isObject(value)) return entriesOf(value).every(([, item]) => isEmpty(item))
  return isUnset(value) || value === false || Number(value) === 0
}

function isSameScalar(live: Json, next: Json | undefined): boolean {
  if (isNumber(live) && typeof next === 'string' && !/^-?[\d.]+$/.test(next)) {
    try {
      return parseDuration(next) * 1e6 === Number(live)
    } catch {
      return false
    }
  }
  return sameText(live) === sameText(next)
}

/** Equal for equal values, whatever the order of keys and the form of numbers; null is absent. */
function sameText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (isNumber(value)) return decimalOf(plainText(value))
  if (Array.isArray(value)) return value.length === 0 ? '' : `[${value.map(sameText).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const entries = entriesOf(value).map(([key, item]) => `${JSON.stringify(key)}:${sameText(item)}`)
  return entries.length === 0 ? '' : `{${entries.toSorted().join()}}`
}
