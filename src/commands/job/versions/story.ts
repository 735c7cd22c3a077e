import { isDeepStrictEqual } from 'node:util'
import type { Diff, Job } from '../../../api/job-shapes.ts'
import { asJson, changed } from '../../../core/answer.ts'
import type { Json } from '../../../core/json.ts'
import { cells } from '../../../output/width.ts'
import type { Mask } from '../plan/masks.ts'
import type { DiffNode } from '../plan/tree.ts'
import { changesIn, changeWords, markOf } from '../plan/tree.ts'
import { ownedByServer } from './documents.ts'

/** What the server sets, taken away. */
const bare: Readonly<Record<string, undefined>> = Object.fromEntries(ownedByServer.map((key) => [key, undefined]))

/**
 * How a version differs from the one before, as far as the versions (newest first) show it: `stopped`, `started`,
 * `same as 1`, `new` for the first, or else their differences, or `changed`. '' for the oldest one kept, unless it is the
 * first, because its predecessor isn't known.
 */
export function changeOf(
  versions: readonly Job[],
  index: number,
  differences: (before: Job, job: Job) => string = () => '',
): string {
  const job = versions[index]
  const before = versions[index + 1]
  if (job === undefined) return ''
  if (before === undefined) return job.Version === 0 ? 'new' : ''
  const own = bareJob(job)
  const isSame = isDeepStrictEqual(own, bareJob(before))
  const toggled = (job.Stop === true) === (before.Stop === true) ? '' : job.Stop === true ? 'stopped' : 'started'
  if (isSame) return toggled === '' ? `same as ${before.Version ?? ''}` : toggled
  const older = versions.slice(index + 2).find((other) => isDeepStrictEqual(own, bareJob(other)))
  const change = older !== undefined ? `same as ${older.Version ?? ''}` : differences(before, job) || 'changed'
  return toggled === '' ? change : `${change}, ${toggled}`
}

function bareJob(job: Job): Json {
  return changed(asJson(job), bare)
}

/** Values that would take more cells than this are left out: the line still names what changed. */
const longestValue = 60

/**
 * A version's diff in brief, in the words of the job file and a line each for job, group and task: `app: count 2 → 3`,
 * `app.srv: config.image app:1 → app:2, env.TOKEN (masked, differs)`.
 */
export function changeLines(diff: Diff | null | undefined, mask: Mask): string[] {
  if (diff === undefined || diff === null) return []
  return [
    ...placed('', diff, mask),
    ...(diff.TaskGroups ?? []).flatMap((group) => {
      const name = group.Name ?? ''
      const whole = wholeWords('group', name, group)
      if (whole !== undefined) return [whole]
      const tasks = (group.Tasks ?? []).flatMap((task) => {
        const path = `${name}.${task.Name ?? ''}`
        const all = wholeWords('task', path, task)
        return all === undefined ? placed(path, task, mask) : [all]
      })
      return [...placed(name, group, mask), ...tasks]
    }),
  ]
}

/** An added or deleted group or task is one change, whatever it contains. */
function wholeWords(kind: string, name: string, diff: Diff): string | undefined {
  const mark = markOf(diff)
  return mark === '+' || mark === '-' ? `${kind} ${name} ${changeWords[mark]}` : undefined
}

function placed(place: string, diff: Diff, mask: Mask): string[] {
  const list = changesIn(diff, { mask }).map(briefly).join(', ')
  return list === '' ? [] : [place === '' ? list : `${place}: ${list}`]
}

function briefly({ mark, label, value = '', children }: DiffNode): string {
  if (mark !== '~') return `${label} ${changeWords[mark]}`
  const inner = children.map(briefly)
  if (inner.length > 0) return `${label} ${inner.length === 1 ? inner.join('') : `(${inner.join(', ')})`}`
  return value === '' || cells(value) > longestValue ? `${label} changed` : `${label} ${value}`
}
