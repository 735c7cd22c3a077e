import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { stringifyJson } from '../../../src/core/json.ts'
import { startDevServer } from '../../support/dev.ts'
import { root } from '../../support/process.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'
import type { State } from './wait-scheduler.ts'
import { alloc, answer, bodyOf, deployment, evaluation, file, job, rising, scheduler } from './wait-scheduler.ts'
import { mentions } from '../../support/told.ts'

test('--wait-timeout exits with 124, reports the state and how to continue, and cancels nothing', async () => {
  let now = Date.parse('2026-11-21T07:30:00Z')
  const { env, seen } = await scheduler(rising, () => 'over')
  const clock = (variables: Record<string, string>) => ({
    env: variables,
    stdin: file,
    get now() {
      return new Date((now += 200))
    },
  })
  const { exit, stderr } = await tug('job run - --wait-timeout 1m', clock(env))
  expect(stderr).toMatch(mentions('tug: web … 1m: deployment d1-long- … (app 2/2 placed, 1 healthy)'))
  expect(stderr).toMatch(mentions('hint: …: tug job wait web\n'))
  expect(exit).toBe(124)
  expect(seen.filter(({ method }) => method !== 'GET')).toHaveLength(1)

  const place = `--address ${env['TUG_SCHEDULER_ADDR']} -n 'my ops' --region eu --dialect hashicorp`
  const elsewhere = await tug(`job run - --wait-timeout 1m ${place}`, clock({}))
  expect(elsewhere.stderr).toContain(`tug job wait web ${place}\n`)
})

test('--wait-timeout ends a wait whose requests are never answered', async () => {
  let now = Date.parse('2026-11-21T07:30:00Z')
  const { env } = await serve(({ method }, response) => {
    if (method === 'POST') json(response, 200, stringifyJson(answer))
  })
  const machine = {
    env,
    stdin: file,
    get now() {
      return new Date((now += 100))
    },
  }
  const { exit, stderr } = await tug('job run - --wait-timeout 1s', machine)
  expect(stderr).toMatch(mentions('tug: whether web is done is unknown after 1s: …'))
  expect(exit).toBe(124)
})

test('--wait-timeout claims nothing about a job that could not be read any more', async () => {
  let now = Date.parse('2026-11-21T07:30:00Z')
  let failing: 'followed' | 'all' = 'followed'
  let isDown = false
  const { env } = await serve((request, response) => {
    const url = new URL(request.url, 'http://localhost')
    if (request.method !== 'GET') return json(response, 200, stringifyJson(answer))
    isDown ||= url.searchParams.has('index')
    if (failing === 'all' || isDown) return response.writeHead(500).end('No cluster leader')
    const body = bodyOf(url.pathname.split('/').slice(4).join('/'), rising.at(-1) as State)
    return json(response, 200, stringifyJson(body), { 'x-nomad-index': '1' })
  })
  const wait = () =>
    tug('job run - --wait-timeout 1m', {
      env: { ...env, TUG_DIALECT: 'hashicorp' },
      stdin: file,
      get now() {
        return new Date((now += failing === 'all' ? 5000 : 200))
      },
    })
  const followed = await wait()
  expect(followed.stderr).toMatch(mentions('tug: … web … 1m: No cluster leader (app 2/2 placed, 1 healthy)\n'))
  expect(followed.exit).toBe(124)
  failing = 'all'
  const all = await wait()
  expect(all.stderr).toMatch(mentions('tug: … web … 1m: No cluster leader\n'))
  expect(all.exit).toBe(124)
})

test('Ctrl-C stops watching, never the work, and says how to continue', async () => {
  const signals = new Map<string, () => void>()
  const { env, seen } = await scheduler(rising, () => {
    signals.get('SIGINT')?.()
    return 'held back'
  })
  const { exit, stdout, stderr } = await tug('job run - --wait', { env, stdin: file, signals })
  expect(stderr).toMatch(
    /\ntug: stopped watching; web continues \(app 2\/2 placed, 1 healthy\)\nhint: resume: tug job wait web\n$/,
  )
  expect(stdout).toBe('')
  expect(exit).toBe(130)
  expect(seen.filter(({ method }) => method !== 'GET')).toHaveLength(1)
})

