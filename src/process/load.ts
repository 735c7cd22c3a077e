import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { openCodeCache } from './code-cache.ts'
import type { CompiledCode } from './code-cache.ts'
import { printFixedText } from './fixed-texts.ts'

type Wrapped = (exports: object, require: (name: string) => unknown) => void

/** The cache of a group grows with each command that is new to it, up to so many. */
const mostCommands = 40

/** Commands that read thousands of rows. */
const bulky = new Set(['explorer query', 'explorer summary', 'job list', 'kv export', 'kv find', 'kv tree'])

/** A copy of the program: the files of a package, or what is inside a single executable. */
export interface Copy {
  /** The text of one of its files, which the build wrote in ASCII. */
  readonly read: (file: string) => string
  /** Where its files are, for stack traces. */
  readonly folder: string
  /** The command that starts it. */
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
  const main = load(copy, target) as { start(target: NodeJS.Process, self: readonly string[]): void }
  main.start(target, copy.self)
}

/**
 * Loads `main.cjs`, and what that requires of the other files, from V8's compiled code where the cache has it. The cache is
 * written when the process ends, after the answer has been printed.
 */
function load({ read, folder }: Copy, target: NodeJS.Process): unknown {
  const words = target.argv.slice(2, 4).filter((word) => /^[a-z][a-z-]{0,20}$/.test(word))
  const command = words.join(' ')
  const isTuned = bulky.has(command) && optimizeLater(target)
  // Compiled code is valid for the flags that it was compiled with.
  const group = isTuned ? words.join('-') : (words[0] ?? '')
  const cache = group === '' ? undefined : openCodeCache(target)
  const saved = cache?.read(group)
  const scripts = new Map<string, Script>()
  const loaded = new Map<string, object>()

  function requireFile(name: string): unknown {
    if (!name.startsWith('./')) return builtIn(name, target)
    const file = name.slice('./'.length)
    const known = loaded.get(file)
    if (known !== undefined) return known
    const exports = {}
    loaded.set(file, exports)
    const filename = join(folder, file)
    const cachedData = saved?.files.get(file)
    const source = `(function (exports, require) {${read(file)}\n})`
    const script = new Script(source, { filename, ...(cachedData === undefined ? {} : { cachedData }) })
    scripts.set(file, script)
    const run = script.runInThisContext() as Wrapped
    run(exports, requireFile)
    return exports
  }

  function save(status: number): void {
    // A command line that wasn't understood.
    if (status === 2) return
    const isRejected = [...scripts.values()].some((script) => script.cachedDataRejected === true)
    const { commands, files } = isRejected || saved === undefined ? nothing : saved
    if (commands.includes(command) || commands.length >= mostCommands) return
    cache?.write(group, () => ({
      commands: [...commands, command],
      files: new Map([...files, ...[...scripts].map(([name, script]) => [name, script.createCachedData()] as const)]),
    }))
  }

  if (cache !== undefined) target.once('exit', save)
  return requireFile('./main.cjs')
}

/**
 * A module of Node. Everything else is bundled, so nobody can slip in a package of a library's choice from a folder above. A
 * library that tries one gets the error it expects.
 */
function builtIn(name: string, target: NodeJS.Process): unknown {
  const found = target.getBuiltinModule(name)
  if (found === undefined) throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' })
  return found
}

/**
 * Makes V8 wait longer before it optimizes a function, and is true where it does. Up to Node 20 the optimizer takes more time than
 * it saves in a run of less than a second: a third of the cpu time of a list of 5,000 jobs. Later versions have a faster one.
 */
function optimizeLater({ versions, getBuiltinModule }: NodeJS.Process): boolean {
  if (!versions.v8.startsWith('11.')) return false
  // Node's own compiled code is valid for the flags that it was made with: what requests need is loaded before they change.
  getBuiltinModule('node:http')
  getBuiltinModule('node:v8').setFlagsFromString('--interrupt-budget=300000')
  return true
}

const nothing: CompiledCode = { commands: [], files: new Map() }
