import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { failure, tug } from '../../support/run.ts'
import { serveBetween } from '../../support/between.ts'
import { startDevServer } from '../../support/dev.ts'
import { stoppedClock } from '../../support/stopped-clock.ts'
import { json, serve } from '../../support/serve.ts'
import { says } from '../../support/told.ts'

interface Played {
  readonly type?: string
  readonly status?: string
  readonly stop?: boolean
  readonly counts?: JsonObject
  readonly parent?: JsonObject
  readonly deployment?: Json
  readonly allocations?: Json[]
  readonly evaluations?: Json[]
  /** The count of its group. */
  readonly wanted?: number
}

const runs = { ID: 'a1', ClientStatus: 'running', DesiredStatus: 'run', JobVersion: 1, TaskGroup: 'app' }
const looping = { State: 'running', Restarts: 9, LastRestart: '2026-11-21T07:29:50Z', Events: [] }
const canaries = {
  ID: 'd1',
  JobID: 'x',
  JobVersion: 1,
  Status: 'running',
  TaskGroups: { app: { DesiredTotal: 1, DesiredCanaries: 1, HealthyAllocs: 1, PlacedCanaries: ['a1'] } },
}

/** What the list shows of none of these last four: a deployment, restarts, a failing check, too few. */
const played: Readonly<Record<string, Played>> = {
  fine: {},
  healed: { counts: { Running: 1, Failed: 3 } },
  stopped: { stop: true, status: 'dead', counts: {} },
  parent: { type: 'batch', parent: { Periodic: { Enabled: true } }, counts: {} },
  done: { type: 'batch', status: 'dead', counts: { Complete: 1 }, allocations: [] },
  broken: { type: 'batch', status: 'dead', counts: { Failed: 1 }, allocations: [{ ...runs, ClientStatus: 'failed' }] },
  queued: { status: 'pending', counts: { Queued: 1 }, allocations: [], evaluations: [{ ID: 'e1', Status: 'blocked' }] },
  lost: { counts: { Running: 1, Lost: 1 }, allocations: [runs, { ...runs, ID: 'a2', ClientStatus: 'lost' }] },
  canary: { deployment: canaries },
  loop: { allocations: [{ ...runs, TaskStates: { srv: looping } }] },
  check: { allocations: [{ ...runs, DeploymentStatus: { Healthy: false } }] },
  few: { wanted: 2 },
}
const hidden = ['canary', 'loop', 'check', 'few']

/** With `refuses`, the list takes no filter. */
async function cluster(jobs: Readonly<Record<string, Played>> = played, refuses = false) {
  return serve((request, response) => {
    const url = new URL(request.url, 'http://localhost')
    const filter = url.searchParams.get('filter')
    if (filter?.includes('Count == 0') === true && refuses)
      return json(response, 400, 'failed to read filter expression')
    const [, , , id = '', part] = url.pathname.split('/')
    const of = jobs[id]
    const summaryOf = ({ counts = { Running: 1 } }: Played) => ({ JobID: id, Summary: { app: counts } })
    const jobOf = (ID: string, one: Played) => ({
      ID,
      Name: ID,
      Namespace: 'prod',
      Type: one.type ?? 'service',
      Status: one.status ?? 'running',
      Stop: one.stop ?? false,
      Version: 1,
      ...one.parent,
    })
    const send = (body: Json) => json(response, 200, JSON.stringify(body))
    if (id === '')
      return send(
        Object.entries(jobs)
          .filter(([, one]) => filter?.includes('Count == 0') !== true || one.wanted === 0)
          .map(([ID, one]) => ({ ...jobOf(ID, one), JobSummary: summaryOf(one) })),
      )
    if (of === undefined) return response.writeHead(404).end('job not found')
    if (part === 'summary') return send(summaryOf(of))
    if (part === 'deployments') return send(of.deployment === undefined ? [] : [of.deployment])
    if (part === 'allocations') return send(of.allocations ?? [runs])
    if (part === 'evaluations') return send(of.evaluations ?? [])
    return send({ ...jobOf(id, of), TaskGroups: [{ Name: 'app', Count: of.wanted ?? 1 }] })
  })
}

