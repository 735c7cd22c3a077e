import { posix, win32, dirname, join } from 'node:path'
import type { Stats } from 'node:fs'
import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'

/** A setting or variable as a boolean; an empty one, `0`, `false` and `no` are false. */
export function isYes(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'f', 'n'].includes(value.toLowerCase())
}

/** Paths as the platform spells them: `C:\Users` is absolute on Windows only. */
export function pathsOf(platform: string): typeof posix {
  return platform === 'win32' ? win32 : posix
}

/** True for a name that Windows reserves for a device, with any extension: `NUL`, `con.txt`. */
export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9]|conin\$|conout\$) *(?:\.|:|$)/i.test(name)
}

/** True for the name of a var-file of jobs, such as `prod.vars.hcl`, `vars.hcl` and `variables.hcl`. */
export function isVariableFile(name: string): boolean {
  return /(?:^|\.)(?:vars|tfvars|variables)\.\w+$/i.test(name)
}

/** Where caches go. */
export interface CachePlace {
  /** A folder that must exist, unless `isCreated`. */
  readonly base: string
  /** The folder of `tug` below it. */
  readonly below: string
  /** True if a missing base is created, as the XDG specification asks. */
  readonly isCreated: boolean
}

/** Where caches go; undefined if neither variables nor the home folder name an absolute path. */
export function cachePlace(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: string,
): CachePlace | undefined {
  const { isAbsolute, join: joined } = pathsOf(platform)
  const { LOCALAPPDATA: local = '', XDG_CACHE_HOME: xdg = '' } = env
  if (platform === 'win32' && isAbsolute(local)) return { base: local, below: joined('tug', 'cache'), isCreated: false }
  if (platform !== 'win32' && isAbsolute(xdg)) return { base: xdg, below: 'tug', isCreated: true }
  if (!isAbsolute(home)) return undefined
  const places: Readonly<Record<string, string>> = {
    darwin: joined('Library', 'Caches', 'tug'),
    win32: joined('AppData', 'Local', 'tug', 'cache'),
  }
  return { base: home, below: places[platform] ?? joined('.cache', 'tug'), isCreated: false }
}

/** True if something belongs to the user, and nobody else may write it. `uid` is undefined on Windows. */
export function isPrivate({ uid: owner, mode }: Pick<Stats, 'uid' | 'mode'>, uid: number | undefined): boolean {
  return uid === undefined || (owner === uid && (mode & 0o022) === 0)
}

/**
 * A folder below the cache folder of `tug`; with `creates`, missing ones are created (0700). Undefined if one of them, up to the
 * base, is missing, is a link, or isn't private: then nothing is created, and nothing in it may be read, written or removed.
 */
export function cacheFolder(
  { base, below, isCreated }: CachePlace,
  names: readonly string[],
  { uid, creates }: { readonly uid: number | undefined; readonly creates: boolean },
): string | undefined {
  if (creates && isCreated) makeFolder(base, 0o700)
  let folder = base
  let found = statSync(base, { throwIfNoEntry: false })
  for (const name of [...below.split(/[\\/]/), ...names]) {
    if (found?.isDirectory() !== true || !isPrivate(found, uid)) return undefined
    folder = join(folder, name)
    found = lstatSync(folder, { throwIfNoEntry: false })
    if (found !== undefined || !creates) continue
    makeFolder(folder, 0o700)
    found = lstatSync(folder)
  }
  return found?.isDirectory() === true && isPrivate(found, uid) ? folder : undefined
}

/** True if the output is a table on a terminal. */
export function isTableShown(format: string, isTerminal: boolean): boolean {
  return ['table', 'wide', 'box'].includes(format) && isTerminal
}

/** True if a watched response replaces the previous one on the screen; otherwise each is printed below it. */
export function isRedrawn(
  format: string,
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTableShown(format, isTerminal) && !isSimpleTerminal(env)
}

/** True where nothing may be animated or redrawn: for screen readers and on simple terminals (`TERM=dumb`). */
export function isSimpleTerminal(env: Readonly<Record<string, string | undefined>>): boolean {
  return isAccessible(env) || env['TERM'] === 'dumb'
}

/** True for screen readers: `TUG_ACCESSIBLE=1`, or `ACCESSIBLE=1`, which other tools obey too. */
export function isAccessible(env: Readonly<Record<string, string | undefined>>): boolean {
  return isYes(env['TUG_ACCESSIBLE'] || env['ACCESSIBLE'])
}

/**
 * Creates a folder and its missing parents. Returns whether it created any. Throws file system errors. Node's `recursive` loops
 * forever where a folder can be read but not written to (`/proc`, an autofs mount).
 */
export function makeFolder(path: string, mode?: number): boolean {
  try {
    mkdirSync(path, mode)
    return true
  } catch (error) {
    const parent = dirname(path)
    // A root is its own parent: a drive or share of Windows may be missing.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && parent !== path && !existsSync(parent)) {
      makeFolder(parent, mode)
      mkdirSync(path, mode)
      return true
    }
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
    return false
  }
}

/** The name of a variable as the platform compares it: Windows ignores case. */
export function variableName(name: string, platform: string): string {
  return platform === 'win32' ? name.toUpperCase() : name
}

/** A child's environment: `env` without the names that match `drop`, plus `added`, which replaces variables of the same name. */
export function changedEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
  { drop, added = {} }: { drop?: RegExp; added?: Readonly<Record<string, string | undefined>> },
): Record<string, string | undefined> {
  const replaced = new Set(Object.keys(added).map((name) => variableName(name, platform)))
  const kept = Object.entries(env).filter(([spelled]) => {
    const name = variableName(spelled, platform)
    return !replaced.has(name) && drop?.test(name) !== true
  })
  // Not by assignment: a key of a secret may be `__proto__`.
  return Object.fromEntries([...kept, ...Object.entries(added)])
}
