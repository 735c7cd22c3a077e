import { usageError } from '../../core/errors.ts'
import * as api from '../../api/explorer.ts'
import { anyField, isListField } from '../../api/explorer-fields.ts'
import { cell, command, list } from '../../core/command.ts'
import type { ListView } from '../../core/command.ts'
import { isTableShown } from '../../core/environment.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isNumber, JsonNumber, objectFrom, plainText, stringifyJson } from '../../core/json.ts'
import type { Column, Showing } from '../../core/output.ts'
import { largest } from '../../core/lists.ts'
import { flag } from '../../core/param.ts'
import { flatRows } from './paging.ts'
import { filterFlag, noCheckFlag, readQuery, viewArgument } from './query.ts'
import { titled } from './rows.ts'

const barWidth = 24

/** Reads page by page. */
export const summary = command({
  name: 'summary',
  summary: 'Count the rows of a view by the values of its fields, and add up numbers',
  description: `Reads every page, with these fields only. A row with a list of values (modules, providers, tags, workspaces) counts for each of them.

The largest count comes first; with --sum, the largest sum of the first field. share is the fraction of all rows, and <field>_share that of the field's total.`,
  also: [api.query],
  params: {
    view: viewArgument,
    by: flag.list('count by the values of this field, or of several fields together', {
      required: true,
      placeholder: 'field,…',
      complete: 'explorer-field',
    }),
    sum: flag.list('add up the values of this number field', { placeholder: 'field', complete: 'explorer-field' }),
    filter: filterFlag,
    noCheck: noCheckFlag,
  },
  examples: [
    { line: 'explorer summary workspaces --by current_run_status', note: 'runs by status' },
    { line: 'explorer summary workspaces --by workspace_tool_version -o csv', note: 'the version inventory' },
    {
      line: "explorer summary workspaces --by project_name --sum resources_drifted -f 'drifted is true'",
      note: 'drifted workspaces and resources by project',
    },
    { line: 'explorer summary workspaces --by project_name,current_run_status', note: 'by two fields' },
  ],
  async run({ by = [], sum = [], ...input }, context) {
    const query = await readQuery(context, { ...input, fields: [...by, ...sum] })
    const { fields: byFields = [] } = await readQuery(context, { ...input, filter: [], fields: by })
    const sumFields = query.fields?.filter((field) => !byFields.includes(field)) ?? []
    refuseSums(sum, sumFields, input.noCheck !== true)
    const all = await flatRows(context, query)
    const none = (values: readonly Json[]): Group => ({ values, count: 0, sums: sumFields.map(() => zero) })
    const withRow = ({ values, count, sums }: Group, row: JsonObject): Group => ({
      values,
      count: count + 1,
      sums: sumFields.map((field, index) => plus(sums[index] ?? zero, row[field] ?? null)),
    })
    const groups = new Map<string, Group>()
    let total = none([])
    for await (const batch of all.rows) {
      for (const row of batch as JsonObject[]) {
        total = withRow(total, row)
        for (const values of groupValues(row, byFields)) {
          const key = stringifyJson(values)
          groups.set(key, withRow(groups.get(key) ?? none(values), row))
        }
      }
    }
    const data = [...groups.values()]
      .toSorted(bySize)
      .map(({ values, count, sums }) =>
        objectFrom([
          ...byFields.map((field, index): [string, Json] => [field, values[index] ?? null]),
          ['count', count],
          ['share', shareOf(count, total.count)],
          ...sumFields.map((field, index): [string, Json] => [field, totalOf(sums[index])]),
          ...sumFields.map((field, index): [string, Json] => [
            shareName(field),
            shareOf(doubleOf(sums[index]), doubleOf(total.sums[index])),
          ]),
        ]),
      )
    const exitCode = all.finish() ?? 0
    const most = largest([...groups.values()].map(({ count }) => count))
    const isWatched = isTableShown(context.settings.format, context.io.terminal.stdout)
    return {
      data,
      view: groupsView(byFields, sumFields, most),
      finish: () => {
        const sums = sumFields.map((field, index) => `${field} ${plainText(totalOf(total.sums[index]))}`)
        if (isWatched && data.length > 1) context.io.note(`total: ${[`${total.count} rows`, ...sums].join(', ')}`)
      },
      exitCode,
    }
  },
})

interface Group {
  readonly values: readonly Json[]
  readonly count: number
  readonly sums: readonly Total[]
}

/** A sum whose integers keep every digit. */
interface Total {
  readonly whole: bigint
  readonly rest: number
}

const zero: Total = { whole: 0n, rest: 0 }

