import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { mentions, says, told } from '../../support/told.ts'

describe('checked before anything is sent', () => {
  test.each([
    ['scale web app 2147483648', '<count>: 2147483648 … between 0 and 2147483647'],
    ['scale web app 1 --meta a', "--meta: 'a' … a=<value>"],
    ['scale web app 1 --meta a=1 --meta a=2', "--meta: … 'a'"],
    ['dispatch nightly absent', ' absent'],
    ['stable web -- -1', ': -1 … 0\n'],
    ['stop web --eval-priority 0 --yes', '--eval-priority: 0 …'],
    ['get ..', "'..' …"],
    ['get ""', '<job>: …'],
  ])('job %s', async (line, words) => {
    const { env, seen } = await serve((_, response) => json(response, 200, '{}'))
    const { exit, stderr } = await tug(`job ${line}`, { env, cwd: scratchFolder() })
    expect(stderr).toMatch(mentions(words))
    expect({ exit, seen }).toEqual({ exit: 2, seen: [] })
  })
})

describe('dispatch', () => {
  test('a payload may have 16,384 bytes, not one more', async () => {
    const cwd = scratchFolder()
    writeFileSync(join(cwd, 'most'), Buffer.alloc(16_384, 0xff))
    writeFileSync(join(cwd, 'more'), Buffer.alloc(16_385, 0xff))
    const { env, seen } = await serve((_, response) =>
      json(response, 200, '{"DispatchedJobID":"n/dispatch-1","EvalID":"e-1","EvalCreateIndex":4}'),
    )
    const sent = await tug('job dispatch n most -o name', { env, cwd })
    expect(sent).toMatchObject({ exit: 0, stdout: 'n/dispatch-1\n' })
    const { Payload } = JSON.parse(seen[0]?.body ?? '') as { Payload: string }
    expect(Buffer.from(Payload, 'base64')).toEqual(Buffer.alloc(16_384, 0xff))
    const refused = await tug('job dispatch n more', { env, cwd })
    expect(refused.exit).toBe(2)
    expect(refused.stderr).toMatch(mentions('… 16,385 … 16,384 …'))
    expect(seen).toHaveLength(1)
  })

  test('a product server, which ignores the neutral token, is recognised, with -q too', async () => {
    const { env } = await serve((_, response) =>
      json(response, 200, '{"DispatchedJobID":"n/dispatch-1","EvalID":"e-1","EvalCreateIndex":4}', {
        'X-Nomad-Index': '4',
      }),
    )
    const warning = /^warning: .*Nomad, .* idempotency token .* dialect/m
    expect((await tug('job dispatch n --dialect neutral -q', { env })).stderr).toMatch(warning)
    expect((await tug('job dispatch n', { env })).stderr).not.toContain('warning')
  })

  test('is not repeated at a product in the neutral dialect', async () => {
    const { env, seen } = await serve((_, response) => response.writeHead(429, { 'X-Nomad-Index': '4' }).end())
    const refused = await tug('job dispatch n --dialect neutral', { env })
    expect(refused.exit).toBe(2)
    expect(refused.stderr).toMatch(mentions('Nomad…'))
    expect(seen).toHaveLength(1)
    const repeated = await tug('job dispatch n --retries 2', { env })
    expect([repeated.exit, seen.length]).toEqual([7, 4])
  })

  test('a token that has started an instance is found before, whatever the answer repeats', async () => {
    let shown = '{"ID":"n/dispatch-1","DispatchIdempotencyToken":"once"}'
    const { env } = await serve(({ method, url }, response) => {
      if (method === 'POST')
        json(response, 200, '{"DispatchedJobID":"n/dispatch-1","EvalID":"e-1","EvalCreateIndex":4}')
      else json(response, 200, url.startsWith('/v1/jobs?') ? '[{"ID":"n/dispatch-1"}]' : shown)
    })
    const run = async (flags: string) =>
      JSON.parse((await tug(`job dispatch n -o json --idempotency-token ${flags}`, { env })).stdout) as object
    expect(await run('once')).toMatchObject({ changed: false, EvalID: 'e-1' })
    expect(await run('other')).toMatchObject({ changed: true })
    shown = '{"ID":"n/dispatch-1","ParameterizedJob":{}}'
    for (const token of ['once', `'a"b'`])
      expect(await run(`${token} --plan`)).toMatchObject({ changed: true, detail: expect.stringContaining('not read') })
  })

  test('each call generates a token and keeps it when it is retried', async () => {
    const { env, seen } = await serve((_, response, count) => {
      if (count === 1) response.writeHead(503).end()
      else json(response, 200, '{"DispatchedJobID":"n/dispatch-1","EvalID":"e-1","EvalCreateIndex":4}')
    })
    expect((await tug('job dispatch n', { env })).exit).toBe(0)
    expect((await tug('job dispatch n', { env })).exit).toBe(0)
    const tokens = seen.map(({ url }) => new URL(url, 'http://host').searchParams.get('IdempotencyToken') ?? '')
    expect(tokens[0]).toMatch(/^[0-9a-f]{8}-/)
    expect(tokens[1]).toBe(tokens[0])
    expect(tokens[2]).not.toBe(tokens[0])
    expect(seen.map(({ body }) => body)).toEqual(['{}', '{}', '{}'])
  })
})

