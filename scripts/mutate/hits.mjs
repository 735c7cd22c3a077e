// A setup file of vitest: records which functions each test calls, and writes it when its file has ended.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach } from 'vitest'

/** What importing the file and its hooks call. */
const outside = new Set()
const tests = []
let current = outside
let started = 0
let file
globalThis.mutateHit = (place) => current.add(place)

beforeEach(({ task }) => {
  file = task.file.filepath
  current = new Set()
  started = performance.now()
})

afterEach(({ task }) => {
  const passed = task.result?.state !== 'fail'
  tests.push({ id: task.id, passed, milliseconds: Math.ceil(performance.now() - started), hits: [...current] })
  current = outside
})

afterAll(() => {
  if (file === undefined) return
  const name = `${tests[0].id.split('_')[0]}.json`
  writeFileSync(join(process.env.MUTATE_HITS, name), JSON.stringify({ file, outside: [...outside], tests }))
})
