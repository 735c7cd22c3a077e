import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dispatchRows } from '../../../src/commands/job/dispatch/rows.ts'
import { scratchFolder } from '../../support/folder.ts'
import { serveBetween } from '../../support/between.ts'
import { startDevServer } from '../../support/dev.ts'
import { json, serve } from '../../support/serve.ts'
import type { Machine } from '../../support/run.ts'
import { tug } from '../../support/run.ts'
import { still } from '../../support/story.ts'

/** `job dispatch --from`: the rows of a file, and what is sent for each. */

const rowsOf = (file: string, text: string) =>
  dispatchRows(file, text).map(({ place, meta, payload }) => [place, { ...meta }, payload?.toString()])

test('rows of NDJSON and of CSV', () => {
  expect(rowsOf('r.ndjson', '{"meta":{"day":1,"who":"a"},"payload":{"n":1}}\n\n{"payload":"x"}\n{}\n')).toEqual([
    [1, { day: '1', who: 'a' }, '{"n":1}'],
    [2, {}, 'x'],
    [3, {}, undefined],
  ])
  expect(rowsOf('r.ndjson', '{"meta":{"day":null,"who":"a"},"payload":null}')).toEqual([[1, { who: 'a' }, undefined]])
  expect(rowsOf('r.csv', '\uFEFFmeta.day,payload\r\n1,"a ""b"",\nc"\r\n\r\n2,\r\n\r\n')).toEqual([
    [1, { day: '1' }, 'a "b",\nc'],
    [2, { day: '2' }, undefined],
  ])
})

test.each([
  ['r.csv', 'meta.a;payload\n1;"x, y"\n'],
  ['r.csv', 'meta.a, payload\n1, "x, y"\n'],
  ['r.tsv', 'meta.a\tpayload\n1\tx, y\n'],
  ['-', 'meta.a,payload\n1,"x, y"\n'],
  ['-', '\n{"meta":{"a":1},"payload":"x, y"}\n'],
])('%s: %j', (file, text) => expect(rowsOf(file, text)).toEqual([[1, { a: '1' }, 'x, y']]))

test('blanks in values stay if the header has none', () =>
  expect(rowsOf('r.csv', 'meta.a,payload\n1, x\n')).toEqual([[1, { a: '1' }, ' x']]))

test.each([
  ['r.ndjson', ''],
  ['r.ndjson', '[1]'],
  ['r.ndjson', '{"meta":1}'],
  ['r.ndjson', '{"other":1}'],
  ['r.ndjson', `{"payload":"${'x'.repeat(16_385)}"}`],
  ['r.csv', 'day\n1\n'],
  ['r.csv', 'meta.day\n1,2\n'],
  ['r.csv', 'meta.day\n"1\n'],
  ['r.csv', 'meta.day\n'],
  ['r.csv', 'meta.day\n\n'],
  ['r.csv', 'meta.day,meta.day\n1,2\n'],
])('%s: %j is refused', (file, text) => expect(() => dispatchRows(file, text)).toThrow(file))

const stub = (id: string, status: string, summary = {}) => ({
  ID: id,
  ParentID: 'n',
  Status: status,
  JobSummary: { Summary: { app: summary } },
})

interface Child {
  readonly id: string
  status: string
}

/** A scheduler with children that start at once; `onList` may change them before each list. */
async function scheduler(onList: (children: Child[]) => void = () => {}, others: readonly object[] = []) {
  const children: Child[] = []
  const tokens: string[] = []
  const { env, seen } = await serve(({ method, url, body }, response) => {
    if (method === 'GET' && !url.includes('prefix='))
      return json(response, 200, '{"ID":"n","ParameterizedJob":{"MetaOptional":["source"]}}')
    if (method === 'GET') {
      onList(children)
      return json(
        response,
        200,
        JSON.stringify([
          ...others,
          ...children.map(({ id, status }) => stub(id, status, status === 'dead' ? { Failed: 1 } : {})),
        ]),
      )
    }
    tokens.push(new URL(url, 'http://x').searchParams.get('IdempotencyToken') ?? '')
    const { IdPrefixTemplate } = JSON.parse(body) as { IdPrefixTemplate: string }
    const id = `n/dispatch-${IdPrefixTemplate}-1795236412-b2c4d6e8`
    children.push({ id, status: 'running' })
    json(response, 200, JSON.stringify({ DispatchedJobID: id, EvalID: 'e', EvalCreateIndex: 9, JobCreateIndex: 9 }))
  })
  return { env, seen, tokens, children }
}

