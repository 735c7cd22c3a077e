import type { Job } from '../../../api/job-shapes.ts'
import type { Diff, FieldDiff } from '../../../api/plan-shapes.ts'
import { asJson, at, changed, items, text } from '../../../core/answer.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, keysOf, lookUp, objectFrom, plainText, sameJson, stringifyJson } from '../../../core/json.ts'
import { grouped } from '../../../core/lists.ts'
import type { DiffNode } from './tree.ts'
import { blockName } from './fields.ts'
import { changesIn, identities } from './tree.ts'

/** Members that the server sets, which differ between equal versions. */
export const ownedByServer: readonly string[] = [
  'Version',
  'Stable',
  'Stop',
  'Status',
  'StatusDescription',
  'SubmitTime',
  'CreateIndex',
  'ModifyIndex',
  'JobModifyIndex',
  'VersionTag',
  'NomadTokenID',
  'SchedulerTokenID',
]

/** A job without the members that the server sets. */
export function bareJob(job: Job): Json {
  return changed(asJson(job), Object.fromEntries(ownedByServer.map((key) => [key, undefined])))
}

/** A block of the job, its groups and tasks in the words of the job file: `app: attempts 2, interval 30m; app.srv: …`. Masked. */
export function blockWords(job: Job, key: string): string {
  const parts: [place: string, part: Json][] = [['', asJson(job)]]
  for (const group of job.TaskGroups ?? []) {
    parts.push([group.Name ?? '', asJson(group)])
    for (const task of group.Tasks ?? []) parts.push([`${group.Name ?? ''}.${task.Name ?? ''}`, asJson(task)])
  }
  const words = parts.flatMap(([place, part]) => {
    const block = partDiff(null, objectFrom([[key, at(part, key) ?? null]]))
    const inside = changesIn(block, false).map(blockText).join(', ')
    return inside === '' ? [] : [place === '' ? inside : `${place}: ${inside}`]
  })
  return words.join('; ')
}

/** A node of a block, without the block's name, which is the column's. */
function blockText({ label, value = '', children }: DiffNode): string {
  const name = label.replace(/^\w+[. ]?/, '')
  const inside = children.map((child) => [child.label, child.value ?? blockText(child)].join(' ')).join(', ')
  return [name, value, inside].filter((part) => part !== '').join(' ')
}

/** The lists of groups and tasks, which a diff has beside its blocks. */
const nested = ['TaskGroups', 'Tasks'] as const

/** The differences between two jobs, in the form of the server's diffs. */
export function documentDiff(old: Job, next: Job): Diff {
  return partDiff(asJson(old), asJson(next))
}

/** A new job as the server's diffs show it. */
export function addedDiff(next: Job): Diff {
  return partDiff(null, asJson(next))
}

/** The same for a part of a job; null if it doesn't exist. */
function partDiff(old: Json, next: Json, name = ''): Diff {
  const fields: FieldDiff[][] = []
  const objects: Diff[][] = []
  for (const key of keysIn(old, next)) {
    const [before, after] = [at(old, key) ?? null, at(next, key) ?? null]
    if (ownedByServer.includes(key) || nested.some((one) => one === key) || sameJson(before, after)) continue
    if (isMap(key, before, after)) fields.push(memberFields(before, after, (member) => `${key}[${member}]`))
    else if (isScalar(before) && isScalar(after)) fields.push([field(key, before, after)])
    else if (['Config', 'Header', 'Policy'].includes(key))
      objects.push([{ Type: 'Edited', Name: key, Fields: memberFields(before, after) }])
    else if (key === 'Volumes') objects.push(listDiffs(key, valuesOf(before), valuesOf(after)))
    else if (isObject(before) || isObject(after)) objects.push([partDiff(before, after, lookUp(kinds, key) ?? key)])
    else {
      objects.push(listDiffs(key, items(before), items(after)))
      fields.push(orderField(key, items(before), items(after)))
    }
  }
  const type = old === null ? 'Added' : next === null ? 'Deleted' : 'Edited'
  const parts = nested.map((key) => [key, listDiffs(key, items(old, key), items(next, key))])
  const orders = nested.map((key) => orderField(key, items(old, key), items(next, key)))
  const own = [...fields.flat(), ...orders.flat()]
  return { Type: type, Name: name, Fields: own, Objects: objects.flat(), ...Object.fromEntries(parts) }
}

/**
 * Members with the user's own names, which a diff shows as fields: `Env[NAME]`. Others have such a name too: `Env` of an identity is
 * true or false, `Options` of DNS are a list.
 */
export function isMap(key: string, ...sides: readonly (Json | undefined)[]): boolean {
  const maps = ['Env', 'ExtraClaims', 'GetterHeaders', 'GetterOptions', 'Options', 'TaggedAddresses']
  return (maps.includes(key) || key.endsWith('Meta')) && sides.every((side) => isObject(side ?? {}))
}

function valuesOf(map: Json): Json[] {
  return isObject(map) ? keysOf(map).map((key) => changed(map[key] as Json, { Name: at(map[key], 'Name') ?? key })) : []
}

function isScalar(value: Json): boolean {
  return value === null || (!Array.isArray(value) && !isObject(value))
}