test('where a job may not be read, no hint says to read it', async () => {
  const { env } = await serve(({ method, url }, response) =>
    method === 'GET'
      ? json(response, 403, 'Permission denied')
      : url.includes('/scale')
        ? json(response, 400, 'job scaling blocked due to active deployment')
        : json(response, 200, '{"EvalID":"e","EvalCreateIndex":9,"JobModifyIndex":9}'),
  )
  for (const line of ['scale web app 3', 'run - --wait', 'stop web --yes --wait']) {
    const { exit, stderr } = await tug(`job ${line}`, { env, stdin: '{"ID":"web"}' })
    expect([line, exit]).toEqual([line, line.startsWith('scale') ? 5 : 4])
    expect(stderr, line).not.toMatch(/: tug job /)
  }
})

test.each(['null', '[]', '"web"'])('nothing is registered or planned if a job file is parsed to %s', async (body) => {
  const { env, seen } = await serve((_, response) => json(response, 200, body))
  for (const line of ['run -', 'plan -', 'update web -', 'parse -']) {
    const { exit, stderr } = await tug(`job ${line}`, { env, stdin: 'job "web" {}' })
    expect({ exit, asked: seen.at(-1)?.url }, line).toEqual({ exit: 1, asked: '/v1/jobs/parse' })
    expect(stderr).toMatch(/: .* (?:null|an array|a string), .*/)
  }
})

test('a dispatch without an answer names the token that makes a repeat safe', async () => {
  const { env } = await serve((_, response) => response.destroy())
  const { exit, stderr } = await tug('job dispatch n --retries 0', { env })
  expect(exit).toBe(7)
  expect(stderr).toMatch(/ --idempotency-token [0-9a-f-]{36}\b/)
})