function plus({ whole, rest }: Total, value: Json): Total {
  if (!isNumber(value)) return { whole, rest }
  const digits = String(value)
  return /^-?\d+$/.test(digits) ? { whole: whole + BigInt(digits), rest } : { whole, rest: rest + Number(digits) }
}

function doubleOf({ whole, rest }: Total = zero): number {
  return Number(whole) + rest
}

/** A fraction with three decimals; null if the whole is 0. */
function shareOf(part: number, whole: number): Json {
  return whole > 0 ? Math.round((part / whole) * 1000) / 1000 : null
}

function shareName(field: string): string {
  return `${field}_share`
}

function totalOf({ whole, rest }: Total = zero): Json {
  if (rest !== 0) return Number(whole) + rest
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : new JsonNumber(String(whole))
}

function refuseSums(typed: readonly string[], fields: readonly string[], check: boolean): void {
  if (fields.length < new Set(typed).size) throw usageError('--by and --sum name the same field')
  const other = fields.find((field) => anyField(field)?.type !== 'number')
  if (check && other !== undefined)
    throw usageError(
      `--sum adds up numbers; ${other} is a ${anyField(other)?.type ?? 'string'}`,
      'tug explorer fields lists the type of each field',
    )
}

/** The values that a row counts for: one for each field, with the items of lists in every combination. */
function groupValues(row: JsonObject, fields: readonly string[]): Json[][] {
  let groups: Json[][] = [[]]
  for (const field of fields) {
    const value = row[field] ?? null
    const values = typeof value === 'string' && isListField(field) ? new Set(value.split(/,\s*/)) : [value]
    groups = groups.flatMap((group) => [...values].map((one) => [...group, one]))
  }
  return groups
}

/** The largest first sum, then the largest count, then the values in order. */
function bySize(one: Group, other: Group): number {
  const sumOf = ({ sums: [first] }: Group) => doubleOf(first)
  const order = sumOf(other) - sumOf(one) || other.count - one.count
  return order || (stringifyJson(one.values) < stringifyJson(other.values) ? -1 : 1)
}

/** A group as data, with a member for each field of `--by` and `--sum`. */
interface GroupRow extends JsonObject {
  readonly count: number
  readonly share: number | null
}

function groupsView(by: readonly string[], sums: readonly string[], most: number): ListView {
  const shareText = (row: GroupRow, { draws, absoluteTimes }: Showing) => {
    const shown = percent(row.share)
    if (absoluteTimes || sums.length > 0) return shown
    if (!draws) return shown.padStart(4)
    return `${shown.padStart(4)}  ${bar(row.count, most, barWidth)}`
  }
  const countColumn: Column<GroupRow> = { name: 'count', value: ({ count }) => count, align: 'right' }
  const shareColumn: Column<GroupRow> = {
    name: 'share',
    value: ({ share }) => share,
    show: shareText,
    ...(sums.length === 0 ? {} : { title: 'share of count', align: 'right' }),
  }
  const groupColumns = by.map((field): Column<GroupRow> => ({
    name: field,
    ...titled(field),
    value: (row) => row[field],
    show: (row) => (row[field] === null ? cell('(none)', 'dim') : String(row[field])),
    whole: true,
  }))
  const sumColumns = sums.map((field): Column<GroupRow> => ({
    name: field,
    ...titled(field),
    value: (row) => row[field],
    align: 'right',
  }))
  const sumShares = sums.map((field): Column<GroupRow> => ({
    name: shareName(field),
    title: 'of total',
    value: (row) => row[shareName(field)],
    show: (row) => percent(row[shareName(field)]),
    align: 'right',
  }))
  // With sums, tables show the shares of the sums only.
  const usual = [...by, 'count', ...sums.flatMap((field) => [field, shareName(field)])]
  return list<GroupRow>(
    [...groupColumns, countColumn, shareColumn, ...sumColumns, ...sumShares],
    (row) => by.map((field) => plainText(row[field] ?? '')).join(' '),
    { empty: 'no rows', ...(sums.length === 0 ? {} : { usual }) },
  )
}

function percent(share: Json | undefined): string {
  return typeof share === 'number' ? `${Math.round(share * 100)}%` : ''
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar for `value` of `max`, at most `width` cells long. Any value above zero is visible. */
export function bar(value: number, max: number, width: number): string {
  if (!(value > 0) || !(max > 0) || !(width >= 1)) return ''
  const share = Math.min(1, value / max) * Math.floor(width)
  const parts = Math.max(1, Math.round(share * 8))
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] as string)
}
