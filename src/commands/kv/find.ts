import * as api from '../../api/kv.ts'
import { asJson, text as textAt } from '../../core/answer.ts'
import { command, list } from '../../core/command.ts'
import type { Context, Io } from '../../core/context.ts'
import { formatAge, parseLongDuration, parseMoment, resolveMoment } from '../../core/duration.ts'
import { showExactTime } from './data/times.ts'
import { usageError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject, plainText } from '../../core/json.ts'
import type { TypedMoment } from '../../core/duration.ts'
import type { Column } from '../../core/output.ts'
import { argument, flag, readFilled, readFolder, readLabelled } from '../../core/param.ts'
import type { LineFlag } from '../../core/shell.ts'
import { inGitHub } from '../../output/safe.ts'
import type { Failure } from '../../read/bulk.ts'
import { exitStatus, openReads, reportFailures, usualParallel } from '../../read/bulk.ts'
import { typedFolder } from './data/paths.ts'
import { customMetadataFlag } from './data/settings.ts'
import { cellValue, namesIn, registerSecrets } from './data/values.ts'
import type { Entry } from './mount/walk.ts'
import { walk } from './mount/walk.ts'
import type { VersionState } from './data/versions.ts'
import { findMetadata, findSecret, findSubkeys } from './secret/index.ts'

/** A moment in the past, typed as a duration or a date. */
interface TypedTime {
  readonly typed: string
  readonly moment: TypedMoment
  /** Set if the value is probably a mistake. */
  readonly warning?: string | undefined
}

function readTypedTime(typed: string): TypedTime {
  try {
    const { milliseconds, warning } = parseLongDuration(typed)
    return { typed, moment: { ago: milliseconds }, warning }
  } catch {
    return { typed, moment: parseMoment(typed) }
  }
}

export const find = command({
  name: 'find',
  summary: 'Find secrets and folders by name, key names, values, age or custom metadata',
  description: `Names are compared case-sensitively, unless --ignore-case.

--values searches the latest versions for a text, or a regular expression between slashes, and prints path and key, the value only with --show-values. --values - reads the text from standard input or asks for it, which keeps it out of the shell history. The first argument still selects secrets by name.

--older-than, --newer-than, --custom-metadata (all of it) and --deleted read the metadata of each secret that matches the text; the first two find live versions only. Times: 90d (ago), yesterday, monday, 2026-11-20. What cannot be read is reported, and the exit status is 10.`,
  also: [api.list, api.readSubkeys, api.readData, api.readMetadata, api.readMount, api.readVersion1, api.listVersion1],
  params: {
    text: argument.of('text in the name; with a trailing slash, the folder', readFilled, {
      placeholder: 'text',
    }),
    path: typedFolder,
    keys: flag.boolean('search the names of keys too'),
    ignoreCase: flag.boolean('ignore case', { short: 'i' }),
    values: flag.of('a value contains this (-: standard input)', readFilled, {
      placeholder: 'text|/regex/',
      excludes: ['keys'],
    }),
    showValues: flag.boolean('show the values that were found', { needs: ['values'] }),
    olderThan: flag.of('the current version was written before this: 90d (ago)', readTypedTime, {
      placeholder: 'time',
    }),
    newerThan: flag.of('the current version was written after this: 2h (ago), yesterday', readTypedTime, {
      placeholder: 'time',
    }),
    customMetadata: customMetadataFlag('the secret has this custom metadata'),
    deleted: flag.boolean('the current version is deleted: what kv undelete can restore'),
    exitCode: flag.boolean('exit with 9 if anything is found'),
  },
  examples: [
    { line: 'kv find gateway', note: 'names in the whole mount' },
    { line: 'kv find password team --keys', note: 'names and key names below a folder' },
    { line: 'kv find --values - team/ --exit-code', note: 'where is a leaked password used?' },
    { line: "kv find --values '/^AKIA/' --newer-than yesterday", note: 'values that match, in what was just written' },
    { line: 'kv find --older-than 90d --custom-metadata owner=platform', note: 'what the team has not rotated' },
    { line: 'kv find --deleted', note: 'what kv undelete can restore' },
    { line: 'kv find app/ --older-than 90d --exit-code -o name', note: 'one folder, in a script' },
  ],
  async run({ text: typed, path: folder, ...flags }, context) {
    const { keys = false, values, showValues = false, ignoreCase = false, exitCode = false } = flags
    // No name contains a slash, so this is the folder to search.
    const isPlace = folder === undefined && typed?.endsWith('/') === true
    const [text, path = ''] = isPlace ? [undefined, `${readLabelled(readFolder, typed, '<path>')}/`] : [typed, folder]
    const { olderThan, newerThan, customMetadata, deleted = false } = flags
    const hasFilter = olderThan !== undefined || newerThan !== undefined || customMetadata.length > 0 || deleted
    const isFiltered = hasFilter || values !== undefined
    const filter = hasFilter ? { olderThan, newerThan, customMetadata, deleted } : undefined
    if (olderThan?.warning !== undefined) context.io.warnAlways(`--older-than ${olderThan.warning}`)
    if (newerThan?.warning !== undefined) context.io.warnAlways(`--newer-than ${newerThan.warning}`)
    if (text === undefined && !isFiltered)
      throw usageError(
        'nothing to look for',
        'give a text, --values, --older-than, --newer-than, --custom-metadata or --deleted',
      )
    if (text === undefined && keys) throw usageError('--keys needs a text to look for')
    const search: Search = {
      isNamed: text === undefined ? () => true : containing(text, ignoreCase),
      keys,
      isValue: values === undefined ? undefined : await readPattern(context.io, values, ignoreCase),
      showValues,
      filter,
    }
    const failures: Failure[] = []
    const tally = { entries: 0, rows: 0, hasFolder: false }
    const bulk = openReads(context)
    const entries = await walk(bulk.context, path, { parallel: usualParallel })
    const match = (entry: Entry) => rowsOf(bulk.context, entry, search)
    async function* rows() {
      for await (const outcome of bulk.read('searching', entries, match)) {
        const { path: item, failure } = outcome.item
        // Only secrets have values and metadata.
        if (!isFiltered || !item.endsWith('/') || failure !== undefined) tally.entries += 1
        if (text !== undefined && item.startsWith(`${text}/`)) tally.hasFolder = true
        if ('error' in outcome) failures.push({ item, error: outcome.error })
        else {
          tally.rows += outcome.value.length
          yield outcome.value.map(asJson)
        }
        if (failure !== undefined) failures.push({ item, error: failure })
      }
    }
    return {
      rows: rows(),
      view: viewOf(keys || values !== undefined, showValues, filter),
      finish: () => {
        reportFailures(context.io, failures, tally.entries > failures.length)
        // The text may be secret.
        const valuesFlag = values === undefined ? '' : ` --values ${values === '-' ? '-' : '…'}`
        // Without a filter the folder itself is found.
        if (tally.rows === 0 && tally.hasFolder && folder === undefined && text !== undefined && isFiltered)
          context.io.hint(
            `'${text}' was looked for in names; to search the folder ${text}/: ${context.commandLine('kv find', `${text}/`, ...flagsOf(filter))}${valuesFlag}`,
          )
        return exitStatus(failures.length > 0, exitCode && tally.rows > 0)
      },
    }
  },
})

