import { expect, test } from 'vitest'
import * as jobs from '../../../src/api/jobs.ts'
import type { Json } from '../../../src/core/json.ts'
import type { AnswerForm, Shape } from '../../../src/core/shape.ts'
import { tug } from '../../support/run.ts'
import { json, serve } from '../../support/serve.ts'

/** Whatever an answer's shape has is in a column of its view, or has a reason not to be. Versions are jobs, as `job get --version` shows them. */

type Path = readonly (string | number)[]

/** A value of the shape in which every member differs from every other, and the places of its leaves. */
function sampleOf(shape: Shape, leaves: Path[]): Json {
  let next = 0
  const make = (of: Shape, path: Path, depth: number): Json => {
    if (of.kind === 'nullable') return make(of.of, path, depth)
    if (of.kind === 'array') return [make(of.of, [...path, 0], depth)]
    if (of.kind === 'map') return { key: make(of.of, [...path, 'key'], depth) }
    if (of.kind === 'object') {
      // Blocks of a diff have blocks in them.
      const members = of.members().filter((one) => depth < 6 || one.of.kind !== 'array')
      return Object.fromEntries(members.map((one) => [one.key, make(one.of, [...path, one.key], depth + 1)]))
    }
    leaves.push(path)
    next += 1
    if (of.kind === 'boolean') return true
    if (of.kind === 'integer') return 1_700_000_000_000_000_000 + next * 3_600_000_000_000
    if (of.kind === 'count') return 1000 + next
    return of.kind === 'any' ? new Date(1_700_000_000_000 + next * 60_000).toISOString() : `text-${next}x`
  }
  return make(shape, [], 0)
}

/** A copy without the member at a place. */
function without(value: Json, [key, ...rest]: Path): Json {
  if (key === undefined) return null
  const copy = structuredClone(value) as Record<string | number, Json>
  if (rest.length === 0) delete copy[key]
  else copy[key] = without(copy[key] as Json, rest)
  return copy
}

/** The places of members that can be left out of the answer without a difference in the output. */
async function hiddenIn(line: string, full: Json, leaves: readonly Path[], isSample = false): Promise<string[]> {
  let body = full
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify(body)))
  const shown = async (answer: Json) => {
    body = answer
    const { stdout, exit, stderr } = await tug(`${line} -o csv`, { env })
    return exit === 0 ? stdout : stderr
  }
  const all = await shown(full)
  const hidden: string[] = []
  for (const leaf of leaves) {
    // A value that only this member has is found at once.
    const value = leaf.reduce<unknown>(memberOf, full)
    const isFound = isSample && typeof value === 'string' && all.includes(value)
    if (!isFound && (await shown(without(full, leaf))) === all) hidden.push(leaf.join('.'))
  }
  return hidden
}

function memberOf(value: unknown, key: string | number): unknown {
  return (value as Record<string | number, unknown>)[key]
}

const onTheLine = 'the command line names it'
const inAnother = 'another member of the answer says it better'

test.each<[line: string, answers: AnswerForm, hidden: Readonly<Record<string, string>>]>([
  [
    'job list --meta',
    jobs.list.answers,
    {
      '0.Periodic': 'a word of the type',
      '0.ParameterizedJob': 'a word of the type',
      '0.Dispatched': 'tells a parameterized job from one that was dispatched, in the type',
      '0.JobSummary.Namespace': inAnother,
    },
  ],
  [
    'job get web',
    jobs.read.answers,
    {
      'Periodic.Enabled': 'shown if it is false',
      'Periodic.SpecType': 'the only one is cron',
      'Periodic.Spec': inAnother,
      NomadTokenID: inAnother,
      VaultNamespace: inAnother,
    },
  ],
  [
    'job allocs web',
    jobs.allocations.answers,
    {
      '0.JobID': onTheLine,
      '0.JobType': 'of the job',
      '0.TaskStates.key.Events.0.Message': inAnother,
      '0.TaskStates.key.Events.0.DisplayMessage': inAnother,
      '0.TaskStates.key.Events.0.Details.key': inAnother,
    },
  ],
  [
    'job evals web',
    jobs.evaluations.answers,
    {
      '0.FailedTGAllocs.key.NodesEvaluated': inAnother,
      '0.FailedTGAllocs.key.NodesInPool': inAnother,
      '0.FailedTGAllocs.key.NodePool': inAnother,
      '0.FailedTGAllocs.key.NodesAvailable.key': inAnother,
    },
  ],
  [
    'job deployments web',
    jobs.deployments.answers,
    { '0.JobID': onTheLine, '0.TaskGroups.key.RequireProgressBy': 'job status shows it' },
  ],
  ['job deployment web', jobs.deployment.answers, { 'TaskGroups.key.RequireProgressBy': 'job status shows it' }],
  ['job summary web', jobs.summary.answers, { JobID: onTheLine }],
  ['job scale-status web', jobs.scaleStatus.answers, { JobID: onTheLine }],
  ['job services web', jobs.services.answers, {}],
  ['job actions web', jobs.actions.answers, {}],
  ['job submission web --version 1', jobs.submission.answers, { JobIndex: inAnother }],
])('every member of the answer is shown, or has a reason not to be: %s', async (line, answers, hidden) => {
  if (answers.form !== 'json') throw new Error('not JSON')
  const leaves: Path[] = []
  const full = sampleOf(answers.shape, leaves)
  expect(await hiddenIn(line, full, leaves, true)).toEqual(Object.keys(hidden))
})

