// Runs a script of Node in a terminal of its own and answers each question with yes. Passes on the usage that `usage.cjs` writes.
import { spawn } from '@lydell/node-pty'
import { mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'tug-bench-'))
const usage = join(folder, 'usage.json')
const words = ['--require', join(import.meta.dirname, 'usage.cjs'), ...process.argv.slice(2)]
const child = spawn(process.execPath, words, { cols: 100, rows: 30, env: { ...process.env, TUG_BENCH_USAGE: usage } })
// What this script itself uses doesn't count.
process.env['TUG_BENCH_USAGE'] = '/dev/null'

let shown = ''
child.onData((text) => {
  shown = (shown + text).slice(-1000)
  if (!/\[y\/N\]\s*(?:\x1b\[[\d;?]*[A-Za-z])*$/i.test(shown)) return
  shown = ''
  child.write('y\r')
})
child.onExit(({ exitCode }) => {
  if (exitCode === 0) writeSync(3, readFileSync(usage))
  else process.stderr.write(shown)
  process.exitCode = exitCode
  rmSync(folder, { recursive: true })
})
