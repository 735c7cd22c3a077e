import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { stringifyJson } from '../../../src/core/json.ts'
import { screenText } from '../../support/status-screen.ts'
import { root } from '../../support/process.ts'
import { tug } from '../../support/run.ts'
import type { Seen } from '../../support/serve.ts'
import { json, serve } from '../../support/serve.ts'
import { story } from '../../support/story.ts'
import { definition, idOf, serveScheduler } from './action-service.ts'
import { alloc, deployment, evaluation, file, rising, rolledBack, scheduler } from './wait-scheduler.ts'

/** Stories with a server that the test plays, for what the local server never does. */

/** A server with these answers by path; `headers` go with each. */
async function answers(bodies: Readonly<Record<string, Json>>, headers: Readonly<Record<string, string>> = {}) {
  const of = ({ url }: Seen) => {
    const path = url.replace(/\?.*/, '')
    return Object.hasOwn(bodies, path) ? (bodies[path] ?? null) : {}
  }
  return serve((request, response) => json(response, 200, stringifyJson(of(request)), headers))
}

test('a purge that got no answer is in doubt', async () => {
  const { env } = await serve(({ method }, response) =>
    method === 'GET'
      ? json(response, 200, '{"ID":"web","Name":"web","Status":"running","Version":1}')
      : void response.destroy(),
  )
  await story('job-purge-in-doubt', ['job stop web --purge --yes'], { env })
})

test('a stop that names its evaluation has met a job', async () => {
  const { env } = await serve(({ method }, response) =>
    json(
      response,
      200,
      method === 'GET' ? '{"ID":"web","Name":"web","Status":"running","Version":1}' : '{"EvalID":"e1"}',
    ),
  )
  expect(await tug('job stop web --yes', { env })).toMatchObject({ exit: 0 })
})

test('odd answers are said as they are', async () => {
  const started = { EvalID: 'e1', EvalCreateIndex: 10, JobModifyIndex: 10 }
  const { env } = await answers({
    '/v1/job/web/scale': { JobID: 'web', TaskGroups: {} },
    '/v1/job/web/submission': { Source: '', JobID: 'web' },
    '/v1/job/old/submission': { JobID: 'old', Source: '' },
    '/v1/jobs': { ...started, Warnings: '1 warning:\n\n* group "app" has no update block' },
    '/v1/job/web/evaluate': started,
    '/v1/job/none/evaluations': [],
  })
  const lines = [
    'job scale web 3',
    'job submission web --version 2 --source',
    'job run big.json',
    'job run small.json',
    'job evaluate web -o json',
    'job evaluate web -o wide',
    'job evaluate web -o name',
    'job evaluate web -o csv',
    'job run small.json -o csv',
  ]
  const source = (count: number) => stringifyJson({ ID: 'web', Meta: { text: 'x'.repeat(count) } })
  const size = source(0).length
  const files = { 'big.json': source(1_000_001 - size), 'small.json': source(1_000_000 - size) }
  await story('job-odd-answers', lines, { env, files })
})

test('a server that warns of the size of a source itself is not repeated', async () => {
  const warning = '1 warning:\n\n* job source size of 1.1 MB exceeds maximum of 1 MB and will be discarded'
  const { env } = await answers({
    '/v1/jobs': { EvalID: 'e1', EvalCreateIndex: 10, JobModifyIndex: 10, Warnings: warning },
  })
  const files = { 'big.json': stringifyJson({ ID: 'web', Meta: { text: 'x'.repeat(1_100_000) } }) }
  await story('job-source-size', ['job run big.json'], { env, files })
})

test('a page that is not the last says how to go on', async () => {
  const page = [{ ID: 'web', Type: 'service', Status: 'running' }]
  const { env } = await answers({ '/v1/jobs': page }, { 'x-scheduler-nexttoken': 'default;next' })
  const lines = ['job list --per-page 1', 'job list --per-page 1 -o json', 'job list --per-page 1 -o name']
  await story('job-pages', lines, { env })
})

