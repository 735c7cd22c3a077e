import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serve, json } from '../../support/serve.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import { mentions, says } from '../../support/told.ts'

const registered = '{"EvalID":"e-1","EvalCreateIndex":9,"JobModifyIndex":9,"Index":9,"Warnings":""}'

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = scratchFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'folder'))
  return folder
}

describe('an invalid job file is refused before anything is sent', () => {
  test.each([
    ['run folder', '… folder: …'],
    ['run absent.hcl', '… absent.hcl: …'],
    ['run empty.hcl', 'empty.hcl is empty'],
    ['run binary.hcl', 'binary.hcl …'],
    ['run latin.hcl', 'latin.hcl'],
    ['plan list.json', 'list.json … "ID"'],
    ['run lower.json', 'lower.json … lower case'],
    ['run wrapped.json', 'wrapped.json … lower case'],
    ['plan policy.hcl', 'policy.hcl … job block'],
    ['apply policy.hcl', 'policy.hcl … job block'],
    ['run broken.json', 'broken.json:2:3: '],
    ['run web.json --var a=1', 'web.json … --var'],
    ['run web.json --var-file vars', 'web.json … --var-file'],
    ['parse web.json', 'web.json …'],
    ['run web.hcl --var image', "--var: 'image' … image=<value>"],
    ['run web.hcl --var 1=x', "--var: '1' …"],
    ['run web.hcl --var 1a=x', "--var: '1a' …"],
    ['run web.hcl --var "a b=x"', "--var: 'a b' …"],
    ['run web.hcl --var a.b=x', "--var: 'a.b' …"],
    ['run web.hcl --var-file absent', '… absent: …'],
    ['run web.hcl --eval-priority 101', '--eval-priority: 101 … between 1 and 100'],
    ['run web.hcl --check-index=-1', '--check-index'],
    ['update other web.json', "web.json … 'web', not 'other'; …"],
    ['run vars.hcl --var imgae=b', "--var: vars.hcl … 'imgae'. … 'image'?"],
    ['plan vars.hcl --var list=dc1', "'list' … list, not 'dc1'"],
    ['parse web.hcl --var image=b', 'web.hcl: … "image" {}'],
    ['run team.hcl -n ops', '-n ops … team.hcl, … team-a'],
    ['update web team.json -n ops', '-n ops … team.json, … team-a'],
    ['run', 'file'],
    ["plan ''", '<file|folder>: …'],
    ["plan vars.hcl --var-file ''", '--var-file…: …'],
  ])('job %s', async (line, words) => {
    const { env, seen } = await serve((_, response) => json(response, 200, registered))
    const cwd = folderWith({
      'empty.hcl': ' \n',
      'binary.hcl': 'job\0',
      'latin.hcl': Uint8Array.from([0x6a, 0xe9]),
      'list.json': '{"Jobs":[]}',
      'lower.json': '{"id":"web"}',
      'wrapped.json': '{"job":{"id":"web"}}',
      'policy.hcl': 'namespace "default" {\n  policy = "read"\n}\n',
      'broken.json': '{\n  oops}',
      'web.json': '{"ID":"web"}',
      'web.hcl': 'job "web" {}',
      'team.hcl': 'job "web" {\n  namespace = "team-a" # ours\n}',
      'team.json': '{"ID":"web","Namespace":"team-a"}',
      'vars.hcl':
        'variable "image" { default = "}" }\nvariable "list" { type = list(string) }\nvariables {\n  count = 1\n}\njob "web" {}',
      vars: 'a = 1',
    })
    const { exit, stderr, stdout } = await tug(`job ${line}`, { env, cwd })
    expect(stderr).toMatch(mentions(words))
    expect({ exit, stdout, seen }).toEqual({ exit: 2, stdout: '', seen: [] })
  })
})

test('a job that is read, edited and registered keeps digits, unknown fields and key order', async () => {
  const job = '{"ID":"web","SubmitTime":1763709321123456789,"Z":1.0,"A":{"10":1e2,"9":2},"Unknown":[1,2]}'
  const { env, seen } = await serve((_, response) => json(response, 200, registered))
  const { exit } = await tug('job run - --no-submission', { env, stdin: `{"Job": ${job}}` })
  expect(exit).toBe(0)
  expect(seen[0]?.body).toBe(`{"Job":${job}}`)
})

test('a whole request is registered as it is, without members that mean nothing beside a job', async () => {
  const request = {
    Job: { ID: 'web' },
    EnforceIndex: true,
    JobModifyIndex: 7,
    PreserveCounts: true,
    EvalPriority: 60,
    PolicyOverride: true,
    Submission: { Source: 's', Format: 'hcl2' },
  }
  const { env, seen } = await serve((_, response) => json(response, 200, registered))
  const stdin = JSON.stringify({ ...request, Region: 'eu', Namespace: 'ops' })
  expect((await tug('job run -', { env, stdin })).exit).toBe(0)
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual(request)
})

test.each([
  '{"job":{"web":{"namespace":"ops"}},"variable":{"dcs":{"type":"list(string)"},"n":{}}}',
  '{"job":[{"web":[{"namespace":"ops"}]}],"variable":[{"dcs":{"type":"${list(string)}"}},{"n":[{}]}]}',
])('the JSON form of HCL is parsed by the server: %s', async (stdin) => {
  const { env, seen } = await serve(({ url }, response) =>
    json(response, 200, url.startsWith('/v1/jobs/parse') ? '{"ID":"web","Namespace":"ops"}' : registered),
  )
  const run = (...words: string[]) => tug(['job', 'run', '-', '--dialect', 'hashicorp', ...words], { env, stdin })
  expect((await run('--var', 'dcs=["a"]', '--var', 'n=1')).exit).toBe(0)
  expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ JobHCL: stdin, Variables: 'dcs = ["a"]\nn = "1"\n' })
  expect(JSON.parse(seen[1]?.body ?? '')).toMatchObject({ Submission: { Source: stdin, Format: 'hcl2' } })
  expect((await run('--var', 'other=1')).exit).toBe(2)
  expect((await run('-n', 'team-a')).exit).toBe(2)
})

