import { describe, expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { json, serve } from '../../support/serve.ts'
import { jobInForce } from '../../support/serve-plan.ts'
import { tug } from '../../support/run.ts'
import { mentions, told } from '../../support/told.ts'

const changed =
  '{"JobModifyIndex":77,"Diff":{"ID":"web","Type":"Edited","Fields":[{"Name":"Priority","Type":"Edited","Old":"50","New":"60"}]}}'
const same = '{"JobModifyIndex":77,"Diff":{"ID":"web","Type":"None"}}'
const registered = '{"EvalID":"e-1","EvalCreateIndex":80,"JobModifyIndex":80}'
const stdin = '{"ID":"web"}'
const live = JSON.stringify(jobInForce)

function scheduler(plan: string, register: (body: string) => readonly [number, string] = () => [200, registered]) {
  return serve(({ method, url, body }, response) => {
    if (method === 'GET') return json(response, 200, live)
    const [status, answer] = url.endsWith('/plan') ? ([200, plan] as const) : register(body)
    json(response, status, answer)
  })
}

describe('job apply of one file', () => {
  test('shows the plan and registers only that, once confirmed', async () => {
    const { env, seen } = await scheduler(changed)
    const refused = await tug('job apply - --no-wait', { env, stdin })
    expect(refused).toMatchObject({ exit: 2, stdout: '~ web  priority 50 → 60\n  ~ priority  50 → 60\n' })
    expect(refused.stderr).toContain('pass --yes to confirm')
    expect(seen.map(({ url }) => url)).toEqual(['/v1/job/web', '/v1/job/web/plan'])
    const done = await tug('job apply - --no-wait --yes', { env, stdin })
    expect(done).toMatchObject({
      exit: 0,
      stdout: `${refused.stdout}registered web, evaluation e-1 (job_modify_index 80)\n`,
      stderr: '',
    })
    expect(JSON.parse(seen.at(-1)?.body ?? '')).toMatchObject({ EnforceIndex: true, JobModifyIndex: 77 })
  })

  test("a warning that the plan has shown isn't repeated, another one is", async () => {
    const plan = changed.replace('{', '{"Warnings":"1 warning:\\n\\n* no shutdown_delay",')
    const answer = registered.replace('{', '{"Warnings":"2 warnings:\\n\\n* no shutdown_delay\\n* no update block",')
    const { env } = await scheduler(plan, () => [200, answer])
    const { exit, stdout, stderr } = await tug('job apply - --no-wait --yes', { env, stdin })
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^warning: no shutdown_delay$/m)
    expect(stderr.match(/^warning: .*/gm)).toEqual(['warning: no update block'])
  })

  test.each(['json', 'ndjson'])('with -o %s the account has the outcome in it', async (format) => {
    const { env } = await startDevServer()
    const file = 'job "once" {\n type = "batch"\n group "g" {\n task "t" {\n driver = "mock"\n }\n }\n}\n'
    const { exit, stdout } = await tug(`job apply - --yes -o ${format}`, { env, stdin: file })
    expect(exit).toBe(0)
    const last = stdout.trimEnd().split('\n').at(-1) ?? ''
    const one = { job: 'once', planned: false, changed: true, outcome: 'succeeded' }
    expect(JSON.parse(last)).toMatchObject({
      action: 'create',
      version: 0,
      ...(format === 'json' ? one : { item: 'once', outcome: 'done' }),
    })
  })

  test('one whose outcome is not awaited to its end was changed all the same', async () => {
    const { env } = await startDevServer()
    const file =
      'job "big" {\n group "g" {\n task "t" {\n driver = "mock"\n resources {\n memory = 999999\n }\n }\n }\n}\n'
    const { exit, stdout } = await tug('job apply - --yes -o json', { env, stdin: file })
    expect(exit).toBe(8)
    expect(JSON.parse(stdout)).toMatchObject({ action: 'create', job: 'big', changed: true, outcome: 'failed' })
  })

  test('registers nothing if nothing would change', async () => {
    const { env, seen } = await scheduler(same)
    const { exit, stdout, stderr } = await tug('job apply - --no-wait', { env, stdin })
    expect([exit, stdout, stderr]).toEqual([0, '', 'web: unchanged\n'])
    expect(seen).toHaveLength(2)
  })
})

