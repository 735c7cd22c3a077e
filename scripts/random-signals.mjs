// Ends commands by signals at random moments, as processes, and looks for what is left behind: files, locks, children, the
// terminal's mode:
//   node scripts/random-signals.mjs [runs] [first seed] [at once] [program]
// Exits with 1 if anything is, with the story of the first of each kind. Needs a build and Linux; the suite runs a few.
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const runs = Number(process.argv[2] ?? 1000)
const first = Number(process.argv[3] ?? 1)
const atOnce = Number(process.argv[4] ?? 4)
const program = resolve(process.argv[5] ?? 'bin/tug.js')

const folder = 'node_modules/.cache/random-signals'
const bundle = await rolldown({
  input: { run: 'test/signals/run.ts', server: 'src/dev/server.ts' },
  platform: 'node',
  external: ['@lydell/node-pty'],
})
await bundle.write({ dir: folder, format: 'esm' })
const [{ endBySignal, prepare }, { startServer }] = await Promise.all(
  ['run', 'server'].map((name) => import(pathToFileURL(`${folder}/${name}.js`).href)),
)

const server = await startServer({ port: 0, faults: [], dialect: 'neutral' })
const options = { ...(await prepare(server)), program }
let ended = 0
const faults = new Map()
let next = first
async function work() {
  while (next < first + runs) {
    const seed = next
    next += 1
    const result = await endBySignal(seed, options)
    if (result.wasEnded) ended += 1
    if (result.fault === undefined) continue
    const kind = `${result.line}: ${result.fault.replace(/\S*\d\S*/g, '…').slice(0, 60)}`
    const known = faults.get(kind)
    faults.set(kind, { count: (known?.count ?? 0) + 1, example: known?.example ?? result })
  }
}
await Promise.all(Array.from({ length: atOnce }, work))
await server.close()
await rm(folder, { recursive: true })

console.log(`${runs} runs from seed ${first}, of which ${ended} ended by a signal`)
for (const [, { count, example }] of faults) {
  console.log(`\n${count} × ${example.fault}, first with seed ${example.seed}:`)
  for (const line of example.story) console.log(`  ${line}`)
}
process.exitCode = faults.size === 0 ? 0 : 1
