import { mkdirSync, readFileSync, statSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { quickClock } from '../../support/quick-clock.ts'
import { failure, tug } from '../../support/run.ts'
import { jobInForce, servePlan } from '../../support/serve-plan.ts'
import { json, serve } from '../../support/serve.ts'
import { root } from '../../support/process.ts'
import { mentions } from '../../support/told.ts'

/** `job apply` of many files: which jobs are registered, in which state, and what is left alone. */

const service = (id: string, image: string, more = '') =>
  `job "${id}" {\n${more}\n  group "g" {\n    task "t" {\n      driver = "docker"\n      config {\n        image = "${image}"\n      }\n    }\n  }\n}\n`

function folder(files: Readonly<Record<string, string>>): string {
  const cwd = scratchFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  return cwd
}

/** A scheduler for JSON jobs: the plan says what `differs` says, a registration fails for the IDs in `conflicts`. */
async function scheduler(differs: (id: string) => boolean, conflicts: readonly string[] = []) {
  const { env, seen } = await serve(({ method, url, body }, response) => {
    const [, id] = /^\/v1\/job\/([^/?]+)$/.exec(url) ?? []
    if (method === 'GET' && id !== undefined)
      return json(response, 200, JSON.stringify({ ...jobInForce, ID: id, JobModifyIndex: 7 }))
    if (method === 'GET') return json(response, 200, '[{"ID":"old"},{"ID":"child","ParentID":"p"},{"ID":"job-0"}]')
    if (method === 'DELETE') return json(response, 200, '{"EvalID":"e"}')
    const { Job } = JSON.parse(body) as { Job: { ID: string } }
    if (url.endsWith('/plan')) {
      const field = { Name: 'Priority', Type: 'Edited', Old: '50', New: '60' }
      const diff = differs(Job.ID) ? { Type: 'Edited', Fields: [field] } : { Type: 'None' }
      return json(response, 200, JSON.stringify({ JobModifyIndex: 7, Diff: diff }))
    }
    if (conflicts.includes(Job.ID))
      return json(response, 500, 'Enforcing job modify index 7: job exists with conflicting job modify index: 9')
    return json(response, 200, '{"EvalID":"e","EvalCreateIndex":9,"JobModifyIndex":9}')
  })
  const registered = () =>
    seen.filter(({ url }) => url === '/v1/jobs').map(({ body }) => (JSON.parse(body) as { Job: { ID: string } }).Job.ID)
  return { env, seen, registered }
}

const inForce = JSON.stringify({ ...jobInForce, JobModifyIndex: 7 })

const numbered = (count: number) =>
  folder(
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`jobs/${n % 7}/job-${n}.json`, `{"ID":"job-${n}"}`])),
  )

describe('the plan and the outcomes are the result', () => {
  const both = { 'a.hcl': service('a', 'x'), 'b.hcl': service('b', 'y') }

  test.each([
    ['a.hcl', ['a'], ''],
    ['.', ['a', 'b'], '2 created'],
  ])('of %s, on stdout', async (place, names, counted) => {
    const { env } = await startDevServer({ clock: quickClock(40) })
    const { exit, stdout, stderr } = await tug(`job apply ${place} --yes`, { env, cwd: folder(both) })
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^\+ /)
    for (const name of names) expect(stdout).toMatch(new RegExp(`^${name}:? .* succeeded in \\d+m?s$`, 'm'))
    expect(stderr.match(/.* created$/m)?.[0] ?? '').toBe(counted)
  })

  test('as data where stdout has data, and nothing on stderr with -q', async () => {
    const { env } = await startDevServer({ clock: quickClock(40) })
    const run = (line: string) => tug(line, { env, cwd: folder(both) })
    const told = await run('job apply a.hcl --yes -o json')
    expect(JSON.parse(told.stdout)).toMatchObject({ action: 'create', job: 'a', outcome: 'succeeded' })
    expect(await run('job apply b.hcl --yes -o json -q')).toMatchObject({ exit: 0, stderr: '' })
  })
})