test('a launched instance that never shows up is said to be missing', async () => {
  const { env } = await answers({
    '/v1/job/cleanup/periodic/force': { EvalID: 'e1', EvalCreateIndex: 10 },
    '/v1/jobs': [],
  })
  await story(
    'job-launch-missing',
    ['job periodic force cleanup --force --wait', 'job periodic force cleanup --force'],
    { env },
  )
})

describe('waits', () => {
  const running = { allocations: [alloc('a', 'running'), alloc('b', 'running')] }
  const lines = ['job run web.json --wait']
  const files = { 'web.json': file }
  const follow = async (name: string, ...states: Parameters<typeof scheduler>[0][]) => {
    const { env } = await scheduler(states.flat())
    await story(`job-wait-${name}`, lines, { env, files })
  }

  test('a rollout that succeeds', () =>
    follow('success', rising, [{ deployments: [deployment('successful', [2, 2, 0])] }]))

  test('a rollout that fails, and what was stable before', () => {
    const Events = [{ Type: 'Driver Failure', DriverError: 'no such image', Time: 2 }]
    const failed = alloc('9c0f11aa-6d', 'failed', { TaskStates: { srv: { Events } } })
    return follow('failure', rising, [
      {
        deployments: [deployment('failed', [2, 1, 1])],
        allocations: [alloc('b', 'running'), failed],
        versions: [{ Version: 1 }, { Version: 0, Stable: true }],
      },
    ])
  })

  test('a rollout that is rolled back', () => follow('rollback', rising, [rolledBack]))

  test('no room', () => {
    const FailedTGAllocs = {
      app: { CoalescedFailures: 1, NodesEvaluated: 2, NodesInPool: 2, DimensionExhausted: { memory: 2 } },
    }
    return follow('no-room', [
      {
        evaluations: [
          { ...evaluation, BlockedEval: 'e2', FailedTGAllocs },
          { ID: 'e2', Status: 'blocked', CreateIndex: 11, FailedTGAllocs },
        ],
      },
    ])
  })

  test('no deployment', () => follow('running', [running]))

  test('a purge in the meantime', () => follow('purged', rising, [{ job: null, evaluations: [], allocations: [] }]))

  test('a change in the meantime', () =>
    follow('changed', rising, [{ job: { Version: 2, CreateIndex: 5, JobModifyIndex: 14 } }]))

  test('in every format of the outcome', async () => {
    const { env } = await scheduler([running])
    const formats = [
      '',
      ' -o json',
      ' -o wide',
      ' -o name',
      ' -o csv',
      ' -o md',
      ' -o ndjson',
      ' --until placed',
      ' -q',
    ]
    await story(
      'job-wait-formats',
      formats.map((flags) => `job run web.json --wait${flags}`),
      { env, files },
    )
  })
})

