import type { DocumentView, Result } from '../../../core/command.ts'
import { list } from '../../../core/command.ts'
import type { Json } from '../../../core/json.ts'
import type { Paint, Showing } from '../../../core/output.ts'
import { plural } from '../../../core/words.ts'
import { escapeControl } from '../../../output/safe.ts'
import type { Problem } from '../file/file.ts'
import { findingsOf } from '../file/file.ts'
import { planTree } from './groups.ts'
import { fenced, fittingLines, mostCharacters, newJobWords, notPlacedLines, planDocument } from './view.ts'
import type { DiffNode } from './tree.ts'
import type { FilePlan } from './planned.ts'
import { changeCounts, notPlanned } from './planned.ts'
import { exitCodes } from '../../../core/errors.ts'
import { largest } from '../../../core/lists.ts'

/** The plans of many files. */
export interface Overview {
  readonly plans: readonly FilePlan[]
  /** Plans of stopped jobs whose files were not named: applying the folder leaves them stopped. */
  readonly stopped: readonly FilePlan[]
  readonly problems: readonly Problem[]
  readonly showValues: boolean
  readonly diff?: 'full' | undefined
}

interface PlanRow {
  readonly [key: string]: Json
  readonly action: string
  readonly job: string
  readonly file: string
  readonly what: string
  /** Why the job is skipped. */
  readonly why?: string
}

const rowsView = list<PlanRow>(
  [
    { name: 'action', value: ({ action }) => action },
    { name: 'job', value: ({ job }) => job },
    { name: 'what', value: ({ what }) => what },
    { name: 'file', value: ({ file }) => file },
  ],
  ({ job }) => job,
)

/** One line per job that changes, a count of the others, and the files that cannot be planned. */
function overviewView(overview: Overview): DocumentView {
  return {
    kind: 'document',
    text: (paint, showing) => {
      const [only, ...others] = overview.plans
      // One plan is shown whole.
      return only === undefined || others.length + overview.stopped.length + overview.problems.length > 0
        ? overviewLines(overview, paint, showing).join('\n')
        : planView(only, overview).text(paint, showing, null)
    },
    markdown: () => overviewMarkdown(overview),
    rows: { view: rowsView, data: rowsOf(overview).map(({ row }) => row) },
  }
}

function planView({ answer, job, change }: FilePlan, { showValues, diff }: Overview): DocumentView {
  return planDocument({ answer, job, isChanged: change !== 'none', showValues, diff })
}

/** The overview as data: `{"jobs": [{"file", "namespace", "job", "action", "what", …}], "new", "changed", "unchanged", "skipped", "failed"}`. */
function overviewData(overview: Overview): Json {
  const { plans, problems } = overview
  const count = (test: (plan: FilePlan) => boolean) => plans.filter(test).length
  return {
    jobs: rowsOf(overview).map(({ plan, row }) => ({ ...row, namespace: plan.namespace, index: plan.index })),
    new: count(({ action }) => action === 'create'),
    changed: count(({ action }) => !['create', 'unchanged'].includes(action)),
    unchanged: count(({ action }) => action === 'unchanged'),
    skipped: overview.stopped.length,
    failed: problems.map(({ item, error }) => ({ item, error: error.message })),
  }
}

const tones = { '+': 'good', '~': 'change', '-': 'bad', '=': 'dim', '!': 'bad' } as const

function overviewLines(overview: Overview, paint: Paint, showing?: Showing): string[] {
  const changing = overview.plans.filter(({ action }) => action !== 'unchanged')
  const width = Math.min(32, largest(changing.map(({ name }) => name.length)))
  const marked = (mark: keyof typeof tones, words: string) => `${paint(tones[mark], mark)} ${words}`.trimEnd()
  const line = (mark: keyof typeof tones, name: string, words: string) =>
    marked(mark, `${escapeControl(name).padEnd(width)}  ${escapeControl(words)}`)
  const unchanged = overview.plans.length - changing.length
  const stopped = overview.stopped.length
  return [
    ...changing.flatMap((plan) => {
      const head = line(plan.action === 'create' ? '+' : '~', plan.name, whatOf(plan, overview.showValues))
      if (showing?.wide !== true) return [head]
      const tree = planView(plan, overview).text(paint, showing, null).split('\n')
      return [head, ...tree.map((row) => `    ${row}`)]
    }),
    ...overview.plans.flatMap((plan) => notPlacedLines(plan).map((words) => line('!', plan.name, words))),
    ...(unchanged === 0 ? [] : [marked('=', `${unchanged} unchanged`)]),
    ...(stopped === 0 ? [] : [marked('=', `${stopped} left stopped`)]),
    ...overview.problems.flatMap((problem) => {
      const [first = '', ...more] = problemLines(problem).map((one) => escapeControl(one))
      return [marked('!', first), ...more.map((one) => `    ${one}`)]
    }),
  ]
}

