import { expect, test } from 'vitest'
import { constraints, groupsAndTasks, updateStrategy } from '../../../src/commands/job/definition.ts'
import { documentDiff } from '../../../src/commands/job/plan/documents.ts'
import { groupFacts } from '../../../src/commands/job/deployments.ts'
import { deploymentProgress } from '../../../src/commands/job/facts/deployment.ts'
import { jobStatus, loadLaunches, periodicTimes } from '../../../src/commands/job/jobs.ts'
import { eventWords, lastEvent, taskStories } from '../../../src/commands/job/allocs.ts'
import { changeLines, changeOf } from '../../../src/commands/job/versions.ts'
import type { Job } from '../../../src/api/job-shapes.ts'
import type { Diff } from '../../../src/api/plan-shapes.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { parseJson } from '../../../src/core/json.ts'
import { startDevServer } from '../../support/dev.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { mentions, told } from '../../support/told.ts'

test.each<[JsonObject, string]>([
  [{ Type: 'Started', DisplayMessage: 'Task started by client' }, 'Started'],
  [{ Type: 'Received', Message: '' }, 'Received'],
  [{ Type: 'Terminated', ExitCode: 0, DisplayMessage: 'Exit Code: 0' }, 'Terminated: exit 0'],
  [{ Type: 'Terminated', ExitCode: 137, Signal: 9 }, 'Terminated: exit 137, signal 9'],
  [{ Type: 'Terminated', ExitCode: 0, Signal: 15, Message: 'told to' }, 'Terminated: signal 15, told to'],
  [{ Type: 'Driver Failure', DriverError: 'no image', DisplayMessage: 'no image' }, 'Driver Failure: no image'],
  [{ Type: 'Driver', DriverMessage: 'Downloading image' }, 'Driver: Downloading image'],
  [{ Type: 'Setup Failure', SetupError: 'no disk' }, 'Setup Failure: no disk'],
  [{ Type: 'Failed Validation', ValidationError: 'bad port' }, 'Failed Validation: bad port'],
  [{ Type: 'Failed Artifact Download', DownloadError: '404' }, 'Failed Artifact Download: 404'],
  [{ Type: 'Secrets', SecretsError: 'denied' }, 'Secrets: denied'],
  [{ Type: 'Killing', KillTimeout: 5_000_000_000, DisplayMessage: 'Sent interrupt.' }, 'Killing: has 5s to end'],
  [
    { Type: 'Not Restarting', FailsTask: true, RestartReason: 'no more attempts' },
    'Not Restarting: fails the task, no more attempts',
  ],
  [{ Type: 'Killing', KillReason: 'stopped', KillError: 'slow' }, 'Killing: slow, stopped'],
  [
    { Type: 'Restarting', RestartReason: 'Restart within policy', StartDelay: 10_000_000_000 },
    'Restarting: again in 10s, Restart within policy',
  ],
  [{ Type: 'Disk Resources Exceeded', DiskLimit: 300 }, 'Disk Resources Exceeded: disk limit 300'],
  [{ Type: 'Sibling Task Failed', FailedSibling: 'db' }, 'Sibling Task Failed: task db failed'],
  [{ Type: 'Signaling', TaskSignal: 'SIGHUP', TaskSignalReason: 'template' }, 'Signaling: SIGHUP, template'],
  [{ Type: 'Task Setup', Message: 'Building' }, 'Task Setup: Building'],
])('the event %o is: %s', (event, words) => expect(eventWords(event)).toBe(words))

test.each([
  'DriverError',
  'SetupError',
  'ValidationError',
  'DownloadError',
  'SecretsError',
  'VaultError',
  'KillError',
  'KillReason',
  'RestartReason',
  'TaskSignalReason',
  'DriverMessage',
])('an event tells its %s', (member) => {
  expect(eventWords({ Type: 'Other', [member]: 'why' })).toBe('Other: why')
})

test('-o wide shows every task with its state and events', () => {
  const states = {
    srv: { State: 'dead', Failed: true, Events: [{ Type: 'Started' }, { Type: 'Terminated', ExitCode: 7 }] },
    log: { State: 'pending', Events: [] },
  }
  expect(taskStories({ TaskStates: states })).toEqual(['srv dead (failed): Started; Terminated: exit 7', 'log pending'])
  expect(lastEvent({ TaskStates: states })).toBe('srv: Terminated: exit 7')
  expect(lastEvent({ ClientDescription: 'waits for a volume', TaskStates: null })).toBe('waits for a volume')
})

