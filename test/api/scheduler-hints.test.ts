import { expect, test } from 'vitest'
import { fullIdHint } from '../../src/api/scheduler-hints.ts'
import { schedulerHeader, schedulerService } from '../../src/api/scheduler-service.ts'
import { failureOf } from '../../src/http/failure.ts'
import type { Dialect } from '../../src/core/service.ts'
import { says } from '../support/told.ts'

function failure(
  body: string,
  { status = 500, path = '/v1/job/web', acl }: { status?: number; path?: string; acl?: string } = {},
) {
  return failureOf(schedulerService, {
    dialect: 'neutral',
    request: { method: 'GET', path, ...(acl === undefined ? {} : { acl }) },
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body,
  })
}

test('a job is named with its namespace, quoted', () => {
  const error = failureOf(schedulerService, {
    dialect: 'neutral',
    request: { method: 'POST', path: '/v1/job/a%20b/revert', query: [['namespace', 'ops']] },
    status: 500,
    headers: {},
    body: 'Current job has version 13; enforcing version 3',
  })
  expect(error.hints).toEqual([says("…13…: tug job versions 'a b' --diffs -n ops")])
})

test('a hint has every flag of the line that says where the job is, and one namespace', () => {
  const hintsOf = (body: string, targetFlags: string[]) =>
    failureOf(schedulerService, {
      dialect: 'neutral',
      request: { method: 'POST', path: '/v1/job/web/revert', query: [['namespace', 'ops']] },
      status: 500,
      headers: {},
      body,
      targetFlags,
    }).hints
  const typed = ['-p', 'my prod', '-n', 'ops', '--region', 'eu']
  expect(hintsOf('job "web" at version 9 not found', typed)).toEqual([
    says("…: tug job versions web -p 'my prod' -n ops --region eu"),
  ])
  expect(hintsOf('job not found', typed)).toEqual([
    says("…: tug job list --prefix web -p 'my prod' --region eu, … -n '*' …"),
  ])
  const wholeId = (flags: string) => [says(`…: tug job list --prefix web${flags}, … -n '*' …`)]
  expect(hintsOf('job not found', [])).toEqual(wholeId(''))
  expect(hintsOf('job not found', ['--region', 'eu'])).toEqual(wholeId(' --region eu'))
  expect(hintsOf('job not found', ['-n', 'ops'])).toEqual(wholeId(''))
  expect(hintsOf("can't revert to current version", ['--region', 'eu'])).toEqual([
    says('…: tug job versions web -n ops --region eu'),
  ])
})

test('where the request names no job, the hint leaves a place for one', () => {
  expect(failure("can't revert to current version", { path: '/v1/jobs' }).hints).toEqual([
    says('…: tug job versions <job>'),
  ])
})

const wholeId = "…: tug job list --prefix web, … -n '*' …"
const versions = '…: tug job versions web'
const filters = '…: Status == "running" and Type == "service"; …: tug help job-filters'

