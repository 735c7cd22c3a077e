import { expect, test } from 'vitest'
import { startDevServer } from '../support/dev.ts'
import { scratchFolder } from '../support/folder.ts'
import { tug } from '../support/run.ts'
import { json, serve } from '../support/serve.ts'
import { catalogue, environment, changesNothing, runs, writeFiles } from './lines.ts'

const withDryRun = (line: string) =>
  line.includes(' -- ') ? line.replace(' -- ', ' --dry-run -- ') : `${line} --dry-run`

const reads = new Set(catalogue.filter(changesNothing).map(({ path }) => path))

test('--dry-run of every command that reads prints its first request and sends nothing', async () => {
  const { origin, seen } = await serve((_, response) => json(response, 200, '{}'))
  const faults: string[] = []
  for (const [path, line] of runs) {
    if (!reads.has(path)) continue
    const cwd = scratchFolder()
    writeFiles(cwd)
    const { exit, stdout, stderr } = await tug(withDryRun(line), {
      env: { ...environment(origin), TUG_CONFIG_DIR: `${cwd}/config` },
      cwd,
    })
    if (exit !== 0 || !/^(?:# )?curl [^\n]*\n$/.test(stdout)) faults.push(`${path}: ${exit} ${stdout}${stderr}`)
  }
  expect(faults.join('\n')).toBe('')
  expect(seen).toEqual([])
})

test('--dry-run of every command that writes reads, and writes nothing', async () => {
  const server = await startDevServer()
  const faults: string[] = []
  for (const [path, line] of runs) {
    if (reads.has(path)) continue
    const cwd = scratchFolder()
    writeFiles(cwd)
    const env = { ...environment(server.origin), ...server.env, TUG_CONFIG_DIR: `${cwd}/config` }
    const { stdout } = await tug(withDryRun(line), { env, cwd })
    if (!/^(?:(?:# )?curl [^\n]*\n)*$/.test(stdout)) faults.push(`${path}: ${stdout}`)
  }
  expect(faults.join('\n')).toBe('')
  expect(server.writes).toEqual([])
})

test.each([
  ['kv set app/db user=app', 'app/db: unchanged'],
  ['job scale web app 3', 'web: '],
  ['kv undelete app/ --recursive', '4 unchanged below app'],
])('--dry-run says so if there is nothing to send: %s', async (line, words) => {
  const { env } = await startDevServer()
  const { exit, stdout, stderr } = await tug(`${line} --dry-run`, { env })
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' })
  expect(stderr).toContain(`nothing to send: ${words}`)
  expect((await tug(`${line} --dry-run -q`, { env })).stderr).toBe('')
})