test('of several tasks the one that failed tells what happened, else the one with the newest event', () => {
  const state = (Time: number, Type: string, Failed = false) => ({ Failed, Events: [{ Type, Time }] })
  const running = { a: state(3, 'Started'), b: state(5, 'Restarting'), c: state(4, 'Started') }
  expect(lastEvent({ TaskStates: running })).toMatch(/^b: /)
  expect(lastEvent({ TaskStates: { ...running, d: state(1, 'Driver Failure', true) } })).toMatch(/^d: /)
})

const job = (Version: number, more: JsonObject = {}): JsonObject => ({
  Version,
  SubmitTime: Version,
  TaskGroups: [{ Name: 'app', Count: 2 }],
  ...more,
})
const image = { Meta: { image: 'b' } }
const groups = (...counts: number[]) => ({
  TaskGroups: counts.map((Count, index) => ({ Name: 'ab'[index] as string, Count })),
})
const three = { TaskGroups: [{ Name: 'app', Count: 3 }] }

test.each<[string, JsonObject[]]>([
  ['new', [job(0)]],
  ['', [job(3)]],
  ['changed', [job(1, image), job(0)]],
  ['same as 1', [job(2), job(1)]],
  ['same as 1', [job(3), job(2, image), job(1)]],
  ['changed', [job(1, { ...groups(2, 4), ...image }), job(0, groups(1, 3))]],
  ['same as 0', [job(2), job(1, three), job(0)]],
  ['stopped', [job(1, { Stop: true }), job(0)]],
  ['started', [job(2), job(1, { Stop: true }), job(0)]],
  ['changed, started', [job(2, image), job(1, { Stop: true })]],
])('a version is: %s', (words, versions) => expect(changeOf(versions, 0)).toBe(words))

const definition = {
  Constraints: [{ LTarget: '${attr.kernel.name}', Operand: '=', RTarget: 'linux' }],
  Update: { MaxParallel: 1 },
  TaskGroups: [
    {
      Name: 'app',
      Count: 3,
      Constraints: [{ LTarget: '', Operand: 'distinct_hosts', RTarget: 'true' }],
      Update: {
        MaxParallel: 2,
        Canary: 1,
        MinHealthyTime: 10_000_000_000,
        HealthyDeadline: 180_000_000_000,
        AutoRevert: true,
      },
      Tasks: [
        { Name: 'srv', Driver: 'docker' },
        { Name: 'log', Driver: 'exec' },
      ],
    },
    { Name: 'side', Count: 1, Tasks: [] },
  ],
}

test('a job shows its groups with tasks and drivers, its constraints and how it is updated', () => {
  expect(groupsAndTasks(definition)).toBe('app 3: srv (docker), log (exec); side 1')
  expect(constraints(definition)).toBe('${attr.kernel.name} = linux; app: distinct_hosts true')
  expect(updateStrategy(definition)).toMatch(told('app: 2 …, 1 canary, healthy for 10s within 3m, auto-revert'))
})

const second = 1_000_000_000

test.each<[JsonObject, string]>([
  [{ MaxParallel: 1 }, '1 at a time'],
  [{}, ''],
  [{ MaxParallel: 0, AutoRevert: true }, ''],
  [{ MaxParallel: 1, Canary: 0, AutoRevert: false, AutoPromote: false }, '1 at a time'],
  [{ MaxParallel: 1, Canary: 1 }, '1 at a time, 1 canary'],
  [{ MaxParallel: 1, Canary: 2 }, '1 at a time, 2 canaries'],
  [{ MaxParallel: 1, MinHealthyTime: 10 * second }, '1 at a time, healthy for 10s'],
  [
    { MaxParallel: 1, MinHealthyTime: 10 * second, HealthyDeadline: 90 * second },
    '1 at a time, healthy for 10s within 1m 30s',
  ],
  [{ MaxParallel: 1, HealthyDeadline: 90 * second }, '1 at a time'],
  [{ MaxParallel: 1, ProgressDeadline: 60 * second }, '1 at a time, progress within 1m'],
  [{ MaxParallel: 1, AutoRevert: true }, '1 at a time, auto-revert'],
  [{ MaxParallel: 1, AutoPromote: true }, '1 at a time, auto-promote'],
])('the update block %j is: %s', (Update, words) => {
  expect(updateStrategy({ Update })).toBe(words)
  const ofGroup = updateStrategy({ Update: { MaxParallel: 9 }, TaskGroups: [{ Name: 'app', Update }] })
  expect(ofGroup).toBe(words === '' ? '9 at a time' : `app: ${words}`)
})

