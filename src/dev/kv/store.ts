import { objectFrom, type Json, type JsonObject } from '../../core/json.ts'
import type { DevClock } from '../http.ts'
import { timeText } from '../secrets/reply.ts'

/** Settings of the engine, and of each secret. */
export interface Settings {
  casRequired: boolean
  /** Whether writes of metadata need `metadata_cas`. */
  metadataCasRequired: boolean
  /** 0: not set. */
  maxVersions: number
  /** Seconds; 0: not set; below zero (of the engine only): never, whatever a secret sets. */
  deleteVersionAfter: number
}

function newSettings(): Settings {
  return { casRequired: false, metadataCasRequired: false, maxVersions: 0, deleteVersionAfter: 0 }
}

export interface Version {
  readonly created: Date
  /** May be in the future: the version lives until then. */
  deletion: Date | undefined
  destroyed: boolean
  /** Null can be stored; undefined once destroyed. */
  data: JsonObject | null | undefined
}

export interface Secret {
  readonly settings: Settings
  readonly created: Date
  updated: Date
  /** Number of the latest version; 0 if there never was one. */
  current: number
  /** Number of the oldest version kept; 0 until versions were dropped. */
  oldest: number
  readonly versions: Map<number, Version>
  customMetadata: Map<string, string>
  /** How often the metadata were written. */
  metadataVersion: number
}

/** How the limits of engine and secret combine: the secret's own first, or the larger of both. */
export type VersionLimit = 'key overrides' | 'larger wins'

const versionsKept = 10

export class KvStore {
  readonly settings: Settings = newSettings()
  private readonly secrets = new Map<string, Secret>()
  private readonly clock: Pick<DevClock, 'now'>

  constructor(clock: Pick<DevClock, 'now'>) {
    this.clock = clock
  }

  get(path: string): Secret | undefined {
    return this.secrets.get(path)
  }

  /** The secret; a new one without versions if it doesn't exist. */
  getOrMake(path: string): Secret {
    const known = this.secrets.get(path)
    if (known !== undefined) return known
    const now = this.clock.now()
    const rest = { current: 0, oldest: 0, versions: new Map(), customMetadata: new Map(), metadataVersion: 0 }
    const secret: Secret = { settings: newSettings(), ...rest, created: now, updated: now }
    this.secrets.set(path, secret)
    return secret
  }

  remove(path: string): void {
    this.secrets.delete(path)
  }

  paths(): Iterable<string> {
    return this.secrets.keys()
  }

  /** Adds a version and drops the oldest if there are too many. Returns its number. */
  write(path: string, data: JsonObject | null, limit: VersionLimit): number {
    const secret = this.getOrMake(path)
    const now = this.clock.now()
    secret.current += 1
    secret.updated = now
    secret.versions.set(secret.current, { created: now, deletion: this.expiry(secret), destroyed: false, data })
    const gone = secret.current - this.kept(secret, limit)
    for (const number of secret.versions.keys()) {
      if (number <= gone) secret.versions.delete(number)
    }
    if (gone > 0) secret.oldest = Math.max(secret.oldest, gone + 1)
    return secret.current
  }

  /** Soft-deletes versions; numbers without a live version are ignored. */
  delete(path: string, numbers: readonly number[]): void {
    for (const version of this.versions(path, numbers)) {
      if (!version.destroyed && !this.isDeleted(version)) version.deletion = this.clock.now()
    }
  }

  /** Restores versions that are not destroyed; a time to live starts again. */
  undelete(path: string, numbers: readonly number[]): void {
    const secret = this.secrets.get(path)
    if (secret === undefined) return
    for (const version of this.versions(path, numbers)) {
      if (!version.destroyed) version.deletion = this.expiry(secret)
    }
  }

  destroy(path: string, numbers: readonly number[]): void {
    for (const version of this.versions(path, numbers)) {
      version.destroyed = true
      version.data = undefined
    }
  }

  isDeleted(version: Version): boolean {
    return version.deletion !== undefined && version.deletion <= this.clock.now()
  }

  /** Records a change of the secret's own settings. */
  touch(secret: Secret): void {
    secret.updated = this.clock.now()
    secret.metadataVersion += 1
  }

  private versions(path: string, numbers: readonly number[]): Version[] {
    const versions = this.secrets.get(path)?.versions
    return numbers.map((number) => versions?.get(number)).filter((version) => version !== undefined)
  }

  private kept(secret: Secret, limit: VersionLimit): number {
    const engine = this.settings.maxVersions
    const own =
      limit === 'key overrides' ? secret.settings.maxVersions || engine : Math.max(secret.settings.maxVersions, engine)
    return own || versionsKept
  }

  private expiry(secret: Secret): Date | undefined {
    const engine = this.settings.deleteVersionAfter
    if (engine < 0) return undefined
    const both = [engine, secret.settings.deleteVersionAfter].filter((seconds) => seconds > 0)
    return both.length === 0 ? undefined : new Date(this.clock.now().getTime() + Math.min(...both) * 1000)
  }
}

/** The names in a folder ('' for the root); those of folders end with a slash. */
export function namesIn(folder: string, paths: Iterable<string>): Set<string> {
  const start = folder === '' ? '' : `${folder}/`
  const below = [...paths].filter((path) => path.startsWith(start)).map((path) => path.slice(start.length))
  return new Set(below.map((path) => path.replace(/\/.*$/s, '/')))
}

export function versionMetadata(secret: Secret, number: number): JsonObject {
  return { ...versionTimes(secret.versions.get(number)), custom_metadata: customMetadata(secret), version: number }
}

/** One of the `versions` of a metadata read. */
export function versionTimes(version: Version | undefined): Record<string, Json> {
  return {
    created_time: version === undefined ? '' : timeText(version.created),
    deletion_time: version?.deletion === undefined ? '' : timeText(version.deletion),
    destroyed: version?.destroyed ?? false,
  }
}

/** The map, or null if it is empty. */
export function customMetadata(secret: Secret): JsonObject | null {
  return secret.customMetadata.size === 0 ? null : objectFrom(secret.customMetadata)
}