interface Fleet {
  readonly jobs: number
  readonly healthy: number
  readonly stopped: number
  readonly unhealthy: {
    readonly namespace: string
    readonly job: string
    readonly why: string
    readonly next: string
  }[]
}

async function fleet(line: string, env: Readonly<Record<string, string>>): Promise<Fleet> {
  const { stdout, exit } = await tug(`${line} -o json`, { env })
  expect(exit).toBe(0)
  return JSON.parse(stdout) as Fleet
}

const services = (length: number): Readonly<Record<string, Played>> =>
  Object.fromEntries(Array.from({ length }, (_, index) => [`web-${index}`, {}]))

test('of more than 200 jobs only those are looked at that the list shows in trouble, which is said even with -q', async () => {
  const { env, seen } = await cluster({ ...played, ...services(189) })
  const { stdout, stderr } = await tug('job status -o json -q', { env })
  const { jobs, healthy, stopped, unhealthy } = JSON.parse(stdout) as Fleet
  expect({ jobs, healthy, stopped }).toEqual({ jobs: 201, healthy: 197, stopped: 1 })
  expect(unhealthy.map(({ job }) => job)).toEqual(['broken', 'queued', 'lost'])
  const asked = new Set(seen.map(({ url }) => new URL(url, 'http://localhost').pathname.split('/')[3]))
  expect(asked).toEqual(new Set([undefined, 'healed', 'broken', 'queued', 'lost']))
  const looks = seen.filter(({ url }) => url.startsWith('/v1/job/'))
  expect(looks.every(({ url }) => url.includes('namespace=prod'))).toBe(true)
  expect(stderr).toEqual(says('201 jobs: … 4 …\n'))
})

test('of 200 jobs each is looked at, and nothing is said', async () => {
  const { env } = await cluster({ ...played, ...services(188) })
  const { stdout, stderr } = await tug('job status -o json', { env })
  const { jobs, unhealthy } = JSON.parse(stdout) as Fleet
  expect([jobs, unhealthy.length, stderr]).toEqual([200, 7, ''])
})

test('what the list does not show is found, and the verdicts are those of the single job', async () => {
  const { env } = await cluster()
  const { unhealthy } = await fleet('job status', env)
  expect(unhealthy.map(({ job }) => job)).toEqual(['broken', 'queued', 'lost', ...hidden])
  const names = Object.keys(played).filter((job) => played[job]?.stop !== true)
  for (const job of names) {
    const single = await tug(`job status ${job} -n prod -o json`, { env })
    const { healthy, why } = JSON.parse(single.stdout) as { healthy: boolean; why: string }
    const found = unhealthy.find((one) => one.job === job)
    expect([job, healthy, why]).toEqual([job, found === undefined, found?.why ?? ''])
  }
})

test('rows are the jobs that are not healthy, with a command for the namespace of each', async () => {
  const { env } = await cluster()
  const csv = await tug("job status -n '*' -o csv --columns job,next", { env })
  expect(csv.stdout.split('\n').slice(0, 2)).toEqual(['job,next', 'broken,tug job status broken -n prod'])
  const names = await tug("job status -n '*' -o name", { env })
  expect(names.stdout.split('\n').slice(0, 3)).toEqual(['prod/broken', 'prod/queued', 'prod/lost'])
})

test('a job that disappears meanwhile is left out', async () => {
  const jobs: Record<string, Played> = { ...played }
  const { env } = await serve((request, response) => {
    const isList = new URL(request.url, 'http://localhost').pathname === '/v1/jobs'
    if (!isList) return response.writeHead(404).end('job not found')
    const rows = Object.keys(jobs).map((ID) => ({ ID, Type: 'service', Status: 'pending' }))
    return json(response, 200, JSON.stringify(rows))
  })
  expect(await fleet('job status', env)).toEqual({ jobs: 0, healthy: 0, stopped: 0, unhealthy: [] })
})

