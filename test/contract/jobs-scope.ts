import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'
import type { DemoNode } from '../../src/dev/jobs/state/model.ts'
import type { Exchange } from './jobs-replay.ts'

/** The recorded server's only node. */
export const lab: DemoNode = {
  id: '1ab00000-0000-4000-8000-000000000001',
  name: 'lab1',
  datacenter: 'dc1',
  address: '127.0.0.1',
  cpu: 20_000,
  memory: 30_000,
  drivers: ['raw_exec', 'exec', 'mock'],
  attributes: { 'kernel.name': 'linux', 'nomad.service_discovery': 'true' },
}

const unseen = 'no answer had shown the id of the deployment; the tests of deployments fail one'
const ownText = 'the local server says that it does not serve the path'
const unasked = 'tug never asks for it'
const samePath = 'tug names the job and namespace of the path, which the local server takes'
const simpleFilter = 'filters of the local server have no JSON pointers'
const socket = 'an upgrade never reaches the plain handler; the tests of actions make it'

/** Exchanges that are not replayed, and why; `*` stands for a whole file. */
export const outOfScope: Readonly<Record<string, string>> = {
  '01-parse: parse JSON text given as JobHCL': 'tug never sends the JSON form of HCL',
  '21-parse-variables: JSON text as Variables': 'tug never sends the JSON form of HCL',
  '16-no-leader: *': 'the local server always leads',
  '18-connection-limit: *': 'the limit belongs to the listening server, not to one of its services',
  '03-read-list: unknown top path': ownText,
  '04-read-parts: services without /v1': ownText,
  '03-read-list: read job no trailing slash': unasked,
  '14-namespaces-misc: read double slash raw: redirect that cleans the path': unasked,
  '08-scale: scale Target.Job mismatch': samePath,
  '08-scale: scale Target.Namespace mismatch': samePath,
  '04-read-parts: versions diff_version unknown': unasked,
  '04-read-parts: versions diff_version not a number': unasked,
  '04-read-parts: versions diff_tag unknown': unasked,
  '10-revert-stable: (outside the 24) tag a version': unasked,
  '14-namespaces-misc: (outside the 24) create namespace team-b': unasked,
  '02-register: register job with bad cron': 'the local server names the whole expression',
  '14-namespaces-misc: filter: JSON pointer selector': simpleFilter,
  '08-scale: scale count 2^63-1 is accepted (overflow in the server; the scheduler then fails)':
    'a fault of that server',
  '08-scale: scale a system job without Count (server panics: connection dropped)': 'a fault of that server',
  '09-canary-deployment: (outside the 24) fail the deployment': unseen,
  '09-canary-deployment: latest deployment: failed': unseen,
  '11-actions-list: upgrade with a bad Sec-WebSocket-Version': socket,
  '11-actions-list: upgrade without Sec-WebSocket-Key': socket,
  '11-actions-list: upgrade with a foreign Origin': socket,
  '11-actions-list: upgrade headers on another endpoint (POST)': socket,
  '21-parse-variables: string with an interpolation sequence is evaluated': 'the local server has no operators',
  '20-round-trip: trailing data after the JSON value is ignored': 'the local server refuses it',
}

const reducedReply = 'the recorder replied with something made from the body'
const otherJobs = 'other jobs were registered at that time'
const counts = 'how many allocations there were depends on what happened in between'
const suffixes = 'dispatched jobs sort by their random suffix'

/** Exchanges of which only the status is compared, and why; `*` stands for a whole file. */
export const statusOnly: Readonly<Record<string, string>> = {
  '04-read-parts: allocations resources=true (ignored here)': reducedReply,
  '04-read-parts: versions diffs with diff_version=0': reducedReply,
  '05-plan: plan with PolicyOverride': reducedReply,
  '06-dispatch: list children by prefix': suffixes,
  '10-revert-stable: versions with diff_tag': reducedReply,
  '10-revert-stable: versions after many updates: retention': 'the updates were not recorded',
  '12-stop: versions after a stop': reducedReply,
  '13-blocking: summary blocking': counts,
  '14-namespaces-misc: page 2 over all namespaces': suffixes,
  '14-namespaces-misc: page 3 over all namespaces': suffixes,
  '14-namespaces-misc: allocations: filter and per_page are ignored': counts,
  '14-namespaces-misc: evaluations: filter, per_page, reverse are ignored': counts,
  '14-namespaces-misc: deployments: filter is ignored, even an invalid one': counts,
  '14-namespaces-misc: versions: per_page is ignored': 'a tagged version is kept beyond the six',
  '14-namespaces-misc: read double slash encoded': 'it was read before its evaluation was looked at',
  '19-filter-grammar: *': otherJobs,
  '20-round-trip: plan a start: Stop true -> false': otherJobs,
  '20-round-trip: plan with what GET returned: Diff None': reducedReply,
  '20-round-trip: state after the start': otherJobs,
  '21-parse-variables: *': 'the recorder kept one value of each; the tests of the parser compare it',
}