test("a failing service is retried and doesn't end the wait", async () => {
  const states = [...rising, { deployments: [deployment('successful', [2, 2, 0])] }]
  let failures = 0
  let present = 0
  const { env } = await serve((request, response) => {
    const url = new URL(request.url, 'http://localhost')
    if (request.method !== 'GET') return json(response, 200, stringifyJson(answer))
    if (url.searchParams.has('index') && failures < 7) {
      failures += 1
      return failures % 2 === 0 ? response.destroy() : response.writeHead(500).end('No cluster leader')
    }
    if (url.searchParams.has('index')) present = Math.min(present + 1, states.length - 1)
    const body = bodyOf(url.pathname.split('/').slice(4).join('/'), states[present] as State)
    return json(response, 200, stringifyJson(body), { 'x-nomad-index': String(present + 1) })
  })
  const { exit, stdout, stderr } = await tug('job run - --wait', {
    env: { ...env, TUG_DIALECT: 'hashicorp' },
    stdin: file,
  })
  expect(stderr).toMatch(mentions('No cluster leader; asking again until it answers'))
  expect(stdout).toContain('web: deployment d1-long- succeeded')
  expect(exit).toBe(0)
})

test('an unchanged job and one that runs nothing itself are reported, not waited for', async () => {
  const unchanged = await scheduler(
    [{ job: { Version: 1, JobModifyIndex: 7 }, allocations: [alloc('a', 'running'), alloc('b', 'running')] }],
    undefined,
    {
      JobModifyIndex: 7,
    },
  )
  const same = await tug('job run - --wait --check-index 7', { env: unchanged.env, stdin: file })
  expect(same.stderr.match(/unchanged/g)).toHaveLength(1)
  expect(same.stderr).toMatch(mentions('web is unchanged: …; re-evaluated, evaluation e1-long'))
  expect(same.stdout).toMatch(/^web: 2 allocations running \(1\ds\)\n$/)
  expect(same.exit).toBe(0)
  const events = await tug('job run - --wait --check-index 7 -o ndjson', { env: unchanged.env, stdin: file })
  expect(events.stdout).toContain('{"event":"unchanged",')

  const parent = await scheduler([{}], undefined, { EvalID: '', EvalCreateIndex: 0 })
  const nothing = await tug('job run - --wait', { env: parent.env, stdin: file })
  expect(nothing.stdout).toMatch(mentions('web: …'))
  expect(nothing.exit).toBe(0)
  expect(parent.seen).toHaveLength(1)
})

test("--dry-run ends after the write's requests", async () => {
  const { exit, stdout } = await tug('job run - --wait --dry-run', { stdin: file })
  expect(stdout.trim().split('\n')).toHaveLength(1)
  expect(exit).toBe(0)
})

const examples = join(root, 'examples')