test('of 126 files, the 3 that changed are registered as they were planned, and nothing else is sent', async () => {
  const applied = new Set<string>()
  const { env, seen, registered } = await scheduler((id) => Number(id.slice(4)) % 42 === 0 && !applied.has(id))
  const cwd = numbered(126)
  const { exit, stdout } = await tug('job apply jobs --yes --no-wait -o json', { env, cwd })
  const changed = Array.from({ length: 3 }, (_, n) => `job-${n * 42}`)
  expect(exit).toBe(0)
  expect(registered().toSorted()).toEqual(changed.toSorted())
  for (const { url, body } of seen)
    if (url === '/v1/jobs') expect(JSON.parse(body)).toMatchObject({ EnforceIndex: true, JobModifyIndex: 7 })
  // Each job and its plan, and the registrations.
  expect(seen).toHaveLength(255)
  const account = JSON.parse(stdout) as { items: { item: string; action: string }[] }
  const counts = { change: 3, unchanged: 123, done: 3, failed: 0, unknown: 0, not_sent: 0 }
  expect(account).toMatchObject({ action: 'apply', planned: false, changed: true, counts })
  const done = account.items.filter(({ action }) => action === 'change').map(({ item }) => item)
  expect(done.toSorted()).toEqual(changed.toSorted())

  for (const id of changed) applied.add(id)
  const again = await tug('job apply jobs --yes --no-wait', { env, cwd })
  expect(again.exit).toBe(0)
  expect(registered()).toHaveLength(3)
})

test('a job that changes meanwhile is a conflict: 5 alone, 10 beside others that were applied', async () => {
  const { env } = await scheduler(() => true, ['job-1'])
  const cwd = numbered(3)
  const many = await tug('job apply jobs --yes --no-wait --max-failures 2 -o json', { env, cwd })
  expect(many.exit).toBe(10)
  const account = JSON.parse(many.stdout) as { items: { item: string; outcome: string }[] }
  expect(account.items.map(({ item, outcome }) => [item, outcome])).toEqual([
    ['job-0', 'done'],
    ['job-1', 'failed'],
    ['job-2', 'done'],
  ])
  const one = await failure('job apply jobs/1/job-1.json --yes --no-wait', { env, cwd })
  expect(one).toMatchObject({ exit: 5 })
})

test('--plan changes nothing and exits with 9 if there is something to do', async () => {
  const { env, registered } = await scheduler((id) => id === 'job-1')
  const cwd = numbered(3)
  expect((await tug('job apply jobs --plan --exit-code --no-wait', { env, cwd })).exit).toBe(9)
  const { exit, stdout } = await tug('job plan jobs -o json', { env, cwd })
  expect([exit, registered()]).toEqual([0, []])
  expect(JSON.parse(stdout)).toMatchObject({ new: 0, changed: 1, unchanged: 2, failed: [] })
  expect((await tug('job plan jobs --exit-code', { env, cwd })).exit).toBe(9)
  expect((await tug('job plan jobs -o md', { env, cwd })).stdout).toContain('### Plan: 1 changed job, 2 unchanged')
})

test('--prune stops what matches and is in no file, but no children', async () => {
  const { env, seen } = await scheduler(() => false)
  const cwd = numbered(1)
  const asked = await tug('job apply jobs --prune --filter Managed --no-wait', { env, cwd })
  expect(asked.exit).toBe(2)
  expect(asked.stderr).toMatch(mentions('Stop 1 …: old?'))
  expect((await tug('job apply jobs --prune --filter Managed --yes --no-wait', { env, cwd })).exit).toBe(0)
  const writes = seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url)
  expect(writes).toEqual(['/v1/job/old'])
  expect(seen.findLast(({ url }) => url.startsWith('/v1/jobs?'))?.url).toBe('/v1/jobs?filter=Managed')
})

test('what is registered already is followed as it is now, and stops nothing else', async () => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  for (const job of ['stuck', 'web'])
    writeFileSync(join(cwd, `${job}.json`), (await tug(`job get ${job} -o json`, { env })).stdout)
  const again = await tug('job apply stuck.json web.json --yes -o json', { env, cwd })
  expect(again.exit).toBe(8)
  expect(JSON.parse(again.stdout)).toMatchObject({
    changed: false,
    items: [
      { item: 'stuck', action: 'unchanged', outcome: 'failed' },
      { item: 'web', action: 'unchanged' },
    ],
  })
  // The plan asks the judge once.
  expect((await tug('job apply stuck.json web.json --plan', { env, cwd })).exit).toBe(8)
  expect((await tug('job apply web.json --yes', { env, cwd })).exit).toBe(0)
  expect((await tug('job apply stuck.json --yes --no-wait', { env, cwd })).exit).toBe(0)
})

