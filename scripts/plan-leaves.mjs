// Changes a rich job one leaf at a time on a real server, registers it, and compares what `tug job plan` said with what happened:
//   TUG_SCHEDULER_ADDR=http://127.0.0.1:4646 TUG_SCHEDULER_TOKEN=… node scripts/plan-leaves.mjs [job.hcl] [part of a name]
// Exits with 1 if a version was new and the plan said nothing, or the other way round. It needs a build; the suite does the same
// on the local server with test/commands/job/plan-leaves/rich-job.ts, which is also the job if no file is named.
import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const load = async (input, file) => {
  const bundle = await rolldown({ input, platform: 'node' })
  await bundle.write({ file, format: 'esm' })
  const module = await import(pathToFileURL(file).href)
  await rm(file)
  return module
}
const folder = 'test/commands/job/plan-leaves'
const { checkLeaves, leafChangesOf } = await load(`${folder}/leaves.ts`, 'node_modules/.cache/leaves.mjs')
const { richJob } = await load(`${folder}/rich-job.ts`, 'node_modules/.cache/rich-job.mjs')

const [, , file = '', part = ''] = process.argv
const source = file === '' ? richJob : await readFile(file, 'utf8')

/** Runs a command line of the built program. */
const tug = (words, stdin = '') =>
  new Promise((done) => {
    const child = spawn(process.execPath, ['bin/tug.js', ...words])
    const out = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) child[name].on('data', (piece) => (out[name] += piece))
    child.on('close', (exit) => done({ exit, ...out }))
    child.stdin.end(stdin)
  })

const run = await tug(['job', 'run', '-', '-o', 'name'], source)
if (run.exit !== 0) throw new Error(run.stderr)
const id = run.stdout.trim()
const job = JSON.parse((await tug(['job', 'get', id, '-o', 'json'])).stdout)
const planned = async (document) => {
  const { exit, stdout } = await tug(
    ['job', 'plan', '-', '-q', '-o', 'json', '--query', 'Diff.Type'],
    JSON.stringify(document),
  )
  return exit === 0 ? JSON.parse(stdout) : `exit ${exit}`
}
const server = { origin: process.env.TUG_SCHEDULER_ADDR, token: process.env.TUG_SCHEDULER_TOKEN ?? '' }
const changes = leafChangesOf(job).filter(({ name }) => name.includes(part))
const { registered, refused, wrong } = await checkLeaves(planned, server, job, changes)
console.log(`${changes.length} changes: ${registered} registered, ${refused.length} refused, ${wrong.length} wrong`)
for (const line of wrong) console.log(`  ${line}`)
process.exitCode = wrong.length === 0 ? 0 : 1
