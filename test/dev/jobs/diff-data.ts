import { readFileSync } from 'node:fs'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { entriesOf, isObject, parseJson } from '../../../src/core/json.ts'

interface Plan {
  name: string
  job: JsonObject | null
  desired: Record<string, JsonObject>
  diff: JsonObject
}

/** A job as a server answered it; every plan below is one of this job or, for the new one, made from its defaults. */
export const web = recorded('web-job') as JsonObject
export const plans = recorded('plans') as unknown as Plan[]
export const versions = recorded('versions') as JsonObject

function recorded(name: string): Json {
  return parseJson(readFileSync(new URL(`../../contract/recordings/nomad-diff/${name}.json`, import.meta.url), 'utf8'))
}

/** The job as it was registered and the job that was planned, with the defaults that the server filled in. */
export function sides(name: string, sent: JsonObject | null): [JsonObject | null, JsonObject] {
  if (sent === null) return [edited(web, ['Stop'], true), web]
  const next = filled(sent, web) as JsonObject
  const template = { ChangeMode: 'restart', ChangeSignal: '', SourcePath: '', Splay: 5_000_000_000, Perms: '0644' }
  const markers = {
    LeftDelim: '{{',
    RightDelim: '}}',
    Envvars: false,
    ErrMissingKey: false,
    Once: false,
    VaultGrace: 0,
  }
  const batch = {
    Attempts: 3,
    Interval: 86_400_000_000_000,
    Delay: 15_000_000_000,
    Mode: 'fail',
    RenderTemplates: false,
  }
  const once = { Attempts: 1, Delay: 5_000_000_000, DelayFunction: 'constant', Interval: 86_400_000_000_000 }
  switch (
    name
      .split(/[ (:]+/)
      .slice(1, 3)
      .join(' ')
  ) {
    case 'a job':
      return [
        null,
        edited(
          next,
          ['Priority'],
          50,
          ['TaskGroups', 0, 'Count'],
          1,
          ['TaskGroups', 0, 'Migrate'],
          null,
          ['TaskGroups', 0, 'ReschedulePolicy'],
          null,
          ['TaskGroups', 0, 'Constraints'],
          null,
          ['TaskGroups', 0, 'Update', 'HealthCheck'],
          'checks',
          ['TaskGroups', 0, 'Update', 'HealthyDeadline'],
          300_000_000_000,
          ['TaskGroups', 0, 'Update', 'MinHealthyTime'],
          10_000_000_000,
          ['TaskGroups', 0, 'Update', 'ProgressDeadline'],
          600_000_000_000,
        ),
      ]
    case 'many edits': {
      const written = { EmbeddedTmpl: 'line1\nline2\n', DestPath: 'local/x' }
      return [web, edited(next, ['TaskGroups', 0, 'Tasks', 0, 'Templates'], [{ ...written, ...template, ...markers }])]
    }
    case 'adding a':
      return [web, edited(next, ['TaskGroups', 0, 'Tasks', 1, 'KillTimeout'], 5_000_000_000)]
    case 'type transition': {
      const reschedule = { ...once, MaxDelay: 0, Unlimited: false }
      const changes = [0, 1].flatMap((index): Change[] => [
        ['TaskGroups', index, 'Update'],
        null,
        ['TaskGroups', index, 'Migrate'],
        null,
        ['TaskGroups', index, 'RestartPolicy'],
        batch,
        ['TaskGroups', index, 'ReschedulePolicy'],
        reschedule,
        ['TaskGroups', index, 'Tasks', 0, 'RestartPolicy'],
        batch,
      ])
      return [web, edited(next, ...changes)]
    }
    default:
      return [web, next]
  }
}

/** `sent` with what it leaves open taken from `like`: as the server does, judging by a job that it completed. */
function filled(sent: Json | undefined, like: Json | undefined, key = ''): Json {
  if (['Meta', 'Env', 'Config'].includes(key)) return sent ?? null
  if (sent === null || sent === undefined || sent === '') return like ?? null
  if (Array.isArray(sent) && Array.isArray(like)) {
    return sent.map((item) => {
      const twin = like.find((other) => isObject(item) && isObject(other) && item['Name'] === other['Name'])
      const kin = like.find((other) => isObject(other) && other['Services'] === null) ?? like[0]
      return isObject(item) ? filled(item, twin ?? kin) : item
    })
  }
  if (!isObject(sent) || !isObject(like)) return sent
  const open = new Set(['', 'null', '0', 'false'])
  const own = entriesOf(sent).filter(([name, value]) => Object.hasOwn(like, name) || !open.has(String(value)))
  const names = [...new Set([...Object.keys(like), ...own.map(([name]) => name)])]
  return Object.fromEntries(names.map((name) => [name, filled(sent[name], like[name], name)]))
}

type Change = (string | number)[] | Json

/** A copy with other values: path, value, path, value, … */
export function edited(object: JsonObject, ...changes: Change[]): JsonObject {
  const copy = structuredCopy(object)
  for (let index = 0; index < changes.length; index += 2) {
    const path = changes[index] as (string | number)[]
    const parent = path.slice(0, -1).reduce<Json>((at, name) => (at as JsonObject)[name] as Json, copy)
    ;(parent as JsonObject)[path.at(-1) as string] = changes[index + 1] as Json
  }
  return copy
}

function structuredCopy<Value extends Json>(value: Value): Value {
  if (Array.isArray(value)) return value.map((item) => structuredCopy(item)) as Value
  if (!isObject(value)) return value
  return Object.fromEntries(entriesOf(value).map(([key, item]) => [key, structuredCopy(item)])) as Value
}

/** The group at this place in a diff. */
export function groupOf(diff: JsonObject, index: number): JsonObject {
  return (diff['TaskGroups'] as JsonObject[])[index] as JsonObject
}
