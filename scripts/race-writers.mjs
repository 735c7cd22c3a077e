// Lets several commands write to the same secrets at once, over a network that loses, delays, cuts and repeats their messages, and
// compares what each reports with what is there afterwards:
//   node scripts/race-writers.mjs [races] [first seed]
// Exits with 1 if a report was wrong, with the story of the first of each kind. The race is test/faults/race; the suite runs a few.
import { rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const races = Number(process.argv[2] ?? 2000)
const first = Number(process.argv[3] ?? 1)

const folder = 'node_modules/.cache/race-writers'
const bundle = await rolldown({
  input: { race: 'test/faults/race/race.ts', server: 'src/dev/server.ts' },
  platform: 'node',
})
await bundle.write({ dir: folder, format: 'esm' })
const [{ race }, { startServer }] = await Promise.all(
  ['race', 'server'].map((name) => import(pathToFileURL(`${folder}/${name}.js`).href)),
)

const server = await startServer({ port: 0, faults: [], dialect: 'neutral' })
const counts = { done: 0, refused: 0, unknown: 0 }
const faults = new Map()
for (let seed = first; seed < first + races; seed += 1) {
  const result = await race(seed, { server })
  for (const claim of result.claims) counts[claim] += 1
  if (result.fault === undefined) continue
  const kind = result.fault.replace(/\S*\d\S*/g, '…')
  const known = faults.get(kind)
  faults.set(kind, { count: (known?.count ?? 0) + 1, example: known?.example ?? result })
}
await server.close()
await rm(folder, { recursive: true })

console.log(`${races} races from seed ${first}: writes reported as`)
for (const [claim, count] of Object.entries(counts)) console.log(`  ${claim.padEnd(8)} ${count}`)
for (const [, { count, example }] of faults) {
  console.log(`\n${count} × ${example.fault}, first with seed ${example.seed}:`)
  for (const line of example.story) console.log(`  ${line}`)
}
process.exitCode = faults.size === 0 ? 0 : 1
