import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dispatchRows } from '../../../src/commands/job/dispatch-many.ts'
import { scratchFolder } from '../../support/folder.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'

/** `job dispatch --from`: the rows of a file, and what is sent for each. */

const rowsOf = (file: string, text: string) =>
  dispatchRows(file, text).map(({ name, meta, payload }) => [name, { ...meta }, payload?.toString()])

test('rows of NDJSON and of CSV', () => {
  expect(rowsOf('r.ndjson', '{"meta":{"day":1,"who":"a"},"payload":{"n":1}}\n\n{"payload":"x"}\n{}\n')).toEqual([
    ['row 1', { day: '1', who: 'a' }, '{"n":1}'],
    ['row 2', {}, 'x'],
    ['row 3', {}, undefined],
  ])
  expect(rowsOf('r.ndjson', '{"meta":{"day":null,"who":"a"},"payload":null}')).toEqual([
    ['row 1', { who: 'a' }, undefined],
  ])
  expect(rowsOf('r.csv', '\uFEFFmeta.day,payload\r\n1,"a ""b"",\nc"\r\n\r\n2,\r\n\r\n')).toEqual([
    ['row 1', { day: '1' }, 'a "b",\nc'],
    ['row 2', { day: '2' }, undefined],
  ])
})

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

/** A scheduler that starts a child for each token, once; `running` is what its summary says. */
async function scheduler(running: () => number = () => 0) {
  const tokens = new Map<string, string>()
  const { env, seen } = await serve(({ method, url }, response) => {
    if (method === 'GET')
      return json(response, 200, JSON.stringify({ JobID: 'n', Summary: {}, Children: { Running: running() } }))
    const token = new URL(url, 'http://x').searchParams.get('IdempotencyToken') ?? ''
    const isNew = !tokens.has(token)
    if (isNew) tokens.set(token, `n/dispatch-${tokens.size}`)
    const answer = {
      DispatchedJobID: tokens.get(token),
      EvalID: isNew ? 'e' : '',
      EvalCreateIndex: 9,
      JobCreateIndex: 9,
      Index: 9,
    }
    return json(response, 200, JSON.stringify(answer))
  })
  return { env, seen, tokens }
}

function rows(count: number): string {
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'r.ndjson'), Array.from({ length: count }, (_, n) => `{"meta":{"n":"${n}"}}\n`).join(''))
  return cwd
}

test('each row is sent in the words of the specification to a server that speaks them', async () => {
  const { env, tokens } = await scheduler()
  const line = 'job dispatch n --from r.ndjson --parallel 1 --dialect neutral'
  expect((await tug(line, { env, cwd: rows(2) })).exit).toBe(0)
  expect(tokens.size).toBe(2)
})

test('an instance for each row, each with a token of its own; the journal keeps a second run from starting any', async () => {
  const { env, tokens, seen } = await scheduler()
  const cwd = rows(5)
  const first = await tug('job dispatch n --from r.ndjson --journal j -o json', { env, cwd })
  expect(first.exit).toBe(0)
  expect(JSON.parse(first.stdout)).toMatchObject({ action: 'dispatch', changed: true, failed: [] })
  expect([tokens.size, seen.length]).toEqual([5, 5])
  for (const token of tokens.keys()) expect(token).toMatch(/^[0-9a-f]{24}\/row-[1-5]-[0-9a-f]{8}$/)
  expect((await tug('job dispatch n --from r.ndjson --resume j', { env, cwd })).exit).toBe(0)
  expect(seen).toHaveLength(5)
  expect((await tug('job dispatch n --from r.ndjson', { env, cwd })).exit).toBe(0)
  expect(tokens.size).toBe(10)
  // Without a journal every run is another.
  for (const token of [...tokens.keys()].slice(5))
    expect(token).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}\/row-[1-5]-[0-9a-f]{8}$/)
})

test('a journal is of its rows and its job: changed rows that it has as done are refused, others may be fixed', async () => {
  const { env, seen } = await scheduler()
  const cwd = rows(3)
  expect((await tug('job dispatch n --from r.ndjson --journal j', { env, cwd })).exit).toBe(0)
  const write = (text: string) => writeFileSync(join(cwd, 'r.ndjson'), text)
  const again = async (job = 'n') => (await tug(`job dispatch ${job} --from r.ndjson --resume j`, { env, cwd })).exit
  expect([await again('m'), seen.length]).toEqual([2, 3])
  write('{"meta":{"n":"0"}}\n{"meta":{"n":"other"}}\n{"meta":{"n":"2"}}\n')
  expect([await again(), seen.length]).toEqual([2, 3])
  write('{"meta":{"n":"0"}}\n{"meta":{"n":"1"}}\n{"meta":{"n":"2"}}\n{"meta":{"n":"3"}}\n')
  expect([await again(), seen.length]).toEqual([0, 4])
})

