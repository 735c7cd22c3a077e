import { createHmac, randomBytes } from 'node:crypto'
import * as api from '../../api/kv.ts'
import { asJson } from '../../core/answer.ts'
import type { Result, Rows } from '../../core/command.ts'
import { cell, command, list } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import { exactTime } from './data/times.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject } from '../../core/json.ts'
import { flag } from '../../core/param.ts'
import { plural } from '../../core/words.ts'
import type { BulkReads, Failure } from '../../read/bulk.ts'
import { exitStatus, openReads, reportFailures } from '../../read/bulk.ts'
import { comparePaths, typedPath } from './data/paths.ts'
import { mapOf, same } from './data/values.ts'
import { markIn, markWords } from './histories/mark.ts'
import type { Found } from './mount/walk.ts'
import { readFound, secretsAt } from './mount/walk.ts'
import type { Version } from './data/versions.ts'
import type { Metadata } from './secret/index.ts'
import { findMetadata, findSecret } from './secret/index.ts'

const findingNames = ['stale', 'reused', 'placeholder', 'unfinished'] as const

const allNames: readonly string[] = findingNames

export const audit = command({
  name: 'audit',
  summary: 'Find stale, reused and placeholder values, and unfinished copies',
  description: `Lists each finding in a row; reused values come last. Values are never shown; they are compared as hashes, with a key that exists only for the run.

stale: the current value is older than --older-than, even if it was written again since. reused: several paths have the same value, under keys other than user, host and the like. placeholder: a value is empty, changeme, TODO or the name of its key. unfinished: a copy, move or restore of the whole history was interrupted.`,
  endpoint: [],
  also: [api.list, api.readMetadata, api.readData, api.readMount],
  params: {
    path: typedPath,
    olderThan: flag.longDuration('age from which values are stale', { defaultText: '90d' }),
    only: flag.list(`findings to look for: ${allNames.join(', ')} (default: all)`, {
      placeholder: 'finding,…',
      item: (name) => {
        if (!allNames.includes(name)) throw new RangeError(`'${name}' is not one of ${allNames.join(', ')}`)
        return name
      },
    }),
    exitCode: flag.boolean('exit with 9 if anything is found'),
  },
  examples: [
    { line: 'kv audit', note: 'the whole mount' },
    { line: 'kv audit team/ --older-than 180d', note: 'a folder, with another age' },
    { line: 'kv audit --only reused,placeholder -o json', note: 'some findings, for a report' },
  ],
  async run({ path = '', olderThan, only, exitCode }, context): Promise<Result> {
    if (olderThan?.warning !== undefined) context.io.warnAlways(`--older-than ${olderThan.warning}`)
    const bulk = openReads(context)
    const rules: Rules = {
      only: new Set(only ?? allNames),
      olderThan: olderThan?.milliseconds ?? 90 * days,
      shared: new SharedValues(),
    }
    const { found } = await secretsAt(bulk.context, path)
    const tally: Tally = { findings: 0, secrets: 0, paths: new Set(), failures: [] }
    return {
      rows: rowsOf(bulk, found, rules, tally),
      view,
      finish: () => {
        const { findings, secrets, paths, failures } = tally
        const where = findings === 0 ? '' : `${paths.size} of `
        context.io.note(`${plural(findings, 'finding')} in ${where}${plural(secrets, 'secret')}`)
        reportFailures(context.io, failures, secrets > 0)
        return exitStatus(failures.length > 0, exitCode === true && findings > 0)
      },
    }
  },
})

const view = list<Finding>(
  [
    { name: 'path', value: ({ path }) => path, whole: true },
    { name: 'finding', value: ({ finding }) => finding, show: ({ finding }) => cell(finding, 'warn') },
    { name: 'detail', value: ({ detail }) => detail, long: true },
  ],
  ({ path }) => path,
  { empty: 'nothing found' },
)

const days = 24 * 60 * 60 * 1000

