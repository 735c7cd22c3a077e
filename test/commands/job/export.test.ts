import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportedFiles } from '../../../src/commands/job/export.ts'
import { isObject, stringifyJson } from '../../../src/core/json.ts'
import { exchangesOf } from '../../contract/jobs-replay.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { root } from '../../support/process.ts'
import { jobInForce } from '../../support/serve-plan.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { still } from '../../support/story.ts'

test('what was exported and is applied changes nothing', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  expect((await tug("job export -n '*' -O jobs", { env, cwd })).exit).toBe(0)
  expect(existsSync(join(cwd, 'jobs/default/web.hcl'))).toBe(true)
  expect(existsSync(join(cwd, 'jobs/default/team-a%2Fsite.hcl'))).toBe(true)
  const { exit, stdout } = await tug('job apply jobs --plan --exit-code --no-wait -o json', { env, cwd })
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { changed: false, counts: { failed: 0 } }])
})

/** Every job that the recordings of the real server register, without its source. */
const recorded = readdirSync(join(root, 'test/contract/recordings/nomad'))
  .flatMap((file) => exchangesOf(file.replace('.json', '')))
  .filter(({ method, path, status }) => method !== 'GET' && path.startsWith('/v1/jobs') && status === 200)
  .flatMap(({ body }) => (isObject(body) && isObject(body['Job']) ? [body['Job']] : []))
  // This ID cannot be read from a real server either: its path is that of another endpoint.
  .filter((job) => job['Namespace'] !== 'team-b' && job['ID'] !== 'x/scale')

test('the jobs of the recordings are exported as JSON that changes nothing', async () => {
  const { env } = await startDevServer({ clock: still, empty: true })
  const cwd = scratchFolder()
  const documents = [...new Set(recorded.map((job) => stringifyJson(job)))]
  expect(documents.length).toBeGreaterThan(15)
  for (const [index, stdin] of documents.entries()) {
    const [name, folder] = [(JSON.parse(stdin) as { ID: string }).ID, `out-${index}`]
    expect((await tug('api scheduler POST jobs --data -', { env, stdin: `{"Job":${stdin}}` })).exit).toBe(0)
    expect((await tug(`job export ${name} -O ${folder}`, { env, cwd })).exit, name).toBe(0)
    const { exit, stdout } = await tug(`job apply ${folder} --plan --exit-code`, { env, cwd })
    expect([name, exit, stdout]).toEqual([name, 0, expect.any(String)])
  }
})