describe('scale', () => {
  test('records who did it and where', async () => {
    const { env } = await startDevServer()
    const { stdout } = await tug('job scale web app 5 --dry-run', { env })
    expect(stdout).toContain(`"Message":"scaled to 5 by tester@${hostname()} through tug"`)
  })

  test('a stopped job is said to stay stopped where it was read anyway, and is a failure with --wait', async () => {
    const { env } = await startDevServer()
    const plan = await tug('job scale legacy 2 --plan', { env })
    expect([plan.exit, plan.stderr]).toEqual([0, expect.stringContaining('tug job start legacy')])
    const scaled = await tug('job scale legacy 2', { env })
    expect(scaled.exit).toBe(0)
    expect(scaled.stderr).toMatch(/^legacy .*: \w+\nwarning: .* tug job start legacy\n$/)
    expect(scaled.stdout).toMatch(/^.* legacy\/\w+ to 2, evaluation /)
    for (const line of ['job scale legacy 3 --wait', 'job evaluate legacy --wait']) {
      const { exit, stderr } = await tug(line, { env })
      expect(exit, line).toBe(8)
      expect(stderr, line).toMatch(mentions('tug: legacy: …: '))
      expect(stderr, line).toContain('hint: start it again: tug job start legacy\n')
    }
  })

  test('an event alone scales nothing and is shown afterwards', async () => {
    const { env } = await startDevServer()
    const { exit, stdout, stderr } = await tug('job scale web --message "for the sale"', { env })
    expect({ exit, stdout, stderr }).toEqual({
      exit: 0,
      stdout: expect.stringMatching(/^.* web\/app; .* \(.*\)\n$/) as string,
      stderr: says('web …: app\n'),
    })
    expect((await tug('job scale-status web', { env })).stdout).toContain('for the sale')
  })
})

const running = '{"ID":"web","Name":"web","Status":"running","Version":1,"JobModifyIndex":3}'

describe('stop', () => {
  test('asks first, with another question for a purge', async () => {
    const { env, seen } = await serve(({ method }, response) =>
      json(response, 200, method === 'GET' ? running : '{"EvalID":"e-1","EvalCreateIndex":4,"Index":4}'),
    )
    const terminals = { stdin: true, stderr: 80 }
    const refused = await tug('job stop web --purge', { env, terminals, stdin: 'n\n' })
    expect(refused.exit).toBe(2)
    expect(refused.stderr).toMatch(mentions('Stop job web …?'))
    expect(seen.map(({ method }) => method)).toEqual(['GET'])
    const done = await tug('job stop web', { env, terminals, stdin: 'y\n' })
    expect(done.exit).toBe(0)
    expect(done.stderr).toMatch(mentions('Stop job web …?'))
    expect(done.stdout).toMatch(told('stopped web, evaluation e-1\n'))
  })

  test('an unknown job is not found, although the server answers with success', async () => {
    const { env } = await startDevServer()
    for (const line of ['job stop nope --yes', 'job stop web -n ops --yes', 'job stop nope --purge --yes --wait']) {
      const { exit, stderr, stdout } = await tug(line, { env })
      expect({ exit, stdout }, line).toEqual({ exit: 3, stdout: '' })
      expect(stderr, line).toMatch(mentions(': tug job list '))
    }
    const odd = await tug(['job', 'stop', "🚀🚀 it's", '--yes'], { env })
    expect(odd.stderr).toContain("tug job list --prefix '🚀🚀 ', with -n")
  })

  test('a stopped job is not stopped again', async () => {
    const { env } = await startDevServer()
    const version = async () => (await tug('job get legacy --query Version -o json', { env })).stdout
    const before = await version()
    for (const line of ['job stop legacy --yes', 'job stop legacy --wait --yes'])
      expect((await tug(line, { env })).exit).toBe(0)
    expect(await version()).toBe(before)
  })

  test.each(['evaluate web', 'periodic force web', 'revert web 2', 'scale web app 3', 'stable web 2', 'stop web'])(
    'the plan of job %s ends with 0 where the job may not be read',
    async (line) => {
      const { env, seen } = await serve((_, response) => json(response, 403, 'Permission denied'))
      const { exit, stdout } = await tug(`job ${line} --plan`, { env })
      expect([exit, stdout]).toEqual([0, expect.stringContaining('not looked at')])
      expect(new Set(seen.map(({ method }) => method))).toEqual(new Set(['GET']))
    },
  )

  test('a job that may not be read is stopped all the same, and one that is unknown is not found', async () => {
    const { env, seen } = await serve(({ method, url }, response) =>
      method === 'GET'
        ? json(response, 403, 'Permission denied')
        : json(response, 200, `{"EvalID":"","EvalCreateIndex":0,"JobModifyIndex":${url.includes('web') ? 4 : 0}}`),
    )
    const planned = await tug('job stop web --plan --exit-code -o json', { env })
    expect([planned.exit, JSON.parse(planned.stdout)]).toMatchObject([9, { action: 'write', planned: true }])
    expect(seen.map(({ method }) => method)).toEqual(['GET'])
    expect((await tug('job stop web --yes', { env })).exit).toBe(0)
    expect((await tug('job stop nope --yes', { env })).exit).toBe(3)
  })
})