function rows(count: number): string {
  const cwd = scratchFolder()
  writeRows(cwd, ...Array.from({ length: count }, (_, n) => String(n)))
  return cwd
}

function writeRows(cwd: string, ...values: readonly string[]): void {
  writeFileSync(join(cwd, 'r.ndjson'), values.map((n) => `${JSON.stringify({ meta: { source: n } })}\n`).join(''))
}

const runOf = (stderr: string) => /^run (\S+)$/m.exec(stderr)?.[1] ?? ''

/** The rows of the JSON of a run. */
async function rowsOfRun(line: string, machine: Machine) {
  const { stdout, stderr, exit } = await tug(`${line} -o json`, machine)
  const { items } = JSON.parse(stdout) as { items: { item: string; action: string; outcome?: string; job?: string }[] }
  return { items, stderr, exit, actions: items.map(({ action, outcome }) => [action, outcome ?? ''].join(' ').trim()) }
}

test('ID and token of each instance are made of the run, the place, the content and the attempt', async () => {
  const { env, tokens, seen } = await scheduler()
  const cwd = rows(3)
  const first = await tug('job dispatch n --from r.ndjson --id-prefix-template load', { env, cwd })
  const run = runOf(first.stderr)
  expect([first.exit, run]).toEqual([0, expect.stringMatching(/^\d{8}-\d{6}-[0-9a-f]{12}$/)])
  const marks = new Set(tokens.map((token) => token.replace(run, '')))
  expect([...marks].toSorted()).toEqual(
    [1, 2, 3].map((n) => expect.stringMatching(new RegExp(`^-${n}-[0-9a-f]{12}-1$`))),
  )
  for (const [index, { body }] of seen.filter(({ method }) => method === 'POST').entries())
    expect(JSON.parse(body)).toMatchObject({ IdPrefixTemplate: `load-${tokens[index]}` })
  await tug('job dispatch n --from r.ndjson', { env, cwd })
  expect(tokens.slice(3).filter((token) => token.startsWith(run))).toEqual([])
})

test('a run that is continued starts what has no instance, and no other', async () => {
  const { env } = await startDevServer({ clock: still })
  const cwd = rows(2)
  const line = 'job dispatch nightly --from r.ndjson'
  const run = runOf((await tug(line, { env, cwd })).stderr)
  writeRows(cwd, '0', '1', '2')
  const again = await rowsOfRun(`${line} --run ${run}`, { env, cwd })
  expect([again.exit, again.actions]).toEqual([0, ['unchanged', 'unchanged', 'dispatch done']])
  const plan = await rowsOfRun(`${line} --run ${run} --plan --exit-code`, { env, cwd })
  expect([plan.exit, plan.actions]).toEqual([0, ['unchanged', 'unchanged', 'unchanged']])
})

test.each([
  ['edited', ['0', 'x', '2'], ['unchanged', 'conflict', 'unchanged']],
  ['inserted', ['0', 'x', '1', '2'], ['unchanged', 'conflict', 'conflict', 'conflict']],
  ['removed', ['0', '2'], ['unchanged', 'conflict']],
  ['appended twice', ['0', '1', '2', '2'], ['unchanged', 'unchanged', 'unchanged', 'dispatch done']],
])('a file whose rows were %s since the run starts none of them twice', async (_, values, actions) => {
  const { env } = await startDevServer({ clock: still })
  const cwd = rows(3)
  const line = 'job dispatch nightly --from r.ndjson'
  const run = runOf((await tug(line, { env, cwd })).stderr)
  writeRows(cwd, ...values)
  expect((await rowsOfRun(`${line} --run ${run}`, { env, cwd })).actions).toEqual(actions)
})

