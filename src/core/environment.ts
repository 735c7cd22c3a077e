import { posix, win32, dirname } from 'node:path'
import { existsSync, mkdirSync, statSync } from 'node:fs'

/** A setting's or variable's text as a boolean; an empty one, `0`, `false` and `no` are false. */
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

/** Where caches go. */
export interface CachePlace {
  /** A folder that must exist, unless `isCreated`. */
  readonly base: string
  /** The folder of `tug` below it. */
  readonly below: string
  /** True if a missing base is created, as the XDG specification asks. */
  readonly isCreated: boolean
}

/** Undefined where the variables and the home folder lead to no place for caches; relative paths don't. */
export function cachePlace(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: string,
): CachePlace | undefined {
  const { isAbsolute, join } = pathsOf(platform)
  const { LOCALAPPDATA: local = '', XDG_CACHE_HOME: xdg = '' } = env
  if (platform === 'win32' && isAbsolute(local)) return { base: local, below: join('tug', 'cache'), isCreated: false }
  if (platform !== 'win32' && isAbsolute(xdg)) return { base: xdg, below: 'tug', isCreated: true }
  if (!isAbsolute(home)) return undefined
  const places: Readonly<Record<string, string>> = {
    darwin: join('Library', 'Caches', 'tug'),
    win32: join('AppData', 'Local', 'tug', 'cache'),
  }
  return { base: home, below: places[platform] ?? join('.cache', 'tug'), isCreated: false }
}

/** True if a person reads a table on a terminal. */
export function isTableShown(format: string, isTerminal: boolean): boolean {
  return ['table', 'wide', 'box'].includes(format) && isTerminal
}

/** True if a watched answer takes the place of the one before on the screen; elsewhere each is printed below it. */
export function isRedrawn(
  format: string,
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTableShown(format, isTerminal) && !isSimpleTerminal(env)
}

/** True where nothing may move or be drawn over: for screen readers (`TUG_ACCESSIBLE=1`) and on simple terminals (`TERM=dumb`). */
export function isSimpleTerminal(env: Readonly<Record<string, string | undefined>>): boolean {
  return isYes(env['TUG_ACCESSIBLE']) || env['TERM'] === 'dumb'
}

/**
 * Creates a folder, and those above it that are missing. Returns whether it had to. Throws what the file system says. Node's own
 * `recursive` tries for ever where a folder can be read but none created in it (`/proc`, a mount of autofs).
 */
export function makeFolder(path: string, mode?: number): boolean {
  try {
    mkdirSync(path, mode)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(dirname(path))) {
      makeFolder(dirname(path), mode)
      mkdirSync(path, mode)
      return true
    }
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
    return false
  }
}
