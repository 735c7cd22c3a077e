import type { Plan } from '../../../api/job-shapes.ts'
import type { DocumentView } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import { formatAge, formatMinute } from '../../../core/duration.ts'
import type { Json } from '../../../core/json.ts'
import type { Paint, Showing } from '../../../core/output.ts'
import { plural } from '../../../core/words.ts'
import { escapeControl } from '../../../output/safe.ts'
import { placementFailures, placementLine } from '../placement.ts'
import { byName, warningsOf } from '../jobs.ts'
import type { Planned } from './groups.ts'
import { isBlocked, isCompared, launchWords, totalCounts, planTree } from './groups.ts'
import { planMarkdown, titleOf, treeLines, treeText } from './text.ts'
import type { DiffNode } from './tree.ts'
import { changeWords } from './tree.ts'

interface ChangeRow {
  readonly [key: string]: Json
  readonly change: string
  readonly place: string
  readonly value: string
  readonly note: string
}

const rowsView = list<ChangeRow>(
  [
    { name: 'change', value: ({ change }) => change },
    { name: 'place', value: ({ place }) => place },
    { name: 'value', value: ({ value }) => value },
    { name: 'note', value: ({ note }) => note },
  ],
  ({ place }) => place,
)

/** A plan to be shown. */
interface PlanInput extends Planned {
  /** False if registering would change nothing. */
  readonly isChanged: boolean
  /** The command that applies exactly this plan: `tug job run --check-index 77 web.hcl`; undefined where it isn't shown. */
  readonly applyLine?: string | undefined
}

/**
 * A plan for people: what changes, in the words of the job file, what the scheduler would do to each group, what
 * cannot be placed and why, warnings, and the next launch. Markdown is fit for a pull request; the table formats list the
 * changes one by one.
 */
export function planDocument(input: PlanInput): DocumentView {
  const tree = planTree(input)
  return {
    kind: 'document',
    text: (paint, showing) => planText(input, tree, paint, showing),
    markdown: () => markdownOf(input, tree),
    rows: { view: rowsView, data: rowsOf(tree) },
  }
}

/** What `-o wide` adds: what the scheduler leaves alone, and the evaluations that registering would make. */
function wideLines({ Annotations, CreatedEvals }: Plan): string[] {
  // Beside others that are replaced they are only the ones that are replaced later.
  const kept = byName(Annotations?.DesiredTGUpdates).filter(
    ([, { DestructiveUpdate = 0, Canary = 0 }]) => DestructiveUpdate + Canary === 0,
  )
  const ignored = kept.flatMap(([group, { Ignore = 0 }]) =>
    Ignore > 0 ? [`group ${escapeControl(group)}: ${plural(Ignore, 'allocation')} unchanged`] : [],
  )
  const evaluations = (CreatedEvals ?? []).map(({ Status, TriggeredBy }) =>
    escapeControl(`evaluation: ${[Status, TriggeredBy].filter(Boolean).join(', ')}`),
  )
  return [...ignored, ...evaluations]
}

function planText(
  input: PlanInput,
  tree: DiffNode,
  paint: Paint,
  { now, wide, width }: Pick<Showing, 'now' | 'wide' | 'width'>,
): string {
  const head = hasChanges(tree, input) ? treeText(tree, paint, wide ? undefined : width) : unchangedLine(input)
  const below = linesBelow(input).map(({ tone, lead, text }) => `${paint(tone, lead)} ${text}`)
  if (wide) below.push(...wideLines(input.answer))
  const next = nextLaunch(input.answer)
  if (next !== undefined) below.push(`next launch: ${formatMinute(next)} (${formatAge(next, now)})`)
  return [head, ...(below.length === 0 ? [] : ['', ...below])].join('\n')
}

function markdownOf(input: PlanInput, tree: DiffNode): string {
  const next = nextLaunch(input.answer)
  return planMarkdown({
    title: `Plan: ${tree.label}`,
    summary: [
      ...(hasChanges(tree, input) ? [] : [unchangedWords(input.answer)]),
      ...tree.children.filter(({ counts }) => counts !== undefined).map(titleOf),
      ...linesBelow(input).map(({ lead, text }) => `${lead} ${text}`),
      ...(next === undefined ? [] : [`next launch: ${formatMinute(next)}`]),
    ],
    changes: hasChanges(tree, input) ? treeLines(tree) : [],
    apply: input.applyLine,
  })
}

