import { expect, test } from 'vitest'
import { commandsOf, loadProgram } from '../../../src/cli/catalogue.ts'
import { tree } from '../../../src/commands/index.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { startDevServer } from '../../support/dev.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { alloc, deployment, evaluation, file, rising, scheduler } from './wait-scheduler.ts'
import { mentions, says, told } from '../../support/told.ts'

test.each<[outcome: string, job: JsonObject | null, words: string]>([
  ['superseded', { Version: 2, CreateIndex: 5, JobModifyIndex: 14 }, '… (version 2), …'],
  ['stopped', { Version: 2, CreateIndex: 5, JobModifyIndex: 14, Stop: true }, '… (version 2)'],
  ['purged', null, '… purged …, … unknown'],
  ['replaced', { Version: 1, CreateIndex: 14, JobModifyIndex: 14 }, '… purged …, … another … ID'],
])('a job that is %s while one waits is an outcome of its own', async (outcome, job, words) => {
  const { env } = await scheduler([...rising, { job, evaluations: [], allocations: [] }])
  const { exit, stdout } = await tug('job run - --wait -o ndjson', { env, stdin: file })
  expect(exit).toBe(8)
  const [last = '', item = ''] = stdout.trim().split('\n').slice(-2)
  expect(JSON.parse(last)).toMatchObject({ event: outcome, outcome, reason: says(words), job: 'web' })
  expect(JSON.parse(item)).toMatchObject({ item: 'web', outcome: 'failed', reason: says(words) })
})

test('-o json prints the outcome as one object, success or not', async () => {
  const { env } = await scheduler([...rising, { deployments: [deployment('successful', [2, 2, 0])] }])
  const done = await tug('job run - --wait -o json', { env, stdin: file })
  expect(JSON.parse(done.stdout)).toEqual({
    action: 'register',
    planned: false,
    changed: true,
    EvalID: evaluation.ID,
    EvalCreateIndex: 10,
    JobModifyIndex: 10,
    Index: 10,
    Warnings: '',
    job: 'web',
    namespace: 'default',
    kind: 'register',
    outcome: 'succeeded',
    rule: 'deployed',
    reason: 'deployment d1-long- succeeded',
    next: null,
    version: 1,
    evaluation: evaluation.ID,
    deployment: 'd1-long-identifier',
    seconds: expect.any(Number),
    allocations: [],
  })
  const TaskStates = { srv: { Failed: true, Events: [{ Type: 'Terminated', ExitCode: 7, Time: 1 }] } }
  const allocations = [alloc('a', 'failed', { TaskStates, NodeName: 'alpha' })]
  const broken = await scheduler([...rising, { deployments: [deployment('failed', [2, 1, 1])], allocations }])
  const failed = await tug('job run - --wait -o json', { env: broken.env, stdin: file })
  expect(JSON.parse(failed.stdout)).toMatchObject({
    outcome: 'failed',
    rule: 'deployment-failed',
    reason: says('deployment d1-long- failed: task srv … 7'),
    next: says('… fix the job file…'),
    allocations: [{ id: 'a', group: 'app', node: 'alpha', status: 'failed', reason: says('task srv … 7') }],
  })
  const error = JSON.parse(failed.stderr.trim().split('\n').at(-1) as string)
  expect(error).toMatchObject({ error: { code: 'outcome_failed', exit: 8 } })
  expect(failed.exit).toBe(8)
})

test('stop --purge --wait stops, waits for the allocations, and purges then', async () => {
  const job = { Version: 2, CreateIndex: 5, JobModifyIndex: 10, Stop: true }
  const stopping = alloc('a', 'running', { DesiredStatus: 'stop' })
  const states = [
    { job, allocations: [stopping] },
    { job, allocations: [alloc('a', 'complete', { DesiredStatus: 'stop' })] },
  ]
  const { env, seen } = await scheduler(states)
  const { exit, stdout, stderr } = await tug('job stop web --purge --yes --wait', { env })
  expect(stderr).toMatch(
    told(`stopped web, evaluation ${evaluation.ID}
07:30:00 UTC  app  0/1 stopped
07:30:00  app  1/1 stopped
purged web
`),
  )
  expect(stdout).toMatch(told('web: … (0ms)\n'))
  expect(seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url)).toEqual([
    '/v1/job/web',
    '/v1/job/web?purge=true',
  ])
  expect(exit).toBe(0)
})