describe('actions', () => {
  const env = async (given: Parameters<typeof serveScheduler>[1]) => {
    const { env: place, origin } = await serveScheduler((visit) => visit.exit(3), given)
    return { ...place, TUG_SECRETS_ADDR: origin }
  }
  const whole = idOf('9c0f11aa')

  test('of several tasks one must be chosen, and some must run', async () => {
    const actions = [definition('migrate'), definition('migrate', 'frontend', 'proxy')]
    const lines = [`job action web migrate --alloc ${whole}`, 'job action web migrate', 'job action web migrate --all']
    await story('job-action-tasks', lines, { env: await env({ actions, allocations: [] }) })
  })

  test('a product in the neutral dialect is not asked to run one', async () => {
    const { env: place } = await answers(
      { '/v1/job/web/actions': [definition('migrate') as Json] },
      { 'x-nomad-index': '1' },
    )
    await story('job-action-product', ['job action web migrate', 'job action web'], {
      env: { ...place, TUG_DIALECT: 'neutral' },
    })
  })

  test('a choice needs an answer', async () => {
    const actions = [definition('migrate')]
    const allocations = ['9c0f11aa', '9c0f11ab'].map((start) => ({
      ID: idOf(start),
      TaskGroup: 'frontend',
      ClientStatus: 'running',
    }))
    const terminals = { stdin: true, stdout: 80, stderr: 80 }
    const lines = ['', '\n', '3\n', '1\n', ' A \n'].map((stdin) => ({
      line: 'job action web migrate',
      terminals,
      stdin,
    }))
    const typed = lines.map((one) => ({ ...one, line: `${one.line} --tty` })).slice(-2)
    await story('job-action-choice', [...lines, ...typed], { env: await env({ actions, allocations }) })
    for (const stdin of ['0\n', 'b\n'])
      expect(
        await tug('job action web migrate', { env: await env({ actions, allocations }), terminals, stdin }),
      ).toMatchObject({
        exit: 2,
      })
  })

  test('how each ended is named', async () => {
    const actions = [definition('migrate')]
    const listed = ['9c0f11aa', '9c0f11ab'].map((start, index) => ({
      ID: idOf(start),
      Name: `web.frontend[${index}]`,
      NodeName: `node-${index}`,
      TaskGroup: 'frontend',
      ClientStatus: 'running',
    }))
    const lines = [
      'job action web migrate --all',
      'job action web migrate --all -o csv',
      'job action web migrate --all -o json',
      'job action web migrate --all -o name',
      'job action web migrate --all -o wide',
      'job action web migrate',
      'job action web migrate --tty',
      'job action web migrate --alloc 9c0f11aa',
      'job action web',
    ]
    await story('job-action-ends', lines, { env: await env({ actions, allocations: listed }) })
  })
})

const now = new Date('2026-11-21T07:30:00Z')
const at = (minutes: number) => (now.getTime() - minutes * 60_000) * 1e6
const service = {
  ID: 'web',
  Name: 'web',
  Type: 'service',
  Status: 'running',
  Version: 4,
  Namespace: 'ops',
  Region: 'eu',
  SubmitTime: at(130),
  Priority: 50,
  Datacenters: ['dc1', 'dc2'],
  NodePool: 'default',
  TaskGroups: [
    { Name: 'app', Count: 3, Tasks: [{ Name: 'srv', Actions: [{ Name: 'flush' }, { Name: 'check' }] }] },
    { Name: 'side', Count: 1 },
  ],
}
const counts = { app: { Running: 2, Starting: 1, Queued: 1, Failed: 1, Complete: 4, Lost: 1, Unknown: 1 }, side: {} }
const rollout = {
  ID: 'f2b45234-1111-2222-3333-444444444444',
  JobVersion: 4,
  Status: 'running',
  StatusDescription: 'Deployment is running but requires manual promotion',
  CreateTime: at(3),
  ModifyTime: at(1),
  TaskGroups: {
    app: {
      DesiredTotal: 3,
      HealthyAllocs: 1,
      UnhealthyAllocs: 1,
      DesiredCanaries: 1,
      PlacedCanaries: ['x'],
      RequireProgressBy: '2026-11-21T07:35:00Z',
    },
    side: { DesiredTotal: 1, HealthyAllocs: 1, RequireProgressBy: '0001-01-01T00:00:00Z' },
  },
}
const Events = [
  { Type: 'Started', Time: at(9) },
  { Type: 'Terminated', ExitCode: 7, Time: at(8) },
]
const listed = [
  {
    ID: 'aaaaaaaa-1111-2222-3333-444444444444',
    Name: 'web.app[0]',
    TaskGroup: 'app',
    NodeName: 'alpha',
    ClientStatus: 'running',
    DesiredStatus: 'run',
    JobVersion: 4,
    CreateTime: at(3),
    ModifyTime: at(2),
    CreateIndex: 9,
    DeploymentStatus: { Healthy: true, Canary: true },
    TaskStates: { srv: { State: 'running', Events: Events.slice(0, 1) } },
  },
  {
    ID: 'bbbbbbbb-1111-2222-3333-444444444444',
    Name: 'web.app[1]',
    TaskGroup: 'app',
    NodeName: 'beta',
    ClientStatus: 'failed',
    DesiredStatus: 'run',
    JobVersion: 3,
    CreateTime: at(10),
    ModifyTime: at(8),
    CreateIndex: 5,
    DeploymentStatus: { Healthy: false },
    TaskStates: { srv: { State: 'dead', Failed: true, Events } },
  },
]

