import { describe, expect, test } from 'vitest'
import { serveBetween } from '../../support/between.ts'
import { startDevServer } from '../../support/dev.ts'
import { quickClock } from '../../support/quick-clock.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { restartOf } from '../../../src/commands/job/restart.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { mentions } from '../../support/told.ts'

/** Writes to many jobs: stop, start, restart; and what --plan shows of them. */

const stub = (ID: string, more: JsonObject = {}) => ({ ID, Status: 'running', JobModifyIndex: 7, ...more })

/** A scheduler with these jobs; the filter `Own` matches those that no other started. Every write is answered with an evaluation. */
async function scheduler(jobs: readonly JsonObject[]) {
  const { env, seen } = await serve(({ method, url }, response) => {
    const path = decodeURIComponent(url.split('?')[0] ?? '')
    const job = jobs.find(({ ID }) => path === `/v1/job/${String(ID)}`)
    const { searchParams } = new URL(url, 'http://x')
    const prefix = searchParams.get('prefix') ?? ''
    const matches = ({ ID, ParentID }: JsonObject) =>
      String(ID).startsWith(prefix) && (searchParams.get('filter') !== 'Own' || ParentID === undefined)
    if (path === '/v1/jobs' && method === 'GET') return json(response, 200, JSON.stringify(jobs.filter(matches)))
    if (method === 'GET') return json(response, job === undefined ? 404 : 200, JSON.stringify(job ?? {}))
    return json(response, 200, '{"EvalID":"e","EvalCreateIndex":9,"JobModifyIndex":9}')
  })
  const writes = () => seen.filter(({ method }) => method !== 'GET').map(({ method, url }) => `${method} ${url}`)
  return { env, seen, writes }
}

function itemsOf(actions: Readonly<Record<string, string>>) {
  return Object.entries(actions).map(([item, action]) => expect.objectContaining({ item, action }) as object)
}