test('--prune stops nothing where a job could not be applied', async () => {
  const { env, seen } = await scheduler(() => true, ['job-0'])
  const pruning = 'job apply jobs --prune --filter Managed --yes --no-wait -o json'
  const { exit, stdout } = await tug(pruning, { env, cwd: numbered(1) })
  expect(exit).toBe(10)
  expect(seen.filter(({ method }) => method === 'DELETE')).toEqual([])
  expect(JSON.parse(stdout)).toMatchObject({
    items: [
      { item: 'job-0', outcome: 'failed' },
      { item: 'old', outcome: 'not_sent' },
    ],
  })
})

test('--prune tells what it stopped from what was applied, and stops it last', async () => {
  const { env, seen } = await scheduler(() => true)
  const { exit, stderr } = await tug('job apply jobs --prune --filter Managed --yes --no-wait', {
    env,
    cwd: numbered(9),
  })
  expect([exit, seen.at(-1)?.method]).toEqual([0, 'DELETE'])
  expect(stderr).toMatch(mentions('9 changed, 1 stopped'))
})

test('--prune leaves alone what a server lists from another namespace', async () => {
  const { env, seen } = await serve(({ method, url }, response) => {
    if (method === 'GET')
      return json(response, 200, url.startsWith('/v1/job/') ? inForce : '[{"ID":"old","Namespace":"team-b"}]')
    json(response, 200, url.endsWith('/plan') ? '{"JobModifyIndex":7,"Diff":{"Type":"None"}}' : '{"EvalID":"e"}')
  })
  const pruning = 'job apply jobs --prune --filter Managed --yes --no-wait'
  expect((await tug(pruning, { env, cwd: numbered(1) })).exit).toBe(0)
  expect(seen.filter(({ method }) => method === 'DELETE')).toEqual([])
})

test('a plan with --prune has the jobs that it would stop, in every form', async () => {
  const { env, seen } = await scheduler(() => false)
  const cwd = numbered(1)
  const plan = (more: string) => tug(`job apply jobs --prune --filter Managed --plan --no-wait ${more}`, { env, cwd })
  for (const format of ['table', 'md', 'csv']) expect((await plan(`-o ${format}`)).stdout).toMatch(/\bold\b/)
  const { exit, stdout } = await plan('--exit-code -o json')
  expect(exit).toBe(9)
  const { items, counts } = JSON.parse(stdout) as { items: unknown[]; counts: object }
  expect(counts).toMatchObject({ stop: 1, unchanged: 1 })
  expect(items.at(-1)).toMatchObject({ action: 'stop', item: 'old', namespace: 'default', file: null })
  expect(seen.filter(({ method }) => method === 'DELETE')).toEqual([])
})

test('beside a file that cannot be read, no job counts as in none of the files', async () => {
  const { env, seen } = await scheduler(() => false)
  const cwd = numbered(1)
  writeFileSync(join(cwd, 'jobs', 'broken.json'), '{"Job": ')
  const line = 'job apply jobs --prune --filter Managed --yes'
  expect((await tug(`${line} --plan -o json`, { env, cwd })).stdout).not.toContain('"old"')
  expect((await tug(line, { env, cwd })).exit).not.toBe(0)
  expect(seen.filter(({ method }) => method === 'DELETE')).toEqual([])
})

test.each(['{"JobModifyIndex":7}', '{"JobModifyIndex":7,"Diff":null}'])(
  'a plan without a comparison is no proof that nothing changes: %s',
  async (plan) => {
    const { env } = await serve((_, response) => json(response, 200, plan))
    const { exit, stderr } = await tug('job apply jobs --yes --no-wait', { env, cwd: numbered(2) })
    expect([exit, stderr]).toEqual([1, expect.stringContaining('nothing was registered')])
  },
)