test('stop --purge --wait purges nothing that was started again, and says so', async () => {
  const job = { Version: 2, CreateIndex: 5, JobModifyIndex: 10, Stop: true }
  const allocations = [alloc('a', 'running', { DesiredStatus: 'stop' })]
  const again = { Version: 3, CreateIndex: 5, JobModifyIndex: 14 }
  const { env, seen } = await scheduler([
    { job, allocations },
    { job: again, allocations },
  ])
  const { exit, stderr } = await tug('job stop web --purge --yes --wait', { env })
  expect(stderr).toMatch(mentions('tug: web: …\n'))
  expect(stderr).toMatch(mentions('hint: …: tug job stop web --purge\n'))
  expect(seen.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
  expect(exit).toBe(8)
})

test('Ctrl-C while a job stops says that it was not purged', async () => {
  const signals = new Map<string, () => void>()
  const job = { Version: 2, CreateIndex: 5, JobModifyIndex: 10, Stop: true }
  const { env } = await scheduler([{ job, allocations: [alloc('a', 'running', { DesiredStatus: 'stop' })] }], () => {
    signals.get('SIGINT')?.()
    return 'held back'
  })
  const { exit, stderr } = await tug('job stop web --purge --yes --wait', { env, signals })
  expect(stderr).toMatch(
    /tug: stopped watching; web .* \(app 0\/1 stopped\)\nhint: resume: tug job wait web --until dead\nhint: .*: tug job stop web --purge\n$/,
  )
  expect(exit).toBe(130)
})

/** A line of each command that waits. */
const lines = [
  'job run - --wait',
  'job update web - --wait',
  'job apply - --yes',
  'job restart web --yes',
  'job start web --wait',
  'job stop web --wait --yes',
  'job stop web api --wait --yes',
  'job stop web --purge --wait --yes',
  'job scale web app 3 --wait',
  'job revert web --stable --wait',
  'job evaluate web --wait',
  'job dispatch nightly --wait',
  'job periodic force cleanup --force --wait',
  'job wait web',
  'job wait web api',
]

test('there is a line for every command that waits', async () => {
  const all = (await loadProgram(tree, '1.0.0')).entries.flatMap(commandsOf)
  const waiting = all.flatMap(([words, { params }]) => ('waitTimeout' in params ? [words] : []))
  expect(waiting.filter((path) => !lines.some((line) => line.startsWith(`${path} `)))).toEqual([])
})

test.each(lines)('a server that refuses every request until --wait-timeout is over is a time-out: %s', async (line) => {
  const { env } = await serve((_, response) => response.writeHead(429).end())
  const stdin = 'job "web" {\n  group "app" {}\n}\n'
  const ends = async (limit: string, retries: number) =>
    (await tug(`${line} --wait-timeout ${limit} --retries ${retries}`, { env, stdin })).exit
  expect(await ends('2s', 9)).toBe(124)
  // It is the end of the requests that counts where they end earlier.
  expect(await ends('1h', 1)).toBe(7)
})

test('a failure is a time-out only if --wait-timeout is what ended the requests', async () => {
  const { env, seen } = await serve((_, response) => response.writeHead(503).end())
  expect((await tug('job stop web --yes --wait-timeout 300ms --retries 9', { env })).exit).toBe(124)
  // The third attempt would begin later.
  expect(seen.length).toBeLessThanOrEqual(2)
  const refusing = await serve((_, response) => json(response, 403, 'Permission denied'))
  expect((await tug('job start web --wait-timeout 0s', { env: refusing.env })).exit).toBe(4)
})

test('Ctrl-C while several jobs are followed: what was sent is done, and nothing is unknown', async () => {
  const signals = new Map<string, () => void>()
  const { env } = await serve(({ method, url }, response) => {
    if (method !== 'GET') return json(response, 200, '{"EvalID":"e1","EvalCreateIndex":10,"JobModifyIndex":10}')
    if (url.includes('/evaluations')) signals.get('SIGINT')?.()
    const [id = ''] = /(?<=^.v1.job.)\w+/.exec(url) ?? []
    const body = { ID: id, Name: id, Status: 'running', Version: 1, JobModifyIndex: 9 }
    json(response, 200, url.split('/').length > 4 || id === '' ? '[]' : JSON.stringify(body))
  })
  const { exit, stdout } = await tug('job stop a b c --yes --wait --parallel 1 -o json', { env, signals })
  expect([exit, JSON.parse(stdout)]).toMatchObject([
    130,
    {
      items: [
        { item: 'a', outcome: 'done' },
        { item: 'b', outcome: 'not_sent' },
        { item: 'c', outcome: 'not_sent' },
      ],
    },
  ])
})

test('against the local server: what is done to a stopped job starts nothing', async () => {
  const { env } = await startDevServer()
  expect((await tug('job stop web --yes --wait', { env })).exit).toBe(0)
  const scaled = await tug('job scale web app 5 --wait', { env })
  expect(scaled.stderr).toMatch(mentions('tug: web: …\n'))
  expect(scaled.exit).toBe(8)
  const evaluated = await tug('job evaluate web --wait', { env })
  expect(evaluated.stderr).toMatch(mentions('tug: web: …\n'))
  expect(evaluated.exit).toBe(8)
})

test('against the local server: a system job that no node can run fails, again and again', async () => {
  const { env } = await startDevServer()
  const system = JSON.stringify({
    ID: 'sys',
    Type: 'system',
    Datacenters: ['nowhere'],
    TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't', Driver: 'docker', Config: { image: 'x' } }] }],
  })
  for (const _ of ['first', 'second']) {
    const { exit, stderr } = await tug('job run - --wait', { env, stdin: system })
    expect(stderr).toMatch(/tug: sys: /)
    expect(exit).toBe(8)
  }
})

test('against the local server: forces within one second share a child, which each of them follows', async () => {
  const { env } = await startDevServer()
  const forced = await Promise.all([1, 2, 3].map(() => tug('job periodic force cleanup --force --wait', { env })))
  for (const { exit, stdout } of forced) {
    expect(stdout).toMatch(/^cleanup\/periodic-\d+: 1 allocation complete \(/)
    expect(exit).toBe(0)
  }
})