/** What a secret's metadata must be like. */
interface MetadataFilter {
  /** When the current version was written, which must be live: a deleted one needs no new value. */
  readonly olderThan: TypedTime | undefined
  readonly newerThan: TypedTime | undefined
  /** True if the current version must be deleted: what kv undelete can restore. */
  readonly deleted: boolean
  readonly customMetadata: readonly (readonly [key: string, value: string])[]
}

/** The flags of a filter as they were typed. */
function flagsOf(filter: MetadataFilter | undefined): LineFlag[] {
  if (filter === undefined) return []
  const { olderThan, newerThan, customMetadata, deleted } = filter
  return [
    ...(olderThan === undefined ? [] : [['--older-than', olderThan.typed] as const]),
    ...(newerThan === undefined ? [] : [['--newer-than', newerThan.typed] as const]),
    ...customMetadata.map(([key, value]) => ['--custom-metadata', `${key}=${value}`] as const),
    ...(deleted ? [['--deleted'] as const] : []),
  ]
}

function containing(text: string, ignoreCase: boolean): (value: string) => boolean {
  const fold = (value: string) => (ignoreCase ? value.toLowerCase() : value)
  const wanted = fold(text)
  return (value) => fold(value).includes(wanted)
}

/** The test of values: for a text, or for a regular expression between slashes. `-` reads it from standard input or asks for it. */
async function readPattern(io: Io, typed: string, ignoreCase: boolean): Promise<(value: string) => boolean> {
  const wanted =
    typed !== '-'
      ? typed
      : io.interactive
        ? await io.ask('text to find in values (not shown): ', { hidden: true, otherwise: 'pipe the text in' })
        : (await io.readText('-')).replace(/\r?\n$/, '')
  if (wanted === '') throw usageError('--values: the text is empty')
  const [, pattern] = /^\/(.+)\/$/s.exec(wanted) ?? []
  if (pattern === undefined) return containing(wanted, ignoreCase)
  try {
    const regex = new RegExp(pattern, ignoreCase ? 'iu' : 'u')
    return (value) => regex.test(value)
  } catch {
    throw usageError('--values: not a valid regular expression')
  }
}

/** A name, or a key of a secret, that was found. */
interface FoundRow extends Partial<MetadataFacts> {
  readonly path: string
  readonly key: string | null
  readonly value?: Json
}

interface Search {
  /** The test of names. */
  readonly isNamed: (name: string) => boolean
  /** True if the names of keys are searched too. */
  readonly keys: boolean
  /** The test of values, if they are searched. */
  readonly isValue: ((value: string) => boolean) | undefined
  readonly showValues: boolean
  readonly filter: MetadataFilter | undefined
}