test('--prune reaches the namespace of -n, which may have no file any more', async () => {
  const { env } = await startDevServer()
  for (const namespace of ['default', 'team-b'])
    await tug(['api', 'scheduler', 'POST', 'jobs', '--data', '-', '-n', namespace], {
      env,
      stdin: JSON.stringify({
        Job: { ID: 'old', Namespace: namespace, TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'mock' }] }] },
      }),
    })
  const cwd = folder({ 'jobs/a.hcl': service('a', 'x', 'namespace = "default"') })
  const line = 'job apply jobs --prune --filter Name==old --plan --no-wait -o json'
  const pruned = async (more: string) => {
    const { items } = JSON.parse((await tug(`${line} ${more}`, { env, cwd })).stdout) as { items: { item: string }[] }
    return items.map(({ item }) => item)
  }
  expect(await pruned('')).toEqual(['a', 'old'])
  expect(await pruned('-n team-b')).toEqual(['a', 'old', 'team-b/old'])
})

test('--prune needs an expression: an empty one matches every job', async () => {
  const { env, seen } = await scheduler(() => false)
  const cwd = numbered(1)
  for (const filter of ['', ' '])
    expect((await tug(['job', 'apply', 'jobs', '--yes', '--prune', '--filter', filter], { env, cwd })).exit).toBe(2)
  expect(seen).toEqual([])
})

test.each(['--yes --no-wait', '--plan'])(
  '--prune %s: a filter that the server refuses changes nothing',
  async (flags) => {
    const { env } = await startDevServer()
    const cwd = folder({ 'jobs/new.hcl': service('new', 'x') })
    for (const filter of ['Name =', 'Nope == "x"']) {
      const { exit, stdout } = await tug(['job', 'apply', 'jobs', '--prune', '--filter', filter, ...flags.split(' ')], {
        env,
        cwd,
      })
      expect([exit, stdout]).toEqual([6, ''])
    }
    expect((await tug('job get new', { env })).exit).toBe(3)
  },
)

test('--prune reads each again after an answer, and leaves alone what has changed', async () => {
  let index = 7
  const { env, seen } = await serve(({ method, url }, response) => {
    const jobs: Record<string, object> = {
      old: { ID: 'old', JobModifyIndex: index },
      idle: { ID: 'idle', JobModifyIndex: 3 },
    }
    const id = url.slice('/v1/job/'.length)
    const there = jobs[id] === undefined ? inForce : JSON.stringify({ ...jobInForce, ...jobs[id] })
    const list = JSON.stringify(Object.values(jobs))
    if (method === 'GET') return json(response, 200, url.startsWith('/v1/job/') ? there : list)
    json(response, 200, url.endsWith('/plan') ? '{"JobModifyIndex":7,"Diff":{"Type":"None"}}' : '{"EvalID":"e"}')
  })
  const { exit } = await tug('job apply jobs --prune --filter Managed --no-wait', {
    env,
    cwd: numbered(1),
    stdin: 'y\n',
    terminals: { stdin: true, stderr: 80 },
    onWrite: (_, text) => {
      if (text.includes('[y/N]')) index = 8
    },
  })
  expect(exit).toBe(10)
  expect(seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url)).toEqual(['/v1/job/idle'])
})

test('a saved plan is private, and applied as it is: not the files', async () => {
  const { env } = await startDevServer()
  const cwd = folder({ 'a.hcl': service('a', 'x:1'), 'b.hcl': service('b', 'x:1') })
  expect((await tug('job plan . --save plan.json', { env, cwd })).exit).toBe(0)
  expect(statSync(join(cwd, 'plan.json')).mode & 0o777).toBe(0o600)
  writeFileSync(join(cwd, 'a.hcl'), service('a', 'x:2'))
  expect((await tug('job apply --saved plan.json', { env, cwd })).exit).toBe(2)
  const applied = await tug('job apply --saved plan.json --yes --no-wait', { env, cwd })
  expect(applied.exit).toBe(0)
  expect(applied.stderr).toMatch(mentions('a.hcl …'))
  const query = 'TaskGroups[0].Tasks[0].Config.image'
  expect((await tug(`job get a -o json --query ${query}`, { env })).stdout).toContain('x:1')
  expect((await tug('job submission a --version 0 --source', { env })).stdout).toBe(service('a', 'x:1'))
  const same = await tug('job apply --saved plan.json --yes --no-wait -o json', { env, cwd })
  expect([same.exit, JSON.parse(same.stdout)]).toMatchObject([0, { changed: false, counts: { unchanged: 2 } }])
  expect((await tug('job stop a b --yes', { env })).exit).toBe(0)
  const again = await tug('job apply --saved plan.json --yes --no-wait', { env, cwd })
  expect(again.exit).toBe(5)
  expect(again.stderr).toContain('tug job plan a.hcl')
  expect(again.stderr).not.toContain('--check-index')
})

