import { lstatSync, readFileSync, readdirSync, renameSync, rmSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { cacheFolder, cachePlace, isPrivate } from '../core/environment.ts'
import { writeNewFile } from '../core/new-file.ts'

// V8's compiled code of earlier runs. Node's own compile cache has a file for each of ours, and takes 6 to 11 ms longer (22 and 24).

/** Set by the build to a hash of all files of the program. */
declare const TUG_BUILD: string | undefined

/** Compiles the files of a command with V8's code from earlier runs. */
export interface CodeCache {
  /** Compiles a file. Its cached code is used if it was compiled from exactly this source. */
  compile(file: string, filename: string, source: string): Script
  /** Stores the code of all compiled files, if there is anything new. Fails silently: the program only starts slower. */
  save(): void
}

type System = Pick<
  NodeJS.Process,
  'arch' | 'env' | 'execArgv' | 'getBuiltinModule' | 'getuid' | 'pid' | 'platform' | 'versions'
>

/** The code of a file, and a checksum of its source, of which V8 compares only the length. */
interface Compiled {
  readonly source: number
  readonly code: Buffer
}

const build = typeof TUG_BUILD === 'string' ? TUG_BUILD : 'source'
/** Maximum number of folders of older builds and other versions of Node. */
const mostFolders = 4
/** Flags become part of a folder's name. */
const longestFlags = 150
/** V8 copies data without this alignment. */
const alignment = 8
/** The first bytes of a file: a checksum of all others. */
const sumLength = 8

/** Folders and files that are created here. Nothing else is ever removed. */
const ownFolder = /^(?:\d+\.\d+\.\d+[\w.+-]*-[0-9a-f]{16}|source)-\d+\.\d+\.\d+\.[\w.-]+-[a-z0-9]+/
const ownFile = /^[a-z-]+(?:\.\d+)?$/

/**
 * Opens the cache of a command in the user's cache folder. Compiled code is executed, so everything must belong to the user and be
 * writable by nobody else. Undefined if there is no folder for it, or if the user has disabled Node's compile cache. Each set of Node
 * flags has its own folder, because V8 rejects code compiled with other flags.
 */
export function openCodeCache(system: System, command: string): CodeCache | undefined {
  const { env, execArgv, versions, arch, platform } = system
  const flags = encodeURIComponent([env['NODE_OPTIONS'] ?? '', ...execArgv].join(' ').trim())
  if (env['NODE_DISABLE_COMPILE_CACHE'] || flags.length > longestFlags) return undefined
  const place = cachePlace(env, (platform === 'win32' ? env['USERPROFILE'] : env['HOME']) ?? '', platform)
  if (place === undefined) return undefined
  const uid = system.getuid?.()
  const names = ['code', [build, versions.v8, arch, flags].filter(Boolean).join('-')]
  const { crc32 } = system.getBuiltinModule('node:zlib')
  const saved = read()
  const scripts = new Map<string, { readonly script: Script; readonly source: number }>()
  let isNew = false

  function read(): ReadonlyMap<string, Compiled> {
    try {
      const folder = cacheFolder(place as NonNullable<typeof place>, names, { uid, creates: false })
      if (folder === undefined) return new Map()
      const file = join(folder, command)
      const facts = lstatSync(file)
      return facts.isFile() && isPrivate(facts, uid) ? decode(readFileSync(file), crc32) : new Map()
    } catch {
      return new Map()
    }
  }

  function write(folder: string): void {
    const draft = join(folder, `${command}.${system.pid}`)
    try {
      const kept = [...saved].filter(([name]) => !scripts.has(name))
      const compiled = [...scripts].map(
        ([name, { script, source }]) => [name, { source, code: script.createCachedData() }] as const,
      )
      writeNewFile(draft, encode(new Map([...kept, ...compiled]), crc32))
      // Not by `output/files.ts`, which waits: the process is exiting.
      renameSync(draft, join(folder, command))
    } catch {
      rmSync(draft, { force: true })
    }
  }

  return {
    compile(file, filename, text) {
      const source = crc32(text)
      const known = saved.get(file)
      const cachedData = known?.source === source ? known.code : undefined
      const script = new Script(text, { filename, ...(cachedData === undefined ? {} : { cachedData }) })
      isNew ||= cachedData === undefined || script.cachedDataRejected === true
      scripts.set(file, { script, source })
      return script
    },
    save() {
      if (!isNew) return
      try {
        const existing = cacheFolder(place, names, { uid, creates: false })
        const folder = existing ?? cacheFolder(place, names, { uid, creates: true })
        if (folder === undefined) return
        if (existing === undefined) removeOld(join(folder, '..'), folder)
        write(folder)
      } catch {
        // One of its parent folders can't be written, or is a file.
      }
    },
  }
}

/** Removes the oldest folders of other builds. */
function removeOld(builds: string, current: string): void {
  const others = readdirSync(builds)
    .filter((name) => ownFolder.test(name))
    .map((name) => ({ folder: join(builds, name), facts: lstatSync(join(builds, name)) }))
    .filter(({ folder, facts }) => folder !== current && facts.isDirectory())
  const byAge = others.toSorted((one, other) => other.facts.mtimeMs - one.facts.mtimeMs)
  for (const { folder } of byAge.slice(mostFolders - 1)) {
    const files = readdirSync(folder).map((name) => [name, join(folder, name)] as const)
    for (const [name, file] of files) if (ownFile.test(name) && lstatSync(file).isFile()) rmSync(file)
    if (files.every(([name]) => ownFile.test(name))) rmdirSync(folder)
  }
}

type Checksum = (data: Buffer | string) => number

/** A checksum, a line of JSON with the names, sources and sizes of the files, then their data. */
function encode(code: ReadonlyMap<string, Compiled>, crc32: Checksum): Buffer {
  const sizes = [...code].map(
    ([
      name,
      {
        source,
        code: { length },
      },
    ]) => [name, source, length],
  )
  const header = JSON.stringify(sizes)
  const data = [...code.values()].flatMap((one) => [one.code, Buffer.alloc(padding(one.code.length))])
  const whole = Buffer.concat([Buffer.from(`${header}${' '.repeat(padding(header.length + 1))}\n`), ...data])
  return Buffer.concat([Buffer.from(hex(crc32(whole))), whole])
}

/** The inverse of {@link encode}. Empty, or throws, for a file that isn't exactly what was written. */
function decode(content: Buffer, crc32: Checksum): ReadonlyMap<string, Compiled> {
  const code = new Map<string, Compiled>()
  if (content.toString('latin1', 0, sumLength) !== hex(crc32(content.subarray(sumLength)))) return code
  let at = content.indexOf('\n') + 1
  const sizes = JSON.parse(content.toString('latin1', sumLength, at)) as [name: string, source: number, size: number][]
  for (const [name, source, size] of sizes) {
    code.set(name, { source, code: content.subarray(at, at + size) })
    at += size + padding(size)
  }
  return code
}

function hex(sum: number): string {
  return sum.toString(16).padStart(sumLength, '0')
}

function padding(length: number): number {
  return (alignment - (length % alignment)) % alignment
}
