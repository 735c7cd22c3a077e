import type { Diff, FieldDiff } from '../../../api/plan-shapes.ts'
import { lookUp } from '../../../core/json.ts'
import { posixQuote } from '../../../core/shell.ts'
import { plural } from '../../../core/words.ts'
import { escapeControl } from '../../../output/safe.ts'
import type { Mark, TextLine } from './fields.ts'
import { blockName, changedLines, changeSize, fieldName, hasLines, shownValue } from './fields.ts'
import { maskedDiff } from './masks.ts'

export const changeWords = { '+': 'added', '-': 'deleted', '~': 'changed', ' ': 'unchanged' } as const

/** A change to show: a field, or a block with the changes inside it. */
export interface DiffNode {
  readonly mark: Mark
  /** The name in the job file: `config.image`, `service web-app`. */
  readonly label: string
  /** `2 → 3`; absent for blocks. */
  readonly value?: string
  /** The server's annotation: `forces create`. */
  readonly note?: string
  /** True for job, groups and tasks. */
  readonly heading?: boolean
  /** A text of several lines, compared line by line. */
  readonly lines?: readonly TextLine[]
  readonly children: readonly DiffNode[]
  /** For a group: what the scheduler would do to it. */
  readonly counts?: string
}

/** Fields that distinguish a block from others of its kind; the first one present. */
export const identities: readonly string[] = [
  'Name',
  'DestPath',
  'RelativeDest',
  'Label',
  'Destination',
  'DestinationName',
  'Attribute',
  'Value',
]

/** Blocks that can occur several times, or that have a name. */
export const blockLists: ReadonlySet<string> = new Set([
  'Action',
  'Affinity',
  'Artifact',
  'Check',
  'Constraint',
  'ConsulUpstreams',
  'Device',
  'Dynamic Port',
  'Identity',
  'Link',
  'Network',
  'Region',
  'Secret',
  'Service',
  'Spread',
  'SpreadTarget',
  'Static Port',
  'Template',
  'Volume',
  'VolumeMount',
])

const zeros = new Set(['', '0', 'false'])

/** Fields for which zero or `false` isn't the default, by block (`''`: the group itself). */
const meaningfulZeros: Readonly<Record<string, readonly string[]>> = {
  '': ['Count'],
  Disconnect: ['Replace'],
  Periodic: ['Enabled'],
  ReschedulePolicy: ['Attempts', 'Unlimited'],
  RestartPolicy: ['Attempts'],
  Scaling: ['Enabled', 'Min', 'Max'],
  Update: ['MaxParallel'],
}

/** The identity that the server adds to each task. */
const filledIn = 'default'

/** The changed fields and blocks of a job, group or task itself, with secret values masked unless `showValues`. */
export function changesIn({ Type, Fields, Objects }: Diff, showValues: boolean): DiffNode[] {
  const changes = { Type, Fields, Objects }
  return nodesIn(showValues ? changes : maskedDiff(changes))
}

/** The differences inside a block. `prefix` comes before labels. */
function nodesIn(diff: Diff, block = '', prefix = ''): DiffNode[] {
  const objects = (diff.Objects ?? []).flatMap((object) => objectNode(object, prefix))
  return [...fieldNodes(block, diff, prefix), ...objects]
}

/** The mark of a diff's Type (`Added`, `Deleted`, `Edited`). */
export function markOf({ Type }: Pick<Diff, 'Type'>): Mark {
  if (Type === 'Added') return '+'
  if (Type === 'Deleted') return '-'
  return Type === 'Edited' ? '~' : ' '
}

/** True for what is added or deleted as a whole. */
function isWhole(diff: Diff): boolean {
  return markOf(diff) === '+' || markOf(diff) === '-'
}

/** The annotations of a field or task in one text. */
export function noteOf({ Annotations }: Pick<Diff, 'Annotations'>): { note?: string } {
  const notes = Annotations ?? []
  return notes.length === 0 ? {} : { note: escapeControl(notes.join(', ')) }
}

function fieldNodes(block: string, diff: Diff, prefix: string): DiffNode[] {
  const whole = isWhole(diff)
  const label = labelField(diff)
  return (diff.Fields ?? []).flatMap((field) => {
    const mark = markOf(field)
    if (mark === ' ') return []
    const name = field.Name ?? ''
    const value = sideOf(field, mark)
    // Every field of an added or deleted block has a value, if only a zero.
    const isZero = value === '' || (zeros.has(value) && lookUp(meaningfulZeros, block)?.includes(name) !== true)
    if (whole && (isZero || name === 'Name' || (blockLists.has(block) && name === label))) return []
    return [fieldNode(block, field, prefix)]
  })
}

