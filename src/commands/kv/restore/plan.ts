import { asJson } from '../../../core/answer.ts'
import type { RowsResult } from '../../../core/command.ts'
import { cell, list } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { exitCodes, TugError } from '../../../core/errors.ts'
import type { Tone } from '../../../core/output.ts'
import { plural } from '../../../core/words.ts'
import type { Bulk } from '../../../bulk/engine.ts'
import { mergedSecrets } from '../backup/chain.ts'
import type { SecretRecord } from '../backup/record.ts'
import { readSnapshot } from '../backup/snapshot.ts'
import { below } from '../place.ts'
import type { Source } from './source.ts'
import type { Comparison } from './steps.ts'
import { compareWith } from './steps.ts'

/** What a restore would do with one secret. */
interface PlanRow {
  readonly path: string
  readonly action: Comparison['kind'] | 'unreadable'
  readonly detail: string
  /** Requests that change something. */
  readonly writes: number
}

const marks: Readonly<Record<PlanRow['action'], readonly [mark: string, tone: Tone]>> = {
  restore: ['+', 'good'],
  continue: ['~', 'change'],
  identical: ['=', 'dim'],
  conflict: ['!', 'bad'],
  unreadable: ['!', 'bad'],
}

const view = list<PlanRow>(
  [
    {
      name: 'action',
      title: '',
      value: ({ action }) => action,
      show: ({ action }) => cell(...marks[action]),
    },
    { name: 'path', value: ({ path }) => path, whole: true },
    { name: 'detail', value: ({ detail }) => detail, long: true },
    { name: 'writes', value: ({ writes }) => writes, align: 'right', wide: true },
  ],
  ({ path }) => path,
)

/** Reads every secret of the backups where it would be restored, and says what would be done; nothing is written. */
export function planRestore(bulk: Bulk, source: Source, { exitCode }: { exitCode: boolean }): RowsResult {
  const { context } = bulk
  const counts = { restore: 0, continue: 0, identical: 0, conflict: 0, unreadable: 0, writes: 0 }
  async function* rows() {
    const read = (record: SecretRecord) => rowOf(context, source, record)
    for await (const outcome of bulk.read('reading secrets', mergedSecrets(source.files), read)) {
      const path = below(source.base, outcome.item.path)
      const row: PlanRow =
        'error' in outcome ? { path, action: 'unreadable', detail: outcome.error.message, writes: 0 } : outcome.value
      counts[row.action] += 1
      counts.writes += row.writes
      yield [asJson(row)]
    }
  }
  return {
    rows: rows(),
    view,
    finish: () => {
      const { restore, continue: more, identical, conflict, unreadable, writes } = counts
      const parts = [
        `${restore + more} to restore`,
        `${identical} identical`,
        ...(conflict > 0 ? [plural(conflict, 'conflict')] : []),
        ...(unreadable > 0 ? [`${unreadable} unreadable`] : []),
      ]
      context.io.note(`${parts.join(', ')}; ${plural(writes, 'write')}; nothing was written`)
      if (unreadable > 0) throw new TugError('partial', `${plural(unreadable, 'secret')} could not be read`)
      return exitCode && restore + more + conflict > 0 ? exitCodes.differences : undefined
    },
  }
}

async function rowOf(context: Context, { base }: Source, record: SecretRecord): Promise<PlanRow> {
  const path = below(base, record.path)
  const actual = await readSnapshot(context, path, { name: record.path })
  const comparison = compareWith(record, actual, context.now())
  if (comparison.kind === 'identical') return { path, action: 'identical', detail: 'identical', writes: 0 }
  if (comparison.kind === 'conflict')
    return { path, action: 'conflict', detail: `exists with another history, left alone: ${comparison.why}`, writes: 0 }
  const since = actual?.current_version ?? 0
  const more = comparison.kind === 'restore' ? '' : `after version ${since}: `
  return { path, action: comparison.kind, detail: more + words(record, since), writes: comparison.steps.length }
}

/** `4 versions (1 destroyed), settings, custom metadata`. */
function words(record: SecretRecord, since: number): string {
  const { current_version, oldest_version, versions, custom_metadata } = record
  const count = (state: string) => versions.filter((one) => one.version > since && one.state === state).length
  const pruned = Math.max(0, oldest_version - 1 - since)
  const states = [
    [count('deleted'), 'deleted'],
    [count('destroyed'), 'destroyed'],
    [pruned, 'pruned'],
  ] as const
  const notes = states.filter(([number]) => number > 0).map(([number, state]) => `${number} ${state}`)
  const what = `${plural(current_version - since, 'version')}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
  return [what, 'settings', ...(custom_metadata === null ? [] : ['custom metadata'])].join(', ')
}
