// Plays random histories of a scheduler while a wait watches, and compares each verdict with what really happened:
//   node scripts/simulate-waits.mjs [histories] [first seed]
// Exits with 1 if a wait claimed what did not happen or would not end, with the history of the first of each kind.
// The model is test/commands/job/wait-simulation; the suite plays a few thousand histories of it.
import { rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const histories = Number(process.argv[2] ?? 100_000)
const first = Number(process.argv[3] ?? 1)

const file = 'node_modules/.cache/simulate-waits.mjs'
const bundle = await rolldown({ input: 'test/commands/job/wait-simulation/simulate.ts', platform: 'node' })
await bundle.write({ file, format: 'esm' })
const { simulate } = await import(pathToFileURL(file).href)
await rm(file)

const outcomes = new Map()
const faults = new Map()
for (let seed = first; seed < first + histories; seed += 1) {
  const result = await simulate(seed)
  outcomes.set(result.outcome, (outcomes.get(result.outcome) ?? 0) + 1)
  if (result.fault === undefined) continue
  const known = faults.get(result.fault)
  faults.set(result.fault, { count: (known?.count ?? 0) + 1, example: known?.example ?? result })
}

console.log(`${histories} histories from seed ${first}`)
for (const [outcome, count] of outcomes) console.log(`  ${outcome.padEnd(10)} ${count}`)
for (const [fault, { count, example }] of faults) {
  console.log(`\n${count} × ${fault}, first with seed ${example.seed}:`)
  for (const line of example.history) console.log(`  ${line}`)
}
process.exitCode = faults.size === 0 ? 0 : 1
