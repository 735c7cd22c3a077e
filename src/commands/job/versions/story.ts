import { isDeepStrictEqual } from 'node:util'
import { items, text, truth } from '../../../core/answer.ts'
import type { Json } from '../../../core/json.ts'
import { isObject, withEntries } from '../../../core/json.ts'

/** Members that the server sets: they differ between equal versions. */
const ownedByServer: Readonly<Record<string, undefined>> = Object.fromEntries(
  [
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
  ].map((key) => [key, undefined]),
)

/**
 * How a version differs from the one before, as far as the versions (newest first) show it: `stopped`, `started`, `count of
 * app 2 → 3`, `same as 1`, `changed`, `new` for the first. '' for the oldest one kept, unless it is the first, because its
 * predecessor isn't known.
 */
export function changeOf(versions: readonly Json[], index: number): string {
  const job = versions[index]
  const before = versions[index + 1]
  if (job === undefined) return ''
  if (before === undefined) return text(job, 'Version') === '0' ? 'new' : ''
  const bare = bareJob(job)
  const isSame = isDeepStrictEqual(bare, bareJob(before))
  const toggled = truth(job, 'Stop') === truth(before, 'Stop') ? '' : truth(job, 'Stop') ? 'stopped' : 'started'
  if (isSame) return toggled === '' ? `same as ${text(before, 'Version') ?? ''}` : toggled
  const older = versions.slice(index + 2).find((other) => isDeepStrictEqual(bare, bareJob(other)))
  const scaled = scaledGroups(job, before)
  const change =
    older !== undefined
      ? `same as ${text(older, 'Version') ?? ''}`
      : scaled !== undefined
        ? `count of ${scaled}`
        : 'changed'
  return toggled === '' ? change : `${change}, ${toggled}`
}

function bareJob(job: Json): Json {
  return isObject(job) ? withEntries(job, ownedByServer) : job
}

/** `app 2 → 3` if only counts differ; else undefined. */
function scaledGroups(job: Json, before: Json): string | undefined {
  if (!isObject(job) || !isObject(before)) return undefined
  const groups = items(job, 'TaskGroups')
  const former = items(before, 'TaskGroups')
  const without = (list: Json[]) =>
    list.map((group) => (isObject(group) ? withEntries(group, { Count: undefined }) : group))
  const alike =
    isDeepStrictEqual(
      withEntries(job, { ...ownedByServer, TaskGroups: undefined }),
      withEntries(before, { ...ownedByServer, TaskGroups: undefined }),
    ) && isDeepStrictEqual(without(groups), without(former))
  if (!alike) return undefined
  const changed = groups.flatMap((group, index) => {
    const [from, to] = [text(former[index], 'Count'), text(group, 'Count')]
    return from === to ? [] : [`${text(group, 'Name') ?? ''} ${from ?? ''} → ${to ?? ''}`]
  })
  return changed.length === 0 ? undefined : changed.join(', ')
}

/** Fields whose values may be secret: only their names are shown. */
const hidden = /^(?:Env|Meta|EmbeddedTmpl|.*Token)\b/

/** A version's diff in brief, a line each for job, group and task: `app: Count 2 → 3`, `app.srv: Env[GREETING] changed`. */
export function changeLines(diff: Json | undefined): string[] {
  if (diff === undefined) return []
  return [
    ...placed('', diff),
    ...items(diff, 'TaskGroups').flatMap((group) => {
      const name = text(group, 'Name') ?? ''
      const whole = wholeWords('group', name, group)
      if (whole !== undefined) return [whole]
      const tasks = items(group, 'Tasks').flatMap((task) => {
        const path = `${name}.${text(task, 'Name') ?? ''}`
        const all = wholeWords('task', path, task)
        return all === undefined ? placed(path, task) : [all]
      })
      return [...placed(name, group), ...tasks]
    }),
  ]
}

/** An added or deleted group or task is one change, whatever it contains. */
function wholeWords(kind: string, name: string, diff: Json): string | undefined {
  const type = text(diff, 'Type')
  return type === 'Added' || type === 'Deleted' ? `${kind} ${name} ${type.toLowerCase()}` : undefined
}

function placed(place: string, diff: Json): string[] {
  const words = [
    ...items(diff, 'Fields').flatMap((field) => fieldWords(field)),
    ...items(diff, 'Objects').flatMap((object) => {
      const name = text(object, 'Name') ?? ''
      if (text(object, 'Type') === 'None') return []
      if (text(object, 'Type') !== 'Edited') return [`${name} ${(text(object, 'Type') ?? '').toLowerCase()}`]
      return [`${name} changed`]
    }),
  ]
  const list = [...new Set(words)].join(', ')
  return list === '' ? [] : [place === '' ? list : `${place}: ${list}`]
}

function fieldWords(field: Json): string[] {
  const type = text(field, 'Type')
  if (type === 'None') return []
  const name = text(field, 'Name') ?? ''
  const [from, to] = [text(field, 'Old') ?? '', text(field, 'New') ?? '']
  if (type === 'Added' || type === 'Deleted') return [`${name} ${type.toLowerCase()}`]
  if (hidden.test(name) || from.length + to.length > 40) return [`${name} changed`]
  return [`${name} ${from} → ${to}`]
}