describe('job stop', () => {
  test('asks once for several, by name and count', async () => {
    const { env, writes } = await scheduler([stub('a'), stub('b')])
    const asked = await tug('job stop a b', { env })
    expect(asked.exit).toBe(2)
    expect(asked.stderr).toContain('Stop 2 jobs: a, b?')
    const { exit, stdout } = await tug('job stop a b --yes --no-shutdown-delay -o json', { env })
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      action: 'stop',
      changed: true,
      items: itemsOf({ a: 'stop', b: 'stop' }),
    })
    expect(writes().toSorted()).toEqual([
      'DELETE /v1/job/a?no_shutdown_delay=true',
      'DELETE /v1/job/b?no_shutdown_delay=true',
    ])
  })

  test('--filter stops what matches and runs, with what it has started', async () => {
    const { env, seen, writes } = await scheduler([
      stub('a'),
      stub('off', { Stop: true }),
      stub('p', { Periodic: {} }),
      stub('p/periodic-1', { ParentID: 'p' }),
      stub('p/periodic-0', { ParentID: 'p', Status: 'dead' }),
    ])
    const asked = await tug('job stop --filter Own', { env })
    expect(asked.stderr).toMatch(mentions('Stop 3 jobs, 1 …: a, p, p/periodic-1?'))
    // What the list shows is enough for the question.
    expect(seen.map(({ url }) => url)).toEqual(['/v1/jobs?filter=Own', '/v1/jobs?prefix=p%2F'])
    expect((await tug('job stop --filter Own --yes', { env })).exit).toBe(0)
    expect(writes().toSorted()).toEqual(['DELETE /v1/job/a', 'DELETE /v1/job/p', 'DELETE /v1/job/p%2Fperiodic-1'])
  })

  test('--filter stops the instances that match, and those of matching parents once', async () => {
    const instances = ['1', '2'].map((end) => stub(`p/periodic-${end}`, { ParentID: 'p' }))
    const { env, writes } = await scheduler([stub('p', { Periodic: {} }), ...instances])
    expect((await tug('job stop --filter Any --yes', { env })).exit).toBe(0)
    expect(writes().toSorted()).toEqual([
      'DELETE /v1/job/p',
      'DELETE /v1/job/p%2Fperiodic-1',
      'DELETE /v1/job/p%2Fperiodic-2',
    ])
  })

  test('after an answer each is read again: what has changed is not stopped, what is gone is left alone, and nothing new is', async () => {
    const jobs: JsonObject[] = [stub('a'), stub('b'), stub('c'), stub('p', { Periodic: {} })]
    jobs.push(stub('p/periodic-1', { ParentID: 'p' }))
    const { env, writes } = await scheduler(jobs)
    const { exit, stdout, stderr } = await tug('job stop --filter Old -o json', {
      env,
      stdin: 'y\n',
      terminals: { stdin: true, stderr: 80 },
      onWrite: (_, text) => {
        if (text.includes('[y/N]')) jobs.splice(1, 2, stub('b', { JobModifyIndex: 8 }), stub('new'))
      },
    })
    expect([exit, writes().toSorted()]).toEqual([
      10,
      ['DELETE /v1/job/a', 'DELETE /v1/job/p', 'DELETE /v1/job/p%2Fperiodic-1'],
    ])
    const items = itemsOf({ a: 'stop', b: 'conflict', c: 'unchanged', p: 'stop', 'p/periodic-1': 'stop' })
    expect(JSON.parse(stdout)).toMatchObject({ items })
    expect(stderr).toContain('b has changed')
  })

  test('with --wait, what is stopped already is followed after a question too', async () => {
    const { env } = await startDevServer({ clock: quickClock(40) })
    const { exit, stdout } = await tug('job stop web legacy --wait -o json', {
      env,
      stdin: 'y\n',
      terminals: { stdin: true, stderr: 80 },
    })
    expect([exit, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        items: [
          { item: 'web', action: 'stop', verdict: 'succeeded' },
          { item: 'legacy', action: 'unchanged', verdict: 'succeeded' },
        ],
      },
    ])
  })

  test('names, a filter, or neither; an empty filter matches every job, and is refused', async () => {
    const { env, seen } = await scheduler([stub('a')])
    for (const name of ['stop', 'restart'])
      for (const filter of ['', ' '])
        expect((await tug(['job', name, '--yes', '--filter', filter], { env })).exit).toBe(2)
    expect(seen).toEqual([])
    expect((await tug('job stop')).exit).toBe(2)
    expect((await tug('job stop a --filter b')).exit).toBe(2)
  })

  test('one that does not exist is a failure of its own', async () => {
    const { env } = await startDevServer()
    expect((await tug('job stop web nosuch --yes', { env })).exit).toBe(10)
    expect((await tug('job stop no such --yes', { env })).exit).toBe(3)
  })

  test.each([
    ['nosuch', 3, undefined],
    ['no such', 3, undefined],
    ['web nosuch', 10, true],
  ])('of %s with JSON errors, exit %i, applied %s', async (names, exit, applied) => {
    const { env } = await startDevServer()
    const ended = await tug(`job stop ${names} --yes -o json`, { env })
    const { error } = JSON.parse(ended.stderr) as { error: { exit: number; applied?: boolean } }
    expect({ exit: error.exit, applied: error.applied }).toEqual({ exit, applied })
  })

  test('--purge removes each when its allocations are down', async () => {
    const { env } = await startDevServer()
    expect((await tug('job stop web api --purge --yes', { env })).exit).toBe(0)
    expect((await tug('job get web', { env })).exit).toBe(3)
    expect((await tug('job get api', { env })).exit).toBe(3)
  })

  test.each(['before', 'after'])('--purge removes no job that somebody has changed right %s the stop', async (when) => {
    const { env } = await startDevServer()
    let isChanged = false
    const change = async ({ method, url }: { readonly method: string; readonly url: string }) => {
      if (method !== 'DELETE' || !url.startsWith('/v1/job/web') || isChanged) return
      isChanged = true
      expect((await tug('job scale web app 1', { env })).exit).toBe(0)
    }
    const there = await serveBetween(env, { [when]: change })
    const { exit, stdout } = await tug('job stop web api --purge --yes -o json', { env: there })
    expect([exit, JSON.parse(stdout)]).toMatchObject([
      10,
      {
        items: [
          { item: 'web', outcome: 'failed' },
          { item: 'api', outcome: 'done' },
        ],
      },
    ])
    expect((await tug('job get web', { env })).exit).toBe(0)
    expect((await tug('job get api', { env })).exit).toBe(3)
  })
})

test('job start starts the stopped ones and leaves the others alone', async () => {
  const { env, writes } = await scheduler([stub('a', { Stop: true }), stub('b')])
  const { exit, stdout } = await tug('job start a b -o json', { env })
  expect(exit).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    action: 'start',
    changed: true,
    items: itemsOf({ a: 'start', b: 'unchanged' }),
  })
  expect(writes()).toEqual(['POST /v1/jobs'])
})

