// Changes the source a little, one change at a time, and shows which changes no test notices:
//   npm run mutate                                     a sample of core, api, http, config, output and commands
//   npm run mutate -- src/core/duration.ts             every mutant of these files (or folders)
//   npm run mutate -- --sample 30 --seed 7 src/http    30 of them for each folder of src
//   --seconds 60   how long the tests of one mutant may take; the nearest and quickest run
//   --json file    every mutant with what became of it
//   --record       find out again what each test calls, not only for the test files that changed since the last time
// Works in a copy of the tree. docs/testing.md has the last score.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { coverageOf } from './mutate/coverage.mjs'
import { mutantsOf, mutated } from './mutate/mutants.mjs'
import { vitestIn } from './mutate/vitest.mjs'

const root = resolve(import.meta.dirname, '..')
process.chdir(root)
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    json: { type: 'string' },
    record: { type: 'boolean' },
  },
})
const named = positionals.length > 0
const wanted = named
  ? positionals
  : ['core', 'api', 'http', 'config', 'output', 'commands'].map((name) => `src/${name}`)
const size = values.sample === undefined ? (named ? Infinity : 25) : Number(values.sample)

const scratch = mkdtempSync(join(tmpdir(), 'tug-mutate-'))
const runner = vitestIn(scratch)
process.on('exit', () => {
  runner.stop()
  rmSync(scratch, { recursive: true, force: true })
})
// oxlint-disable-next-line unicorn/no-process-exit -- nothing else ends the wait for vitest
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))

copyTree()
const tree = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'test'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.ts'))
const sources = tree.filter((file) => file.startsWith('src/'))
// A test that only starts the built program notices nothing, since it is not built again.
const testFiles = tree.filter((file) => file.endsWith('.test.ts') && concerned(file) && usesSource(file, new Set()))
const coverage = await coverageOf(scratch, sources, testFiles, { runner, again: values.record })
if (coverage.failing.length > 0)
  console.log(`not used: tests that fail without a mutant, in ${coverage.failing.join(', ')}`)

const mutants = sampled()
console.log(`${mutants.length} mutants, seed ${values.seed}`)
const results = []
for (const mutant of mutants) {
  const result = { ...mutant, ...(await judge(mutant)) }
  results.push(result)
  if (result.fate === 'survived') show(result)
  if (process.stderr.isTTY) process.stderr.write(`\r${results.length}/${mutants.length}\r`)
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(results, undefined, 1))
}
showScores()
runner.stop()

/** Everything that git would keep, and the build, beside which tests look for it. */
function copyTree() {
  const files = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { encoding: 'utf8' }).split('\0')
  for (const file of [...files.filter(Boolean), 'dist']) cpSync(file, join(scratch, file), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'))
}

/** The local server's own tests are for its own mutants. */
function concerned(file) {
  return !file.startsWith('test/dev/') || wanted.some((path) => path.startsWith('src/dev'))
}

function usesSource(file, seen) {
  if (file.startsWith('src/')) return true
  if (seen.has(file)) return false
  seen.add(file)
  const imports = [
    ...readFileSync(file, 'utf8').matchAll(/^(?:import (?!type)|\} )[^;]*?from '(\.[^']+)'|import\('(\.[^']+)'\)/gm),
  ]
  return imports.some(([, still, lazy]) => {
    const path = still ?? lazy
    const target = relative(root, resolve(file, '..', path))
    return target.endsWith('.ts') && usesSource(target, seen)
  })
}

function sampled() {
  const random = generator(Number(values.seed))
  const folders = new Map()
  for (const file of sources) {
    if (!wanted.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`))) continue
    const source = readFileSync(join(scratch, file), 'utf8')
    const of = mutantsOf(source).map((mutant) => ({ file, ...place(source, mutant), ...mutant }))
    const folder = file.split('/')[1]
    folders.set(folder, [...(folders.get(folder) ?? []), ...of])
  }
  return [...folders.values()].flatMap((of) => {
    const keyed = of.map((mutant) => ({ mutant, key: random() }))
    return keyed
      .toSorted((a, b) => (size === Infinity ? 0 : a.key - b.key))
      .slice(0, size)
      .map(({ mutant }) => mutant)
  })
}

/** The line of a mutant, and what it makes of it. */
function place(source, mutant) {
  const line = source.slice(0, mutant.start).split('\n').length
  const textOf = (text) => text.split('\n')[line - 1].trim()
  return { line, diff: [textOf(source), textOf(mutated(source, mutant))] }
}

/** Mulberry32: the same numbers for the same seed. */
function generator(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** `killed` by a test, `timeout`, `types` if only the compiler refuses it, else `survived`. */
async function judge(mutant) {
  const tests = coverage.testsFor(mutant.file, mutant.place, Number(values.seconds) * 1000)
  const path = join(scratch, mutant.file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, mutated(source, mutant))
  try {
    const outcome = await runner.attempt(path, tests)
    if (outcome.error !== undefined) throw new Error(outcome.error)
    if (outcome.late) return { fate: 'timeout' }
    if (outcome.failed !== undefined)
      return { fate: 'killed', by: `${relative(scratch, outcome.file)}: ${outcome.failed}` }
    const types = spawnSync('node_modules/.bin/tsc', ['-p', 'tsconfig.json', '--incremental'], { cwd: scratch })
    return { fate: types.status === 0 ? 'survived' : 'types', tests: tests.length }
  } finally {
    writeFileSync(path, source)
    runner.forget(path)
  }
}

function show({ file, line, kind, diff }) {
  console.log(`\n${file}:${line} ${kind}\n  - ${diff[0]}\n  + ${diff[1]}`)
}

function showScores() {
  console.log('')
  const folders = new Set(results.map(({ file }) => file.split('/')[1]))
  for (const folder of folders) {
    const of = results.filter(({ file }) => file.split('/')[1] === folder)
    const count = (...fates) => of.filter(({ fate }) => fates.includes(fate)).length
    const score = ((100 * (of.length - count('survived'))) / of.length).toFixed(1)
    const parts = `${count('killed')} killed, ${count('timeout')} timed out, ${count('types')} refused by the compiler`
    console.log(`${folder.padEnd(9)} ${score}%  ${of.length} mutants: ${parts}, ${count('survived')} survived`)
  }
}
