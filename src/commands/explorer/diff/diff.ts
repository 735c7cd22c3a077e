import { existsSync } from 'node:fs'
import { shellQuote } from '../../../core/shell.ts'
import { resolve } from 'node:path'
import * as api from '../../../api/explorer.ts'
import { asJson } from '../../../core/answer.ts'
import { command } from '../../../core/command.ts'
import type { Context } from '../../../core/context.ts'
import { isTableShown } from '../../../core/environment.ts'
import { exitCodes, TugError, usageError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { keysOf } from '../../../core/json.ts'
import { grouped } from '../../../core/lists.ts'
import { argument, flag } from '../../../core/param.ts'
import type { Input } from '../../../core/param.ts'
import { fileWords } from '../../../core/words.ts'
import { anyField, fieldsOf, specFields, viewNames, specField } from '../../../api/explorer-fields.ts'
import { flatRows, wholeRows } from '../paging.ts'
import type { CheckedQuery } from '../query.ts'
import { queryParams, readQuery } from '../query.ts'
import type { Baseline } from './baseline.ts'
import { byKey, changesView, compare, keysOfView } from './comparison.ts'
import type { Change, Comparison } from './comparison.ts'
import type { LineWord } from '../../../core/shell.ts'

const params = {
  view: {
    ...queryParams.view,
    /** Refuses a file: the baseline alone would be taken for the view. */
    read(texts: readonly string[], label: string): string {
      const view = queryParams.view.read(texts, label)
      if (/[./]|^-$/.test(view)) throw usageError(`${label}: '${view}' is a file, not a view; the view comes first`)
      return view
    },
  },
  baselineFile: argument.text('an earlier result of the same query: JSON, NDJSON, CSV or TSV (-: standard input)', {
    required: true,
    placeholder: 'baseline-file',
    complete: 'file',
  }),
  filter: queryParams.filter,
  sort: queryParams.sort,
  fields: queryParams.fields,
  noCheck: queryParams.noCheck,
  exitCode: flag.boolean('exit with 9 if anything differs'),
  update: flag.boolean('replace the baseline with the current result'),
}

/** Reads page by page. */
export const diff = command({
  name: 'diff',
  summary: 'Show what changed in a query since an earlier result',
  description: `The baseline is the output of explorer export, or of explorer query with --all and -o json, ndjson, csv or tsv; a CSV that a spreadsheet saved, with semicolons or tabs, is read too. Use the same --filter, --fields and --sort as for the baseline. CSV has two columns for each compared field: <field>_before and <field>.

Workspaces are matched by id, external_id or workspace_name, tool versions by version, providers and modules by source and version. Fields that only one of the two results has are not compared; a line on stderr names them.

--update writes the current result in the format of the baseline, completely or not at all, once the comparison has succeeded.`,
  also: [api.query],
  params,
  examples: [
    {
      line: "explorer diff workspaces yesterday.json -f 'drifted is true' --exit-code",
      note: 'what drifted since yesterday; 9 if anything did',
    },
    {
      line: 'explorer diff workspaces versions.csv --fields workspace_name,workspace_tool_version --update',
      note: 'compare, then make this the new baseline',
    },
  ],
  async run(input, context) {
    const query = await readQuery(context, input)
    const { view } = query
    const file = fileWords(input.baselineFile)
    const baseline = await readBaseline(input, context)
    const has = (field: string) =>
      (baseline.fields?.includes(field) ?? true) &&
      (field === 'id' || query.fields === undefined || query.fields.includes(field))
    const keys = keysOfView(view)
    const key = keys.find((fields) => fields.every(has))
    if (key === undefined)
      throw usageError(
        `the rows of ${file} and of the query cannot be matched: both need ${keys.map((fields) => fields.join(' and ')).join(', or ')}`,
        '-o json has the id of every row; in CSV, add a field that identifies the row to --fields',
      )
    refuseOtherQuery(query, baseline, file)
    const before = byKey(baseline.rows, key, (twice) =>
      usageError(`${file} has two rows with ${twice}`, `rows are matched by ${key.join(' and ')}`),
    )
    const rows = (await wholeRows(await flatRows(context, query), 'the result of the query')) as JsonObject[]
    const after = byKey(
      rows,
      key,
      (twice) => new TugError('failed', `the service returned two rows with ${twice}; nothing was compared`),
    )
    const fields = comparedFields(context, { baseline, rows, file })
    const comparison = compare(before, after, { key, fields, asText: baseline.format === 'csv' })
    const isCsv = ['csv', 'tsv'].includes(context.settings.format)
    if (input.update === true) {
      const { writeBaseline } = await import('./baseline.ts')
      await writeBaseline(context, resolve(context.io.cwd, input.baselineFile), baseline, rows)
    }
    return {
      data: asJson(comparison.changes),
      view: changesView(view, comparison.changes, { key, fields, asked: query.fields, isCsv }),
      finish: () => report(context, comparison, { ...input, sizes: [before.size, after.size] }),
      ...(input.exitCode === true && comparison.changes.length > 0 ? { exitCode: exitCodes.differences } : {}),
    }
  },
})

async function readBaseline(
  { view, baselineFile, update: updates, filter, sort, fields }: Input<typeof params>,
  context: Context,
): Promise<Baseline> {
  if (updates === true && baselineFile === '-') throw usageError('--update needs a file, not standard input')
  const content = await context.io.readText(baselineFile).catch((error: unknown) => {
    if (
      !(error instanceof TugError) ||
      error.code === 'interrupted' ||
      baselineFile === '-' ||
      existsSync(resolve(context.io.cwd, baselineFile))
    )
      throw error
    const query: LineWord[] = [view, ...filter.map((one) => ['-f', one] as const)]
    if (sort !== undefined) query.push(['--sort', sort])
    if (fields !== undefined) query.push(['--fields', fields.join()])
    const format = /\.(csv|tsv|ndjson)$/.exec(baselineFile)?.[1] ?? 'json'
    const queryCommand = context.commandLine('explorer query', ...query, ['--all'], ['-o', format])
    const hint = `a first baseline: ${queryCommand} > ${shellQuote(baselineFile)}`
    throw error.with({ hints: [...error.hints, hint] })
  })
  const { parseBaseline } = await import('./baseline.ts')
  return parseBaseline(content, baselineFile)
}

/**
 * Throws a usage error if the baseline is of another view, or lacks a requested field: every row would look removed, added or
 * changed.
 */
function refuseOtherQuery({ view, fields: asked }: CheckedQuery, { fields }: Baseline, file: string): void {
  const viewFields = new Set(fieldsOf(view).map(({ name }) => specField(name)))
  const foreign = fields?.find((field) => field !== 'id' && !viewFields.has(field) && anyField(field) !== undefined)
  if (viewFields.size > 0 && foreign !== undefined)
    throw usageError(`${file} has the field ${foreign}, which ${view} do not have: it is a result of another view`)
  const missing = asked?.filter((field) => field !== 'id' && fields?.includes(field) === false) ?? []
  if (missing.length > 0) throw usageError(`${file} has no ${missing.join(', ')}: it is not a result of this query`)
  if (asked !== undefined || fields === undefined || hasFieldsOf(view, fields)) return
  const other = viewNames().find((one) => hasFieldsOf(one, fields))
  if (viewFields.size > 0 && other !== undefined)
    throw usageError(`${file} has all fields of ${other} and not those of ${view}: it is a result of another view`)
}

function hasFieldsOf(view: string, fields: readonly string[]): boolean {
  return specFields(view).every(({ name }) => fields.includes(specField(name)))
}

/** The fields that both results have, without `id`. The others are named on stderr. */
function comparedFields(
  { io }: Context,
  { baseline, rows, file }: { baseline: Baseline; rows: readonly JsonObject[]; file: string },
): string[] {
  const now = [...new Set(rows.flatMap(keysOf))]
  const before = baseline.fields ?? now
  if (now.length === 0) return before.filter((field) => field !== 'id')
  // `a, b, c, d, e and 18 more`
  const only = (these: readonly string[], those: readonly string[]) => {
    const fields = these.filter((field) => field !== 'id' && !those.includes(field))
    const rest = fields.length - mostFields
    return rest > 1 ? `${fields.slice(0, mostFields).join(', ')} and ${rest} more` : fields.join(', ')
  }
  const [removed, added] = [only(before, now), only(now, before)]
  if (removed !== '') io.note(`not compared, only in ${file}: ${removed}`)
  if (added !== '') io.note(`not compared, not in ${file}: ${added}`)
  return now.filter((field) => field !== 'id' && before.includes(field))
}

/** Fields named in one line. */
const mostFields = 5

function report(
  { io, settings }: Context,
  { changes, unchanged }: Comparison,
  { update: updates, baselineFile, sizes }: Input<typeof params> & { sizes: readonly [before: number, after: number] },
): void {
  const counts = [...grouped(changes, ({ change }) => change)].map(([kind, { length }]) => `${length} ${kind}`)
  // On a terminal the empty table shows that already.
  const none = isTableShown(settings.format, io.terminal.stdout) ? [] : ['no differences']
  const words = [...(counts.length === 0 ? none : counts), `${unchanged} unchanged`].join(', ')
  const isOther = isOtherQuery(changes, sizes)
  const isReplaceable = changes.length > 0 && baselineFile !== '-' && !isOther
  if (updates === true) io.note(`${words}; ${baselineFile} is updated`)
  else io.note(isReplaceable ? `${words}; --update makes this the new baseline` : words)
  if (isOther)
    io.hint(
      `the baseline may come from a query with other filters; use the same --filter as for ${fileWords(baselineFile)}`,
    )
}

/** True if far more rows were added or removed than two runs of one query usually differ in. */
function isOtherQuery(changes: readonly Change[], [before, after]: readonly [number, number]): boolean {
  const count = (kind: Change['change']) => changes.filter(({ change }) => change === kind).length
  const [added, removed] = [count('added'), count('removed')]
  return (added >= fewRows && added > 2 * before) || (removed >= fewRows && removed > 2 * after)
}

/** Fewer added or removed rows than this are usual. */
const fewRows = 10
