import type { Context } from '../../../core/context.ts'
import { readableTime } from '../../../core/duration.ts'
import type { Json } from '../../../core/json.ts'
import type { SecretRecord, VersionRecord } from '../backup/record.ts'
import { currentOf } from '../backup/record.ts'
import { readOutline } from '../backup/snapshot.ts'
import { versionWords } from '../messages.ts'
import { isGone, isMissing } from '../missing.ts'
import { readOneOfMany } from '../read.ts'
import { same } from '../values.ts'
import type { Finding, FindingName } from './audit.ts'
import type { SharedValues } from './values.ts'
import { isPlaceholder, leavesOf } from './values.ts'

/** What to look for. */
export interface Rules {
  readonly only: ReadonlySet<FindingName>
  /** Milliseconds. */
  readonly olderThan: number
  /** Keys of custom metadata that every secret should have. */
  readonly requiredMetadata: readonly string[]
  readonly shared: SharedValues
}

/** A deletion time is near within this time. */
const soon = 7 * 24 * 60 * 60 * 1000

/** Reads a secret as far as the rules need it, and says what was found. Values that others may share are added to `shared`. */
export async function auditSecret(context: Context, path: string, rules: Rules): Promise<Finding[]> {
  try {
    const { record, moment } = await readOutline(context, path)
    const current = currentOf(record)
    const others = metadataFindings(record, moment, rules)
    const readsData = ['stale', 'reused', 'placeholder'].some((name) => rules.only.has(name as FindingName))
    if (current?.state !== 'live' || !readsData) return others
    const { data } = await readOneOfMany(context, path, current.version)
    const leaves = leavesOf(data)
    if (rules.only.has('reused')) rules.shared.add(path, leaves)
    const placeholders = rules.only.has('placeholder') ? leaves.filter(isPlaceholder) : []
    const findings: Finding[] = [
      ...placeholders.map(({ key }): Finding => ({ path, finding: 'placeholder', detail: key })),
      ...others,
    ]
    if (!rules.only.has('stale')) return findings
    const since = await unchangedSince(context, { record, current, data, before: moment.getTime() - rules.olderThan })
    if (since === undefined) return findings
    return [{ path, finding: 'stale', detail: `value unchanged since ${readableTime(since)}` }, ...findings]
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function metadataFindings(record: SecretRecord, now: Date, rules: Rules): Finding[] {
  const { path, versions, custom_metadata: custom } = record
  const found: Finding[] = []
  const lacking = rules.requiredMetadata.filter((key) => !Object.hasOwn(custom ?? {}, key))
  if (rules.only.has('no-owner') && lacking.length > 0)
    found.push({ path, finding: 'no-owner', detail: `no custom metadata ${lacking.join(', ')}` })
  const deleted = versions.filter(
    ({ state, deletion_time }) => state === 'deleted' && now.getTime() - Date.parse(deletion_time) > rules.olderThan,
  )
  const [first] = deleted.map(({ deletion_time }) => deletion_time).toSorted()
  if (rules.only.has('lingering') && first !== undefined)
    found.push({
      path,
      finding: 'lingering',
      detail: `${versionWords(deleted.map(({ version }) => version))} deleted since ${readableTime(first)}, never destroyed`,
    })
  const current = currentOf(record)
  const due = current?.state === 'live' ? Date.parse(current.deletion_time) : Number.NaN
  if (rules.only.has('expiring') && current !== undefined && due > now.getTime() && due - now.getTime() <= soon)
    found.push({
      path,
      finding: 'expiring',
      detail: `version ${current.version} is deleted on ${readableTime(current.deletion_time)}`,
    })
  return found
}

interface Search {
  readonly record: SecretRecord
  readonly current: VersionRecord
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
  { record, current, data, before }: Search,
): Promise<string | undefined> {
  let since = current.created_time
  const older = record.versions.filter(({ version }) => version < current.version).toReversed()
  for (const version of older) {
    if (Date.parse(since) < before || version.state !== 'live') break
    try {
      const found = await readOneOfMany(context, record.path, version.version)
      if (!same(found.data, data)) break
    } catch (error) {
      if (isGone(error) || isMissing(error)) break
      throw error
    }
    since = version.created_time
  }
  return Date.parse(since) < before ? since : undefined
}