test('a saved plan is applied where its files are not, as in another stage of a pipeline', async () => {
  const { env } = await startDevServer()
  const cwd = folder({ 'a.hcl': service('a', 'x:1') })
  await tug('job plan a.hcl --save plan.json', { env, cwd })
  rmSync(join(cwd, 'a.hcl'))
  const { exit, stderr } = await tug('job apply --saved plan.json --yes --no-wait', { env, cwd })
  expect({ exit, isTold: stderr.includes('a.hcl') }).toEqual({ exit: 0, isTold: false })
  expect((await tug('job get a', { env })).exit).toBe(0)
})

test('a saved plan goes to the namespace that it was made for, and --namespace names no other', async () => {
  const { env } = await startDevServer()
  const cwd = folder({ 'a.hcl': service('a', 'x:1') })
  expect((await tug('job plan . --save plan.json -n team-b', { env, cwd })).exit).toBe(0)
  expect((await tug('job apply --saved plan.json --yes -n default', { env, cwd })).exit).toBe(2)
  expect((await tug('job apply --saved plan.json --yes', { env, cwd })).exit).toBe(0)
  expect((await tug('job get a -n team-b', { env })).exit).toBe(0)
  expect((await tug('job get a', { env })).exit).toBe(3)
})

test('a saved plan that registers something other than what it names is refused, and nothing is sent', async () => {
  const { env, seen } = await scheduler(() => true)
  const cwd = folder({ 'a.json': '{"ID":"a"}' })
  expect((await tug('job plan . --save plan.json', { env, cwd })).exit).toBe(0)
  const saved = readFileSync(join(cwd, 'plan.json'), 'utf8')
  const planned = seen.length
  const changed = (from: string, to: string) => {
    expect(saved).toContain(from)
    return saved.replace(from, to)
  }
  for (const text of [
    changed('"ID":"a"', '"ID":"other"'),
    changed('"ID":"a"', '"ID":"a","Namespace":"other"'),
    changed('"name":"a"', '"name":"other"'),
    changed('"namespace":"default"', '"namespace":"other"'),
    changed('"action":"change"', '"action":"unchanged"'),
    changed('"EnforceIndex":true,', ''),
    changed('"JobModifyIndex":7', '"Other":7'),
  ]) {
    writeFileSync(join(cwd, 'tampered.json'), text)
    expect((await tug('job apply --saved tampered.json --yes --no-wait', { env, cwd })).exit).toBe(2)
  }
  expect(seen).toHaveLength(planned)
  expect((await tug('job apply --saved plan.json --yes --no-wait', { env, cwd })).exit).toBe(0)
})

test('a dry run saves no plan, and registers nothing', async () => {
  const { env, seen } = await scheduler(() => true)
  const cwd = folder({ 'a.json': '{"ID":"a"}', 'plan.json': 'kept' })
  for (const line of ['job plan a.json --save plan.json', 'job apply a.json --yes', 'job stop a b --yes'])
    expect((await tug(`${line} --dry-run`, { env, cwd })).exit, line).toBe(0)
  expect(seen.filter(({ method, url }) => method !== 'GET' && url !== '/v1/job/a/plan')).toEqual([])
  expect(readFileSync(join(cwd, 'plan.json'), 'utf8')).toBe('kept')
})

test('a saved plan says so where it is applied on another server', async () => {
  const { env } = await scheduler(() => true)
  const other = await scheduler(() => true)
  const cwd = folder({ 'a.json': '{"ID":"a"}' })
  expect((await tug('job plan . --save plan.json', { env, cwd })).exit).toBe(0)
  const apply = (where: typeof env) => tug('job apply --saved plan.json --yes --no-wait', { env: where, cwd })
  expect((await apply(env)).stderr).not.toContain('http://')
  expect((await apply(other.env)).stderr).toMatch(mentions('plan… http://127.0.0.1:…; … http://127.0.0.1:'))
})