test('against the local server: a rolling update, a new count and a stop', async () => {
  const { env } = await startDevServer()
  const updated = await tug('job run web-2.hcl --wait', { env, cwd: examples })
  expect(updated.stderr).toContain('app  4/4 placed, 4 healthy\n')
  expect(updated.stdout).toMatch(/^web: deployment \w{8} succeeded in/)
  expect(updated.exit).toBe(0)
  const scaled = await tug('job scale web app 2 --wait', { env })
  expect(scaled.stdout).toMatch(/^web: (?:deployment \w{8} succeeded|2 allocations running) /)
  expect(scaled.exit).toBe(0)
  const stopped = await tug('job stop web --yes --wait', { env })
  expect(stopped.stdout).toMatch(/^web: .* \(/)
  expect(stopped.exit).toBe(0)
})

test('against the local server in the hashicorp dialect: a failure and its reason', async () => {
  const { env } = await startDevServer({ dialect: 'hashicorp' })
  const failed = await tug('job run failing.hcl --wait', { env, cwd: examples })
  expect(failed.stderr).toMatch(
    /tug: failing: deployment \w{8} failed: task srv .* 7, was restarted once, .* \(1 attempt in 1m\)/,
  )
  expect(failed.exit).toBe(8)
})

test('forcing a periodic job follows its child, found by its index', async () => {
  const children = [
    { ID: 'cleanup/periodic-1', JobModifyIndex: 4 },
    { ID: 'cleanup/periodic-2', JobModifyIndex: 10 },
  ]
  let lists = 0
  const { env, seen } = await serve((request, response) => {
    const url = new URL(request.url, 'http://localhost')
    const headers = { 'x-scheduler-index': '1' }
    if (request.method !== 'GET') return json(response, 200, stringifyJson(answer))
    if (url.pathname === '/v1/jobs') {
      lists += 1
      return json(response, 200, stringifyJson(lists === 1 ? children.slice(0, 1) : children), headers)
    }
    const part = url.pathname.split('/').slice(4).join('/')
    const child = { ...job, Type: 'batch', Version: 1, JobModifyIndex: 10, TaskGroups: [{ Name: 'app', Count: 1 }] }
    const body = part === '' ? child : bodyOf(part, { allocations: [alloc('a', 'complete')] })
    return json(response, 200, stringifyJson(body), headers)
  })
  const { exit, stdout, stderr } = await tug('job periodic force cleanup --force --wait', { env })
  expect(stderr).toContain('launched cleanup/periodic-2\n')
  expect(stdout).toContain('cleanup/periodic-2: 1 allocation complete')
  expect(exit).toBe(0)
  expect(seen.some(({ url }) => url === '/v1/jobs?prefix=cleanup%2Fperiodic-')).toBe(true)
  expect((await tug('job periodic force cleanup --force --wait -n ops', { env })).exit).toBe(0)
  expect(seen.some(({ url }) => url === '/v1/jobs?prefix=cleanup%2Fperiodic-&namespace=ops')).toBe(true)
  expect(seen.some(({ url }) => url.startsWith('/v1/job/cleanup%2Fperiodic-2/allocations'))).toBe(true)
})

test.each<[what: string, launched: string, children: readonly JsonObject[]]>([
  ['that it changed last', 'p/periodic-2', [instance(1, 9, 12), instance(2, 9, 10), instance(3, 10, 11)]],
  [
    'the newest that was there, if it was updated since',
    'p/periodic-3',
    [instance(1, 4, 11), instance(3, 10, 11), instance(2, 9, 12)],
  ],
  ['none that was made later', 'p/periodic-1', [instance(1, 4, 11), instance(2, 11, 11)]],
  ['none that was not changed', 'p/periodic-1', [instance(1, 4, 11), instance(2, 9, 9)]],
])('the instance that a launch has started is the one %s', async (_, launched, children) => {
  const { env } = await serve((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    if (request.method !== 'GET') return json(response, 200, stringifyJson(answer))
    if (pathname === '/v1/jobs') return json(response, 200, stringifyJson([...children]))
    return response.writeHead(403).end('Permission denied')
  })
  const { stderr } = await tug('job periodic force p --force --wait', { env })
  expect(stderr).toContain(`launched ${launched}\n`)
})

function instance(number: number, CreateIndex: number, JobModifyIndex: number): JsonObject {
  return { ID: `p/periodic-${number}`, CreateIndex, JobModifyIndex }
}

test('an instance that does not show up is looked for six times, half a second apart', async () => {
  const { env, seen } = await serve((request, response) => {
    if (request.method !== 'GET') return json(response, 200, stringifyJson(answer))
    return json(response, 200, '[]')
  })
  const waits: number[] = []
  const { exit, stderr } = await tug('job periodic force p --force --wait', { env, waits })
  expect(stderr).toMatch(mentions('hint: …: tug job list --prefix p/periodic-\n'))
  expect([exit, seen.filter(({ url }) => url.startsWith('/v1/jobs?')).length]).toEqual([1, 6])
  expect(waits.filter((wait) => wait === 500)).toHaveLength(5)
})

test("a wait asks in the namespace of the job file, whatever the environment's", async () => {
  const { env, seen } = await scheduler([...rising, { deployments: [deployment('successful', [2, 2, 0])] }])
  const { exit } = await tug('job run - --wait', {
    env: { ...env, TUG_SCHEDULER_NAMESPACE: 'ops' },
    stdin: stringifyJson({ ...job, Namespace: 'team-a' }),
  })
  expect(exit).toBe(0)
  expect(new Set(seen.map(({ url }) => new URL(url, 'http://x').searchParams.get('namespace')))).toEqual(
    new Set(['team-a']),
  )
})

const steadyJob = {
  job: { ...job, TaskGroups: [{ Name: 'app', Count: 1 }], Version: 1, CreateIndex: 5, JobModifyIndex: 10 },
}
const runningFor = (restarts: number) =>
  alloc('a', 'running', { TaskStates: { srv: { State: 'running', Restarts: restarts, Events: [] } } })

/** A scheduler whose only allocation is restarted until it was read so often. */
function restarting(reads: number) {
  let read = 0
  const seen = { restarts: 0, open: 0, mostOpen: 0 }
  const service = serve((request, response) => {
    const url = new URL(request.url, 'http://localhost')
    if (request.method !== 'GET') return json(response, 200, stringifyJson(answer))
    seen.open += 1
    seen.mostOpen = Math.max(seen.mostOpen, seen.open)
    response.on('close', () => (seen.open -= 1))
    const part = url.pathname.split('/').slice(4).join('/')
    if (part === 'allocations') read += 1
    seen.restarts = Math.min(read, reads)
    const body = bodyOf(part, { ...steadyJob, allocations: [runningFor(seen.restarts)] })
    // Long enough for a second request to show.
    setTimeout(() => json(response, 200, stringifyJson(body), { 'x-scheduler-index': String(read) }), 1)
    return undefined
  })
  return { service, seen }
}

test('without a deployment, success is what has run for 10 seconds, or min_healthy_time', async () => {
  const { service } = restarting(0)
  const { env } = await service
  const waits: number[] = []
  const { exit, stdout } = await tug('job run - --wait -o json', { env, stdin: file, waits })
  expect(exit).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'succeeded' })
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThanOrEqual(9000)
})