interface Tally {
  findings: number
  secrets: number
  /** Secrets with a finding. */
  readonly paths: Set<string>
  readonly failures: Failure[]
}

/** The findings of each secret as it is read, then the values that several secrets share. */
async function* rowsOf(bulk: BulkReads, found: Found, rules: Rules, tally: Tally): Rows {
  const counted = (findings: readonly Finding[]) => {
    tally.findings += findings.length
    for (const { path } of findings) tally.paths.add(path)
    return findings.map(asJson)
  }
  const { failures } = tally
  const read = (path: string) => auditSecret(bulk.context, path, rules)
  for await (const findings of readFound(bulk, 'reading secrets', { found, failures }, read)) {
    tally.secrets += 1
    yield counted(findings)
  }
  for (const findings of rules.shared.findings()) yield counted(findings)
}

/** One row of an audit, without values. */
interface Finding {
  readonly path: string
  readonly finding: (typeof findingNames)[number]
  readonly detail: string
}

interface Rules {
  /** The findings to look for. */
  readonly only: ReadonlySet<string>
  /** Milliseconds. */
  readonly olderThan: number
  readonly shared: SharedValues
}

/** The findings of one secret, read as far as the rules need it. */
async function auditSecret(context: Context, path: string, rules: Rules): Promise<Finding[]> {
  const metadata = await findMetadata(context, path)
  if (metadata.state === 'missing') return []
  const mark = rules.only.has('unfinished') ? markIn(mapOf(metadata.metadata.custom_metadata)) : undefined
  const marked: Finding[] =
    mark === undefined ? [] : [{ path, finding: 'unfinished', detail: markWords(context, path, mark) }]
  return [...marked, ...(await auditData(context, path, metadata, rules))]
}

/** The findings about the current value of a secret. Adds its values to `shared`. */
async function auditData(context: Context, path: string, metadata: Metadata, rules: Rules): Promise<Finding[]> {
  const current = metadata.versions.find(({ version }) => version === metadata.current)
  if (current?.state !== 'live') return []
  const secret = await findSecret(context, path, current.version)
  if (secret.state !== 'live') return []
  const { data } = secret
  const leaves = leavesOf(data)
  if (rules.only.has('reused')) rules.shared.add(path, leaves)
  const placeholders = rules.only.has('placeholder') ? leaves.filter(isUnfilled) : []
  const findings = placeholders.map(({ key }): Finding => ({ path, finding: 'placeholder', detail: key }))
  if (!rules.only.has('stale')) return findings
  const before = metadata.moment.getTime() - rules.olderThan
  const older = metadata.versions.filter(({ version }) => version < current.version)
  const since = await unchangedSince(context, path, { current, older, data, before })
  if (since === undefined) return findings
  return [{ path, finding: 'stale', detail: `value unchanged since ${exactTime(since)}` }, ...findings]
}

interface Search {
  readonly current: Version
  /** Newest first. */
  readonly older: readonly Version[]
  readonly data: Json
  /** Milliseconds since 1970: a value from before that is stale. */
  readonly before: number
}

/**
 * When the current value was first written, if that is long enough ago: writing the same value again doesn't rotate it. Reads older
 * versions as long as they are live and equal, and no further than needed.
 */
async function unchangedSince(
  context: Context,
  path: string,
  { current, older, data, before }: Search,
): Promise<string | undefined> {
  let since = current.created_time
  for (const version of older) {
    if (Date.parse(since) < before || version.state !== 'live') break
    const found = await findSecret(context, path, version.version)
    if (found.state !== 'live' || !same(found.data, data)) break
    since = version.created_time
  }
  return Date.parse(since) < before ? since : undefined
}

/** A value of a secret that isn't a map, with the keys that lead to it: `db.password`. */
interface Leaf {
  readonly key: string
  readonly value: Json
}

/** All leaves of a secret's data. */
function leavesOf(data: Json, key = ''): Leaf[] {
  const below = (name: string) => (key === '' ? name : `${key}.${name}`)
  if (isObject(data)) return entriesOf(data).flatMap(([name, value]) => leavesOf(value, below(name)))
  if (Array.isArray(data)) return data.flatMap((value, index) => leavesOf(value, below(`${index}`)))
  return [{ key, value: data }]
}