describe('job restart', () => {
  const rolling = { Type: 'service', TaskGroups: [{ Name: 'g', Count: 3, Update: { MaxParallel: 1 } }] }

  test('registers the job as it is, stamped, guarded, without a submission and with its counts', async () => {
    const job = stub('web', { ...rolling, Version: 4, Meta: { owner: 'a' } })
    const { env, seen } = await scheduler([job])
    const asked = await tug('job restart web', { env })
    expect([asked.exit, asked.stderr]).toEqual([
      2,
      expect.stringMatching(mentions('Restart web (3 allocations, 1 …)?')),
    ])
    expect((await tug('job restart web --yes --no-wait', { env })).exit).toBe(0)
    expect(JSON.parse(seen.at(-1)?.body ?? '')).toEqual({
      Job: { ...job, Meta: { owner: 'a', restarted_at: '2026-11-21T07:30:00.000Z' } },
      EnforceIndex: true,
      JobModifyIndex: 7,
      PreserveCounts: true,
    })
  })

  test('asks once for several, by name and count, and says which wait for promotion', async () => {
    const canary = { Type: 'service', TaskGroups: [{ Name: 'g', Count: 2, Update: { MaxParallel: 1, Canary: 1 } }] }
    const { env, writes } = await scheduler([stub('web', rolling), stub('api', canary)])
    const asked = await tug('job restart web api', { env })
    expect([asked.exit, asked.stderr]).toEqual([
      2,
      expect.stringMatching(mentions('Restart 2 jobs: web, api? … promotion: api')),
    ])
    expect(writes()).toEqual([])
  })

  test('waits, and a plan of the file has no difference afterwards', async () => {
    const { env } = await startDevServer()
    const before = (await tug('job get web -o json', { env })).stdout
    expect((await tug('job restart web --yes', { env })).exit).toBe(0)
    expect((await tug('job plan - --exit-code', { env, stdin: before })).exit).toBe(0)
  })

  test('a filter that is refused is reported with the command alone', async () => {
    const { env } = await serve((_, response) => json(response, 400, 'failed to read filter expression: 1:4'))
    for (const command of ['stop', 'restart', 'export --output-dir x'])
      expect((await tug(['job', ...command.split(' '), '--filter', 'bad(('], { env })).stderr).toMatch(
        new RegExp(`^tug: job ${command.split(' ')[0]}: failed`),
      )
  })

  test('leaves out the jobs that others started, and counts them', async () => {
    const { env, writes } = await scheduler([stub('web', rolling), stub('web/periodic-1', { ParentID: 'web' })])
    const { exit, stdout, stderr } = await tug('job restart --filter Any --yes --no-wait -o json', { env })
    expect([exit, JSON.parse(stdout)]).toMatchObject([0, { left_out: 1, items: itemsOf({ web: 'restart' }) }])
    expect([stderr, writes()]).toEqual([expect.stringContaining('1 instance was left out\n'), ['POST /v1/jobs']])
  })

  test('a job that does not exist keeps no other from being restarted', async () => {
    const { env, writes } = await scheduler([stub('web', rolling)])
    const { exit, stderr } = await tug('job restart nope web none --yes --no-wait', { env })
    expect([exit, writes()]).toEqual([10, ['POST /v1/jobs']])
    expect(stderr).toMatch(/\n {2}none: .*\n {2}nope: /)
  })

  test('one that cannot restart without an outage is refused alone', async () => {
    const { env, writes } = await scheduler([stub('web', rolling), stub('batch', { Type: 'batch' })])
    const { exit, stderr } = await tug('job restart batch web --yes --no-wait', { env })
    expect([exit, writes()]).toEqual([10, ['POST /v1/jobs']])
    expect(stderr).toMatch(mentions('batch: …'))
    expect((await tug('job restart batch --yes --allow-downtime --no-wait', { env })).exit).toBe(0)
  })

  test('--run continues: what the run has restarted is unchanged', async () => {
    const run = '2026-11-21T07:00:00.000Z'
    const done = stub('done', { ...rolling, Meta: { restarted_at: '2026-11-21T07:10:00Z' } })
    const older = stub('older', { ...rolling, Meta: { restarted_at: '2026-11-21T06:59:00Z' } })
    const { env, seen } = await scheduler([done, older])
    const line = ['job', 'restart', 'done', 'older', '--yes', '--no-wait', '--run', run]
    const { exit, stdout } = await tug([...line, '-o', 'json'], { env })
    expect([exit, JSON.parse(stdout)]).toMatchObject([
      0,
      { run, items: itemsOf({ done: 'unchanged', older: 'restart' }) },
    ])
    expect(JSON.parse(seen.at(-1)?.body ?? '')).toMatchObject({ Job: { ID: 'older', Meta: { restarted_at: run } } })
    expect((await tug('job restart done --run yesterday', { env })).exit).toBe(2)
  })

  const group = (more: JsonObject) => ({ Type: 'service', TaskGroups: [{ Name: 'g', Count: 1, ...more }] })
  test.each<[string, boolean, JsonObject]>([
    ['one at a time', true, rolling],
    ['no update block', true, group({ Count: 2 })],
    ['no update block and one allocation', false, group({})],
    ['max_parallel 0', false, group({ Count: 3, Update: { MaxParallel: 0 } })],
    ['all at once', false, group({ Count: 3, Update: { MaxParallel: 3 } })],
    ['one with a canary', true, group({ Update: { MaxParallel: 1, Canary: 1, AutoPromote: true } })],
    ['none wanted', true, group({ Count: 0, Update: { MaxParallel: 1 } })],
    ['the update block of the job', false, { ...group({ Count: 2 }), Update: { MaxParallel: 2 } }],
    ['system', true, { Type: 'system', TaskGroups: [{ Count: 1 }] }],
    ['running batch', false, { Type: 'batch', Status: 'running' }],
    ['finished batch', false, { Type: 'batch', Status: 'dead' }],
    ['sysbatch', false, { Type: 'sysbatch', Status: 'running' }],
    ['periodic', false, { Type: 'batch', Periodic: {} }],
    ['parameterized', false, { Type: 'batch', ParameterizedJob: {} }],
    ['stopped', false, { ...rolling, Stop: true }],
    ['dispatched', false, { ...rolling, ParentID: 'p', Dispatched: true, ParameterizedJob: {} }],
  ])('%s: %j', (_, isSafe, job) => expect(restartOf(job).refusal === undefined).toBe(isSafe))

  test('canaries that somebody must promote are said before', () => {
    const manual = group({ Count: 2, Update: { MaxParallel: 1, Canary: 1 } })
    expect(restartOf(manual)).toMatchObject({ refusal: undefined, waitsForPromotion: true })
    expect(restartOf(manual).words).toContain('wait for promotion')
  })

  test.each([
    ['stopped', { ...rolling, Stop: true }],
    ['periodic', { Type: 'batch', Periodic: {} }],
  ])('nothing restarts a %s job, not even --allow-downtime', async (_, job) => {
    const { env, writes } = await scheduler([stub('web', job)])
    expect((await tug('job restart web --yes --allow-downtime', { env })).exit).toBe(2)
    expect(writes()).toEqual([])
  })
})

