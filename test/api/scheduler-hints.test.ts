import { expect, test } from 'vitest'
import { schedulerService } from '../../src/api/scheduler-service.ts'
import { failureOf } from '../../src/http/failure.ts'

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
  expect(error.hints).toEqual(["it is at version 13 now; what changed: tug job versions 'a b' -n ops --diffs"])
})

test('a hint has every flag of the line that says where the job is, and one namespace', () => {
  const hintsOf = (body: string, placeFlags: string[]) =>
    failureOf(schedulerService, {
      dialect: 'neutral',
      request: { method: 'POST', path: '/v1/job/web/revert', query: [['namespace', 'ops']] },
      status: 500,
      headers: {},
      body,
      placeFlags,
    }).hints
  const typed = ['-p', 'my prod', '-n', 'ops', '--region', 'eu']
  expect(hintsOf('job "web" at version 9 not found', typed)).toEqual([
    "available versions: tug job versions web -p 'my prod' -n ops --region eu",
  ])
  expect(hintsOf('job not found', typed)).toEqual([
    "give the whole ID, and the right namespace: tug job list --prefix web -p 'my prod' --region eu, with -n '*' for all namespaces",
  ])
  const wholeId = (flags: string) =>
    `give the whole ID, and the right namespace: tug job list --prefix web${flags}, with -n '*' for all namespaces`
  expect(hintsOf('job not found', [])).toEqual([wholeId('')])
  expect(hintsOf('job not found', ['--region', 'eu'])).toEqual([wholeId(' --region eu')])
  expect(hintsOf('job not found', ['-n', 'ops'])).toEqual([wholeId('')])
  expect(hintsOf("can't revert to current version", ['--region', 'eu'])).toEqual([
    'available versions: tug job versions web -n ops --region eu',
  ])
})

test('where the request names no job, the hint leaves a place for one', () => {
  expect(failure("can't revert to current version", { path: '/v1/jobs' }).hints).toEqual([
    'available versions: tug job versions <job>',
  ])
})

test.each([
  ['Payload is not provided but required by parameterized job', 'invalid', 'tug job dispatch web <payload-file>'],
  ['Payload provided but forbidden by parameterized job', 'invalid', 'omit the file'],
  ['Payload exceeds maximum size; 16385 > 16384', 'invalid', 'pass the address with --meta'],
  ['parameterized job not found', 'not_found', 'tug job list --prefix web'],
  ['Specified job "web" is stopped', 'invalid', 'tug job start web'],
  [
    'force launch for job "web" failed: can\'t force run non-tracked job "web" (default)',
    'invalid',
    'the job is stopped',
  ],
  ['Enforcing job modify index 0: job already exists', 'conflict', 'only registers new jobs'],
  ['Enforcing job modify index 3: job does not exist', 'conflict', 'registers it as new'],
  ['Enforcing job modify index 3: job exists with conflicting job modify index: 44', 'conflict', 'its index is 44 now'],
  ['job scaling blocked due to active deployment', 'conflict', 'tug job deployment web --watch'],
  ['No path to region', 'failed', '--region'],
  ['No cluster leader', 'failed', '--stale'],
  ['cannot update job from type "service" to "batch"', 'invalid', 'register the new one under another ID'],
  ['job versions not found', 'not_found', 'tug job list --prefix web'],
] as const)('%s', (body, code, hint) => {
  const error = failure(body)
  expect(error.code).toBe(code)
  expect(error.message).toBe(body)
  expect(error.hints.join('\n')).toContain(hint)
})

test("the prefix that a follower adds doesn't matter", () => {
  expect(failure('rpc error: code = Unknown desc = job not found').code).toBe('not_found')
  const list = failure('rpc error: 2 errors occurred:\n\t* Missing job datacenters\n\t* Job must have a type\n\n')
  expect(list).toMatchObject({ code: 'invalid', message: 'Missing job datacenters; Job must have a type' })
})

test('a 403 names the capability, except for closed registrations', () => {
  expect(failure('Permission denied', { status: 403, acl: 'namespace:read-job' }).hints[0]).toBe(
    'needed: namespace:read-job',
  )
  const closed = 'Job registration, dispatch, and scale are disabled by the scheduler configuration'
  expect(failure(closed, { status: 403 })).toMatchObject({ code: 'not_allowed' })
  expect(failure(closed, { status: 403 }).hints).toEqual([
    'an operator has closed registrations; only they can open them',
  ])
})

test('job IDs in hints are quoted for the shell; other paths have none', () => {
  expect(failure("can't revert to current version", { path: '/v1/job/team%20a%2Fx/revert' }).hints[0]).toContain(
    "'team a/x'",
  )
  const hostile = encodeURIComponent("x'$(touch y)`z`;\n|")
  expect(failure("can't revert to current version", { path: `/v1/job/${hostile}/revert` }).hints[0]).toContain(
    String.raw`tug job versions 'x'\''$(touch y)` + "`z`;\n|'",
  )
  expect(failure("can't revert to current version", { path: '/v1/job/%zz/revert' }).hints[0]).toContain('%zz')
  expect(failure('job not found', { path: '/v1/jobs' }).hints).toEqual([])
})

test('an error text inside JSON is found wherever a gateway puts it', () => {
  const answer = { dialect: 'neutral', request: { method: 'GET', path: '/v1/jobs' }, status: 404 } as const
  const headers = { 'content-type': 'application/json' }
  for (const body of ['"job not found"', '{"error":"job not found"}', '{"message":"job not found","code":5}']) {
    expect(failureOf(schedulerService, { ...answer, headers, body })).toMatchObject({
      code: 'not_found',
      message: 'job not found',
    })
  }
  expect(failureOf(schedulerService, { ...answer, headers, body: '{"errors":[]}' }).message).toBe(
    'not found (status 404)',
  )
})

test('a refusal by a product in the neutral dialect names the dialect', () => {
  const refused = {
    request: { method: 'GET', path: '/v1/jobs' },
    status: 403,
    headers: { 'x-nomad-index': '7' },
    body: 'Permission denied',
  }
  const hint = 'Nomad answers there: add --dialect hashicorp, or store it with tug login scheduler'
  expect(failureOf(schedulerService, { ...refused, dialect: 'neutral' }).hints).toContain(hint)
  expect(failureOf(schedulerService, { ...refused, dialect: 'hashicorp' }).hints).not.toContain(hint)
  const both = { ...refused, headers: { 'x-nomad-index': '7', 'x-scheduler-index': '7' } }
  expect(failureOf(schedulerService, { ...both, dialect: 'neutral' }).hints).not.toContain(hint)
})