test('the next launch is the earliest of all expressions, of a job that runs', async () => {
  const launchOf = await loadLaunches()
  const now = new Date('2026-11-21T07:30:00Z')
  const next = (periodic: JsonObject, more: JsonObject = {}) =>
    launchOf({ Periodic: { Enabled: true, ...periodic }, ...more }, now)?.toISOString()
  expect(next({ Spec: '15 3 * * *' })).toBe('2026-11-22T03:15:00.000Z')
  expect(next({ Specs: ['0 9 * * *', '0 8 * * *'] })).toBe('2026-11-21T08:00:00.000Z')
  expect(next({ Spec: '0 9 * * *', TimeZone: 'Europe/Berlin' })).toBe('2026-11-21T08:00:00.000Z')
  expect(next({ Spec: '30 0 9 * * * 2027' })).toBe('2026-11-21T09:00:30.000Z')
  expect(next({ Spec: '@daily' })).toBe('2026-11-22T00:00:00.000Z')
  expect(next({ Spec: '15 3 * * *', Enabled: false })).toBeUndefined()
  expect(next({ Spec: '15 3 * * *' }, { Stop: true })).toBeUndefined()
  expect(next({ Spec: 'never' })).toBeUndefined()
  expect(launchOf({}, now)).toBeUndefined()
})

test.each([
  [{ Status: 'dead' }, 'dead'],
  [{ Status: 'dead', Stop: true }, 'dead (stopped)'],
  [{ Status: 'running', Stop: true }, 'running (stopping)'],
])('the status of %o is %s', (given, words) => expect(jobStatus(given)).toBe(words))

test('a deployment shows progress, placement, canaries and what it does on its own', () => {
  const group = { DesiredTotal: 2, HealthyAllocs: 1, UnhealthyAllocs: 1, PlacedAllocs: 2, AutoRevert: true }
  const canary = { ...group, DesiredCanaries: 1, PlacedCanaries: ['da3bb772-0000-4000-8000-000000000001'] }
  expect(deploymentProgress({ TaskGroups: { app: group } }, true)).toBe('1/2 healthy, 1 unhealthy')
  expect(deploymentProgress({ TaskGroups: { app: group } })).toBe('app 1/2 healthy, 1 unhealthy')
  expect(deploymentProgress({ TaskGroups: { b: canary, a: { ...canary, Promoted: true } } })).toBe(
    'a 1/2 healthy, 1 unhealthy, canaries 1/1 promoted; b 1/2 healthy, 1 unhealthy, canaries 1/1 not promoted',
  )
  expect(groupFacts({ TaskGroups: { app: canary, side: {} } })).toBe(
    'app placed 2, auto-revert, canaries da3bb772; side placed 0',
  )
})

test('scaling events show the text of an error, wherever the server holds it, and their meta', async () => {
  const events = [
    { Time: 2, Count: 3, PreviousCount: 2, Error: 'no room', Meta: { by: 'me' } },
    { Time: 1, Error: true, Message: 'no luck' },
    { Time: 0, Error: false, Message: 'held' },
  ]
  const body = JSON.stringify({ JobID: 'web', TaskGroups: { app: { Desired: 3, Events: events } } })
  const { env } = await serve((_, response) => json(response, 200, body))
  const { stdout } = await tug('job scale-status web -o csv --columns last_event,events --no-headers', { env })
  expect(stdout).toBe('2 → 3: error: no room (by=me),error: no luck | held\n')
})

test('every namespace is for lists of jobs, and job list takes the namespace from the summary if need be', async () => {
  for (const line of ['job get web', 'job status web', 'job run -', 'job stop web --yes', 'job allocs web --dry-run']) {
    const { exit, stderr } = await tug(`${line} -n '*'`, { stdin: '{"ID":"web"}' })
    expect(exit, line).toBe(2)
    expect(stderr, line).toContain("-n '*'")
  }
  const { env } = await serve((_, response) =>
    json(response, 200, '[{"ID":"a","JobSummary":{"Namespace":"ops"}},{"ID":"b","Namespace":"dev"}]'),
  )
  const list = await tug("job list -n '*' -o csv --columns id,namespace --no-headers", { env })
  expect(list).toMatchObject({ exit: 0, stdout: 'a,ops\nb,dev\n' })
})

test("a parent's children are counted in columns of their own", async () => {
  const { env } = await startDevServer()
  const { stdout } = await tug('job summary nightly', { env })
  expect(stdout).toMatch(/^GROUP +PENDING +RUNNING +DEAD\n\(children\) +0 +0 +2\n$/)
  const csv = await tug('job summary nightly -o csv --columns group,queued,complete,pending,dead', { env })
  expect(csv.stdout).toBe('group,queued,complete,pending,dead\n(children),,,0,2\n')
  expect((await tug('job summary web', { env })).stdout).toMatch(/^GROUP +QUEUED +STARTING /)
})

