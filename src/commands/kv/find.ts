import * as api from '../../api/kv.ts'
import type { Failure } from '../../bulk/account.ts'
import { exitStatus, throwFailures, warnFailures } from '../../bulk/account.ts'
import { openReads } from '../../bulk/engine.ts'
import { secretsAtOnce } from '../../bulk/flags.ts'
import { asJson, text as textAt } from '../../core/answer.ts'
import { command, list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { formatAge, readableTime, toGoDuration } from '../../core/duration.ts'
import type { Json } from '../../core/json.ts'
import type { Column } from '../../core/output.ts'
import { argument, flag, readFilled, readFolder, readLabelled } from '../../core/param.ts'
import { readLatest } from './latest.ts'
import { nothingTo } from './messages.ts'
import { doubtfulAge, keysOfNothing, textIsFolder } from './folder-messages.ts'
import { isGone, isMissing } from './missing.ts'
import { folderPath } from './place.ts'
import { readVersion } from './read.ts'
import { customMetadataFlag } from './settings.ts'
import { namesIn } from './values.ts'
import type { VersionState } from './versions.ts'
import type { Entry } from './walk.ts'
import { walk } from './walk.ts'

/** A name, or a key of a secret, that was found. */
interface Row extends Partial<MetadataFacts> {
  readonly path: string
  readonly key: string | null
}

const timeColumn = (name: 'created_time' | 'deletion_time', title: string): Column<Row> => ({
  name,
  title,
  value: (row) => row[name],
  show: (row, { now, wide, absoluteTimes }) => {
    const time = row[name] ?? ''
    const moment = new Date(time)
    if (wide || absoluteTimes || Number.isNaN(moment.getTime())) return readableTime(time)
    return `${formatAge(moment, now)} ago`
  },
})

const viewOf = (keys: boolean, filter: MetadataFilter | undefined) => {
  const metadata: readonly Column<Row>[] = [
    { name: 'version', value: ({ version }) => version, align: 'right' },
    { name: 'state', value: ({ state }) => state },
    timeColumn('created_time', 'written'),
    timeColumn('deletion_time', 'deleted'),
  ]
  const usual = ['version', 'state', filter?.deleted === true ? 'deletion_time' : 'created_time']
  return list<Row>(
    [
      { name: 'path', value: ({ path }) => path, whole: true },
      { name: 'key', value: ({ key }) => key, whole: true },
      ...(filter === undefined ? [] : metadata),
    ],
    ({ path }) => path,
    { empty: 'no secrets found', usual: ['path', ...(keys ? ['key'] : []), ...(filter === undefined ? [] : usual)] },
  )
}

export const find = command({
  name: 'find',
  summary: 'Find secrets and folders by name, key names, age or custom metadata',
  description: `Compares each name below the folder with the text, case-sensitive unless --ignore-case. With --keys it also searches the names of the keys in each secret, never the values. --older-than, --custom-metadata and --deleted read the metadata of each secret that the text leaves: they find secrets whose current version is live and was written before that time, those with all of the given metadata, and those whose current version is deleted (--deleted). What cannot be read is reported, and the exit status is 10.`,
  also: [api.list, api.readSubkeys, api.readMetadata, api.readMount],
  params: {
    text: argument.of('what the name contains; with a slash at its end, the folder', readFilled, {
      placeholder: 'text',
    }),
    path: folderPath,
    keys: flag.boolean("search the names of the secrets' keys too"),
    ignoreCase: flag.boolean('ignore case', { short: 'i' }),
    olderThan: flag.longDuration('the current version was written longer ago than this, such as 90d'),
    customMetadata: customMetadataFlag('the secret has this custom metadata'),
    deleted: flag.boolean('the current version is deleted: what kv undelete can restore'),
    exitCode: flag.boolean('exit with 9 if anything is found'),
  },
  examples: [
    { line: 'kv find gateway', note: 'names in the whole mount' },
    { line: 'kv find password team --keys', note: 'names and key names below a folder' },
    { line: 'kv find --older-than 90d --custom-metadata owner=platform', note: 'what the team has not rotated' },
    { line: 'kv find --deleted', note: 'what kv undelete can restore' },
    { line: 'kv find app/ --older-than 90d --exit-code -o name', note: 'one folder, in a script' },
  ],
  async run({ text: typed, path: folder, keys, ignoreCase, olderThan, customMetadata, deleted, exitCode }, context) {
    // No name contains a slash, so this is the folder to search.
    const isPlace = folder === undefined && typed?.endsWith('/') === true
    const [text, path = ''] = isPlace ? [undefined, readLabelled(readFolder, typed, '<path>')] : [typed, folder]
    const filter: MetadataFilter | undefined =
      olderThan === undefined && customMetadata.length === 0 && deleted !== true
        ? undefined
        : { olderThan: olderThan?.milliseconds, deleted: deleted === true, customMetadata }
    if (olderThan?.doubt !== undefined) context.io.doubt(doubtfulAge(olderThan.doubt))
    if (text === undefined && filter === undefined)
      throw nothingTo('look for', 'a text', '--older-than', '--custom-metadata', '--deleted')
    if (text === undefined && keys === true) throw keysOfNothing()
    const fold = (name: string) => (ignoreCase === true ? name.toLowerCase() : name)
    const contains = (name: string) => text === undefined || fold(name).includes(fold(text))
    const failures: Failure[] = []
    const tally = { entries: 0, rows: 0, hasFolder: false }
    const bulk = await openReads(context)
    const entries = await walk(bulk.context, path, { parallel: secretsAtOnce })
    const look = (entry: Entry) => matchesOf(bulk.context, entry, { contains, keys: keys === true, filter })
    async function* rows() {
      for await (const outcome of bulk.read('searching', entries, look)) {
        const { path: item, failure } = outcome.item
        tally.entries += 1
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
      view: viewOf(keys === true, filter),
      finish: () => {
        if (failures.length === tally.entries) throwFailures(failures, 0)
        if (tally.rows === 0 && tally.hasFolder && folder === undefined && text !== undefined && filter !== undefined)
          hintFolder(context, text, filter)
        warnFailures(context.io, failures)
        return exitStatus(failures.length > 0, exitCode === true && tally.rows > 0)
      },
    }
  },
})

/** A text that names a folder may have been meant as the place to search; without a filter the folder itself is found. */
function hintFolder(
  { commandLine, io }: Context,
  text: string,
  { olderThan, customMetadata, deleted }: MetadataFilter,
): void {
  const flags = [
    ...(olderThan === undefined ? [] : ['--older-than', toGoDuration(`${olderThan}ms`)]),
    ...customMetadata.flatMap(([key, value]) => ['--custom-metadata', `${key}=${value}`]),
    ...(deleted ? ['--deleted'] : []),
  ]
  io.hint(textIsFolder(text, commandLine('kv find', `${text}/`, ...flags)))
}

interface Search {
  readonly contains: (name: string) => boolean
  readonly keys: boolean
  readonly filter: MetadataFilter | undefined
}

/** The rows of an entry: one if its name matches, and one for each of its keys that does. */
async function matchesOf(context: Context, entry: Entry, { contains, keys, filter }: Search): Promise<Row[]> {
  const { name, path, failure } = entry
  const isFolder = name.endsWith('/')
  const own = contains(isFolder ? name.slice(0, -1) : name) ? [{ path, key: null }] : []
  if (isFolder || failure !== undefined) return filter === undefined ? own : []
  try {
    const rows = keys ? [...own, ...(await keyRows(context, path, contains))] : own
    if (filter === undefined || rows.length === 0) return rows
    const facts = await metadataFacts(context, path, filter)
    return facts === undefined ? [] : rows.map((row) => ({ ...row, ...facts }))
  } catch (error) {
    if (isMissing(error)) return filter === undefined ? own : []
    throw error
  }
}

async function keyRows(context: Context, path: string, contains: (name: string) => boolean): Promise<Row[]> {
  try {
    const { value } = await readVersion(context, 'subkeys', path, [])
    return namesIn(value.subkeys ?? null, [])
      .filter((one) => contains(one.keys.at(-1) ?? ''))
      .map((one) => ({ path, key: one.keys.join('.') }))
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

/** What a secret's metadata must be like. */
export interface MetadataFilter {
  /** Milliseconds since the current version was written, which must be live: a deleted one needs no new value. */
  readonly olderThan: number | undefined
  /** True if the current version must be deleted: what kv undelete can restore. */
  readonly deleted: boolean
  readonly customMetadata: readonly (readonly [key: string, value: string])[]
}

/** What a row shows of a secret's metadata. */
export interface MetadataFacts {
  readonly version: number | null
  readonly state: VersionState | null
  readonly created_time: string | null
  readonly deletion_time: string | null
  readonly custom_metadata: Json
}

/** Reads a secret's metadata; its facts for a row, or undefined if it doesn't match. One without versions is of no age. */
async function metadataFacts(
  context: Context,
  path: string,
  { olderThan, deleted, customMetadata }: MetadataFilter,
): Promise<MetadataFacts | undefined> {
  const { metadata, latest, moment } = await readLatest(context, path)
  const custom = asJson(metadata.custom_metadata ?? null)
  if (customMetadata.some(([key, value]) => textAt(custom, key) !== value)) return undefined
  if (deleted && latest?.state !== 'deleted') return undefined
  const age = latest?.state === 'live' ? moment.getTime() - Date.parse(latest.created_time) : NaN
  if (olderThan !== undefined && !(age > olderThan)) return undefined
  return {
    version: latest?.version ?? null,
    state: latest?.state ?? null,
    created_time: latest?.created_time ?? null,
    deletion_time: latest?.deletion_time ?? null,
    custom_metadata: custom,
  }
}