test('a row whose fate is unknown keeps its token when another changes, and may not change itself', async () => {
  const sent: string[] = []
  const { env } = await serve(({ url }, response) => {
    const token = new URL(url, 'http://x').searchParams.get('IdempotencyToken') ?? ''
    sent.push(token)
    if (token.includes('row-2') && sent.length <= 3) response.destroy()
    else json(response, 200, '{"DispatchedJobID":"n/dispatch-1","EvalID":"e","Index":9}')
  })
  const cwd = rows(3)
  const write = (...values: string[]) =>
    writeFileSync(join(cwd, 'r.ndjson'), values.map((value) => `{"meta":{"n":"${value}"}}\n`).join(''))
  const line = 'job dispatch n --from r.ndjson --retries 0'
  expect((await tug(`${line} --journal j`, { env, cwd })).exit).toBe(10)
  const lost = sent.filter((token) => token.includes('row-2'))
  write('0', 'edited', '2')
  const refused = await tug(`${line} --resume j`, { env, cwd })
  expect([refused.exit, refused.stderr, sent.length]).toEqual([2, expect.stringContaining('row 2'), 3])
  appendFileSync(join(cwd, 'j'), readFileSync(join(cwd, 'j'), 'utf8').replaceAll('"unknown"', '"failed"'))
  expect((await tug(`${line} --resume j`, { env, cwd })).exit).toBe(2)
  write('0', '1', '2', '3')
  expect((await tug(`${line} --resume j`, { env, cwd })).exit).toBe(0)
  expect(sent.filter((token) => token.includes('row-2'))).toEqual([...lost, ...lost])
})

test('a run that finds all rows started says so', async () => {
  const { env, tokens } = await scheduler()
  const cwd = rows(2)
  const line = 'job dispatch n --from r.ndjson --idempotency-token t'
  await tug(line, { env, cwd })
  const again = await tug(line, { env, cwd })
  expect([again.exit, tokens.size, again.stderr]).toEqual([
    0,
    2,
    expect.stringContaining('started 0 instances of n; 2 '),
  ])
  await tug('job dispatch n --from r.ndjson --journal j', { env, cwd })
  const resumed = await tug('job dispatch n --from r.ndjson --resume j', { env, cwd })
  expect(resumed.stderr).toContain('(2 in an earlier run)')
})

test('with --parallel no more are started than may run at a time', async () => {
  let asked = 0
  const { env, seen } = await scheduler(() => (asked++ === 0 ? 2 : 0))
  expect((await tug('job dispatch n --from r.ndjson --parallel 2', { env, cwd: rows(4) })).exit).toBe(0)
  const order = seen.map(({ method }) => method).join(' ')
  expect(order.startsWith('GET GET')).toBe(true)
  expect(order.match(/POST/g)).toHaveLength(4)
})

test('only --parallel on the line limits running instances', async () => {
  const { env, seen } = await scheduler(() => 2)
  const machine = { env: { ...env, TUG_PARALLEL: '2' }, cwd: rows(2) }
  expect((await tug('job dispatch n --from r.ndjson', machine)).exit).toBe(0)
  expect(seen.map(({ method }) => method)).toEqual(['POST', 'POST'])
})

test.each(['job dispatch n r.ndjson --from r.ndjson', 'job dispatch n --journal j'])('%s is refused', async (line) =>
  expect((await tug(line, { cwd: rows(1) })).exit).toBe(2),
)

test('--plan shows the instances of the rows without values, and sends nothing', async () => {
  const { env, seen } = await scheduler()
  const cwd = scratchFolder()
  writeFileSync(join(cwd, 'r.ndjson'), '{"meta":{"day":"d-secret"},"payload":"p-secret"}\n{}\n')
  const plan = await tug('job dispatch n --from r.ndjson --meta who=w-secret --plan --exit-code', { env, cwd })
  expect([plan.exit, seen]).toEqual([9, []])
  expect(plan.stdout).toMatch(/row 1 .*who, day.* 8 bytes\n.*row 2 .*who/)
  expect(plan.stdout + plan.stderr).not.toContain('-secret')
  const asData = await tug('job dispatch n --from r.ndjson --plan -o json', { env, cwd })
  expect(JSON.parse(asData.stdout)).toEqual([
    { row: 'row 1', action: 'start', detail: 'meta day, payload of 8 bytes', meta: ['day'], payload_bytes: 8 },
    { row: 'row 2', action: 'start', detail: '', meta: [], payload_bytes: null },
  ])
  expect((await tug('job dispatch n --plan', { env, cwd })).exit).toBe(2)
})