/** A field for each value in the members of either side: `args[0]`, `auth[password]`. The name shows what is secret. */
function memberFields(old: Json, next: Json, nameOf = (key: string) => key): FieldDiff[] {
  const [before, after] = [old, next].map(
    (side) => new Map(keysIn(side).flatMap((key) => valuesIn(at(side, key), nameOf(key)))),
  )
  return [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].map((name) => {
    // Even an entry with an empty value was added or deleted.
    const type = before?.has(name) !== true ? 'Added' : after?.has(name) === true ? undefined : 'Deleted'
    return { ...field(name, before?.get(name), after?.get(name)), ...(type === undefined ? {} : { Type: type }) }
  })
}

function valuesIn(value: Json | undefined, name: string): [name: string, value: Json | undefined][] {
  if (Array.isArray(value)) return value.flatMap((one, index) => valuesIn(one, `${name}[${index}]`))
  if (isObject(value)) return keysIn(value).flatMap((key) => valuesIn(at(value, key), `${name}[${key}]`))
  return value === null ? [] : [[name, value]]
}

function field(name: string, old: Json | undefined, next: Json | undefined): FieldDiff {
  const [before = '', after = ''] = [old, next].map((side) =>
    side === undefined || side === null ? '' : plainText(side),
  )
  const isSame = before === after || sameJson(old, next)
  const type = isSame ? 'None' : before === '' ? 'Added' : after === '' ? 'Deleted' : 'Edited'
  return { Type: type, Name: name, Old: before, New: after }
}

/** The member that identifies the items of a list, if there is one. */
function labelOf([first]: readonly Json[]): string | undefined {
  return identities.find((name) => text(first, name) !== undefined)
}

function keyIn(label: string | undefined): (item: Json) => string {
  return (item) => (label === undefined ? stringifyJson(item) : (text(item, label) ?? ''))
}

/** A field for a reordered list: `1, 2 → 2, 1`. */
function orderField(key: string, old: readonly Json[], next: readonly Json[]): FieldDiff[] {
  const before = old.map(keyIn(labelOf(old)))
  const after = next.map(keyIn(labelOf(old)))
  const order = after.map((item) => before.indexOf(item) + 1)
  const isSame = before.length === after.length && new Set(before).size === before.length && !order.includes(0)
  const numbers = before.map((_, index) => index + 1)
  return isSame && !sameJson(order, numbers)
    ? [{ Type: 'Edited', Name: `Order[${blockName(kindOf(key))}]`, Old: numbers.join(', '), New: order.join(', ') }]
    : []
}

/** Compares items of the same name; others were added or deleted. Each plain value is a field with the list's name. */
function listDiffs(key: string, old: readonly Json[], next: readonly Json[]): Diff[] {
  if (old.length + next.length === 0) return []
  const label = labelOf([...old, ...next])
  const keyOf = keyIn(label)
  const [before, after] = [grouped(old, keyOf), grouped(next, keyOf)]
  if ([...old, ...next].every(isScalar)) {
    if (old.length === next.length && next.every((one) => before.has(keyOf(one)))) return []
    const deleted = old.map((one) => field(key, one, after.has(keyOf(one)) ? one : null))
    const added = next.filter((one) => !before.has(keyOf(one))).map((one) => field(key, null, one))
    const type = old.length === 0 ? 'Added' : next.length === 0 ? 'Deleted' : 'Edited'
    return [{ Type: type, Name: key, Fields: [...deleted, ...added] }]
  }
  const name = (one: Json) => (nested.some((part) => part === key) ? (text(one, 'Name') ?? '') : kindOf(key))
  const deleted = old.filter((one) => !after.has(keyOf(one)))
  const added = next.filter((one) => !before.has(keyOf(one)))
  const isOne = key === 'Services' && added.length === 1 && deleted.length === 1
  // As in the scheduler's diff, a service in place of another one at the same port has another name.
  const renamed = isOne && text(added[0], 'PortLabel') === text(deleted[0], 'PortLabel') ? deleted[0] : undefined
  return [
    ...deleted.flatMap((one) => (one === renamed ? [] : [partDiff(one, null, name(one))])),
    ...next.flatMap((one) => {
      const twin = before.get(keyOf(one))?.[0] ?? renamed
      if (twin === undefined) return [partDiff(null, one, name(one))]
      if (sameJson(twin, one)) return []
      const diff = partDiff(twin, one, name(one))
      const title = label === undefined || twin === renamed ? [] : [field(label, at(twin, label), at(one, label))]
      return [{ ...diff, Fields: [...title, ...(diff.Fields ?? [])] }]
    }),
  ]
}

/** Names of blocks in a diff that aren't the member's name in the singular. */
const kinds: Readonly<Record<string, string>> = {
  CNI: 'CNIConfig',
  Connect: 'ConsulConnect',
  DynamicPorts: 'Dynamic Port',
  Proxy: 'ConsulProxy',
  ReservedPorts: 'Static Port',
  Upstreams: 'ConsulUpstreams',
}

/** The scheduler's name of the blocks of a member: `Services` → `Service`. */
function kindOf(key: string): string {
  return lookUp(kinds, key) ?? key.replace(/ies$/, 'y').replace(/s$/, '')
}

/** The keys of all objects among the values. */
function keysIn(...values: readonly Json[]): string[] {
  return [...new Set(values.flatMap((value) => (isObject(value) ? keysOf(value) : [])))]
}