test('a dash is no folder, and a warning masks what the stored file contains', async () => {
  const { env } = await serve(({ url }, response) => {
    if (url.includes('/submission'))
      json(response, 200, JSON.stringify({ Source: 'job "web" { meta { password = "planted77" } }', Format: 'hcl2' }))
    else if (url.includes('/parse')) json(response, 500, 'cannot read planted77')
    else json(response, 200, JSON.stringify(jobInForce))
  })
  const cwd = scratchFolder()
  expect((await tug('job export web -O -', { env, cwd })).exit).toBe(2)
  expect(readdirSync(cwd)).toEqual([])
  const { exit, stdout, stderr } = await tug('job export web -O out --retries 0', { env, cwd })
  expect([exit, stdout + stderr]).toEqual([0, expect.stringContaining('cannot read <redacted>')])
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

test.each([
  ['was registered again without its file', 'api scheduler POST jobs --data -'],
  ['was scaled', 'job scale web app 4'],
])('a job that %s is exported as it is, not as its older file', async (_, line) => {
  const { env } = await startDevServer({ dialect: 'hashicorp' })
  const cwd = scratchFolder()
  const { stdout } = await tug('job get web -o json', { env })
  const stdin = `{"Job":${stdout.replace(/"Priority":\d+/, '"Priority":61')}}`
  expect((await tug(line, { env, stdin })).exit).toBe(0)
  const { exit, stderr } = await tug('job export web -O out', { env, cwd })
  expect([exit, stderr]).toEqual([0, expect.stringContaining('web')])
  expect(readdirSync(join(cwd, 'out/default'))).toEqual(['web.json'])
  expect((await tug('job apply out --plan --exit-code', { env, cwd })).exit).toBe(0)
})

test('no file of an earlier export is left beside a job that is exported in another format', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const files = () => readdirSync(join(cwd, 'out/default')).toSorted()
  expect((await tug('job export web -O out', { env, cwd })).exit).toBe(0)
  expect(files()).toEqual(['web.hcl'])
  writeFileSync(join(cwd, 'out/default/web.vars.hcl'), 'old = 1\n')
  expect((await tug('job scale web app 4', { env })).exit).toBe(0)
  expect((await tug('job export web -O out', { env, cwd })).exit).toBe(2)
  expect(files()).toEqual(['web.hcl', 'web.vars.hcl'])
  expect((await tug('job export web -O out --force', { env, cwd })).exit).toBe(0)
  expect(files()).toEqual(['web.json'])
})

test.each([
  [403, 'job export web', 'web.hcl', /^warning: web: its stored file may be older/m],
  [500, 'job export web --retries 0', 'web.json', /^warning: web is exported as JSON: .*broken/m],
  [0, 'job export web --retries 0 --timeout 1s', 'web.json', /^warning: web is exported as JSON: .*time limit/m],
])('where the comparison fails with %i, a warning says so', async (status, line, file, words) => {
  const { env } = await serve(({ url }, response) => {
    const isCompared = url.startsWith('/v1/jobs/parse') || url.endsWith('/plan')
    if (isCompared && status === 0) return
    if (isCompared) return json(response, status, status === 403 ? 'Permission denied' : 'broken')
    if (url.includes('/submission')) return json(response, 200, '{"Source":"job \\"web\\" {}","Format":"hcl2"}')
    return json(response, 200, JSON.stringify(jobInForce))
  })
  const cwd = scratchFolder()
  const { exit, stderr } = await tug(`${line} -O out`, { env, cwd })
  expect([exit, stderr]).toEqual([0, expect.stringMatching(words)])
  expect(readdirSync(join(cwd, 'out/default'))).toEqual([file])
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
  const isPrivate = (text: string) =>
    exportedFiles(job, { ...kept, Source: `job "web" {\n${text}\n}` }).some((file) => file.isPrivate)
  expect(isPrivate('env { DB_PASSWORD = var.password }')).toBe(false)
  expect(isPrivate('env { DB_PASSWORD = "one two" }')).toBe(true)
  expect(isPrivate('config { args = ["--token=abcdef"] }')).toBe(true)
})

test('JSON has nothing that the server sets itself', () => {
  const [file] = exportedFiles(job, undefined)
  expect(JSON.parse(file?.content ?? '')).toEqual({ ID: 'web', Namespace: 'default', Priority: 60 })
})

test.each([
  ['a/b', 'a%2Fb'],
  ['.hidden', '%2Ehidden'],
  ['../x', '%2E.%2Fx'],
  ['a/scale', 'a%2Fscale'],
  ['con', '%63on'],
  ['NUL.old', '%4EUL.old'],
  ['100%', '100%25'],
  ['app.vars', 'app.%76ars'],
  ['vars', '%76ars'],
  ['a.b', 'a.b'],
  ['café', 'café'],
])('a job named %s is the file %s.json', (ID, name) =>
  expect(exportedFiles({ ...job, ID }, undefined)[0]?.path).toBe(`default/${name}.json`),
)

test('jobs whose names differ in case only have files whose names differ in more', async () => {
  const { env } = await startDevServer({ empty: true })
  const cwd = scratchFolder()
  for (const name of ['Web', 'web'])
    expect(
      (
        await tug('job run -', {
          env,
          cwd,
          stdin: JSON.stringify({
            ID: name,
            TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'raw_exec', Config: { command: 'true' } }] }],
          }),
        })
      ).exit,
    ).toBe(0)
  expect((await tug('job export -O out', { env, cwd })).exit).toBe(0)
  expect(readdirSync(join(cwd, 'out/default')).toSorted()).toEqual(['%57eb.json', 'web.json'])
})

test('namespaces whose names differ in case only have folders whose names differ in more', () => {
  const folders = ['Team', 'team'].map((Namespace) => exportedFiles({ ...job, Namespace }, undefined, true)[0]?.path)
  expect(folders).toEqual(['%54eam/web.json', 'team/web.json'])
})

test('one job name in two namespaces is two files, which --prune takes for both jobs', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  const source = (namespace: string) =>
    `job "own" {\n  namespace = "${namespace}"\n  group "g" {\n    task "t" {\n      driver = "mock"\n    }\n  }\n}\n`
  for (const namespace of ['default', 'team-b'])
    expect((await tug('job run -', { env, cwd, stdin: source(namespace) })).exit).toBe(0)
  expect((await tug(['job', 'export', '-n', '*', '--filter', 'Name==own', '-O', 'out'], { env, cwd })).exit).toBe(0)
  const files = ['default', 'team-b'].map((namespace) => readdirSync(join(cwd, 'out', namespace)))
  expect(files).toEqual([['own.hcl'], ['own.hcl']])
  const line = 'job apply out --prune --filter Name==own --plan --no-wait -o json'
  const items = async (more: string) =>
    (JSON.parse((await tug(`${line} ${more}`, { env, cwd })).stdout) as { items: object[] }).items
  const both = [
    { item: 'own', action: 'unchanged' },
    { item: 'team-b/own', action: 'unchanged' },
  ]
  expect(await items('')).toMatchObject(both)
  rmSync(join(cwd, 'out/team-b/own.hcl'))
  expect(await items('-n team-b')).toMatchObject([both[0], { item: 'team-b/own', action: 'stop' }])
})