interface Given {
  readonly job?: JsonObject
  readonly summary?: JsonObject
  readonly deployment?: Json
  readonly allocations?: Json
  readonly next_launch?: string | null
  readonly why?: string
  readonly next?: string
}

/** The whole screen in a pipe; then the lines that differ in 80 columns, in colours and with `-o wide`. */
function screens(given: Given): string {
  const status = {
    job: service as JsonObject,
    summary: { Summary: counts } as JsonObject,
    deployment: rollout as Json,
    allocations: listed as Json,
    evaluations: null,
    next_launch: null,
    healthy: false,
    why: 'allocation bbbbbbbb failed: task srv exited with status 7, and this sentence is long enough to need two lines',
    next: 'go back to version 3, which was healthy: tug job revert web 3 --wait',
    rule: 'allocation-failed',
    outcome: 'failed',
    ...given,
  }
  const paint = ((tone: string | undefined, words: string) =>
    tone === undefined || words.trim() === '' ? words : `<${tone}>${words}</>`) as never
  const plain = ((_: string, words: string) => words) as never
  const showing = { wide: false, width: undefined, now, absoluteTimes: false, draws: false }
  const whole = screenText(status, plain, showing)
  const painted = screenText(status, paint, { ...showing, width: 200 })
  const shown = whole.split('\n')
  const others = (text: string) =>
    text
      .split(/(?<=\n)/)
      .filter((line) => !shown.includes(line.trimEnd()))
      .join('')
  return [
    whole,
    others(screenText(status, plain, { ...showing, width: 80 })),
    others(painted),
    others(screenText(status, plain, { ...showing, wide: true, width: 80 })),
  ].join('----\n')
}

test.each<[string, Given]>([
  ['rollout', {}],
  [
    'over',
    {
      deployment: {
        ...rollout,
        Status: 'failed',
        StatusDescription: 'Failed due to unhealthy allocations',
        JobVersion: 3,
      },
      why: '',
      next: '',
    },
  ],
  ['without-a-deployment', { deployment: null, allocations: [], summary: {}, why: '', next: '' }],
  [
    'batch',
    {
      job: { ...service, Type: 'batch', Status: 'dead', Stop: true, Namespace: 'default', Stable: true },
      deployment: null,
    },
  ],
  ['system', { job: { ...service, Type: 'system', Name: 'Web' }, deployment: null, why: '', next: '' }],
  [
    'periodic',
    {
      job: { ...service, Type: 'batch', Periodic: { Enabled: true, Spec: '15 3 * * *', TimeZone: 'UTC' } },
      summary: { Children: { Pending: 1, Running: 0, Dead: 2 } },
      deployment: null,
      allocations: [],
      next_launch: '2026-11-22T03:15:00Z',
      why: '',
      next: '',
    },
  ],
  [
    'parameterized',
    {
      job: {
        ID: 'n',
        Type: 'batch',
        ParameterizedJob: { Payload: 'required', MetaRequired: ['a'], MetaOptional: ['b', 'c'] },
      },
      summary: {},
      deployment: null,
      allocations: [],
      why: '',
      next: '',
    },
  ],
])('the whole screen of a job: %s', async (name, given) => {
  await expect(screens(given)).toMatchFileSnapshot(`${root}/test/stories/job-status/${name}.txt`)
})

test('a failed version and children are pointed to', async () => {
  const parts = { summary: { JobID: 'web', Summary: {}, Children: { Pending: 1 } }, deployment: null }
  const { env } = await answers({
    '/v1/job/web': service,
    '/v1/job/web/summary': parts.summary,
    '/v1/job/web/deployments': [],
    '/v1/job/web/allocations': [...listed, { ...listed[1], ID: 'c', DesiredStatus: 'stop', ClientStatus: 'complete' }],
    '/v1/job/web/evaluations': [],
  })
  await story(
    'job-status-notes',
    ['job status web', 'job status web -o json --query why', 'job status web --exit-code -o csv'],
    { env },
  )
})