test('each restart begins that time anew', async () => {
  const { service, seen } = restarting(12)
  const { env } = await service
  const { exit } = await tug('job run - --wait', { env, stdin: file })
  expect(exit).toBe(0)
  expect(seen.restarts).toBe(12)
})

test('a wait has at most one request open', async () => {
  const { service, seen } = restarting(2)
  const { env } = await service
  await tug('job run - --wait', { env, stdin: file })
  expect(seen.mostOpen).toBe(1)
})

test('--wait-for-capacity goes on where nothing can be placed yet', async () => {
  const FailedTGAllocs = { app: { DimensionExhausted: { memory: 2 } } }
  const blocked = [
    { ...evaluation, BlockedEval: 'e2', FailedTGAllocs },
    { ID: 'e2', Status: 'blocked', TriggeredBy: 'queued-allocs', CreateIndex: 11, FailedTGAllocs },
  ]
  const states: State[] = [{ evaluations: blocked }, { deployments: [deployment('successful', [2, 2, 0])] }]
  const [patient, hasty] = [await scheduler(states), await scheduler(states)]
  expect((await tug('job run - --wait-for-capacity', { env: patient.env, stdin: file })).exit).toBe(0)
  expect((await tug('job run - --wait', { env: hasty.env, stdin: file })).exit).toBe(8)
})
