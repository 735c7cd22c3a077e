import type { Job } from '../../../api/job-shapes.ts'
import type { Plan } from '../../../api/plan-shapes.ts'
import type { DocumentView } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import { formatAge, formatMinute } from '../../../core/duration.ts'
import type { Json } from '../../../core/json.ts'
import { largest } from '../../../core/lists.ts'
import type { Paint, Showing, Tone } from '../../../core/output.ts'
import { flag } from '../../../core/param.ts'
import { plural, wrap } from '../../../core/words.ts'
import { escapeControl } from '../../../output/safe.ts'
import { cells } from '../../../output/width.ts'
import { timeOf } from '../cells.ts'
import { groupsAndTasks } from '../definition.ts'
import { byName, kindOf, warningsOf } from '../jobs.ts'
import { placementFailures, placementLine } from '../facts/placement.ts'
import type { Mark } from './fields.ts'
import type { Planned } from './groups.ts'
import { isBlocked, isCompared, launchWords, totalCounts, planTree } from './groups.ts'
import { isRunAtOnce } from './planned.ts'
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
  /** Why the server will refuse to register the job. */
  readonly refused?: string | undefined
  /** `full` to show all of a new job. */
  readonly diff?: 'full' | undefined
}

export const diffFlag = flag.choice('full: show all of a new job, not one line', ['full'])

/**
 * A plan for people: changes in the words of the job file, what the scheduler would do to each group, what cannot be placed and why,
 * warnings, and the next launch. Markdown is for pull requests; table formats list the changes one by one.
 */
export function planDocument(input: PlanInput): DocumentView {
  const tree = planTree(input)
  return {
    kind: 'document',
    text: (paint, showing) =>
      planText(input, input.diff === 'full' || showing.wide ? tree : briefly(tree, input), paint, showing),
    markdown: () => markdownOf(input, tree),
    rows: {
      view: rowsView,
      get data() {
        return rowsOf(tree)
      },
    },
  }
}

/** A new job in one line. */
function briefly(tree: DiffNode, { job }: PlanInput): DiffNode {
  return tree.mark === '+' ? { ...tree, value: newJobWords(job), children: [] } : tree
}

/** `new service: app 3: srv (docker); side 1: queue (exec)`. A batch job runs at once, even if the server has forgotten an earlier run. */
export function newJobWords(job: Job): string {
  const head = `new ${kindOf(job)}${isRunAtOnce(job) ? ', which runs at once' : ''}`.trim()
  return [head, escapeControl(groupsAndTasks(job))].filter((words) => words !== '').join(': ')
}

/** What `-o wide` adds: unchanged allocations, and the evaluations that registering would create. */
function wideLines({ Annotations, CreatedEvals }: Plan): string[] {
  // In a group with replaced allocations, the ignored ones are replaced later.
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
  const next = timeOf(input.answer.NextPeriodicLaunch ?? undefined)
  if (next !== undefined) below.push(`next launch: ${formatMinute(next)} (${formatAge(next, now)})`)
  return [head, ...(below.length === 0 ? [] : ['', ...below])].join('\n')
}

/** For a pull-request comment: the summary, and the changes in a folded block. Truncated to 65,000 characters, with a note. */
function markdownOf(input: PlanInput, tree: DiffNode): string {
  const next = timeOf(input.answer.NextPeriodicLaunch ?? undefined)
  const summary = [
    ...(hasChanges(tree, input) ? [] : [unchangedWords(input.answer)]),
    ...tree.children.filter(({ counts }) => counts !== undefined).map(titleOf),
    ...linesBelow(input).map(({ lead, text }) => `${lead} ${text}`),
    ...(next === undefined ? [] : [`next launch: ${formatMinute(next)}`]),
  ].map((line) => `- ${inline(line)}\n`)
  const short = fittingLines(summary, mostCharacters / 2)
  const left = summary.length - short.length
  const cut = left === 0 ? '' : `- truncated: ${left} more\n`
  const head = `### ${inline(`Plan: ${tree.label}`)}\n\n${short.join('')}${cut}`
  const tail = input.applyLine === undefined ? '' : `\n${fenced('sh', input.applyLine.split('\n'))}`
  if (!hasChanges(tree, input)) return head + tail
  const lines = treeLines(tree).map(({ depth, mark, label, value, note }) =>
    `${mark === '~' ? '!' : mark} ${'  '.repeat(depth)}${[label, value, note].filter((part) => part !== '').join('  ')}`.trimEnd(),
  )
  const fits = fittingLines(lines, mostCharacters - head.length - tail.length - 300)
  const more = lines.length - fits.length
  const shown = more === 0 ? fits : [...fits, `# truncated: ${more} more lines; see them all with: tug job plan <file>`]
  const words = `${plural(lines.length, 'line')} of changes`
  return `${head}\n<details><summary>${words}</summary>\n\n${fenced('diff', shown)}\n</details>\n${tail}`
}

/** True if the tree has changes, apart from what the scheduler reports of every unchanged job. */
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

function linesBelow({ answer, job, refused }: PlanInput): Below[] {
  const preempted = answer.Annotations?.PreemptedAllocs ?? []
  const jobs = new Set(preempted.map(({ JobID }) => escapeControl(JobID ?? '?')))
  return [
    ...(refused === undefined ? [] : [{ tone: 'bad' as const, lead: 'REFUSED', text: escapeControl(refused) }]),
    ...notPlacedLines({ answer, job }).map((text): Below => ({ tone: 'bad', lead: 'NOT PLACED', text })),
    ...(preempted.length === 0
      ? []
      : [
          {
            tone: 'warn' as const,
            lead: 'PREEMPTED',
            text: `${plural(preempted.length, 'allocation')} of lower priority would be stopped (jobs: ${[...jobs].join(', ')})`,
          },
        ]),
    ...warningsOf(answer).map((text): Below => ({ tone: 'warn', lead: 'warning:', text: escapeControl(text) })),
  ]
}