test('a var-file may set variables that the job file does not declare, which a note says', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"ID":"web"}'))
  const cwd = folderWith({ 'web.hcl': 'variable "image" {}\njob "web" {}', vars: 'imgae = "a"\nimage = "b"' })
  const { exit, stderr } = await tug('job parse web.hcl --var-file vars', { env, cwd })
  expect([exit, seen.length, stderr]).toEqual([0, 1, says("vars:1: web.hcl … 'imgae'. … 'image'?\n")])
})

test('update refuses a file with another job ID and registers nothing', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"ID":"other"}'))
  const { exit, stderr } = await tug('job update web -', { env, stdin: 'job "other" {}' })
  expect(exit).toBe(2)
  expect(stderr).toMatch(mentions("… 'other', not 'web'"))
  expect(seen.map(({ url }) => url)).toEqual(['/v1/jobs/parse'])
})

test('a file with "Stop": true is registered as stopped, with a note', async () => {
  const { env } = await serve((_, response) => json(response, 200, registered))
  const { stderr } = await tug('job run -', { env, stdin: '{"ID":"web","Stop":true}' })
  expect(stderr).toMatch(mentions('warning: … "Stop": true'))
})

test("a source that is too large to be stored gets one warning, the server's or ours", async () => {
  const large = `{"ID":"web","Meta":{"a":"${'x'.repeat(1_100_000)}"}}`
  const quiet = await serve((_, response) => json(response, 200, registered))
  const said = await tug('job run -', { env: quiet.env, stdin: large })
  expect(said.stderr).toMatch(mentions('warning: … 1.1 MB'))
  const told = await serve((_, response) =>
    json(
      response,
      200,
      registered.replace(
        '"Warnings":""',
        String.raw`"Warnings":"1 warning:\n\n* job source size of 1.1 MB exceeds maximum"`,
      ),
    ),
  )
  const { stderr } = await tug('job run -', { env: told.env, stdin: large })
  expect(stderr).toContain('warning: job source size of 1.1 MB exceeds maximum')
  expect(stderr).not.toContain('the job file has')
})

test("the file's namespace counts over environment and profile, and is used for everything that follows", async () => {
  const { env, seen } = await serve((_, response) => json(response, 503, '{}'))
  const machine = { env: { ...env, TUG_SCHEDULER_NAMESPACE: 'default' }, stdin: '{"ID":"web","Namespace":"ops"}' }
  const { stderr } = await tug('job run - --retries 0', machine)
  expect(seen.map(({ url }) => url)).toEqual(['/v1/jobs?namespace=ops'])
  expect(stderr).toMatch(mentions('using namespace ops from …, not default …\n'))
  expect(stderr).toContain('see: tug job get web -n ops')
  await tug('job run -', { env, stdin: machine.stdin })
  expect(seen.at(-1)?.url).toBe('/v1/jobs')
})

test('a namespace that is an expression is known once the server has parsed the file', async () => {
  const { env, seen } = await serve(({ url }, response) =>
    json(
      response,
      200,
      url.startsWith('/v1/jobs/parse') ? '{"ID":"web","Namespace":"ops","TaskGroups":[]}' : registered,
    ),
  )
  const stdin = 'variable "ns" {}\njob "web" { namespace = var.ns }'
  const settings = { ...env, TUG_SCHEDULER_NAMESPACE: 'default' }
  await tug('job run - --var ns=ops', { env: settings, stdin })
  expect(seen.map(({ url }) => url)).toEqual(['/v1/jobs/parse?namespace=default', '/v1/jobs?namespace=ops'])
  const refused = await tug('job run - --var ns=ops -n dev', { env: settings, stdin })
  expect(refused.exit).toBe(2)
  expect(refused.stderr).toMatch(mentions('-n dev … ops'))
  expect(seen.at(-1)?.url).toBe('/v1/jobs/parse?namespace=dev')
  const elsewhere = 'job "web" { group "a" { consul { namespace = "x" } } }'
  await tug('job run -', { env: settings, stdin: elsewhere })
  expect(seen.at(-1)?.url).toBe('/v1/jobs?namespace=default')
})

test('tokens in a job are sent unchanged and shown nowhere', async () => {
  const job = '{"ID":"web","SecretsToken":"s.very-secret-token","ConsulToken":"very-secret-too"}'
  const { env, seen } = await serve((_, response) => json(response, 200, '{"EvalID":"e-1","EvalCreateIndex":4}'))
  for (const line of ['run - --trace', 'run - --dry-run', 'plan - --trace', 'update web - --dry-run']) {
    const { stdout, stderr } = await tug(`job ${line}`, { env, stdin: job })
    expect(stdout + stderr, line).not.toContain('very-secret')
  }
  expect(seen[0]?.body).toContain(`"Job":${job}`)
})

test('a parsed job stays JSON in the log of a workflow, whatever its strings contain', async () => {
  const job = { ID: 'web', Meta: { a: '##[group]x\n::error::y\u009b\u202e' } }
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify(job)))
  const { stdout } = await tug('job parse -', { env: { ...env, GITHUB_ACTIONS: 'true' }, stdin: 'job "web" {}' })
  expect(stdout).not.toMatch(/##\[|[\u0080-\u009f\u202e]/)
  expect(JSON.parse(stdout)).toEqual(job)
})