/** True if the tree is worth showing: what the scheduler always reports of an unchanged job is not. */
function hasChanges({ mark, children }: DiffNode, { answer, isChanged }: PlanInput): boolean {
  return (isChanged || !isCompared(answer)) && (mark !== ' ' || children.length > 0)
}

function unchangedLine({ answer, job, isChanged }: PlanInput): string {
  const id = escapeControl(job.ID ?? answer.Diff?.ID ?? '')
  const counts = totalCounts(answer)
  if (launchWords(job)) {
    const each = `${counts ?? 'nothing'} ${launchWords(job)}`
    return isCompared(answer) ? `no changes to job ${id} (${each})` : `job ${id}: ${each}`
  }
  if (counts !== undefined && (isChanged || !isCompared(answer))) return `job ${id}: ${counts}`
  const words = unchangedWords(answer)
  return words === noChanges ? `no changes to job ${id}` : `job ${id}: ${words}`
}

const noChanges = 'no changes'

/** Without a diff the counts alone are known. */
function unchangedWords(answer: Plan): string {
  if (isBlocked(answer))
    return isCompared(answer) ? 'nothing differs, but an evaluation would be blocked' : 'an evaluation would be blocked'
  return isCompared(answer)
    ? noChanges
    : 'no allocation would change; whether the job differs is unknown without a diff'
}

interface Below {
  readonly tone: 'bad' | 'warn'
  readonly lead: string
  readonly text: string
}

function linesBelow({ answer }: PlanInput): Below[] {
  const preempted = answer.Annotations?.PreemptedAllocs ?? []
  return [
    ...typeChange(answer).map((text): Below => ({ tone: 'bad', lead: 'REFUSED', text: escapeControl(text) })),
    ...notPlacedLines(answer).map((text): Below => ({ tone: 'bad', lead: 'NOT PLACED', text })),
    ...(preempted.length === 0 ? [] : [{ tone: 'warn' as const, lead: 'PREEMPTED', text: preemptedWords(preempted) }]),
    ...warningsOf(answer).map((text): Below => ({ tone: 'warn', lead: 'warning:', text: escapeControl(text) })),
  ]
}

/** A plan accepts another type of job, which registering refuses. */
function typeChange({ Diff }: Plan): string[] {
  const { Old, New } = Diff?.Fields?.find(({ Name }) => Name === 'Type') ?? {}
  if (!Old || !New || Old === New) return []
  const change = `the type changes from ${Old} to ${New}, which a server does not register`
  return [`${change}: purge the job first, or give the file another ID`]
}

function preemptedWords(preempted: readonly { readonly JobID?: string | null | undefined }[]): string {
  const jobs = [...new Set(preempted.map(({ JobID }) => escapeControl(JobID ?? '?')))].join(', ')
  return `${plural(preempted.length, 'allocation')} of lower priority would be stopped (jobs: ${jobs})`
}

/** What cannot be placed, a line for each group. */
export function notPlacedLines({ FailedTGAllocs }: Plan): string[] {
  return placementFailures(FailedTGAllocs).map((failure) => {
    const head = `group ${failure.group}: ${plural(failure.count, 'allocation')} cannot be placed`
    return escapeControl(placementLine(head, failure))
  })
}

function nextLaunch({ NextPeriodicLaunch: next }: Plan): Date | undefined {
  const date = next === undefined || next === null ? undefined : new Date(next)
  return date === undefined || Number.isNaN(date.getTime()) || date.getTime() <= 0 ? undefined : date
}

function rowsOf(tree: DiffNode, above = ''): ChangeRow[] {
  const place = above === '' ? tree.label : `${above} / ${tree.label}`
  const { mark, counts = '', value = counts, note = '' } = tree
  const own = tree.children.length > 0 && value === '' && note === '' && tree.heading !== true
  const row = { change: changeWords[mark], place, value, note }
  return [...(own || mark === ' ' ? [] : [row]), ...tree.children.flatMap((child) => rowsOf(child, place))]
}
