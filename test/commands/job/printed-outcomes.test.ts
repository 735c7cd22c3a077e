import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { quickClock } from '../../support/quick-clock.ts'
import type { Machine } from '../../support/run.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'

/** Commands that print a plan or outcomes on stdout before they are done, when stdout fails. */

const service = (id: string) =>
  `job "${id}" {\n  group "g" {\n    task "t" {\n      driver = "docker"\n      config {\n        image = "x"\n      }\n    }\n  }\n}\n`

function files(...ids: readonly string[]): string {
  const cwd = scratchFolder()
  for (const id of ids) writeFileSync(join(cwd, `${id}.hcl`), service(id))
  return cwd
}

/** Stdout that fails with this code once it has accepted some writes. */
function failing(code: string, accepted: number): NonNullable<Machine['onWrite']> {
  let writes = 0
  return (stream) => {
    if (stream === 'stdout' && (writes += 1) > accepted) throw Object.assign(new Error(code), { code })
  }
}

/** The local server, and the IDs of jobs that it has in the end. */
async function scheduler() {
  const { env } = await startDevServer({ clock: quickClock(40), empty: true })
  return { env, ids: async () => (await tug('job list -o name', { env })).stdout.split('\n').filter((id) => id !== '') }
}

describe.each([
  ['EPIPE', 141],
  ['ENOSPC', 1],
])('stdout fails with %s', (code, status) => {
  test.each([
    ['job apply a.hcl --yes', 1, 'registered a, .*', ['a']],
    ['job apply . --yes', 0, '2 created', ['a', 'b']],
    ['job apply . --yes --parallel 1', 2, '2 created', ['a', 'b']],
    ['job apply . --yes -q', 1, '2 created', ['a', 'b']],
  ])('after the plan of %s: all of it is applied, and the error says so', async (line, accepted, done, applied) => {
    const { env, ids } = await scheduler()
    const machine = { env, cwd: files('a', 'b'), onWrite: failing(code, accepted) }
    const { exit, stderr } = await tug(line, machine)
    expect([exit, await ids()]).toEqual([status, applied])
    expect(stderr).toMatch(new RegExp(`^tug: ${done}, but `, 'm'))
  })

  test.each([
    ['job restart web --yes', 'restarted web, .*'],
    ['job restart web api --yes', '2 restarted'],
    ['job stop web api --yes --wait', '2 stopped'],
  ])('at the outcomes of %s: each job is still done', async (line, done) => {
    const { env } = await startDevServer({ clock: quickClock(40) })
    const { exit, stderr } = await tug(line, { env, onWrite: failing(code, 0) })
    expect(exit).toBe(status)
    expect(stderr).toMatch(new RegExp(`^tug: ${done}, but `, 'm'))
  })
})

test('a job that fails decides the exit status, although stdout has failed', async () => {
  let isStarted = false
  const { env } = await serve(({ method, url, body }, response) => {
    if (method === 'POST' && body.includes('"b"')) return json(response, 403, 'Permission denied')
    if (method === 'POST') {
      isStarted = true
      return json(response, 200, '{"EvalID":"","JobModifyIndex":9}')
    }
    const ID = url.includes('/b') ? 'b' : 'a'
    return json(response, 200, JSON.stringify({ ID, Stop: !isStarted || ID === 'b', Version: 1, JobModifyIndex: 9 }))
  })
  const { exit, stderr } = await tug('job start a b --wait --parallel 1', { env, onWrite: failing('EPIPE', 0) })
  expect([exit, stderr]).toEqual([10, expect.stringContaining('Permission denied')])
})

test('Ctrl-C ends a run whose plan nobody reads', async () => {
  const { env } = await scheduler()
  const signals = new Map<string, () => void>()
  const onWrite: Machine['onWrite'] = (stream) => {
    if (stream === 'stdout') setImmediate(() => signals.get('SIGINT')?.())
  }
  const { exit } = await tug('job apply . --yes', { env, cwd: files('a', 'b'), unread: true, signals, onWrite })
  expect(exit).toBe(130)
})

test('what a file or a job is called cannot control the terminal', async () => {
  const { env } = await scheduler()
  const cwd = scratchFolder()
  const id = 'a\u001b[2J\u202eb'
  writeFileSync(
    join(cwd, 'a.json'),
    JSON.stringify({
      ID: id,
      Name: id,
      TaskGroups: [{ Name: 'g\u001b[31m', Tasks: [{ Name: 't', Driver: 'docker' }] }],
    }),
  )
  const { stdout, stderr } = await tug('job apply a.json --yes', { env, cwd, terminals: { stdout: 80 } })
  expect(stdout + stderr).not.toMatch(/\u001b\[(?:2J|31m)|\u202e/)
})

test('a job whose ID is a workflow command gives none to GitHub', async () => {
  const { env } = await serve(({ method, url }, response) => {
    if (method === 'POST') return json(response, 200, '{"EvalID":"","JobModifyIndex":9}')
    const ID = decodeURIComponent(url.slice('/v1/job/'.length).replace(/\?.*/, ''))
    json(response, 200, JSON.stringify({ ID, Stop: true, Version: 1, JobModifyIndex: 9 }))
  })
  const line = ['job', 'start', '::add-mask::a', '::error::b', '--wait']
  const { exit, stdout } = await tug(line, { env: { ...env, GITHUB_ACTIONS: 'true' } })
  expect([exit, stdout.split('\n')]).toEqual([0, [expect.any(String), expect.any(String), '']])
  expect(stdout).not.toMatch(/^::/m)
})