test('a failed instance is started again with --retry-failed, and the newest attempt counts', async () => {
  const { env } = await startDevServer({ empty: true })
  const cwd = rows(1)
  const job = (exit: number) =>
    `job "n" {\n type = "batch"\n parameterized { meta_optional = ["source"] }\n group "g" {\n reschedule {\n attempts = 0\n unlimited = false\n }\n restart {\n attempts = 0\n mode = "fail"\n }\n task "t" {\n driver = "mock"\n config {\n run_for = "10ms"\n exit_code = ${exit}\n }\n }\n }\n}\n`
  const register = (exit: number) => tug('job run -', { env, stdin: job(exit) })
  await register(1)
  const line = 'job dispatch n --from r.ndjson'
  const first = await rowsOfRun(`${line} --wait`, { env, cwd })
  const run = runOf(first.stderr)
  const again = `${line} --run ${run}`
  expect([first.exit, first.actions, first.stderr]).toEqual([
    8,
    ['dispatch failed'],
    expect.stringContaining(`--run ${run} --retry-failed`),
  ])
  expect((await rowsOfRun(again, { env, cwd })).exit).toBe(0)
  expect((await rowsOfRun(`${again} --wait`, { env, cwd })).exit).toBe(8)
  await register(0)
  const retried = await rowsOfRun(`${again} --retry-failed --wait`, { env, cwd })
  expect([retried.exit, retried.actions, retried.items]).toEqual([
    0,
    ['dispatch done'],
    [expect.objectContaining({ attempt: 2 })],
  ])
  const end = await rowsOfRun(`${again} --retry-failed --wait`, { env, cwd })
  expect([end.exit, end.actions[0]]).toEqual([0, expect.stringMatching(/^unchanged/)])
})

test.each(['', ' --wait'])('after a lost response the list of children shows what was started:%s', async (flags) => {
  const { env } = await startDevServer()
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'r.ndjson'), '{"meta":{"source":"a"}}\n{"meta":{"source":"b"}}\n')
  const isDispatch = ({ method, url }: { readonly method: string; readonly url: string }) =>
    method !== 'GET' && url.includes('/dispatch')
  const lossy = await serveBetween(env, { after: (request) => (isDispatch(request) ? 'lost' : undefined) })
  const line = `job dispatch nightly --from r.ndjson --retries 0${flags}`
  const { exit, items } = await rowsOfRun(line, { env: { ...env, ...lossy }, cwd })
  const started = { outcome: 'done', attempt: 1, job: expect.stringMatching(/^nightly\//) as string }
  expect([exit, items]).toEqual([0, [expect.objectContaining(started), expect.objectContaining(started)]])
})

test('rows without an instance in an old run are unknown, and none is started', async () => {
  const { env, tokens } = await scheduler()
  const { exit, items } = await rowsOfRun('job dispatch n --from r.ndjson --run 20200101-000000-000000000000', {
    env,
    cwd: rows(1),
  })
  expect([exit, tokens, items]).toEqual([
    1,
    [],
    [expect.objectContaining({ item: 'row 1', action: 'unknown', outcome: 'unknown' })],
  ])
})

test('an ended instance that cannot be read is unknown, with its ID', async () => {
  const { env, children, tokens } = await scheduler()
  const cwd = rows(1)
  const run = runOf((await tug('job dispatch n --from r.ndjson', { env, cwd })).stderr)
  // The list is not what the reads of a job answer.
  for (const child of children) child.status = 'dead'
  const { items, exit } = await rowsOfRun(`job dispatch n --from r.ndjson --run ${run} --retry-failed`, { env, cwd })
  expect([exit, tokens.length, items]).toEqual([
    1,
    1,
    [expect.objectContaining({ action: 'unknown', job: children[0]?.id })],
  ])
})

test('with --parallel no more instances of the run are alive; those of others do not count', async () => {
  let peak = 0
  const ended = (children: Child[]) => {
    const alive = children.filter(({ status }) => status !== 'dead')
    peak = Math.max(peak, alive.length)
    if (alive[0] !== undefined) alive[0].status = 'dead'
  }
  const others = ['n/dispatch-1', 'n/dispatch-2', 'n/dispatch-3'].map((id) => stub(id, 'running'))
  const { env, tokens } = await scheduler(ended, others)
  expect((await tug('job dispatch n --from r.ndjson --parallel 2', { env, cwd: rows(6) })).exit).toBe(0)
  expect([tokens.length, peak]).toEqual([6, 2])
})