test('an index is shown only if --check-index accepts it', async () => {
  const { env } = await startDevServer()
  const job = (await tug('job get web -o json', { env })).stdout
  for (const line of ['job run -', 'job evaluate web']) {
    const { exit, stdout } = await tug(line, { env, stdin: job })
    expect({ exit, stdout }).toMatchObject({ exit: 0, stdout: expect.stringContaining('evaluation') as string })
    expect(stdout, line).not.toContain('job_modify_index')
  }
  const { stdout } = await tug('job scale web app 4', { env })
  const index = /job_modify_index +(\d+)/.exec(stdout)?.[1]
  expect((await tug('job get web --query JobModifyIndex -o json', { env })).stdout).toBe(`${index}\n`)
})

const twoVersions = '{"Versions":[{"Version":2},{"Version":1}]}'

describe('unchanged is said only if it is known', () => {
  const answer = (index: number) => `{"EvalID":"e-1","EvalCreateIndex":12,"JobModifyIndex":${index}}`
  test.each([
    ['run -', 'neutral', 7, false],
    ['run - --check-index 7', 'neutral', 7, true],
    ['run - --check-index 7', 'neutral', 12, false],
    ['run - --check-index 0', 'hashicorp', 7, false],
    ['run -', 'hashicorp', 7, true],
    ['run -', 'hashicorp', 12, false],
    ['revert web 1', 'hashicorp', 7, true],
    ['revert web 1', 'neutral', 7, false],
  ])('job %s, %s, index %i: %s', async (line, dialect, index, isUnchanged) => {
    const header = dialect === 'neutral' ? 'X-Scheduler-Index' : 'X-Nomad-Index'
    const { env } = await serve(({ method }, response) =>
      json(response, 200, method === 'GET' ? twoVersions : answer(index), { [header]: '12' }),
    )
    const { exit, stdout } = await tug(`job ${line}`, { env, stdin: '{"ID":"web"}' })
    expect(exit).toBe(0)
    expect(stdout.includes('unchanged'), stdout).toBe(isUnchanged)
  })
})

test('tokens for a revert are read from files and appear nowhere', async () => {
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'token'), 'sesame-open-please\n')
  const { env, seen } = await serve(({ method }, response) =>
    method === 'GET' ? json(response, 200, twoVersions) : response.writeHead(500).end('bad token sesame-open-please'),
  )
  const { stderr } = await tug('job revert web 1 --secrets-token-file token --trace', { env, cwd })
  expect(seen.find(({ method }) => method === 'POST')?.body).toContain('"SecretsToken":"sesame-open-please"')
  expect(stderr).not.toContain('sesame-open-please')
  writeFileSync(join(cwd, 'token'), 'two words')
  const spaced = await tug('job revert web 1 --discovery-token-file token', { env, cwd })
  expect(spaced.exit).toBe(2)
  expect(spaced.stderr).toMatch(mentions('tug: … token … ASCII …\n'))
  expect(spaced.stderr).not.toContain('two words')
})

test("the server's warnings are printed one per line", async () => {
  const { env } = await serve(({ method }, response) =>
    json(
      response,
      200,
      method === 'GET'
        ? twoVersions
        : String.raw`{"EvalID":"e-1","EvalCreateIndex":4,"JobModifyIndex":4,"Warnings":"2 warnings:\n\n* one\n* two"}`,
    ),
  )
  const { stdout, stderr } = await tug('job revert web 1', { env })
  expect(stderr).toBe('warning: one\nwarning: two\n')
  expect(stdout).toMatch(told('… web … 1, … e-1 … 4)\n'))
})