test('flags about what is planned are refused beside a saved plan', async () => {
  const { env, seen } = await scheduler(() => true)
  const cwd = folder({ 'a.json': '{"ID":"a"}' })
  expect((await tug('job plan . --save plan.json', { env, cwd })).exit).toBe(0)
  const planned = seen.length
  for (const flags of ['a.json', '--prune --filter Managed', '--keep-counts', '--var a=b', '--policy-override'])
    expect((await tug(`job apply --saved plan.json --yes --no-wait ${flags}`, { env, cwd })).exit, flags).toBe(2)
  expect(seen).toHaveLength(planned)
})

describe('files', () => {
  test('folders are read with what is below them, without hidden files and files of variables', async () => {
    const { env, registered } = await scheduler(() => true)
    const cwd = folder({
      'jobs/a.json': '{"ID":"a"}',
      'jobs/deep/er/b.json': '{"ID":"b"}',
      'jobs/.hidden.json': '{',
      'jobs/.git/c.json': '{',
      'jobs/a.vars.hcl': 'x = 1',
      'jobs/vars.json': '{}',
      'jobs/README.md': 'no job',
    })
    expect((await tug('job apply jobs jobs/a.json --yes --no-wait', { env, cwd })).exit).toBe(0)
    expect(registered().toSorted()).toEqual(['a', 'b'])
  })

  test('two files of the same job, an empty folder and a variable that no file declares are refused', async () => {
    const { env, registered } = await scheduler(() => true)
    const cwd = folder({ 'jobs/a.json': '{"ID":"a"}', 'jobs/b.json': '{"ID":"a"}', 'none/x.md': '' })
    for (const line of ['job apply jobs --yes', 'job apply none --yes', 'job apply jobs --var x=1 --yes'])
      expect((await tug(line, { env, cwd })).exit, line).toBe(2)
    expect(registered()).toEqual([])
  })

  test('variables: the file beside it for one, --var for all that declare them', async () => {
    const { env } = await startDevServer()
    const declared = 'variable "tag" {}\nvariable "size" {\n  default = "s"\n}\n'
    const file = (id: string) => declared + service(id, `x:\${var.tag}-\${var.size}`)
    const cwd = folder({
      'a.hcl': file('a'),
      'a.vars.hcl': 'size = "l"\n',
      'b.hcl': file('b'),
      'c.hcl': service('c', 'y'),
    })
    expect((await tug('job apply . --var tag=7 --yes --no-wait', { env, cwd })).exit).toBe(0)
    const image = async (id: string) =>
      (await tug(`job get ${id} -o json --query TaskGroups[0].Tasks[0].Config.image`, { env })).stdout.trim()
    expect(await Promise.all(['a', 'b', 'c'].map(image))).toEqual(['"x:7-l"', '"x:7-s"', '"y"'])
  })

  test('one that cannot be parsed stops all', async () => {
    const { env } = await startDevServer()
    const cwd = folder({ 'a.hcl': service('a', 'x'), 'bad.hcl': 'job "bad" {\n  nonsense = 1\n}\n' })
    const stopped = await tug('job apply . --yes --no-wait', { env, cwd })
    expect(stopped.exit).toBe(6)
    expect(stopped.stdout).toMatch(/^! bad\.hcl {2,}2:3/m)
    expect((await tug('job get a', { env })).exit).toBe(3)
  })

  test.each([
    ['empty', ''],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['not JSON', '{"ID":'],
  ])('so does one that is %s', async (_, content) => {
    const { env, registered } = await scheduler(() => true)
    const cwd = folder({ 'a.json': '{"ID":"a"}' })
    writeFileSync(join(cwd, 'bad.json'), content)
    const stopped = await tug('job apply . --yes --no-wait', { env, cwd })
    expect([stopped.exit, stopped.stderr, registered()]).toEqual([2, expect.stringContaining('bad.json'), []])
  })
})