test('--stale and --consistent cannot be used together', async () => {
  const { exit, stderr } = await tug('job services web --stale --consistent')
  expect(exit).toBe(2)
  expect(stderr).toMatch(mentions('--consistent and --stale …'))
})

test('two versions differ in what the server says, in the same words', async () => {
  const { env } = await startDevServer()
  const submission = await tug('job submission web --source', { env })
  const edits: [RegExp, string][] = [
    [/team-a/, 'team-b'],
    [/\["v1", "front"\]/, '["v2", "front"]'],
    [/interval = "10s"/, 'interval = "20s"'],
    [/memory = 64/, 'memory = 128'],
    [/healthy_deadline  = "20s"/, 'healthy_deadline = "25s"'],
    [/datacenters = \["dc1"\]/, 'datacenters = ["dc1", "dc2"]\n  constraint {\n    distinct_hosts = true\n  }'],
  ]
  for (const [pattern] of edits) expect(submission.stdout).toMatch(pattern)
  const stdin = edits.reduce((file, [pattern, next]) => file.replace(pattern, next), submission.stdout)
  expect((await tug('job run -', { env, stdin })).exit).toBe(0)
  const { stdout } = await tug('job versions web --diffs -o json', { env })
  const { Versions, Diffs } = parseJson(stdout) as unknown as { Versions: [Job, Job]; Diffs: Diff[] }
  const lines = (diff: Diff | undefined) => changeLines(diff, true).map((line) => line.match(/[^\s,:()]+/g)?.toSorted())
  expect(lines(documentDiff(Versions[1], Versions[0]))).toEqual(lines(Diffs[0]))
})

test('-o wide and csv show what groups and tasks are made of, and no secret', async () => {
  const task = {
    Name: 'srv',
    Driver: 'exec',
    Config: { image: 'app:1' },
    Env: { DB_PASSWORD: 'correct-horse', LEVEL: 'info' },
    Affinities: [{ LTarget: '${node.class}', Operand: '=', RTarget: 'big', Weight: 50 }],
    Resources: { CPU: 100, MemoryMB: 64, MemoryMaxMB: 128, Devices: [{ Name: 'gpu', Count: 2 }] },
    Templates: [{ DestPath: 'local/a.conf', ChangeMode: 'signal', ChangeSignal: 'SIGHUP', EmbeddedTmpl: 'k' }],
    Artifacts: [{ GetterSource: 'https://me:pw@example.org/a.tgz?token=abc', RelativeDest: 'local/' }],
    VolumeMounts: [{ Volume: 'data', Destination: '/data', ReadOnly: true }],
    Lifecycle: { Hook: 'prestart', Sidecar: true },
  }
  const group = {
    Name: 'app',
    Count: 1,
    Spreads: [{ Attribute: '${node.datacenter}', Weight: 100, SpreadTarget: [{ Value: 'dc1', Percent: 60 }] }],
    Update: { Canary: 1, HealthyDeadline: 180_000_000_000, AutoRevert: false },
    RestartPolicy: { Attempts: 1, Interval: 60_000_000_000, Delay: 1_000_000_000, Mode: 'delay' },
    ReschedulePolicy: { Attempts: 0, Unlimited: false },
    Scaling: { Min: 1, Max: 3, Enabled: false },
    Networks: [
      { Mode: 'bridge', DynamicPorts: [{ Label: 'http', To: 80 }], ReservedPorts: [{ Label: 'x', Value: 9 }] },
    ],
    Services: [
      { Name: 'web', PortLabel: 'http', Tags: ['v1', 'v2'], Checks: [{ Type: 'tcp', Interval: 10_000_000_000 }] },
    ],
    Volumes: { data: { Type: 'host', Source: 'certs', ReadOnly: false } },
    Tasks: [task],
  }
  const Constraints = [{ LTarget: '${attr.kernel.name}', Operand: '=', RTarget: 'linux' }]
  const body = JSON.stringify({ ID: 'web', Constraints, Update: { MaxParallel: 0 }, TaskGroups: [group] })
  const { env } = await serve((_, response) => json(response, 200, body))
  const columns = [
    ['groups', 'app 1: srv (exec)'],
    ['constraints', '${attr.kernel.name} = linux'],
    ['affinities', 'app.srv: ${node.class} = big (weight 50)'],
    ['spreads', 'app: ${node.datacenter} weight 100, target dc1 percent 60'],
    ['update', 'max_parallel 0; app: canary 1, healthy_deadline 3m'],
    ['restart', 'app: attempts 1, interval 1m, delay 1s, mode delay'],
    ['reschedule', 'app: attempts 0, unlimited false'],
    ['scaling', 'app: min 1, max 3, enabled false'],
    ['config', 'app.srv: image app:1'],
    ['resources', 'app.srv: cpu 100, memory 64, memory_max 128, device gpu count 2'],
    ['networks', 'app: mode bridge, port http to 80, port x static 9'],
    ['services', 'app: web port http, tags v1 v2, check type tcp, interval 10s'],
    ['env', 'app.srv: DB_PASSWORD (masked), LEVEL info'],
    ['templates', 'app.srv: local/a.conf change_mode signal, change_signal SIGHUP, data k'],
    ['artifacts', 'app.srv: local/ source https://<redacted>@example.org/a.tgz?token=<redacted>'],
    ['volumes', 'app: data type host, source certs'],
    ['volume_mounts', 'app.srv: /data volume data, read_only true'],
    ['lifecycle', 'app.srv: hook prestart, sidecar true'],
  ]
  const names = columns.map(([name]) => name).join(',')
  const { stdout } = await tug(`job get web -o tsv --no-headers --columns ${names}`, { env })
  expect(stdout.trimEnd().split('\t')).toEqual(columns.map(([, value]) => value))
  for (const format of ['table', 'md', 'box']) {
    const asked = await tug(`job get web -o ${format} --columns constraints,env`, { env })
    for (const name of ['constraints', 'env']) expect(asked.stdout).toContain(Object.fromEntries(columns)[name])
    const card = await tug(`job get web -o ${format}`, { env })
    expect(card.stdout).toContain('${attr.kernel.name} = linux')
    expect(card.stdout).not.toMatch(/\benv\b/)
  }
})

