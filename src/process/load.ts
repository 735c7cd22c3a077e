import { readFileSync, fstatSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { openCodeCache } from './code-cache.ts'

type Wrapped = (exports: object, require: (name: string) => unknown) => void

/** Commands that read thousands of rows with few requests. */
const bulky = new Set(['explorer query', 'explorer summary', 'job list', 'kv tree'])

/** A copy of the program: the files of a package, or the assets of an executable. */
export interface Copy {
  /** The text of one of its files, which are ASCII. */
  readonly read: (file: string) => string
  /** Where its files are, for stack traces. */
  readonly folder: string
  /** The command that starts the program. */
  readonly self: readonly string[]
}

/** Runs the program in `folder` as the process `target`. */
export function start(folder: string, target: NodeJS.Process): void {
  const self = [target.execPath, target.argv[1] as string]
  startCopy({ read: (file) => readFileSync(join(folder, file), 'latin1'), folder, self }, target)
}

/** Runs a copy of the program as the process `target`. */
export function startCopy(copy: Copy, target: NodeJS.Process): void {
  if (printFixedText(copy.read, target)) return
  // Without a listener, Node opens its debugger, and secrets are in memory.
  target.on('SIGUSR1', () => undefined)
  const main = load(copy, target) as { start(target: NodeJS.Process, self: readonly string[]): void }
  main.start(target, copy.self)
}

/**
 * Loads `main.cjs` and the files that it requires, with V8's compiled code if cached. The cache is written when the process exits, after
 * the result has been printed.
 */
function load({ read, folder }: Copy, target: NodeJS.Process): unknown {
  const typed = target.argv.slice(2, 4)
  const end = typed.findIndex((word) => !/^[a-z][a-z-]{0,20}$/.test(word))
  const words = end === -1 ? typed : typed.slice(0, end)
  // Before the cache is used: compiled code is valid for the flags that it was compiled with.
  if (bulky.has(words.join(' '))) optimizeLater(target)
  // Flags are not known here, and their values look like commands: `-n team kv get`.
  const command = words.join('-') || 'flags'
  const cache = openCodeCache(target, command)
  const loaded = new Map<string, object>()

  function requireFile(name: string): unknown {
    if (!name.startsWith('./')) {
      if (loadedWhenUsed.has(name)) return whenUsed(() => target.getBuiltinModule(name) as object)
      const builtIn = target.getBuiltinModule(name)
      if (builtIn !== undefined) return builtIn
      // Packages in parent folders are never loaded: everything is bundled. A library that tries gets the expected error.
      throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' })
    }
    const file = name.slice('./'.length)
    const earlier = loaded.get(file)
    if (earlier !== undefined) return earlier
    const exports = Object.create(null) as object
    loaded.set(file, exports)
    const filename = join(folder, file)
    const source = `(function (exports, require) {${read(file)}\n})`
    const script = cache?.compile(file, filename, source) ?? new Script(source, { filename })
    const run = script.runInThisContext() as Wrapped
    run(exports, requireFile)
    return exports
  }

  // Not for an invalid command line.
  if (cache !== undefined) target.once('exit', (status: number) => status !== 2 && cache.save())
  return requireFile('./main.cjs')
}

/** Slow to load, and rarely used by the commands that import them. */
const loadedWhenUsed: ReadonlySet<string> = new Set(['node:crypto', 'node:fs/promises', 'node:timers/promises'])

/** A module that is loaded when one of its members is used. */
function whenUsed(found: () => object): object {
  return new Proxy(
    {},
    {
      get: (_, name) => Reflect.get(found(), name) as unknown,
      has: (_, name) => Reflect.has(found(), name),
      ownKeys: () => Reflect.ownKeys(found()),
      // Without reading the member: some of Node's print a deprecation warning.
      getOwnPropertyDescriptor(_, name) {
        const descriptor = Reflect.getOwnPropertyDescriptor(found(), name)
        return descriptor && { ...descriptor, configurable: true }
      },
    },
  )
}

/**
 * Delays V8's optimizer. Up to Node 20, optimizing takes more time than it saves in a run of less than a second: a
 * third of the cpu time for a list of 5,000 jobs. Later versions are faster.
 */
function optimizeLater({ versions, getBuiltinModule }: NodeJS.Process): void {
  if (!versions.v8.startsWith('11.')) return
  // Node's own compiled code depends on V8 flags, so what requests need is loaded before they change.
  getBuiltinModule('node:http')
  getBuiltinModule('node:v8').setFlagsFromString('--interrupt-budget=300000')
}

const longFlags = new Map([
  ['-h', '--help'],
  ['-V', '--version'],
])

/**
 * Prints help, the version or a completion script from `texts.json`, where the build stores their output for pipes. Returns false without
 * printing for anything else: another command, a terminal (with its width and colours), or a failing stdout.
 */
export function printFixedText(read: (file: string) => string, target: NodeJS.Process): boolean {
  const { argv, env } = target
  const words = argv.slice(2).map((word) => longFlags.get(word) ?? word)
  const line = words.join(' ')
  const isFixed = words.at(-1) === '--help' || line === '--version' || (words.length === 2 && words[0] === 'completion')
  if (
    !isFixed ||
    !words.every((word) => /^[a-z-]+$/.test(word)) ||
    env['FORCE_COLOR'] ||
    env['CLICOLOR_FORCE'] ||
    !isPlainStdout()
  )
    return false
  const texts = JSON.parse(read('texts.json')) as Record<string, string>
  return Object.hasOwn(texts, line) && isWritten(Buffer.from(texts[line] as string), target)
}

/** True for a file, a pipe or /dev/null. Using the stream would cost much of the time that this saves. */
function isPlainStdout(): boolean {
  try {
    const stdout = fstatSync(1)
    // `isFIFO` is never true on Windows.
    const isPipe = (stdout.mode & 0o170000) === 0o010000
    return stdout.isFile() || isPipe || stdout.isSocket() || stdout.rdev === statSync('/dev/null').rdev
  } catch {
    return false
  }
}

/** False if nothing could be written: the program then reports why. */
function isWritten(bytes: Uint8Array, target: NodeJS.Process): boolean {
  let done: number
  try {
    done = writeSync(1, bytes)
  } catch {
    return false
  }
  if (done === bytes.length) return true
  target.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    target.exitCode = code === 'EPIPE' ? 141 : 1
  })
  target.stdout.write(bytes.subarray(done))
  return true
}