describe('what is left alone', () => {
  test('a stopped job, without --start-stopped', async () => {
    const { env } = await startDevServer()
    const live = (await tug('job get legacy -o json', { env })).stdout
    const cwd = folder({ 'legacy.json': live.replace('"Stop":true', '"Stop":false') })
    const named = await failure('job apply legacy.json --yes', { env, cwd })
    expect(named).toMatchObject({ exit: 5, hint: 'start it: tug job apply legacy.json --yes --start-stopped' })
    for (const flags of ['--yes', '--plan --exit-code'])
      expect(JSON.parse((await tug(`job apply . ${flags} -o json`, { env, cwd })).stdout)).toMatchObject({
        changed: false,
        items: [{ item: 'legacy', action: 'skipped', why: 'stopped' }],
        counts: { skipped: 1 },
      })
    expect((await tug('job apply . --yes', { env, cwd })).stderr).toContain('1 left stopped\n')
    const planned = await tug('job plan . --exit-code -o json', { env, cwd })
    expect([planned.exit, JSON.parse(planned.stdout)]).toMatchObject([
      0,
      { jobs: [{ job: 'legacy', action: 'skipped', why: 'stopped' }], changed: 0, unchanged: 0, skipped: 1 },
    ])
    expect((await tug('job apply legacy.json --yes --no-wait --start-stopped', { env, cwd })).exit).toBe(0)
    expect((await tug('job get legacy -o json --query Stop', { env })).stdout.trim()).toBe('false')
  })

  test('a finished batch job that differs, without --rerun', async () => {
    const { env } = await startDevServer()
    const live = (await tug('job get batch-report -o json', { env })).stdout
    const cwd = folder({ 'batch.json': live.replace('"Priority":50', '"Priority":55') })
    for (const flags of ['--yes', '--plan'])
      expect(await failure(`job apply batch.json ${flags}`, { env, cwd })).toMatchObject({
        exit: 5,
        hint: `run it again: tug job apply batch.json ${flags} --rerun`,
      })
    const left = await tug('job apply . --plan --exit-code -o json', { env, cwd })
    expect([left.exit, JSON.parse(left.stdout)]).toMatchObject([
      0,
      { changed: false, items: [{ action: 'skipped', why: 'finished' }], counts: { skipped: 1 } },
    ])
    expect((await tug('job plan . --exit-code', { env, cwd })).exit).toBe(9)
    expect((await tug('job plan batch.json', { env, cwd })).stderr).toContain(': tug job apply --rerun batch.json\n')
    expect((await tug('job apply batch.json --yes --no-wait --rerun', { env, cwd })).exit).toBe(0)
  })
})

test('-o ndjson has a line for each job, with its index before and after', async () => {
  const { env } = await scheduler((id) => id !== 'job-1')
  const { exit, stdout } = await tug('job apply jobs --yes --no-wait -o ndjson', { env, cwd: numbered(2) })
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { item: string })
  expect(exit).toBe(0)
  expect(lines.toSorted((one, other) => (one.item < other.item ? -1 : 1))).toMatchObject([
    { item: 'job-0', action: 'change', before: 7, after: 9, outcome: 'done' },
    { item: 'job-1', action: 'unchanged', before: 7, outcome: null },
  ])
})

test('a group without a change of its own is not named beside what changes', async () => {
  const field = { Name: 'Priority', Type: 'Edited', Old: '50', New: '60' }
  const group = { Type: 'Edited', Name: 'g', Updates: { 'in-place update': 1 } }
  const diff = { Type: 'Edited', Fields: [field], TaskGroups: [group] }
  const { env } = await servePlan({ JobModifyIndex: 7, Diff: diff })
  const cwd = folder({ 'a.json': '{"ID":"a"}', 'b.json': '{"ID":"b"}' })
  const { stdout } = await tug('job apply . --plan', { env, cwd })
  expect(stdout).toMatch(/^~ a .*priority 50 → 60$/m)
})

test.each([
  ['8 if every job was applied and one ended badly', '', 8],
  ['10 if that stopped what was not sent yet', '--parallel 1', 10],
])('%s', async (_, flags, code) => {
  const { env } = await startDevServer({ clock: quickClock(40) })
  const ended = readFileSync(join(root, 'examples/failing.hcl'), 'utf8')
  const cwd = folder({ 'a.hcl': ended.replaceAll('"failing"', '"a"'), 'b.hcl': service('b', 'y') })
  const { exit, stderr } = await tug(`job apply . --yes ${flags} -o json`, { env, cwd })
  const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) as string) as { error: { exit: number } }
  expect([exit, error.exit]).toEqual([code, code])
})
