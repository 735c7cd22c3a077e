import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serve, json } from '../../support/serve.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'

const registered = '{"EvalID":"e-1","EvalCreateIndex":9,"JobModifyIndex":9,"Index":9,"Warnings":""}'

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = scratchFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'folder'))
  return folder
}

describe('an invalid job file is refused before anything is sent', () => {
  test.each([
    ['run folder', 'cannot read folder: it is a folder'],
    ['run absent.hcl', 'cannot read absent.hcl: no such file or folder'],
    ['run empty.hcl', 'empty.hcl is empty: it holds no job'],
    ['run binary.hcl', 'binary.hcl is binary: it holds no job'],
    ['run latin.hcl', 'latin.hcl'],
    ['plan list.json', 'list.json is JSON, but no job: it has no "ID"'],
    ['run hcl.json', 'this looks like the JSON form of HCL'],
    ['run broken.json', 'broken.json:2:3: '],
    ['run web.json --var a=1', 'web.json is JSON, which has no variables: --var does not go with it'],
    ['run web.json --var-file vars', 'web.json is JSON, which has no variables: --var-file does not go with it'],
    ['plan web.json --hcl1', 'web.json is JSON: --hcl1 does not go with it'],
    ['parse web.json', 'web.json is JSON already; only HCL is parsed'],
    ['run web.hcl --var image', "--var: 'image' has no value: write image=<value>"],
    ['run web.hcl --var 1=x', "--var: '1' is no variable's name"],
    ['run web.hcl --var-file absent', 'cannot read absent: no such file or folder'],
    ['run web.hcl --eval-priority 101', '--eval-priority: 101 is out of range: it must be between 1 and 100'],
    ['run web.hcl --check-index=-1', '--check-index'],
    ['update other web.json', "web.json is the job 'web', not 'other'; nothing was registered"],
    ['run', 'file'],
  ])('job %s', async (line, words) => {
    const { env, seen } = await serve((_, response) => json(response, 200, registered))
    const cwd = folderWith({
      'empty.hcl': ' \n',
      'binary.hcl': 'job\0',
      'latin.hcl': Uint8Array.from([0x6a, 0xe9]),
      'list.json': '{"Jobs":[]}',
      'hcl.json': '{"job":{"web":{}}}',
      'broken.json': '{\n  oops}',
      'web.json': '{"ID":"web"}',
      'web.hcl': 'job "web" {}',
      vars: 'a = 1',
    })
    const { exit, stderr, stdout } = await tug(`job ${line}`, { env, cwd })
    expect(stderr).toContain(words)
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

test('update refuses a file with another job ID and registers nothing', async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, '{"ID":"other"}'))
  const { exit, stderr } = await tug('job update web -', { env, stdin: 'job "other" {}' })
  expect(exit).toBe(2)
  expect(stderr).toContain("standard input is the job 'other', not 'web'")
  expect(seen.map(({ url }) => url)).toEqual(['/v1/jobs/parse'])
})

test('a file with "Stop": true is registered as stopped, with a note', async () => {
  const { env } = await serve((_, response) => json(response, 200, registered))
  const { stderr } = await tug('job run -', { env, stdin: '{"ID":"web","Stop":true}' })
  expect(stderr).toContain('warning: the file says "Stop": true')
})

test("a source that is too large to be stored gets one warning, the server's or ours", async () => {
  const large = `{"ID":"web","Meta":{"a":"${'x'.repeat(1_100_000)}"}}`
  const quiet = await serve((_, response) => json(response, 200, registered))
  const said = await tug('job run -', { env: quiet.env, stdin: large })
  expect(said.stderr).toContain('warning: the job file has 1.1 MB')
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

test("the file's namespace is used unless -n is given", async () => {
  const { env, seen } = await serve((_, response) => json(response, 200, registered))
  await tug('job run -', { env, stdin: '{"ID":"web","Namespace":"ops"}' })
  await tug('job run - -n dev', { env, stdin: '{"ID":"web","Namespace":"ops"}' })
  expect(seen.map(({ url }) => url)).toEqual(['/v1/jobs', '/v1/jobs?namespace=dev'])
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
