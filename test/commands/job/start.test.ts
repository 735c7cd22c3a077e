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
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: says('… web, … e1 … 80)\n') })
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

test('scaling policies that the stop has disabled are enabled as the version before had them', async () => {
  const group = (Name: string, Enabled: boolean) => ({ Name, Count: 1, Scaling: { Enabled, Min: 1 } })
  const version = (Version: number, Stop: boolean, ...groups: object[]) => ({
    ID: 'web',
    Name: 'web',
    Status: 'dead',
    Version,
    Stop,
    JobModifyIndex: 7,
    TaskGroups: groups,
  })
  const stopped = [4, 3].map((number) => version(number, true, group('on', false), group('off', false)))
  const before = version(2, false, group('on', true), group('off', false))
  const start = async (...kept: object[]) => {
    const { env, seen } = await serve(({ method, url }, response) => {
      const read = url.endsWith('/versions') ? { Versions: kept } : stopped[0]
      json(
        response,
        200,
        method === 'GET' ? JSON.stringify(read) : '{"EvalID":"e1","EvalCreateIndex":9,"JobModifyIndex":9}',
      )
    })
    const { stdout } = await tug('job start web -o json', { env })
    const sent = JSON.parse(seen.at(-1)?.body ?? '') as { Job: { TaskGroups: { Scaling: { Enabled: boolean } }[] } }
    return { row: JSON.parse(stdout) as object, enabled: sent.Job.TaskGroups.map(({ Scaling }) => Scaling.Enabled) }
  }
  expect(await start(...stopped, before)).toMatchObject({ row: { scaling_enabled: ['on'] }, enabled: [true, false] })
  expect(await start(...stopped)).toMatchObject({
    row: { scaling_disabled: ['on', 'off'] },
    enabled: [false, false],
  })
})

test('what a dispatch has started cannot be started again, and the plan says so', async () => {
  const child = {
    ID: 'p/dispatch-1',
    Name: 'p',
    Status: 'dead',
    Version: 1,
    Stop: true,
    ParentID: 'p',
    Dispatched: true,
  }
  const { env, seen } = await serve((_, response) => json(response, 200, JSON.stringify(child)))
  for (const flags of ['', ' --plan']) {
    const { exit, stderr } = await tug(`job start p/dispatch-1${flags}`, { env })
    expect([exit, stderr]).toEqual([6, expect.stringContaining('tug job dispatch p\n')])
  }
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET'])
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