/** The rows of an entry: one if its name matches, or one for each of its keys or values that does. */
async function rowsOf(context: Context, entry: Entry, search: Search): Promise<readonly FoundRow[]> {
  const { isNamed, keys, isValue, filter } = search
  const { name, path, failure } = entry
  const isFolder = name.endsWith('/')
  const rows: FoundRow[] = isNamed(isFolder ? name.slice(0, -1) : name) ? [{ path, key: null }] : []
  if (isFolder || failure !== undefined) return filter === undefined && isValue === undefined ? rows : []
  if (keys) {
    const found = await findSubkeys(context, path, { version: undefined, depth: undefined })
    const names = found.state === 'live' ? namesIn(found.subkeys, []).map((one) => one.keys) : []
    for (const one of names) if (isNamed(one.at(-1) ?? '')) rows.push({ path, key: one.join('.') })
  }
  if (rows.length === 0) return rows
  const facts = filter === undefined ? {} : await metadataFacts(context, path, filter)
  if (facts === undefined) return []
  const found = isValue === undefined ? rows : await valueRows(context, path, isValue, search.showValues)
  return found.map((row) => ({ ...row, ...facts }))
}

/** The keys whose values match; a list counts as its items. */
async function valueRows(
  context: Context,
  path: string,
  isValue: (value: string) => boolean,
  showValues: boolean,
): Promise<readonly FoundRow[]> {
  const secret = await findSecret(context, path)
  if (secret.state !== 'live') return []
  if (showValues && inGitHub(context.io)) registerSecrets(context.io, secret.data, path)
  const rowsIn = (value: Json, keys: readonly string[]): FoundRow[] => {
    if (isObject(value)) return entriesOf(value).flatMap(([key, item]) => rowsIn(item, [...keys, key]))
    return hasMatch(value, isValue) ? [{ path, key: keys.join('.'), ...(showValues ? { value } : {}) }] : []
  }
  return rowsIn(secret.data, [])
}

function hasMatch(value: Json, isValue: (value: string) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => hasMatch(item, isValue))
  if (isObject(value)) return entriesOf(value).some(([, item]) => hasMatch(item, isValue))
  return value !== null && isValue(plainText(value))
}

/** The columns from a secret's metadata. */
interface MetadataFacts {
  readonly version: number | null
  readonly state: VersionState | null
  readonly created_time: string | null
  readonly deletion_time: string | null
  readonly custom_metadata: Json
}

/** Reads a secret's metadata; undefined if it doesn't match the filter, or doesn't exist. A secret without versions has no age. */
async function metadataFacts(
  context: Context,
  path: string,
  { olderThan, newerThan, deleted, customMetadata }: MetadataFilter,
): Promise<MetadataFacts | undefined> {
  const found = await findMetadata(context, path)
  if (found.state === 'missing') return undefined
  const { metadata, moment } = found
  const latest = found.versions.find(({ version }) => version === found.current)
  const custom = asJson(metadata.custom_metadata ?? null)
  if (customMetadata.some(([key, value]) => textAt(custom, key) !== value)) return undefined
  if (deleted && latest?.state !== 'deleted') return undefined
  const written = latest?.state === 'live' ? Date.parse(latest.created_time) : NaN
  if (olderThan !== undefined && !(written < resolveMoment(olderThan.moment, moment).getTime())) return undefined
  if (newerThan !== undefined && !(written > resolveMoment(newerThan.moment, moment).getTime())) return undefined
  return {
    version: latest?.version ?? null,
    state: latest?.state ?? null,
    created_time: latest?.created_time ?? null,
    deletion_time: latest?.deletion_time ?? null,
    custom_metadata: custom,
  }
}

function viewOf(keys: boolean, values: boolean, filter: MetadataFilter | undefined) {
  const metadata: readonly Column<FoundRow>[] = [
    { name: 'version', value: ({ version }) => version, align: 'right' },
    { name: 'state', value: ({ state }) => state },
    timeColumn('created_time', 'written'),
    timeColumn('deletion_time', 'deleted'),
  ]
  const usual = ['version', 'state', filter?.deleted === true ? 'deletion_time' : 'created_time']
  return list<FoundRow>(
    [
      { name: 'path', value: ({ path }) => path, whole: true },
      { name: 'key', value: ({ key }) => key, whole: true },
      ...(values ? [{ name: 'value', value: ({ value }: FoundRow) => cellValue(value) }] : []),
      ...(filter === undefined ? [] : metadata),
    ],
    ({ path }) => path,
    {
      empty: 'no secrets found',
      usual: ['path', ...(keys ? ['key'] : []), ...(values ? ['value'] : []), ...(filter === undefined ? [] : usual)],
    },
  )
}

function timeColumn(name: 'created_time' | 'deletion_time', title: string): Column<FoundRow> {
  return {
    name,
    title,
    value: (row) => row[name],
    show: (row, showing) => {
      const time = row[name] ?? ''
      const moment = new Date(time)
      const { now, wide, absoluteTimes } = showing
      if (wide || absoluteTimes || Number.isNaN(moment.getTime())) return showExactTime(time, showing)
      return `${formatAge(moment, now)} ago`
    },
  }
}