/** Exchanges that were recorded last in their file. */
export const playedLast: ReadonlySet<string> = new Set([
  '10-revert-stable: revert EnforcePriorVersion mismatch',
  '10-revert-stable: revert to a pruned version (checked before EnforcePriorVersion)',
])

export interface Step {
  readonly method: string
  readonly path: string
  readonly body?: Json
}

const scaleWeb = {
  method: 'POST',
  path: '/v1/job/web/scale',
  body: { Count: 3, Target: { Group: 'app' }, Message: 'm' },
}

/** Unrecorded requests before an exchange. */
export const stepsBefore: Readonly<Record<string, readonly Step[]>> = {
  '10-revert-stable: revert to version 0': [scaleWeb],
  '10-revert-stable: submission of a pruned version': Array.from({ length: 6 }, () => scaleWeb),
  '19-filter-grammar: hyphenated map key with brackets': [
    {
      method: 'POST',
      path: '/v1/jobs',
      body: { Job: { ...batchJob('meta-q'), Meta: { 'team-key': 'a b', quoted: 'say "hi"', path: 'c:\\x' } } },
    },
  ],
  '20-round-trip: re-posting a stopped job keeps Stop true': [{ method: 'DELETE', path: '/v1/job/web' }],
}

/** Requests during a waiting exchange. */
export const stepsDuring: Readonly<Record<string, Step>> = {
  '13-blocking: blocking read wakes when the job changes': {
    method: 'POST',
    path: '/v1/job/web/stable',
    body: { JobID: 'web', JobVersion: 13, Stable: true },
  },
  '13-blocking: blocking list wakes on a change of any job in any namespace, even one the filter excludes': {
    method: 'POST',
    path: '/v1/jobs',
    body: { Job: batchJob('wake') },
  },
  '13-blocking: blocking read of a missing job wakes when it is created': {
    method: 'POST',
    path: '/v1/jobs',
    body: { Job: batchJob('later') },
  },
}

/** Milliseconds since the previous exchange, if they matter. */
export function waitBefore({ file, name }: Exchange): number {
  if (file === '06-dispatch') return name === 'summary of the parent counts children' ? 3000 : 0
  if (file === '07-periodic-evaluate') return name.startsWith('evaluate') ? 3000 : 0
  return name === 'scale while a deployment is active -> 400' ? 0 : 3000
}

/** A job of one task that ends at once. */
function batchJob(id: string): JsonObject {
  const task = {
    Name: 'report',
    Driver: 'raw_exec',
    Config: { command: '/bin/sh', args: ['-c', 'echo report done'] },
    Resources: { CPU: 20, MemoryMB: 16 },
  }
  return { ID: id, Name: id, Type: 'batch', Datacenters: ['dc1'], TaskGroups: [{ Name: 'run', Tasks: [task] }] }
}

/** Bodies that the recording describes in words or has wrong; `job` is the current web job. */
export function describedBody({ file, name, body }: Exchange, job: () => Promise<JsonObject>): Promise<Json> | Json {
  switch (`${file}: ${name}`) {
    case '02-register: register oversize Submission (1MB+) is dropped with a warning':
      return { Job: batchJob('oversrc'), Submission: { Format: 'hcl2', Source: '#'.repeat(1_100_000) } }
    case '06-dispatch: dispatch payload exactly 16384 bytes':
      return { Meta: { image: 'a' }, Payload: Buffer.alloc(16_384, 'x').toString('base64') }
    case '06-dispatch: dispatch payload 16385 bytes':
      return { Meta: { image: 'a' }, Payload: Buffer.alloc(16_385, 'x').toString('base64') }
    case '06-dispatch: register with payload required': {
      const noted = isObject(body) ? (body['Job'] as JsonObject) : {}
      return { Job: { ...noted, ID: 'need-payload', Name: 'need-payload', ParameterizedJob: { Payload: 'required' } } }
    }
    case '20-round-trip: post back exactly what GET returned: no new version':
    case '20-round-trip: re-posting a stopped job keeps Stop true':
      return job().then((Job) => ({ Job }))
    case '20-round-trip: post back with SubmitTime rounded to a double: still no change':
      return job().then((Job) => ({ Job: { ...Job, SubmitTime: Number(Job['SubmitTime']) } }))
    case '20-round-trip: plan with what GET returned: Diff None':
      return job().then((Job) => ({ Job, Diff: true }))
    case '20-round-trip: plan a start: Stop true -> false':
      return job().then((Job) => ({ Job: { ...Job, Stop: false }, Diff: true }))
    case '20-round-trip: start it again by posting with Stop false':
      return job().then((Job) => ({ Job: { ...Job, Stop: false } }))
    default:
      return body ?? null
  }
}