test('only --parallel on the line limits running instances', async () => {
  const { env, seen } = await scheduler()
  const machine = { env: { ...env, TUG_PARALLEL: '1' }, cwd: rows(2) }
  expect((await tug('job dispatch n --from r.ndjson', machine)).exit).toBe(0)
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST'])
})

test('a run that is cut off ends with the line that continues it', async () => {
  const { env } = await serve(({ method }, response) =>
    method === 'GET'
      ? json(response, 200, '{"ID":"n","ParameterizedJob":{"MetaOptional":["source"]}}')
      : json(response, 500, '"out of memory"'),
  )
  const { exit, stderr } = await tug('job dispatch n --from r.ndjson --max-failures 1 --retries 0', {
    env,
    cwd: rows(9),
  })
  const line = `tug job dispatch n --from r.ndjson --max-failures 1 --retries 0 --run ${runOf(stderr)}`
  expect([exit, stderr.trimEnd().split('\n').at(-1)]).toEqual([10, expect.stringContaining(line)])
})

test.each([
  'job dispatch n r.ndjson --from r.ndjson',
  'job dispatch n --run 20200101-000000-000000000000',
  'job dispatch n --from r.ndjson --retry-failed',
  'job dispatch n --from r.ndjson --run 20200101',
  'job dispatch n --from r.ndjson --run 20201341-000000-000000000000',
  'job dispatch n --from r.ndjson --idempotency-token t',
])('%s is refused', async (line) => expect((await tug(line, { cwd: rows(1) })).exit).toBe(2))

test('--plan shows the instances of the rows without values, makes no run, and sends nothing', async () => {
  const { env, writes } = await startDevServer({ clock: still })
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'r.ndjson'), '{"payload":"p-secret"}\n{}\n')
  const plan = await tug('job dispatch nightly --from r.ndjson --meta source=w-secret --plan --exit-code -o json', {
    env,
    cwd,
  })
  expect([plan.exit, writes]).toEqual([9, []])
  expect(plan.stdout + plan.stderr).not.toContain('-secret')
  expect(JSON.parse(plan.stdout)).toMatchObject({
    planned: true,
    changed: true,
    run: null,
    items: [
      { item: 'row 1', action: 'dispatch', meta: ['source'], payload_bytes: 8 },
      { item: 'row 2', action: 'dispatch', meta: ['source'], payload_bytes: null },
    ],
  })
})

const block = (parameterized: object, more = {}) =>
  JSON.stringify({ ID: 'n', Name: 'n', Status: 'running', Version: 0, ParameterizedJob: parameterized, ...more })

test.each([
  ['not parameterized', '', block(null as never), 6],
  ['stopped', '', block({}, { Stop: true }), 6],
  ['required meta', '', block({ MetaRequired: ['a'] }), 6],
  ['meta that is not permitted', '--meta b=1', block({ MetaRequired: ['a'], MetaOptional: ['c'] }), 6],
  ['a required payload', '', block({ Payload: 'required' }), 6],
  ['a forbidden payload', 'payload', block({ Payload: 'forbidden' }), 6],
  [
    'nothing',
    'payload --meta a=1 --meta c=2',
    block({ MetaRequired: ['a'], MetaOptional: ['c'], Payload: 'required' }),
    0,
  ],
])('--plan refuses an instance by what the job shows: %s', async (_, words, body, code) => {
  const { env, seen } = await serve((__, response) => json(response, 200, body))
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'payload'), 'x')
  expect((await tug(`job dispatch n ${words} --plan`, { env, cwd })).exit).toBe(code)
  expect(seen.map(({ method }) => method)).toEqual(['GET'])
})

test.each([
  [404, 3],
  [403, 0],
])('--plan ends a job whose read is answered with %i by %i', async (status, code) => {
  const { env } = await serve((_, response) => json(response, status, '"no"'))
  const cwd = rows(2)
  expect((await tug('job dispatch n --from r.ndjson --plan', { env, cwd })).exit).toBe(code)
})
