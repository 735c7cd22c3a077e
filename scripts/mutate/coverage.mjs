// Which tests call which functions, so that a mutant meets only the tests that could notice it.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { withHits } from './mutants.mjs'

/** A file never has as many functions. */
const places = 10_000
/** Starting a test file takes about as long. */
const perFile = 1_500
/** Tests of the whole tree that take no longer always run. */
const quick = 10_000
/** Recorded together; what was recorded is kept if the run ends early. */
const batch = 20
const kept = 'node_modules/.cache/mutate.json'

/**
 * Records what each test file calls, in the scratch copy. What is known from earlier is kept for test files that are unchanged,
 * unless `again` is set.
 */
export async function coverageOf(scratch, sources, testFiles, { runner, again }) {
  const read = (file) => readFileSync(join(scratch, file), 'utf8')
  const hash = (file) => createHash('sha256').update(read(file)).digest('hex')
  const known = existsSync(kept) && !again ? JSON.parse(readFileSync(kept, 'utf8')) : { tests: {} }
  known.sources ??= Object.fromEntries(sources.map((file) => [file, hash(file)]))
  const tests = Object.fromEntries(testFiles.map((file) => [file, known.tests[file]]).filter(([, entry]) => entry))
  // What failed may have been mended elsewhere, and is tried again.
  const isKnown = (file) => tests[file]?.hash === hash(file) && tests[file].tests.every(({ passed }) => passed)
  const missing = testFiles.filter((file) => !isKnown(file))
  if (missing.length > 0) {
    console.log(`recording what ${missing.length} test files call`)
    const folder = join(scratch, '.hits')
    mkdirSync(folder)
    const originals = sources.map(read)
    sources.forEach((file, index) => {
      const hit = (place) => `globalThis.mutateHit?.(${index * places + place})`
      writeFileSync(join(scratch, file), withHits(originals[index], hit))
    })
    const name = (hit) => `${sources[Math.floor(hit / places)]}#${hit % places}`
    mkdirSync(dirname(kept), { recursive: true })
    for (let start = 0; start < missing.length; start += batch) {
      await runner.record(missing.slice(start, start + batch), folder)
      for (const file of readdirSync(folder)) {
        const found = JSON.parse(readFileSync(join(folder, file), 'utf8'))
        const path = found.file.slice(scratch.length + 1)
        tests[path] = {
          hash: hash(path),
          outside: found.outside.map(name),
          tests: found.tests.map((test) => ({ ...test, hits: test.hits.map(name) })),
        }
        rmSync(join(folder, file))
      }
      writeFileSync(kept, JSON.stringify({ sources: known.sources, tests }))
      console.log(`  ${Math.min(start + batch, missing.length)}`)
    }
    sources.forEach((file, index) => writeFileSync(join(scratch, file), originals[index]))
    runner.stop()
  }
  const changed = new Set(sources.filter((file) => known.sources[file] !== hash(file)))
  return indexed(tests, importersOf(sources, read), changed)
}

/** For each file, those that import it. */
function importersOf(sources, read) {
  const importers = new Map()
  for (const file of sources) {
    for (const [, path] of read(file).matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const target = normalize(join(dirname(file), path))
      importers.set(target, [...(importers.get(target) ?? []), file])
    }
  }
  return importers
}

function indexed(files, importers, changed) {
  const byPlace = new Map()
  const byFile = new Map()
  const outside = new Map()
  const ofFile = new Map()
  const push = (map, key, value) => (map.has(key) ? map.get(key).add(value) : map.set(key, new Set([value])))
  for (const [file, entry] of Object.entries(files)) {
    for (const place of entry.outside) push(outside, place, file)
    for (const test of entry.tests) {
      if (!test.passed) continue
      const known = { file, id: test.id, milliseconds: test.milliseconds }
      push(ofFile, file, known)
      for (const place of test.hits) {
        // The first test that needs a file imports it for the others, too.
        if (place.endsWith('#0')) {
          push(outside, place, file)
          continue
        }
        push(byPlace, place, known)
        push(byFile, place.slice(0, place.lastIndexOf('#')), known)
      }
    }
  }
  const failing = Object.entries(files).flatMap(([file, { tests }]) =>
    tests.some(({ passed }) => !passed) ? [file] : [],
  )

  /**
   * The tests that could notice a mutant, nearest first, and how long they take. A function is tested by those that call it. What
   * runs when a file is imported is tested by all that import it, and by those that call anything of the files that import it. The
   * functions of a file that changed since are no longer told apart.
   */
  function testsFor(source, place, limit) {
    const direct = byPlace.get(`${source}#${place}`) ?? new Set()
    const chosen = new Set(direct)
    const importing = outside.get(`${source}#${place}`) ?? new Set()
    if (place === 0 || importing.size > 0 || changed.has(source)) {
      const users =
        byFile.get(source) ?? new Set((importers.get(source) ?? []).flatMap((one) => [...(byFile.get(one) ?? [])]))
      for (const test of users) chosen.add(test)
      for (const file of importing) for (const test of ofFile.get(file) ?? []) chosen.add(test)
    }
    return nearestFirst([...chosen], { source, direct, importing, limit })
  }
  return { testsFor, failing }
}

function nearestFirst(tests, { source, direct, importing, limit }) {
  const groups = Map.groupBy === undefined ? group(tests) : Map.groupBy(tests, ({ file }) => file)
  // One file may be about profiles, its test about a profile.
  const wordsOf = (path) => path.split(/[/-]/).map((word) => word.replace(/s$/, ''))
  const words = new Set(wordsOf(source.replace('.ts', '')).slice(1))
  const cost = (of) => of.reduce((sum, { milliseconds }) => sum + milliseconds, perFile)
  const nearness = (file) => wordsOf(file.replace('.test.ts', '')).filter((word) => words.has(word)).length
  // What runs on import is tested by those that import it no less than by those that load it later.
  const isDirect = (file, of) => Number(importing.has(file) || of.some((test) => direct.has(test)))
  // Tests of the whole tree: help, manuals, whole outputs.
  const isWhole = (file) => Number(dirname(file) === 'test')
  const ordered = [...groups].toSorted(
    ([a, ofA], [b, ofB]) =>
      isDirect(b, ofB) - isDirect(a, ofA) ||
      nearness(b) - nearness(a) ||
      isWhole(b) - isWhole(a) ||
      cost(ofA) - cost(ofB),
  )
  const taken = []
  let milliseconds = 0
  for (const [file, of] of ordered) {
    let room = limit - milliseconds - perFile
    if (room <= 0 && taken.length > 0) {
      if (isDirect(file, of) + isWhole(file) < 2 || cost(of) > quick) continue
      // Help and manuals show most of what is declared.
      room = quick
    }
    const ids = new Set()
    for (const test of of.toSorted((a, b) => direct.has(b) - direct.has(a) || a.milliseconds - b.milliseconds)) {
      if (room <= 0 && ids.size > 0) break
      room -= test.milliseconds
      ids.add(test.id)
    }
    const spent = of.reduce((sum, { id, milliseconds: each }) => (ids.has(id) ? sum + each : sum), perFile)
    milliseconds += spent
    taken.push({ file, ids: [...ids], milliseconds: spent })
  }
  return taken
}

function group(tests) {
  const groups = new Map()
  for (const test of tests) groups.set(test.file, [...(groups.get(test.file) ?? []), test])
  return groups
}