/** What cannot be placed, a line per group. */
export function notPlacedLines({ answer, job }: Pick<Planned, 'answer' | 'job'>): string[] {
  return placementFailures(answer.FailedTGAllocs, job).map((failure) => {
    const head = `group ${failure.group}: ${plural(failure.count, 'allocation')} cannot be placed`
    return escapeControl(placementLine(head, failure))
  })
}

function rowsOf(tree: DiffNode, above = ''): ChangeRow[] {
  const place = above === '' ? tree.label : `${above} / ${tree.label}`
  const { mark, counts = '', value = counts, note = '' } = tree
  const own = tree.children.length > 0 && value === '' && note === '' && tree.heading !== true
  const row = { change: changeWords[mark], place, value, note }
  return [...(own || mark === ' ' ? [] : [row]), ...tree.children.flatMap((child) => rowsOf(child, place))]
}

const tones: Readonly<Record<Mark, Tone>> = { '+': 'good', '-': 'bad', '~': 'change', ' ': 'dim' }

/** The widest label to which the values of its siblings are aligned. */
const widestLabel = 28

/** A line of a rendered tree, before colours. */
interface TreeLine {
  readonly depth: number
  readonly mark: Mark
  /** Padded to align siblings' values. */
  readonly label: string
  readonly heading: boolean
  readonly value: string
  readonly note: string
}

/** The tree as lines, appended to `all`: parents before children, texts of several lines below their field. */
function treeLines(node: DiffNode, depth = 0, width = 0, all: TreeLine[] = []): TreeLine[] {
  const { mark, heading = false, value = '', note = '', lines = [], children } = node
  const label = titleOf(node)
  const padded = value === '' || heading ? label : label + ' '.repeat(Math.max(0, width - cells(label)))
  const inner = largest(
    children.map((child) => {
      const own = cells(child.label)
      return child.value === undefined || child.heading === true || own > widestLabel ? 0 : own
    }),
  )
  all.push({ depth, mark, label: padded, heading, value, note })
  for (const { mark: own, text } of lines)
    all.push({ depth: depth + 1, mark: own, label: '', heading: false, value: `| ${text}`, note: '' })
  for (const child of children) treeLines(child, depth + 1, inner, all)
  return all
}

/** A node's name, for a group with what would happen to it: `group app: 2 create`. */
function titleOf({ label, counts = '' }: DiffNode): string {
  return counts === '' ? label : `${label}: ${counts}`
}

/**
 * The tree for a terminal of this width, or for a pipe.
 * @internal
 */
export function treeText(node: DiffNode, paint: Paint, width?: number): string {
  return treeLines(node)
    .map((line) => lineText(line, paint, width))
    .join('\n')
}

/** A line of the tree, wrapped where its value begins if it is too wide. Lines of a multi-line string stay whole. */
function lineText(
  { depth, mark, label, heading, value, note }: TreeLine,
  paint: Paint,
  width: number | undefined,
): string {
  const tone = tones[mark]
  const shown = heading ? paint('heading', label) : label
  const lead = `${'  '.repeat(depth)}${paint(tone, mark)} `
  const parts = [...(value === '' ? [] : [paint(tone, value)]), ...(note === '' ? [] : [paint('dim', note)])]
  const whole = `${lead}${[...(label === '' ? [] : [shown]), ...parts].join('  ')}`.trimEnd()
  if (width === undefined || label === '' || parts.length === 0 || cells(whole) <= width) return whole
  const start = 2 * depth + 2 + cells(label) + 2
  const isBeside = start <= width / 2
  const indent = isBeside ? start : 2 * depth + 4
  const wrapped = (text: string, of: Tone) =>
    text === '' ? [] : wrap(text, width - indent, cells).map((one) => paint(of, one))
  const lines = [...wrapped(value, tone), ...wrapped(note, 'dim')]
  const first = isBeside ? `  ${lines.shift() ?? ''}` : ''
  return [`${lead}${shown}${first}`.trimEnd(), ...lines.map((one) => ' '.repeat(indent) + one)].join('\n')
}

/** GitHub refuses comments of more than 65,536 characters. */
export const mostCharacters = 65_000

/** The first lines that fit into `room` characters. */
export function fittingLines(lines: readonly string[], room: number): string[] {
  let used = 0
  const fitting: string[] = []
  for (const line of lines) {
    used += line.length + 1
    if (used > room) break
    fitting.push(line)
  }
  return fitting
}

/** A code block whose fence is longer than any run of backquotes inside. */
export function fenced(language: string, lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? [])
  const fence = '`'.repeat(
    largest(
      runs.map(({ length }) => length + 1),
      3,
    ),
  )
  return `${fence}${language}\n${lines.join('\n')}\n${fence}\n`
}

/** Escapes all markup. */
function inline(text: string): string {
  return escapeControl(text).replace(/[\\`*[\]<>&|]|(?<!\w)_|_(?!\w)/g, (character) => {
    if (character === '<') return '&lt;'
    if (character === '>') return '&gt;'
    return character === '&' ? '&amp;' : `\\${character}`
  })
}
