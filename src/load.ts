import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { openCodeCache } from './code-cache.ts'
import type { CompiledCode } from './code-cache.ts'
import { printFixedText } from './fixed-texts.ts'

type Wrapped = (exports: object, require: (name: string) => unknown) => void

/** The cache of a group grows with each command that is new to it, up to so many. */
const mostCommands = 40

/** Runs the program in `folder` as the process `target`. */
export function start(folder: string, target: NodeJS.Process): void {
  if (printFixedText(folder, target)) return
  const main = load(folder, target) as { start(target: NodeJS.Process): void }
  main.start(target)
}

/**
 * Loads `main.cjs` in `folder`, and what that requires from there, from V8's compiled code where the cache has it. The cache
 * is written when the process ends, after the answer has been printed.
 */
function load(folder: string, target: NodeJS.Process): unknown {
  const words = target.argv.slice(2, 4).filter((word) => /^[a-z][a-z-]{0,20}$/.test(word))
  const [group = 'main'] = words
  const command = words.join(' ')
  const cache = openCodeCache(target)
  const saved = cache?.read(group)
  const scripts = new Map<string, Script>()
  const loaded = new Map<string, object>()
  const requireOther = createRequire(join(folder, 'main.cjs'))

  function requireFile(name: string): unknown {
    if (!name.startsWith('./')) return requireOther(name)
    const file = name.slice('./'.length)
    const known = loaded.get(file)
    if (known !== undefined) return known
    const exports = {}
    loaded.set(file, exports)
    const filename = join(folder, file)
    const cachedData = saved?.files.get(file)
    const source = `(function (exports, require) {${readFileSync(filename, 'latin1')}\n})`
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

const nothing: CompiledCode = { commands: [], files: new Map() }
