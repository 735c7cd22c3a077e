import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportedFiles } from '../../../src/commands/job/export-run.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'

test('what was exported and is applied changes nothing', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  expect((await tug("job export -n '*' -O jobs", { env, cwd })).exit).toBe(0)
  expect(existsSync(join(cwd, 'jobs/default/web.hcl'))).toBe(true)
  expect(existsSync(join(cwd, 'jobs/default/team-a%2Fsite.hcl'))).toBe(true)
  const { exit, stdout } = await tug('job apply jobs --plan --exit-code -o json', { env, cwd })
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { new: 0, failed: [] }])
})

test('variables are in a private file beside, and files are replaced only with --force', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const source =
    'variable "image" {}\nvariable "ports" {\n  type = list(number)\n}\njob "v" {\n  meta {\n    n = var.ports[0]\n  }\n  group "g" {\n    task "t" {\n      driver = "docker"\n      config {\n        image = var.image\n      }\n    }\n  }\n}\n'
  writeFileSync(join(cwd, 'v.hcl'), source)
  writeFileSync(join(cwd, 'v.vars'), 'ports = [8]\nimage = "old"\n')
  expect((await tug('job run v.hcl --var-file v.vars --var image=new', { env, cwd })).exit).toBe(0)
  expect((await tug('job export v -O out', { env, cwd })).exit).toBe(0)
  const beside = join(cwd, 'out/default/v.vars.hcl')
  expect(statSync(beside).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(cwd, 'out/default/v.hcl'), 'utf8')).toBe(source)
  expect((await tug('job apply out --plan --exit-code', { env, cwd })).exit).toBe(0)
  expect((await tug('job export v -O out', { env, cwd })).exit).toBe(2)
  expect((await tug('job export v -O out --force', { env, cwd })).exit).toBe(0)
})

const job = { ID: 'web', Namespace: 'default', Version: 3, JobModifyIndex: 9, Priority: 60, Stop: true }

test.each([
  ['no source', undefined, 'default/web.json'],
  ['an empty source', { Source: '' }, 'default/web.json'],
  ['HCL 1', { Source: 'job "web" {}', Format: 'hcl1' }, 'default/web.json'],
  ['HCL', { Source: 'job "web" {}', Format: 'hcl2' }, 'default/web.hcl'],
  ['JSON', { Source: '{"ID":"web"}', Format: 'json' }, 'default/web.json'],
])('%s', (_, kept, path) => expect(exportedFiles(job, kept).map((file) => file.path)).toEqual([path]))

test('a file that does not name its namespace is exported as JSON, which does', () => {
  const kept = { Source: 'job "web" {}', Format: 'hcl2' }
  const elsewhere = exportedFiles({ ...job, Namespace: 'ops' }, kept)
  expect(elsewhere).toMatchObject([{ path: 'ops/web.json', isPrivate: true }])
  const named = exportedFiles({ ...job, Namespace: 'ops' }, { ...kept, Source: 'job "web" {\n  namespace = "ops"\n}' })
  expect(named).toMatchObject([{ path: 'ops/web.hcl', isPrivate: false }])
})

test('JSON has nothing that the server sets itself', () => {
  const [file] = exportedFiles(job, undefined)
  expect(JSON.parse(file?.content ?? '')).toEqual({ ID: 'web', Namespace: 'default', Priority: 60 })
})

test.each([
  ['a/b', 'a%2Fb'],
  ['.hidden', '%2Ehidden'],
  ['100%', '100%25'],
  ['app.vars', 'app.%76ars'],
  ['vars', '%76ars'],
  ['a.b', 'a.b'],
  ['café', 'café'],
])('a job named %s is the file %s.json', (ID, name) =>
  expect(exportedFiles({ ...job, ID }, undefined)[0]?.path).toBe(`default/${name}.json`),
)
