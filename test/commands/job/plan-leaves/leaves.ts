import type { Json, JsonObject } from '../../../../src/core/json.ts'
import { JsonNumber } from '../../../../src/core/json.ts'

/** Changes a rich job one leaf at a time, registers each, and compares what the plan claimed with what the server did. */

/** A change of one leaf of a job. */
export interface LeafChange {
  /** `TaskGroups[0].Tasks[0].Env.A: changed`. */
  readonly name: string
  readonly job: JsonObject
}

/** Members that the server owns, or that make another job. */
const skipped = new Set(
  'ID Namespace Region ParentID Status StatusDescription Version VersionTag Stable SubmitTime CreateIndex ModifyIndex JobModifyIndex NomadTokenID Dispatched DispatchIdempotencyToken Payload Stop'.split(
    ' ',
  ),
)

/** Each leaf changed, each list with an item more and without its last, each map with an empty entry, each block removed. */
export function leafChangesOf(job: JsonObject): LeafChange[] {
  return placesIn(job, []).flatMap(({ place, value }) =>
    variantsOf(value, place.at(-1)).map(([what, changed]) => ({
      name: `${pathOf(place)}: ${what}`,
      job: replaced(job, place, changed) as JsonObject,
    })),
  )
}

type Place = readonly (string | number)[]

function placesIn(value: Json, place: Place): { place: Place; value: Json }[] {
  const inside = Array.isArray(value)
    ? value.flatMap((item, index) => placesIn(item, [...place, index]))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, item]) =>
          place.length === 0 && skipped.has(key) ? [] : placesIn(item as Json, [...place, key]),
        )
      : []
  return [...(place.length === 0 ? [] : [{ place, value }]), ...inside]
}

const maps = ['Env', 'Meta', 'CanaryMeta', 'TaggedAddresses', 'GetterOptions', 'GetterHeaders']

function variantsOf(value: Json, key: string | number | undefined): [what: string, value: Json][] {
  if (typeof value === 'boolean') return [['toggled', !value]]
  if (typeof value === 'number') return [['one more', value + 1]]
  if (typeof value === 'string') return value === '' ? [] : [['changed', `${value}x`]]
  if (value === null) return []
  if (Array.isArray(value)) {
    const more = typeof value[0] === 'string' ? [['an item more', [...value, 'more']] as [string, Json]] : []
    return value.length === 0 ? [] : [...more, ['without its last', value.slice(0, -1)]]
  }
  if (value instanceof JsonNumber) return []
  const entry: [string, Json][] = maps.includes(String(key)) ? [['an empty entry', { ...value, EMPTY: '' }]] : []
  // An item of a list is removed with the list's last.
  return typeof key === 'number' ? entry : [...entry, ['removed', null]]
}

function replaced(value: Json, [key, ...rest]: Place, next: Json): Json {
  if (key === undefined) return next
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? replaced(item, rest, next) : item))
  const inner = (value as JsonObject)[key] as Json
  return { ...(value as JsonObject), [key]: replaced(inner, rest, next) }
}

function pathOf(place: Place): string {
  return place
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .slice(1)
}

/** What the plan of a document says of it: the type of its diff, or that it is refused. */
export type Plan = (document: JsonObject) => Promise<string>

/** Where the jobs are registered. */
export interface Server {
  readonly origin: string
  readonly token: string
}

/** What became of the changes. */
export interface Outcome {
  readonly registered: number
  /** Changes that the server refuses. */
  readonly refused: readonly string[]
  /** Changes for which a claim of the plan was wrong. */
  readonly wrong: readonly string[]
}

/**
 * For each change: the job as it was is registered, the change planned, registered and planned again. The version must be a new one
 * if and only if the plan said so, and the second plan must have nothing to do.
 */
export async function checkLeaves(
  planned: Plan,
  { origin, token }: Server,
  job: JsonObject,
  changes: readonly LeafChange[],
): Promise<Outcome> {
  const send = (path: string, body?: JsonObject) =>
    fetch(`${origin}${path}`, {
      headers: { 'X-Nomad-Token': token, 'X-Scheduler-Token': token },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
  const register = async (document: JsonObject) => {
    const { ok } = await send('/v1/jobs', { Job: document })
    const { Version } = (await (await send(`/v1/job/${String(job['ID'])}`)).json()) as { Version: number }
    return { ok, version: Version }
  }
  const refused: string[] = []
  const wrong: string[] = []
  for (const { name, job: changed } of changes) {
    const before = await register(job)
    const claim = await planned(changed)
    const after = await register(changed)
    if (!before.ok) throw new Error(`the job cannot be registered, before ${name}`)
    if (!after.ok) {
      refused.push(name)
      if (claim === 'None') wrong.push(`${name}: refused, but planned as unchanged`)
      continue
    }
    const isNew = after.version > before.version
    if (claim !== (isNew ? 'Edited' : 'None')) wrong.push(`${name}: planned ${claim}, version new: ${isNew}`)
    const again = await planned(changed)
    if (again !== 'None') wrong.push(`${name}: registered, and planned ${again} again`)
  }
  return { registered: changes.length - refused.length, refused, wrong }
}