/** What the scheduler says, with status 500, and what becomes of it: the kind of the error, and all its hints. */
test.each([
  ['Dispatch did not provide required meta keys: [rows to]', 'invalid', ['…: --meta rows=… --meta to=…']],
  [
    'Dispatch request included unpermitted metadata keys: [z a]',
    'invalid',
    ['… --meta a --meta z; …: tug job get web'],
  ],
  [
    'Payload is not provided but required by parameterized job',
    'invalid',
    ['…: tug job dispatch web <payload-file> …'],
  ],
  ['Payload provided but forbidden by parameterized job', 'invalid', ['… no payload…']],
  ['Payload exceeds maximum size; 16385 > 16384', 'invalid', ['… --meta']],
  ['Specified job "web" is not a parameterized job', 'invalid', ['… parameterized… job run']],
  ['Specified job "web" is stopped', 'invalid', ['…: tug job start web']],
  ["can't force launch non-periodic job", 'invalid', ['…: tug job evaluate web']],
  [
    'force launch for job "web" failed: can\'t force run non-tracked job "web" (default)',
    'invalid',
    ['…: tug job start web'],
  ],
  ["can't evaluate periodic job", 'invalid', ['…: tug job periodic force web']],
  ["can't evaluate parameterized job", 'invalid', ['…: tug job dispatch web']],
  [
    'Enforcing job modify index 3: job exists with conflicting job modify index: 44',
    'conflict',
    ['… 44 …: … tug job plan …'],
  ],
  ['Enforcing job modify index 0: job already exists', 'conflict', ['--check-index 0 …; tug job plan <file> …']],
  ['Enforcing job modify index 3: job does not exist', 'conflict', ['…; --check-index 0 …']],
  ['Current job has version 13; enforcing version 3', 'conflict', ['… 13 …: tug job versions web --diffs']],
  ["can't revert to current version", 'conflict', [versions]],
  ['job "web" in namespace "default" at version 9 not found', 'not_found', [versions]],
  ['job source not found', 'not_found', [versions]],
  ['job scaling blocked due to active deployment', 'conflict', ['…: tug job deployment web --watch']],
  ['task group "x" specified for scaling does not exist in job', 'failed', ['…: tug job scale-status web']],
  ['job "web" is in nonexistent namespace "ops"', 'not_found', ['… -n, … TUG_SCHEDULER_NAMESPACE …']],
  ['No path to region', 'failed', ['… --region …']],
  ['No cluster leader', 'failed', ['… --stale …']],
  ['Not ready to serve consistent reads', 'failed', []],
  ['failed to read filter expression: 1:1: no match found', 'failed', [filters]],
  [`couldn't find key: struct field with name "status"`, 'failed', ['… Status']],
  [`couldn't find key: struct field with name "node_pool"`, 'failed', ['… NodePool']],
  ['error finding value in datum: /x at part 0: invalid member', 'invalid', [filters]],
  ['cannot perform in/contains operations on type int for selector: "Priority"', 'failed', ['…: tug help job-filters']],
  ['cannot update job from type "service" to "batch"', 'invalid', ['… --purge, …']],
  ['ACL token not found', 'not_allowed', ['… (see tug status)']],
  ['job not found', 'not_found', [wholeId]],
  ['job versions not found', 'not_found', [wholeId]],
  ['parameterized job not found', 'not_found', [wholeId]],
  ['job "web" not found', 'not_found', [wholeId]],
  ['Unknown job "web"', 'not_found', [wholeId]],
  ['Unknown allocation', 'not_found', []],
  ['alloc 9c0f11aa does not have allocation', 'not_found', []],
  ['evaluation not found', 'not_found', []],
  ['a job not found here', 'not_found', []],
  ['Dispatch payload of another kind', 'invalid', []],
  ['a node for Dispatch work', 'failed', []],
  // What isn't there decides before what is invalid.
  ['Invalid reference: volume not found', 'not_found', []],
  ['dispatch job priority must be between [1, 100]', 'invalid', []],
  ['job count was greater than configured job_max_count: 60000 > 50000', 'invalid', []],
  ['Failed to parse job: x', 'invalid', []],
  ['Invalid duration', 'invalid', []],
  ['1 error occurred:\n\t* Missing job datacenters', 'invalid', []],
  ['something else', 'failed', []],
] as const)('%s', (body, code, hints) => {
  const error = failure(body)
  expect({ code: error.code, hints: error.hints }).toEqual({ code, hints: hints.map(says) })
  if (!body.includes('\n')) expect(error.message).toBe(body)
})

test('a 403 names the capability, except for closed registrations', () => {
  const weak = says('… token … (see tug status)')
  const nomad = says('… Nomad: … --dialect auto, … tug login scheduler')
  expect(failure('Permission denied', { status: 403, acl: 'namespace:read-job' }).hints).toEqual([
    'needed: namespace:read-job',
    weak,
    nomad,
  ])
  expect(failure('Permission denied', { status: 403 }).hints).toEqual([weak, nomad])
  const closed = 'Job registration, dispatch, and scale are disabled by the scheduler configuration'
  expect(failure(closed, { status: 403 })).toMatchObject({ code: 'not_allowed' })
  expect(failure(closed, { status: 403 }).hints).toEqual([says('an operator …')])
})

test('job IDs in hints are quoted for the shell; other paths have none', () => {
  expect(failure("can't revert to current version", { path: '/v1/job/team%20a%2Fx/revert' }).hints[0]).toContain(
    "'team a/x'",
  )
  const hostile = encodeURIComponent("x'$(touch y)`z`;\n|")
  expect(failure("can't revert to current version", { path: `/v1/job/${hostile}/revert` }).hints[0]).toContain(
    String.raw`tug job versions $'x\047$(touch y)` + String.raw`\`z\`;\012|'`.replaceAll('\\`', '`'),
  )
  expect(failure("can't revert to current version", { path: '/v1/job/%zz/revert' }).hints[0]).toContain('%zz')
  expect(failure('job not found', { path: '/v1/jobs' }).hints).toEqual([])
})

test('a refusal by a product in the neutral dialect names the dialect', () => {
  const refused = {
    request: { method: 'GET', path: '/v1/jobs' },
    status: 403,
    headers: { 'x-nomad-index': '7' },
    body: 'Permission denied',
  }
  const hint = /^the server is Nomad: .*--dialect auto, .*tug login scheduler$/m
  expect(failureOf(schedulerService, { ...refused, dialect: 'neutral' }).hints.join('\n')).toMatch(hint)
  expect(failureOf(schedulerService, { ...refused, dialect: 'hashicorp' }).hints.join('\n')).not.toMatch(hint)
  const both = { ...refused, headers: { 'x-nomad-index': '7', 'x-scheduler-index': '7' } }
  expect(failureOf(schedulerService, { ...both, dialect: 'neutral' }).hints.join('\n')).not.toMatch(hint)
})

test('namespace and region go into the query, unless the request has its own', () => {
  const place = (request: object, where: { namespace?: string; region?: string }) =>
    schedulerService.place({ method: 'GET', path: '/v1/job/web', ...request }, { ...unset, ...where }).query
  const unset = { namespace: undefined, region: undefined }
  expect(place({}, {})).toBeUndefined()
  expect(place({ query: [] }, {})).toEqual([])
  expect(place({}, { namespace: 'ops', region: 'eu' })).toEqual([
    ['namespace', 'ops'],
    ['region', 'eu'],
  ])
  expect(place({ query: [['region', 'us']] }, { region: 'eu' })).toEqual([['region', 'us']])
  expect(place({ query: [['namespace', 'a']] }, { namespace: 'b', region: 'eu' })).toEqual([
    ['namespace', 'a'],
    ['region', 'eu'],
  ])
})