/** `billing.hcl:12:3  Unsupported argument`, without a position `billing.hcl  …`; then the other lines. */
function problemLines({ item, error }: Problem): string[] {
  const [finding = '', ...more] = findingsOf(item, error)
  const first = /^\d+:\d+: /.test(finding) ? `${item}:${finding.replace(': ', '  ')}` : `${item}  ${finding}`
  return [first, ...more]
}

/** `new service`; `3 replaced, one at a time: config.image web:1 → web:2`. */
export function whatOf({ answer, job, action }: FilePlan, showValues: boolean): string {
  if (action === 'create') return newJobWords(job)
  const tree = planTree({ answer, job, showValues })
  const groups = tree.children.filter(({ counts }) => counts !== undefined && counts !== '')
  const counts = groups.map(({ label, counts: words = '' }) => (groups.length === 1 ? words : `${label} ${words}`))
  const leaves = leavesOf(tree.children)
  const shown = leaves.slice(0, 3).map(leafWords)
  const more = leaves.length - shown.length
  const fields = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const lead = action === 'start' ? ['starts the stopped job'] : action === 'rerun' ? ['runs again'] : counts
  return [lead.join('; '), fields].filter((part) => part !== '').join(': ')
}

function leavesOf(nodes: readonly DiffNode[]): DiffNode[] {
  return nodes.flatMap((node) =>
    node.children.length > 0
      ? // Fields of a block keep its name; those of groups and tasks speak for themselves.
        leavesOf(
          node.heading === true
            ? node.children
            : node.children.map((child) => ({ ...child, label: `${node.label}.${child.label}` })),
        )
      : node.heading === true && node.mark === '~'
        ? []
        : [node],
  )
}

const longestValue = 40

function leafWords({ mark, label, value = '' }: DiffNode): string {
  if (mark === '+') return `+${label}`
  if (mark === '-') return `-${label}`
  return value === '' || value.length > longestValue || value.startsWith('(') ? label : `${label} ${value}`
}

function rowsOf({ plans, stopped, showValues }: Overview): { readonly plan: FilePlan; readonly row: PlanRow }[] {
  const rowOf = (plan: FilePlan, action: string, what: string) => ({
    plan,
    row: { action, job: plan.name, file: plan.path, what },
  })
  return [
    ...plans.map((plan) =>
      rowOf(plan, plan.action, plan.action === 'unchanged' ? 'unchanged' : whatOf(plan, showValues)),
    ),
    ...stopped.map((plan) => {
      const skipped = rowOf(plan, 'skipped', 'left stopped')
      return { ...skipped, row: { ...skipped.row, why: 'stopped' } }
    }),
  ]
}

/** The comment for a pull request: a list, and each plan folded; what does not fit is counted. */
function overviewMarkdown(overview: Overview): string {
  const plain: Paint = (_, words) => words
  const changing = overview.plans.filter(({ action }) => action !== 'unchanged')
  const unchanged = overview.plans.length - changing.length
  const changes = changing.length > 0 ? changeCounts(changing) : 'no changes'
  const stopped = overview.stopped.length === 0 ? '' : `, ${overview.stopped.length} left stopped`
  const head = `### Plan: ${changes}, ${unchanged} unchanged${stopped}\n`
  const lines = overviewLines(overview, plain).map((line) => line.replace(/^~/, '!'))
  let comment = `${head}\n${fenced('diff', fittingLines(lines, mostCharacters / 2))}`
  let left = 0
  for (const plan of changing) {
    const part = `\n${planView(plan, overview).markdown?.() ?? ''}`
    if (left > 0 || comment.length + part.length > mostCharacters - 200) left += 1
    else comment += part
  }
  return left === 0 ? comment : `${comment}\ntruncated: ${plural(left, 'more plan')}\n`
}

/** The plans of several files as a result, with the exit status of differences if `differs`; files without a plan are its error. */
export function planResult(overview: Overview, differs: boolean): Result {
  const { plans, stopped, problems } = overview
  return {
    data: overviewData(overview),
    view: overviewView(overview),
    finish: () => {
      if (problems.length > 0) throw notPlanned(problems, plans.length + stopped.length + problems.length)
    },
    ...(differs ? { exitCode: exitCodes.differences } : {}),
  }
}