test('periodic and parameterized jobs are registered without an evaluation, with a note', async () => {
  const { env } = await startDevServer()
  const job =
    '{"ID":"tidy","Type":"batch","Datacenters":["dc1"],"Periodic":{"Enabled":true,"Spec":"0 3 * * *","SpecType":"cron"},"TaskGroups":[{"Name":"g","Tasks":[{"Name":"t","Driver":"mock"}]}]}'
  const { exit, stdout } = await tug('job run -', { env, stdin: job })
  expect(exit).toBe(0)
  expect(stdout).toMatch(mentions('registered tidy (batch periodic: …)'))
})

test("a write prints what it did once, on stdout: a line, the server's answer as JSON, or the job with -o name", async () => {
  const { env } = await startDevServer()
  const line = await tug('job evaluate web', { env })
  expect(line.stdout).toMatch(/^created evaluation [0-9a-f-]{36} for web\n$/)
  expect(line.stderr).toBe('')
  const narrow = await tug('job evaluate web', { env, terminals: { stdout: 60 } })
  expect(narrow.stdout).toMatch(/^created evaluation [0-9a-f]{8} for web\n$/)
  expect(await tug('job evaluate web -o name', { env })).toMatchObject({ exit: 0, stdout: 'web\n', stderr: '' })
  const { stdout, stderr } = await tug('job evaluate web -o json', { env })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toMatchObject({ EvalID: expect.any(String), EvalCreateIndex: expect.any(Number) })
})

test('a terminal shows the first part of the evaluation; a pipe the whole ID, on both streams', async () => {
  const { env } = await startDevServer()
  const id = /evaluation ([0-9a-f-]+)/
  const shown = async (line: string, terminals: object) => {
    const { stdout, stderr } = await tug(`${line} --color never`, { env, terminals })
    return [stdout, stderr].map((text) => id.exec(text)?.[1]?.length)
  }
  expect(await shown('job evaluate web', { stdout: 200, stderr: 200 })).toEqual([8, undefined])
  expect(await shown('job evaluate web', {})).toEqual([36, undefined])
  expect(await shown('job evaluate web --wait', { stdout: 200, stderr: 200 })).toEqual([undefined, 8])
  expect(await shown('job evaluate web --wait', {})).toEqual([undefined, 36])
})

test('an instance that a repeated request started is not called an earlier one', async () => {
  const { env, seen } = await serve((_, response, count) =>
    count === 1
      ? json(response, 502, '')
      : json(response, 200, '{"DispatchedJobID":"nightly/dispatch-1","EvalID":"","Index":7,"JobCreateIndex":7}'),
  )
  const { exit, stdout } = await tug('job dispatch nightly', { env })
  expect(seen).toHaveLength(2)
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/^started nightly\/dispatch-1/)])
})

test.each([
  ['prohibits overlapping', true, 'running', 5],
  ['prohibits overlapping, and none of which runs', true, 'dead', 0],
  ['may overlap', false, 'running', 0],
])(
  'a periodic job whose instances %s is launched with %j and %s: exit %i',
  async (_, ProhibitOverlap, Status, exit) => {
    const job = { ID: 'p', Type: 'batch', Periodic: { Enabled: true, ProhibitOverlap } }
    const { env, seen } = await serve(({ method, url }, response) => {
      if (method !== 'GET') return json(response, 200, '{"EvalID":"e","EvalCreateIndex":9}')
      const list = [{ ID: 'p/periodic-1', ParentID: 'p', Status }]
      return json(response, 200, JSON.stringify(url.startsWith('/v1/jobs') ? list : job))
    })
    for (const flags of ['', ' --plan']) expect((await tug(`job periodic force p${flags}`, { env })).exit).toBe(exit)
    seen.length = 0
    expect((await tug('job periodic force p --force', { env })).exit).toBe(0)
    expect(seen.map(({ method }) => method)).toEqual(['POST'])
  },
)
