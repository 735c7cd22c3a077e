import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { cachePlace, makeFolder } from '../core/environment.ts'

/** Set by the build to a hash of all files of the program. */
declare const TUG_BUILD: string | undefined

/** Code that V8 compiled in earlier runs of a command: file name of the program → V8's data. */
export type CompiledCode = ReadonlyMap<string, Buffer>

export interface CodeCache {
  /** The code of a command; undefined if there is none or it cannot be trusted. */
  read(command: string): CompiledCode | undefined
  /** Replaces the code of a command. Fails silently: without a cache the program only starts slower. */
  write(command: string, code: () => CompiledCode): void
}

type System = Pick<NodeJS.Process, 'arch' | 'env' | 'execArgv' | 'getuid' | 'pid' | 'platform' | 'versions'>

const build = typeof TUG_BUILD === 'string' ? TUG_BUILD : 'source'
/** Maximum number of folders of older builds and other versions of Node. */
const mostFolders = 4
/** Flags become part of a folder's name. */
const longestFlags = 150
/** V8 copies data without this alignment. */
const alignment = 8

/**
 * Opens the cache in the user's cache folder. Compiled code is executed, so everything must belong to the user and be writable by
 * nobody else. Undefined if that is impossible, or if the user has disabled Node's compile cache. Each set of Node flags has its own
 * folder, because V8 rejects code compiled with other flags.
 */
export function openCodeCache(system: System): CodeCache | undefined {
  const { env, execArgv, versions, arch, platform } = system
  const flags = encodeURIComponent([env['NODE_OPTIONS'] ?? '', ...execArgv].join(' ').trim())
  if (env['NODE_DISABLE_COMPILE_CACHE'] || flags.length > longestFlags) return undefined
  const place = cachePlace(env, (platform === 'win32' ? env['USERPROFILE'] : env['HOME']) ?? '', platform)
  if (place === undefined) return undefined
  const { base, below, isCreated } = place
  const isPrivate = ({ uid, mode }: { uid: number; mode: number }) =>
    system.getuid === undefined || (uid === system.getuid() && (mode & 0o022) === 0)
  const cacheFolder = join(base, below)
  const builds = join(cacheFolder, 'code')
  const folder = join(builds, [build, versions.v8, arch, flags].filter(Boolean).join('-'))

  return {
    read(command) {
      try {
        if (!isPrivate(statSync(base)) || !isPrivate(lstatSync(cacheFolder))) return undefined
        const file = join(folder, command)
        const facts = lstatSync(file)
        return facts.isFile() && isPrivate(facts) ? decode(readFileSync(file)) : undefined
      } catch {
        return undefined
      }
    },
    write(command, code) {
      const draft = join(folder, `${command}.${system.pid}`)
      try {
        if (isCreated) makeFolder(base, 0o700)
        if (!isPrivate(statSync(base))) return
        if (makeFolder(folder, 0o700)) removeOld(builds, folder)
        if (!isPrivate(lstatSync(cacheFolder))) return
        const file = openSync(draft, 'wx', 0o600)
        try {
          writeSync(file, encode(code()))
          // Without it, a power failure could leave a file with missing blocks.
          fsyncSync(file)
        } finally {
          closeSync(file)
        }
        renameSync(draft, join(folder, command))
      } catch {
        removeDraft(draft)
      }
    },
  }
}

function removeDraft(draft: string): void {
  try {
    rmSync(draft, { force: true })
  } catch {
    // One of its parent folders can't be read, or is a file.
  }
}

function removeOld(builds: string, current: string): void {
  const others = readdirSync(builds)
    .map((name) => join(builds, name))
    .filter((each) => each !== current)
  const byAge = others.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)
  for (const old of byAge.slice(mostFolders - 1)) rmSync(old, { recursive: true, force: true })
}

/** A line of JSON with a checksum, and the names and sizes of the files; then their data. */
function encode(code: CompiledCode): Buffer {
  const sizes = [...code].map(([name, { length }]) => [name, length])
  const data = Buffer.concat([...code.values()].flatMap((one) => [one, Buffer.alloc(padding(one.length))]))
  const header = JSON.stringify([checksum(data), sizes])
  return Buffer.concat([Buffer.from(`${header}${' '.repeat(padding(header.length + 1))}\n`), data])
}

/** The inverse of {@link encode}. Returns undefined or throws for a file that isn't whole. */
function decode(content: Buffer): CompiledCode | undefined {
  let at = content.indexOf('\n') + 1
  const [sum, sizes] = JSON.parse(content.toString('latin1', 0, at)) as [number, [name: string, size: number][]]
  if (sum !== checksum(content.subarray(at))) return undefined
  const code = new Map<string, Buffer>()
  for (const [name, size] of sizes) {
    code.set(name, content.subarray(at, at + size))
    at += size + padding(size)
  }
  return at === content.length ? code : undefined
}

/** Covers a few bytes of each disk sector. That finds lost blocks, with which V8 would crash, in much less time than a CRC. */
function checksum(data: Buffer): number {
  const words = new Int32Array(data.buffer, data.byteOffset, data.length / Int32Array.BYTES_PER_ELEMENT)
  let sum = 0
  for (let at = 0; at < words.length; at += 128) sum = (Math.imul(sum, 31) + (words[at] as number)) | 0
  return sum
}

function padding(length: number): number {
  return (alignment - (length % alignment)) % alignment
}