/** What the specification has in a job beyond what its shape does. */
const port = { Label: 'http', Value: 8080, To: 80, HostNetwork: 'public' }
const network = {
  Device: 'eth0',
  CIDR: '10.0.0.0/8',
  IP: '10.0.0.1',
  MBits: 10,
  Mode: 'bridge',
  DNS: { Servers: ['a'] },
}
const check = {
  Name: 'alive',
  Type: 'http',
  Command: 'c',
  Args: ['-x'],
  Path: '/up',
  Protocol: 'https',
  PortLabel: 'http',
  Interval: 1e9,
  Timeout: 2e9,
  InitialStatus: 'passing',
}
const job = {
  ID: 'web',
  Payload: 'YWJj',
  SchedulerTokenID: 'accessor',
  SecretsNamespace: 'team',
  Meta: { owner: 'a' },
  Update: { Stagger: 3e9, MaxParallel: 1, HealthCheck: 'checks' },
  TaskGroups: [
    {
      Name: 'app',
      Meta: { tier: 'b' },
      Migrate: { HealthCheck: 'checks', HealthyDeadline: 1e9, MaxParallel: 2, MinHealthyTime: 2e9 },
      RestartPolicy: { Attempts: 1, Interval: 1e9, Delay: 2e9, Mode: 'fail' },
      ReschedulePolicy: {
        Attempts: 1,
        Delay: 1e9,
        DelayFunction: 'constant',
        Interval: 2e9,
        MaxDelay: 3e9,
        Unlimited: true,
      },
      EphemeralDisk: { Sticky: true, SizeMB: 300, Migrate: true },
      Networks: [{ ...network, ReservedPorts: [port], DynamicPorts: [port] }],
      Services: [{ Name: 'web', PortLabel: 'http', Tags: ['v1'], Checks: [check] }],
      Scaling: { Enabled: true, Max: 3, Min: 1 },
      ShutdownDelay: 1e9,
      StopAfterClientDisconnect: 2e9,
      MaxClientDisconnect: 3e9,
      Volumes: { data: { Type: 'host', Source: 'certs' } },
      Tasks: [
        {
          Name: 'srv',
          User: 'nobody',
          Config: { image: 'web:1' },
          Env: { LEVEL: 'info' },
          Meta: { build: 'c' },
          Resources: {
            CPU: 100,
            MemoryMB: 200,
            DiskMB: 300,
            IOPS: 1,
            Devices: [{ Name: 'gpu', Count: 1 }],
            Networks: [network],
          },
          Services: [{ Name: 'side', PortLabel: 'http', Tags: ['v1'], Checks: [check] }],
          Templates: [
            {
              SourcePath: 's',
              DestPath: 'd',
              EmbeddedTmpl: 'text',
              ChangeMode: 'signal',
              ChangeSignal: 'SIGHUP',
              Splay: 1e9,
              Perms: '0600',
            },
          ],
          DispatchPayload: { File: 'in.json' },
          KillTimeout: 1e9,
          KillSignal: 'SIGINT',
          Kind: 'connect',
          Leader: true,
          Lifecycle: { Hook: 'prestart', Sidecar: true },
          LogConfig: { Disabled: true, MaxFiles: 2, MaxFileSizeMB: 3 },
          Artifacts: [{ GetterSource: 'https://example.org/a', GetterOptions: { depth: '1' }, RelativeDest: 'local' }],
          ShutdownDelay: 2e9,
          CSIPluginConfig: { ID: 'p' },
          ScalingPolicies: [{ ID: 'q', Enabled: true }],
          VolumeMounts: [{ Volume: 'data', Destination: '/data', ReadOnly: true }],
        },
      ],
    },
  ],
  // Secrets, which only JSON has.
  SecretsToken: 'secret',
  DiscoveryToken: 'secret',
}

function leavesOf(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const entries = Array.isArray(value) ? value.map((one, index) => [index, one] as const) : Object.entries(value)
  return entries.flatMap(([key, one]) => leavesOf(one as Json, [...path, key]))
}

test('a wide job shows all that the specification has in one, but its secrets', async () => {
  expect(await hiddenIn('job get web', job, leavesOf(job))).toEqual(['SecretsToken', 'DiscoveryToken'])
})