interface Row {
  readonly item: string
  readonly job: string
  readonly action: string
}
interface Rows {
  readonly items?: readonly Row[]
}

describe('--plan', () => {
  const group = { Name: 'g', Count: 3, Update: { MaxParallel: 1 } }
  const jobs = [
    stub('a', { Type: 'service', Namespace: 'default', TaskGroups: [group] }),
    stub('off', { Type: 'service', Namespace: 'default', Status: 'dead', Stop: true }),
    stub('done', { Type: 'batch', Status: 'dead', Namespace: 'default' }),
    stub('p', { Type: 'batch', Namespace: 'default', Periodic: {} }),
    stub('p/periodic-1', { Type: 'batch', Namespace: 'default', ParentID: 'p' }),
  ]

  test.each([
    ['job stop --filter Old', 0, 'a stop, off unchanged, done stop, p stop, p/periodic-1 stop'],
    ['job stop a off --exit-code', 9, 'a stop, off unchanged'],
    ['job stop off --exit-code', 0, 'off unchanged'],
    ['job stop off --purge --exit-code', 9, 'off purge'],
    ['job stop a nope', 10, 'a stop, nope not_found'],
    ['job start off', 0, 'off start'],
    ['job start a off --exit-code', 9, 'a unchanged, off start'],
    ['job start a --exit-code', 0, 'a unchanged'],
    ['job restart a done --no-wait', 10, 'a restart, done refused'],
    ['job restart a done --allow-downtime --exit-code --no-wait', 9, 'a restart, done restart'],
  ])('%s: exit %i, and nothing is asked or written', async (line, exit, actions) => {
    const { env, writes } = await scheduler(jobs)
    const rowsOf = (stdout: string) => {
      const { items, job, action } = JSON.parse(stdout) as Rows & Row
      return (items ?? [{ item: job, action }]).map((row) => `${row.item} ${row.action}`).join(', ')
    }
    const plan = await tug(`${line} --plan -o json`, { env })
    expect([plan.exit, writes(), rowsOf(plan.stdout)]).toEqual([exit, [], actions])
    const run = await tug(`${line.replace(' --exit-code', '')} --yes -o json`, { env })
    expect(rowsOf(run.stdout)).toBe(actions)
  })

  test('a single job that does not exist is not found', async () => {
    const { env } = await scheduler(jobs)
    for (const line of ['job stop nope --plan', 'job start nope --plan'])
      expect(await tug(line, { env })).toMatchObject({ exit: 3, stdout: '' })
  })
})
