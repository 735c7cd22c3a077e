import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { says, told } from '../../support/told.ts'

test('start registers the stopped job as it is, guarded by its index', async () => {
  const job = '{"ID":"web","Type":"service","Stop":true,"Status":"dead","Version":3,"JobModifyIndex":77,"X":1.50}'
  const { env, seen } = await serve(({ method }, response) =>
    json(response, 200, method === 'GET' ? job : '{"EvalID":"e1","EvalCreateIndex":80,"JobModifyIndex":80}'),
  )
  const { exit, stdout } = await tug('job start web', { env })
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'started web, evaluation e1 (job_modify_index 80)\n' })
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /v1/job/web', 'POST /v1/jobs'])
  expect(seen[1]?.body).toBe(
    `{"Job":${job.replace('"Stop":true', '"Stop":false')},"EnforceIndex":true,"JobModifyIndex":77}`,
  )
})

test('a job that is not stopped is left alone, and said so', async () => {
  const { env } = await startDevServer()
  const { exit, stdout, stderr } = await tug('job start web', { env })
  expect({ exit, stdout, stderr }).toEqual({
    exit: 0,
    stdout: '',
    stderr: says('web: … (running)\n'),
  })
  const inJson = await tug('job start web -o json', { env })
  expect(JSON.parse(inJson.stdout)).toEqual({
    action: 'unchanged',
    planned: false,
    job: 'web',
    changed: false,
    namespace: 'default',
    status: 'running',
  })
})

test('a stopped job runs again', async () => {
  const { env } = await startDevServer()
  expect((await tug('job start legacy --wait', { env })).exit).toBe(0)
  expect((await tug('job get legacy --query Stop -o json', { env })).stdout).toBe('false\n')
  expect((await tug('job start nope', { env })).exit).toBe(3)
})

test('a concurrent change is a conflict', async () => {
  const { env } = await serve(({ method }, response) => {
    if (method === 'GET') return json(response, 200, '{"ID":"web","Stop":true,"Status":"dead","JobModifyIndex":7}')
    response.writeHead(500).end('Enforcing job modify index 7: job exists with conflicting job modify index: 9')
  })
  for (const line of ['job start web', 'job start web api']) {
    const { exit, stderr } = await tug(line, { env })
    expect(exit).toBe(5)
    expect(stderr).toContain('tug job versions web --diffs')
  }
})

test('init writes a job file that can be planned, and replaces nothing', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const { exit, stderr } = await tug('job init', { env, cwd })
  expect(exit).toBe(0)
  expect(stderr).toMatch(told('wrote example.nomad.hcl\nhint: …: tug job apply example.nomad.hcl\n'))
  const file = join(cwd, 'example.nomad.hcl')
  expect(readFileSync(file, 'utf8')).toContain('# A job: what runs')
  const plan = await tug('job plan example.nomad.hcl', { env, cwd })
  expect(plan).toMatchObject({ exit: 0 })
  expect(plan.stdout).toContain('+ job example')
  await tug(['job', 'init', 'my job.hcl'], { cwd })
  expect(readFileSync(join(cwd, 'my job.hcl'), 'utf8')).toContain("#   tug job apply 'my job.hcl'\n")
  const again = await tug('job init', { env, cwd })
  expect(again.exit).toBe(2)
  expect(again.stderr).toContain('tug job init <file>')
})

test('init --short has no comments; - is standard output', async () => {
  const cwd = scratchFolder()
  const { exit, stdout } = await tug('job init - --short', { cwd })
  expect(exit).toBe(0)
  expect(stdout).toMatch(/^variable "image" \{\n[^#]*\n\}\n$/)
  expect(existsSync(join(cwd, '-'))).toBe(false)
})