test.each([
  ["job status -n '*'", 'prod/web: '],
  ['job status -n prod', 'web: '],
])('%s names the job that may not be read', async (line, name) => {
  const { env } = await serve((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    if (pathname !== '/v1/jobs') return response.writeHead(403).end('Permission denied')
    return json(response, 200, '[{"ID":"web","Namespace":"prod","Type":"service","Status":"pending"}]')
  })
  expect(await failure(line, { env })).toMatchObject({ exit: 4, message: expect.stringContaining(name) })
})

test('one job that may not be read hides no other', async () => {
  const { env } = await startDevServer({ clock: stoppedClock })
  const denies = ({ url }: { readonly url: string }) => url.startsWith('/v1/job/api')
  const there = await serveBetween(env, { denies })
  const { exit, stdout } = await tug("job status -n '*' -o json", { env: there })
  const { healthy, unhealthy, unreadable } = JSON.parse(stdout) as Record<string, unknown>
  expect({ exit, healthy, unreadable }).toEqual({
    exit: 10,
    healthy: 10,
    unreadable: [{ namespace: 'default', job: 'api', why: expect.any(String) as string }],
  })
  expect(unhealthy).toHaveLength(2)
  expect((await tug("job status -n '*'", { env: there })).stdout).toMatch(/^14 jobs: .* 1 unreadable$/m)
})

test('flags for all jobs are refused with a job', async () => {
  for (const flag of ['--filter x']) expect(await failure(`job status web ${flag}`)).toMatchObject({ exit: 2 })
})

test('the screen of all jobs', async () => {
  const { env } = await startDevServer({ clock: stoppedClock })
  const { stdout, exit } = await tug("job status -n '*'", { env })
  expect(stdout).toMatch(/^14 jobs: 11 healthy, 2 unhealthy, 1 stopped\nJOB +WHY +NEXT\ndefault\/batch-broken /)
  expect(exit).toBe(0)
})

test('each unhealthy job has a next step, also one that is still starting', async () => {
  const starting = { counts: { Starting: 1 }, allocations: [{ ...runs, ClientStatus: 'pending' }] }
  const { env } = await cluster({ starting, lost: played['lost'] as Played })
  const { stdout } = await tug('job status -o csv --columns job,next', { env })
  expect(stdout).toContain('starting,tug job status starting\n')
})

test('a narrow terminal cuts nothing of a reason; it is below the job', async () => {
  const { env } = await startDevServer()
  const shown = async (width: number) =>
    (await tug('job status --color never', { env, terminals: { stdout: width } })).stdout
  const narrow = await shown(80)
  expect(narrow).not.toContain('…')
  expect(narrow.split('\n').every((line) => line.length <= 80)).toBe(true)
  expect(narrow).toMatch(/\nstuck\n {4}huge cannot be placed/)
  expect(await shown(240)).toMatch(/\nJOB +WHY +NEXT\n/)
})

const only = (...names: string[]) => Object.fromEntries(names.map((name) => [name, played[name] as Played]))
const forgotten: Played = { type: 'batch', status: 'dead', counts: {}, allocations: [] }

test.each<[line: string, jobs: Readonly<Record<string, Played>>, exit: number]>([
  ['no jobs', {}, 0],
  ['1 job: 1 healthy', only('fine'), 0],
  ['2 jobs: 1 healthy, 1 stopped', only('fine', 'stopped'), 0],
  ['1 job: 0 healthy, 1 unhealthy', only('queued'), 9],
  ['2 jobs: 1 healthy, 1 unknown', { ...only('fine'), forgotten }, 9],
  ['4 jobs: 1 healthy, 1 unhealthy, 1 stopped, 1 unknown', { ...only('fine', 'queued', 'stopped'), forgotten }, 9],
])('the first line counts what there is: %s', async (line, jobs, exit) => {
  const { env } = await cluster(jobs)
  const found = await tug('job status --exit-code', { env })
  expect([found.stdout.split('\n')[0], found.exit]).toEqual([line, exit])
  expect((await tug('job status', { env })).exit).toBe(0)
})

