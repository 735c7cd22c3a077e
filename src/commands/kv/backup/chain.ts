import { TugError } from '../../../core/errors.ts'
import type { BackupFile } from './file.ts'
import type { Header, Line, SecretRecord, VersionRecord } from './record.ts'
import { comparePaths, isRemoved } from './record.ts'

/** Throws unless the files are a full backup and the incremental ones made on top of it, in order. */
export function checkChain(files: readonly BackupFile[]): void {
  for (const [index, { name, header }] of files.entries()) {
    const before = files[index - 1]
    if (before === undefined && header.since !== null)
      throw new TugError('failed', `${name} contains only changes since another backup`, {
        hints: ['name the backup it is based on first, then this one'],
      })
    if (before !== undefined && header.since === null)
      throw new TugError('failed', `${name} is a full backup; only the first file may be one`)
    if (before !== undefined && header.since?.sha256 !== before.end?.sha256)
      throw new TugError('failed', `${name} is not based on ${before.name}`)
    if (before !== undefined && placeOf(header) !== placeOf(before.header))
      throw new TugError(
        'failed',
        `${name} is a backup of ${placeOf(header)}, but ${before.name} of ${placeOf(before.header)}`,
      )
  }
}

/** The mount and folder that a backup is of, as in `secret/team`. */
export function placeOf({ mount, path }: Pick<Header, 'mount' | 'path'>): string {
  return `${mount}/${path}`
}

/**
 * The secrets of several backups in path order: the newest line of each path counts, and data that it lacks comes from older
 * ones. One line of each file is kept in memory.
 */
export async function* mergedSecrets(files: readonly BackupFile[]): AsyncGenerator<SecretRecord> {
  const sources = files.map((file) => file.lines())
  const heads = await Promise.all(sources.map((source) => next(source)))
  for (;;) {
    const paths = heads.filter((head) => head !== undefined).map(({ path }) => path)
    const [first] = paths.toSorted(comparePaths)
    if (first === undefined) return
    let merged: SecretRecord | undefined
    for (const [index, head] of heads.entries()) {
      if (head?.path !== first) continue
      merged = isRemoved(head) ? undefined : merged === undefined ? head : withOlderData(head, merged)
      heads[index] = await next(sources[index] as AsyncGenerator<Line>)
    }
    if (merged !== undefined) yield merged
  }
}

async function next(source: AsyncGenerator<Line>): Promise<Line | undefined> {
  const result = await source.next()
  return result.done === true ? undefined : result.value
}

/** The record, with the data of an older one for versions that were deleted since. */
function withOlderData(record: SecretRecord, older: SecretRecord): SecretRecord {
  const known = new Map(older.versions.map((version) => [version.version, version]))
  const filled = (version: VersionRecord): VersionRecord => {
    const before = known.get(version.version)
    const isSame = version.state !== 'destroyed' && before?.created_time === version.created_time
    if (version.data !== undefined || before?.data === undefined || !isSame) return version
    return { ...version, data: before.data }
  }
  return { ...record, versions: record.versions.map(filled) }
}