test('a scaling status and evaluations show a stopped job, waits and eligible nodes', async () => {
  const scaling = await serve((_, response) =>
    json(response, 200, '{"JobID":"web","JobStopped":true,"TaskGroups":{"a":{}}}'),
  )
  const columns = '-o tsv --no-headers --columns'
  expect((await tug(`job scale-status web ${columns} job_stopped`, { env: scaling.env })).stdout).toBe('true\n')
  const list = '[{"ID":"e","Wait":30000000000,"ClassEligibility":{"a":true,"b":false}}]'
  const { env } = await serve((_, response) => json(response, 200, list))
  const { stdout } = await tug(`job evals web ${columns} wait,eligible`, { env })
  expect(stdout).toMatch(told('30s\t1 of 2 …\n'))
})

test('-o wide and csv mask secrets in lists and maps of driver configuration, and in headers', async () => {
  const Config = {
    args: ['--password', 'hidden-1', '-v'],
    auth: [{ username: 'me', password: 'hidden-2' }],
    env: { API_KEY: 'hidden-3', LEVEL: 'info' },
    extra: [['--api-key', 'hidden-4']],
  }
  const Artifacts = [{ GetterHeaders: { Accept: 'hidden-5' }, GetterOptions: { sshkey: 'hidden-6' } }]
  const Checks = [{ Type: 'http', Header: { Authorization: ['Bearer hidden-7'] } }]
  const group = { Name: 'app', Services: [{ Name: 'web', Checks }], Tasks: [{ Name: 'srv', Config, Artifacts }] }
  const body = JSON.stringify({ ID: 'web', TaskGroups: [group] })
  const { env } = await serve((_, response) => json(response, 200, body))
  for (const format of ['wide', 'csv', 'tsv']) {
    const { stdout } = await tug(`job get web -o ${format}`, { env })
    expect(stdout, format).toContain('args[0] --password, args[1] <redacted>, args[2] -v')
    expect(stdout, format).toContain('env.API_KEY (masked), env.LEVEL info')
    expect(stdout, format).not.toContain('hidden')
  }
})

test.each([
  [null, ''],
  [{}, ''],
  [{ Spec: '@daily' }, '@daily'],
  [{ Spec: '@daily', Specs: [] }, '@daily'],
  [{ Spec: '@daily', Specs: ['0 * * * *', '30 * * * *'] }, '0 * * * *; 30 * * * *'],
  [
    { Spec: '@daily', TimeZone: 'UTC', ProhibitOverlap: true, Enabled: false },
    '@daily (UTC), never two at once, disabled',
  ],
  [{ Spec: '@daily', TimeZone: '', ProhibitOverlap: false, Enabled: true }, '@daily'],
])('a periodic job with %j is launched: %j', (Periodic, words) => {
  expect(periodicTimes({ ID: 'a', Periodic })).toBe(words)
})