test('a finished job that nobody knows the end of is counted apart', async () => {
  const { env } = await cluster({ forgotten })
  expect(await fleet('job status', env)).toEqual({ jobs: 1, healthy: 0, stopped: 0, unknown: 1, unhealthy: [] })
})

test.each<[what: string, isRead: boolean, one: Played]>([
  ['pending', true, { status: 'pending' }],
  ...['Queued', 'Failed', 'Lost', 'Unknown', 'Starting'].map((state): [string, boolean, Played] => [
    `with one that is ${state}`,
    true,
    { counts: { Running: 1, [state]: 1 } },
  ]),
  ['that runs', false, { counts: { Running: 1, Starting: 0 } }],
  ['of which nothing runs', true, { counts: {} }],
  ['that has ended though it is a service', true, { status: 'dead' }],
  ['that runs as a batch job', false, { type: 'batch', counts: { Starting: 1 } }],
  ['that is complete', false, { type: 'sysbatch', status: 'dead', counts: { Complete: 1 } }],
  ['that ended without being complete', true, { type: 'batch', status: 'dead', counts: {} }],
])('of many jobs, one %s is looked at more closely: %s', async (_, isRead, one) => {
  const { env, seen } = await cluster({ ...services(200), one })
  await tug('job status', { env })
  expect(seen.some(({ url }) => url.startsWith('/v1/job/one'))).toBe(isRead)
})

test.each([
  ['one list more shows it', '', false, ['lost']],
  ['so it does of some', ` --filter 'ID != "x"'`, false, ['lost']],
  ['the server refuses the filter', '', true, ['idle', 'lost']],
])('of many jobs, one with count 0 is not in trouble: %s', async (_, flag, refuses, read) => {
  const idle = { wanted: 0, counts: {}, allocations: [] }
  const lost = { ...idle, counts: { Lost: 1 } }
  const { env, seen } = await cluster({ ...services(200), idle, lost }, refuses)
  expect(await fleet(`job status${flag}`, env)).toMatchObject({ jobs: 202, healthy: 202 })
  const lists = seen.flatMap(({ url }) => new URL(url, 'http://x').searchParams.get('filter') ?? [])
  expect(lists.at(-1)).toBe(`${flag && '(ID != "x") and ('}all TaskGroups as group { group.Count == 0 }${flag && ')'}`)
  expect(new Set(seen.flatMap(({ url }) => /^\/v1\/job\/(\w+)/.exec(url)?.[1] ?? []))).toEqual(new Set(read))
})

test('the next step is the job itself, unless one command says more', async () => {
  const { env } = await cluster(only('queued', 'lost', 'canary'))
  const { stdout } = await tug('job status -n prod -o tsv --columns job,next', { env })
  expect(stdout.split('\n').slice(1, -1)).toEqual([
    'queued\tdetails: tug job evals queued -n prod',
    'lost\tnomad node status',
    expect.stringMatching(/^canary\tnomad deployment promote -namespace prod d1, or tug api .* -n prod$/),
  ])
})

test.each([
  ['as the list says', { Namespace: 'ops' }, '', 'ops'],
  ['as its summary says', { JobSummary: { JobID: 'web', Namespace: 'dev', Summary: {} } }, '', 'dev'],
  ['as asked for', {}, ' -n own', 'own'],
  ['by default', {}, '', 'default'],
])('a job is looked for in its namespace, %s', async (_, stub, flag, namespace) => {
  const { env, seen } = await serve(({ url }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    if (pathname === '/v1/jobs')
      return json(response, 200, JSON.stringify([{ ID: 'web', Type: 'service', Status: 'pending', ...stub }]))
    return response.writeHead(404).end('job not found')
  })
  await tug(`job status${flag}`, { env })
  const query = seen.slice(1).map(({ url }) => new URL(url, 'http://localhost').searchParams.get('namespace'))
  expect(new Set(query)).toEqual(new Set([namespace]))
})