/** The value that a field has after the change, of a deleted one that before. */
function sideOf({ Old, New }: FieldDiff, mark: Mark): string {
  return (mark === '-' ? Old : New) ?? ''
}

function fieldNode(block: string, field: FieldDiff, prefix: string): DiffNode {
  const name = field.Name ?? ''
  const [old, next] = [field.Old ?? '', field.New ?? '']
  const mark = markOf(field)
  const base = { mark, label: prefix + escapeControl(fieldName(block, name)), children: [], ...noteOf(field) }
  if (!hasLines(old, next))
    return { ...base, value: between(mark, old, next, (value) => shownValue(block, name, value)) }
  const change = changedLines(old, next)
  const lines = change.lines.map((line) => ({ ...line, text: escapeControl(line.text) }))
  return { ...base, value: mark === '~' ? changeSize(change) : plural(change.total, 'line'), lines }
}

/** `2 → 3`; the value alone if it was added or deleted, or masked. */
function between(mark: Mark, old: string, next: string, shown: (value: string) => string): string {
  if (mark === '+' || next.startsWith('(masked, differs')) return shown(next)
  if (mark === '-') return shown(old)
  return next === `${old} (differs)` ? `${shown(old)} (differs)` : `${shown(old)} → ${shown(next)}`
}

function objectNode(object: Diff, prefix: string): DiffNode[] {
  const block = object.Name ?? ''
  const mark = markOf(object)
  if (mark === ' ') return []
  // A set is an object whose fields all have its name.
  const fields = object.Fields ?? []
  if (fields.length > 0 && fields.every(({ Name }) => Name === object.Name)) return [setNode(object, prefix)]
  const whole = isWhole(object)
  if (whole && block === 'Identity' && identityOf(object) === filledIn) return []
  if (block === 'Constraint' || block === 'Affinity') return [conditionNode(object, prefix)]
  const name = prefix + blockName(block)
  if (!blockLists.has(block) && !(whole && block !== 'Config')) return nodesIn(object, block, `${name}.`)
  const identity = blockLists.has(block) ? identityOf(object) : undefined
  const label = identity === undefined ? name : `${name} ${escapeControl(identity)}`
  const children = nodesIn(object, block)
  const short = whole && children.every((child) => child.children.length === 0 && child.lines === undefined)
  if (!short) return [{ mark, label, children }]
  const value = children.map((child) => `${child.label} ${child.value ?? ''}`).join(', ')
  return [{ mark, label, ...(value === '' ? {} : { value }), children: [] }]
}

/** `-v1 +v2  (1 kept)`; only the members of a set that is added or deleted as a whole. */
function setNode(object: Diff, prefix: string): DiffNode {
  const fields = object.Fields ?? []
  const changed = fields.flatMap((field) => {
    const mark = markOf(field)
    return mark === ' ' ? [] : [{ mark, member: posixQuote(escapeControl(sideOf(field, mark))) }]
  })
  const kept = fields.length - changed.length
  const mark = kept > 0 ? '~' : markOf(object)
  const label = prefix + blockName(object.Name ?? '')
  if (changed.every((one) => one.mark === mark))
    return { mark, label, value: changed.map(({ member }) => member).join(' '), children: [] }
  const marked = (sign: Mark) => changed.filter((one) => one.mark === sign).map(({ member }) => sign + member)
  const rest = kept === 0 ? '' : `  (${kept} kept)`
  return { mark, label, value: [...marked('-'), ...marked('+')].join(' ') + rest, children: [] }
}

/** A constraint or affinity: `${attr.kernel.name} = linux`. */
function conditionNode(object: Diff, prefix: string): DiffNode {
  const mark = markOf(object)
  const side = (key: 'Old' | 'New') => {
    const of = (name: string) => fieldNamed(object, name)?.[key] ?? ''
    const weight = of('Weight')
    const words = [of('LTarget'), of('Operand'), of('RTarget'), weight === '' ? '' : `(weight ${weight})`]
    return words.filter((word) => word !== '').join(' ')
  }
  const label = prefix + blockName(object.Name ?? '')
  return { mark, label, value: between(mark, side('Old'), side('New'), escapeControl), children: [] }
}

function fieldNamed({ Fields }: Diff, name: string): FieldDiff | undefined {
  return Fields?.find((field) => field.Name === name)
}

function labelField(object: Diff): string | undefined {
  return identities.find((name) => {
    const field = fieldNamed(object, name)
    return field !== undefined && ((field.New ?? '') !== '' || (field.Old ?? '') !== '')
  })
}

/** The value that distinguishes a block from others of its kind. */
export function identityOf(object: Diff): string | undefined {
  const field = fieldNamed(object, labelField(object) ?? '')
  return field?.New || (field?.Old ?? undefined)
}