test.each([
  [403, {}, 'Permission denied\n', true],
  [403, { 'x-nomad-index': '1' }, 'Permission denied', true],
  [403, { 'x-scheduler-index': '1' }, 'Permission denied', false],
  [403, {}, 'Permission denied by a gateway', false],
  [401, {}, 'Permission denied', false],
])('an answer with status %i, %j and %j looks as if the token was not seen: %s', (status, headers, body, expected) => {
  const request = { method: 'GET', path: '/v1/jobs' }
  expect(schedulerService.isBlind?.({ request, status, headers, body, dialect: 'auto' })).toBe(expected)
})

test.each([
  ['GET', '/v1/jobs', true],
  ['POST', '/v1/jobs', false],
  ['GET', '/v1/job/web', false],
  ['GET', '/v1/job', false],
  ['POST', '/v1/jobs/parse', false],
  ['GET', '/v1/jobsx', true],
  ['GET', '/v1/allocations', true],
])('%s %s in all namespaces is sent: %s', (method, path, isSent) => {
  for (const region of [undefined, 'eu']) {
    const place = () => schedulerService.place({ method, path }, { namespace: '*', region })
    if (isSent) expect(place().query?.[0]).toEqual(['namespace', '*'])
    else
      expect(place).toThrow(
        expect.objectContaining({
          code: 'usage',
          message: says("-n '*' …"),
          hints: [says("…: tug job list -n '*'")],
        }) as Error,
      )
  }
})

test('a field like none of a job is answered with all fields', () => {
  expect(failure('struct field with name "zzzzzzzzzz"').hints).toEqual([
    says('…: ID, Name, …, ModifyIndex, JobModifyIndex'),
  ])
})

test('a header of an answer is read in either spelling, as UTF-8', () => {
  const latin = Buffer.from('é').toString('latin1')
  expect(schedulerHeader({ 'x-scheduler-index': '1', 'x-nomad-index': '2' }, 'Index')).toBe('1')
  expect(schedulerHeader({ 'x-nomad-nexttoken': latin }, 'NextToken')).toBe('é')
  expect(schedulerHeader({ 'x-nomad-other': '1' }, 'Index')).toBeUndefined()
})

test('the hint at the whole ID searches for its first three characters', () => {
  expect(fullIdHint('payments', [])).toContain('tug job list --prefix pay,')
  expect(fullIdHint('a\u{1f600}\u{1f601}b', [])).toContain("--prefix 'a\u{1f600}\u{1f601}',")
})

test.each(['No cluster leader', 'No path to region', 'Not ready to serve consistent reads'])(
  '%s means that the service is unavailable from 500 on',
  (words) => {
    const reasonOf = (status: number) => failure(words, { status }).reason
    expect([499, 500, 503].map(reasonOf)).toEqual([undefined, 'unavailable', 'unavailable'])
    expect(failure(words).code).toBe('failed')
    expect(failure('something else').reason).toBeUndefined()
  },
)

test.each(['Node_Pool', 'node_pool', 'NODEPOOL', 'NodePol'])('an unknown field %s is probably NodePool', (name) => {
  expect(failure(`error finding value in datum: struct field with name "${name}"`).hints).toEqual([says('… NodePool')])
})

test.each([
  ['POST', '/v1/jobs', [], 'register-job'],
  ['POST', '/v1/job/web/plan', [], 'plan-job'],
  ['POST', '/v1/job/web/revert', [], 'revert-job'],
  ['POST', '/v1/job/web/periodic/force', [], 'force-periodic-job'],
  ['DELETE', '/v1/job/web', [], 'deregister-job'],
  ['DELETE', '/v1/job/web', [['purge', 'true']], 'purge-job'],
] as const)('the product has its own capability for a %s of %s %j', (method, path, query, capability) => {
  const acl = 'namespace:submit-job, and namespace:policy-override with --policy-override'
  const hintFor = (dialect: Dialect, headers: Record<string, string>, PolicyOverride = false) =>
    failureOf(schedulerService, {
      dialect,
      request: { method, path, query, acl, body: { PolicyOverride } },
      status: 403,
      headers,
      body: 'Permission denied',
    }).hints[0]
  const product = `needed: namespace:${capability} or namespace:submit-job`
  expect(hintFor('auto', { 'x-nomad-index': '1' })).toBe(product)
  // A refused write has no such header.
  expect(hintFor('hashicorp', {})).toBe(product)
  expect(hintFor('hashicorp', {}, true)).toBe(`${product}, and namespace:sentinel-override`)
  expect(hintFor('auto', {})).toBe('needed: namespace:submit-job')
  expect(hintFor('auto', {}, true)).toBe('needed: namespace:submit-job, and namespace:policy-override')
})