test.each(['--check-index 8', '--preserve-counts=false'])(
  '%s contradicts what a whole request in the file says, and is refused',
  async (flag) => {
    const { env, seen } = await scheduler(changed)
    const request = '{"Job":{"ID":"web"},"EnforceIndex":true,"JobModifyIndex":7,"PreserveCounts":true}'
    expect((await tug(`job run - ${flag}`, { env, stdin: request })).exit).toBe(2)
    expect(seen).toEqual([])
  },
)

test.each([
  ['run -', changed, 9, false],
  ['run -', same, 0, true],
  ['update web -', changed, 9, false],
  ['run - --wait --check-index 77', changed, 9, false],
  ['run - --check-index 7', changed, 5, false],
])('job %s --plan judges as job plan does, and names job apply: %#', async (line, plan, exit, equal) => {
  const { env, seen } = await scheduler(plan)
  const done = await tug(`job ${line} --plan --exit-code -o json`, { env, stdin })
  expect([done.exit, seen.map(({ url }) => url)]).toEqual([exit, ['/v1/job/web', '/v1/job/web/plan']])
  if (exit === 5) return
  const { equal: isEqual = false, ...rest } = JSON.parse(done.stdout) as Record<string, unknown>
  expect([isEqual, rest]).toMatchObject([equal, { action: 'register', planned: true, job: 'web' }])
  expect(done.stderr.includes('tug job apply -')).toBe(!equal)
})

test('variables that a product has ignored in the parse are not registered', async () => {
  const { env, seen } = await serve(({ method, url }, response) => {
    if (url.endsWith('/parse')) json(response, 200, '{"ID":"web"}')
    else if (method === 'GET') json(response, 200, live)
    else json(response, 200, url.endsWith('/plan') ? changed : registered, { 'X-Nomad-Index': '7' })
  })
  const file = { stdin: 'variable "a" {\n  default = ""\n}\njob "web" {}' }
  const { exit, stderr } = await tug('job apply - --var a=b --yes --no-wait --dialect neutral', { env, ...file })
  expect(exit).toBe(2)
  expect(stderr).toMatch(mentions('Nomad… --var …'))
  expect(seen.map(({ url }) => url)).toEqual(['/v1/jobs/parse', '/v1/job/web', '/v1/job/web/plan'])
  const bare = await tug('job apply - --no-submission --yes --no-wait --dialect neutral -q', { env, ...file })
  expect(bare.stderr).toMatch(mentions('ignores --no-submission …'))
  expect((await tug('job apply - --var a=b --yes --no-wait --dialect hashicorp', { env, ...file })).exit).toBe(0)
})

test.each(['run', 'plan', 'parse'])(
  'job %s refuses a job that a product parsed without its variables',
  async (command) => {
    const { env, seen } = await serve((_, response) => json(response, 200, '{"ID":"web","NomadTokenID":""}'))
    const file = { stdin: 'variable "a" {\n  default = ""\n}\njob "web" {}' }
    const { exit, stdout, stderr } = await tug(`job ${command} - --var a=b --dialect neutral`, { env, ...file })
    expect([exit, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(mentions('Nomad… --var …'))
    expect(stderr).toMatch(mentions('hint: … --dialect auto'))
    expect(seen.map(({ url }) => url)).toEqual(['/v1/jobs/parse'])
  },
)

test('a plan that leaves an evaluation blocked is not a plan without changes', async () => {
  const blocked = same.replace('}}', '},"CreatedEvals":[{"Status":"blocked"}]}')
  const { env } = await scheduler(blocked)
  const { stdout, stderr } = await tug('job plan -', { env, stdin })
  expect(stdout).toMatch(told('job web: …\n'))
  expect(stderr).toContain('--check-index 77 -')
  expect((await tug('job plan - -o md', { env, stdin })).stdout).toContain('nothing differs, but')
})