const placeholders = /^(?:change[-_ ]?(?:me|it)|todo|tbd|fixme|placeholder|replace[-_ ]?me|x{3,}|<[^<>]*>)$/i

/** True for a value that was never filled in: empty, `changeme`, `TODO`, the key's own name. */
function isUnfilled({ key, value }: Leaf): boolean {
  if (value === null) return true
  if (typeof value !== 'string') return false
  const text = value.trim()
  const name = key.slice(key.lastIndexOf('.') + 1)
  return text === '' || placeholders.test(text) || text.toLowerCase() === name.toLowerCase()
}

/** Keys whose values are meant to be the same in many secrets. */
const publicKey =
  /^(?:.*[-_.])?(?:host(?:name)?|port|user(?:name)?|url|uri|addr(?:ess)?|endpoint|region|zone|env(?:ironment)?|stage|db(?:name)?|database|schema|scheme|protocol|driver|type|kind|name|version|owner|team|email|domain|path|sslmode|charset|timezone|enabled)$/i

/**
 * Finds values that several paths share, without keeping them: it compares hashes, whose key exists only during the run. A place is a number
 * (the index of its path and of its key), because there are as many places as values.
 */
export class SharedValues {
  private readonly secret = randomBytes(32)
  private readonly paths: string[] = []
  private readonly keys = new Map<string, number>()
  /** By hash: the place of a value, or the places if there are several. */
  private readonly places = new Map<string, number | number[]>()

  /** Adds the values of a secret that may be secrets: texts under keys that don't name something public. */
  add(path: string, leaves: readonly Leaf[]): void {
    const index = this.paths.push(path) - 1
    for (const leaf of leaves) {
      if (typeof leaf.value !== 'string' || isUnfilled(leaf) || publicKey.test(leaf.key)) continue
      const hash = createHmac('sha256', this.secret).update(leaf.value).digest().toString('latin1')
      const place = index * mostKeys + this.numberOf(leaf.key)
      const before = this.places.get(hash)
      if (typeof before === 'object') before.push(place)
      else this.places.set(hash, before === undefined ? place : [before, place])
    }
  }

  /** The findings of values that several paths have, a few at a time: which key, and where else. */
  *findings(): Generator<Finding[]> {
    const keys = [...this.keys.keys()]
    const pathOf = (place: number) => this.paths[Math.floor(place / mostKeys)] as string
    const byPath = (one: number, other: number) => comparePaths(pathOf(one), pathOf(other))
    const groups = [...this.places.values()].filter((places) => typeof places === 'object')
    for (const group of groups) group.sort(byPath)
    for (const group of groups.toSorted(([one], [other]) => byPath(one as number, other as number))) {
      const paths = [...new Set(group.map(pathOf))]
      if (paths.length === 1) continue
      const findingAt = (place: number): Finding => {
        const path = pathOf(place)
        const named = paths.slice(0, mostNamed + 1).filter((one) => one !== path)
        const rest = paths.length - 1 - named.length
        const others = rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ')
        return { path, finding: 'reused', detail: `${keys[place % mostKeys] ?? 'a key'}: also in ${others}` }
      }
      for (let start = 0; start < group.length; start += atOnce) yield group.slice(start, start + atOnce).map(findingAt)
    }
  }

  /** The number of a key; the last one stands for all keys beyond {@link mostKeys}. */
  private numberOf(key: string): number {
    const number = this.keys.get(key) ?? this.keys.size
    if (number >= mostKeys - 1) return mostKeys - 1
    this.keys.set(key, number)
    return number
  }
}

/** The number of different keys that findings name. */
const mostKeys = 2 ** 20

/** Findings made at a time: a value may be in every secret. */
const atOnce = 500

/** Paths that a finding names. */
const mostNamed = 10
