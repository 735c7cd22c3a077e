import { expect, test } from 'vitest'
import { startDevServer } from '../../support/dev.ts'
import { hiddenClock } from '../../support/stopped-clock.ts'
import { json, serve } from '../../support/serve.ts'
import { tug } from '../../support/run.ts'
import { mentions, says, told } from '../../support/told.ts'

test("allocations in a pipe are whole and live first, newest first; JSON keeps the server's order", async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const table = await tug('job allocs web', { env })
  const ids = [...table.stdout.matchAll(/^[0-9a-f]{8}-[0-9a-f-]{27}/gm)].map(([id]) => id)
  const inJson = await tug('job allocs web --query [].[CreateIndex,ID] -o json', { env })
  const pairs = JSON.parse(inJson.stdout) as [number, string][]
  expect(ids.length).toBeGreaterThan(5)
  expect(new Set(ids)).toEqual(new Set(pairs.map(([, id]) => id)))
  const indexes = ids.map((id) => pairs.find(([, other]) => other === id)?.[0] as number)
  expect(indexes).toEqual(indexes.toSorted((one, other) => other - one))
  expect(pairs.map(([index]) => index)).not.toEqual(indexes)
})

test('a terminal shows live allocations with short IDs, and counts the others; --all lists them', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const machine = { env, terminals: { stdout: 80 } }
  const table = await tug('job allocs web --color never', machine)
  expect(table.stdout).toMatch(/^ID +GROUP +NODE +STATUS +VERSION +AGE +RESTARTS +LAST EVENT\n/)
  expect(table.stdout.match(/^[0-9a-f]{8} {2}app {4}(?:alpha|beta)/gm)).toHaveLength(3)
  expect(table.stdout.trimEnd().split('\n')).toHaveLength(4)
  expect(table.stderr).toBe('5 stopped allocations: tug job allocs web --all\n')
  const all = await tug('job allocs web --all --color never', machine)
  expect(all.stdout.trimEnd().split('\n')).toHaveLength(9)
  expect(all.stderr).toBe('')
  const csv = await tug('job allocs web -o csv --columns id --no-headers', machine)
  expect(csv.stdout.match(/^[0-9a-f-]{36}$/gm)).toHaveLength(8)
  const batch = await tug('job allocs batch-report --color never', machine)
  expect(batch.stdout).toMatch(/complete +0 +(?:in )?\S+ +0 +Terminated: exit 0\n$/)
})

test('below an allocation that failed a terminal shows what happened; the exit status is never cut', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const { stdout } = await tug('job allocs batch-broken --color never', { env, terminals: { stdout: 80 } })
  expect(stdout).toMatch(/^[0-9a-f]{8} .* exit status 3 \(report\)\n {4}task report .* 3, was restarted once/m)
  expect(stdout.replaceAll(/\n +/g, ' ')).toContain(
    'report dead (failed): Received; Task Setup: Building Task Directory; Started;',
  )
  const lines = stdout.split('\n')
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
  const piped = await tug('job allocs batch-broken --color never', { env })
  expect(piped.stdout.trimEnd().split('\n')).toHaveLength(3)
  expect(piped.stdout).toMatch(/ task report .* 3, was restarted once, .* \(1 attempt in 1h\)\n/)
})

test('a narrow list keeps what needs attention: statuses and counts are whole, only the type is cut', async () => {
  const stub = {
    ID: 'nightly/dispatch-1795307381-b2c4d6e8',
    Type: 'batch',
    ParameterizedJob: true,
    Status: 'dead',
    Stop: true,
    JobSummary: { Summary: { app: { Running: 1, Failed: 2 } } },
  }
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify([stub])))
  const { stdout } = await tug('job list --color never --no-headers', { env, terminals: { stdout: 78 } })
  expect(stdout).toMatch(/^nightly\/dispatch-1795307381-b2c4d6e8 +paramet… +stopped +1 running, 2 failed\n$/)
})

test('a list shows ages and states, absolute times with -o wide, RFC 3339 in machine formats', async () => {
  const stub = {
    ID: 'web',
    Namespace: 'default',
    Type: 'service',
    Status: 'dead',
    Stop: true,
    SubmitTime: 1795245026848458803n,
    JobSummary: { Summary: { app: { Running: 2, Queued: 1, Starting: 1, Failed: 3, Lost: 1 } } },
  }
  const body = `[${JSON.stringify(stub, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))}]`
  const { env } = await serve((_, response) => json(response, 200, body))
  const machine = { env, now: new Date('2026-11-21T09:30:26Z') }
  const table = await tug('job list', machine)
  expect(
    table.stdout
      .split('\n')[1]
      ?.split(/ {2,}/)
      .map((one) => one.trim()),
  ).toEqual(['web', 'service', 'stopped', '2h', '2 running, 1 starting, 1 queued, 3 failed, 1 lost'])
  expect((await tug('job list -o wide', machine)).stdout).toContain('2026-11-21 07:10 UTC  ')
  expect((await tug('job list -o csv --columns age', machine)).stdout).toBe('submitted\n2026-11-21T07:10:26.848Z\n')
  expect((await tug("job list -n '*'", machine)).stdout).toContain('NAMESPACE')
})

test.each([
  ['as the server spells it', String.raw`[{"ID":"a, b","Time":1763709321123456789,"N":1.0,"Q":"\" é"}]`],
  ['with blanks', String.raw`[ {"ID": "a, b", "Time": 1763709321123456789,"N":1.0, "Q":"\" é"} ]`],
  ['with needless escapes', String.raw`[{"ID":"a\u002c b","Time":1763709321123456789,"N":1.0,"Q":"\" \u00e9"}]`],
  ['on lines', String.raw`[{"ID":"a, b","Time":1763709321123456789,"N":1.0,"Q":"\" é"}` + '\n]\n'],
])('a list in JSON %s is compact and without loss in a pipe', async (_, sent) => {
  const { env } = await serve((_request, response) => json(response, 200, sent))
  const { exit, stdout } = await tug('job list -o json', { env })
  expect({ exit, stdout }).toEqual({
    exit: 0,
    stdout: String.raw`[{"ID":"a, b","Time":1763709321123456789,"N":1.0,"Q":"\" é"}]` + '\n',
  })
})

test('csv has the words of the table for type and status', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const { stdout } = await tug('job list -o csv --columns id,type,status --no-headers', { env })
  expect(stdout).toMatch(/^legacy,service,stopped$/m)
  expect(stdout).toMatch(/^cleanup,periodic,running$/m)
})

/** A header's value as servers send it: Node writes each character as one byte. */
function inUtf8(value: string): string {
  return Buffer.from(value).toString('latin1')
}

test("a page names the next one, --all follows them, and an answer that isn't a list is an error", async () => {
  const { env, seen } = await serve(({ url }, response) => {
    const token = new URL(url, 'http://host').searchParams.get('next_token')
    const next: Record<string, string> = token === null ? { 'x-scheduler-nexttoken': inUtf8('default.b é') } : {}
    json(response, 200, token === null ? '[{"ID":"a"}]' : '[{"ID":"b é"}]', next)
  })
  const page = await tug('job list --per-page 1 -o name', { env })
  expect(page).toMatchObject({ exit: 0, stdout: 'a\n' })
  expect(page.stderr).toContain("--next-token 'default.b é'")
  const all = await tug('job list --all --per-page 1 -o name', { env })
  expect(all).toMatchObject({ exit: 0, stdout: 'a\nb é\n', stderr: '' })
  expect(seen.at(-1)?.url).toBe('/v1/jobs?per_page=1&next_token=default.b%20%C3%A9')

  const odd = await serve((_, response) => json(response, 200, '{}'))
  const { exit, stderr } = await tug('job list', { env: odd.env })
  expect(exit).toBe(1)
  expect(stderr).toMatch(mentions('job list: … object, not an array'))
})

test('every page of 50,000 jobs streams a page at a time', async () => {
  const perPage = 500
  const { env, seen } = await serve(({ url }, response) => {
    const start = Number(new URL(url, 'http://host').searchParams.get('next_token') ?? 0)
    const rows = Array.from({ length: perPage }, (_, index) => `{"ID":"job-${start + index}"}`)
    const more: Record<string, string> =
      start + perPage < 50_000 ? { 'x-nomad-nexttoken': String(start + perPage) } : {}
    json(response, 200, `[${rows.join(',')}]`, more)
  })
  const { exit, stdout } = await tug('job list --all --per-page 500 -o ndjson', { env })
  const lines = stdout.trimEnd().split('\n')
  expect(exit).toBe(0)
  expect(lines).toHaveLength(50_000)
  expect(lines.at(-1)).toBe('{"ID":"job-49999"}')
  expect(seen).toHaveLength(100)
})

test('a single answer with all jobs is printed as it arrives in line formats', async () => {
  for (const [format, lines] of [
    ['ndjson', '{"ID":"a"}\n{"ID":"b"}\n'],
    ['name', 'a\nb\n'],
  ] as const) {
    let finish = () => undefined as unknown
    const { env } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('[{"ID":"a"},{"ID":"b')
      finish = () => response.end('"}]')
    })
    // The rest is sent after the first line was printed.
    const printed = await tug(`job list --all -o ${format}`, { env, onWrite: () => finish() })
    expect(printed).toMatchObject({ exit: 0, stdout: lines, stderr: '' })
  }
})

test('a truncated answer fails: after the lines that arrived, or before anything is printed', async () => {
  const { env } = await serve((_, response) => json(response, 200, '[{"ID":"a"},{"ID":"b"'))
  const lines = await tug('job list -o ndjson', { env })
  expect(lines).toMatchObject({ exit: 1, stdout: '{"ID":"a"}\n' })
  expect(JSON.parse(lines.stderr)).toMatchObject({
    error: { code: 'failed', message: says('job list: … 1 item'), path: '/v1/jobs' },
  })
  for (const format of ['json', 'yaml', 'table']) {
    expect(await tug(`job list -o ${format}`, { env })).toMatchObject({ exit: 1, stdout: '' })
  }
})

test("--raw passes the server's bytes, with --all too if there is one page", async () => {
  const body = ' [ {"ID": "a"} ] \n'
  const { env } = await serve((_, response) => json(response, 200, body))
  expect((await tug('job list --raw', { env })).stdout).toBe(body)
  expect((await tug('job list --all --raw', { env })).stdout).toBe(body)
})

test('--watch shows each change and ends with Ctrl-C, exit 130', async () => {
  const signals = new Map<string, () => void>()
  const { env, seen } = await serve(({ url }, response, count) => {
    if (count === 1) json(response, 200, '{"ID":"web","Status":"pending"}', { 'x-scheduler-index': '5' })
    else if (count === 2) json(response, 200, '{"ID":"web","Status":"running"}', { 'x-scheduler-index': '9' })
    else signals.get('SIGINT')?.()
    expect(url).toContain(count === 1 ? '/v1/job/web?stale=true' : 'index=')
  })
  const { exit, stdout, stderr } = await tug('job get web --watch --stale -o ndjson', { env, signals })
  expect(stdout).toBe('{"ID":"web","Status":"pending"}\n{"ID":"web","Status":"running"}\n')
  expect(seen.map(({ url }) => url)).toEqual([
    '/v1/job/web?stale=true',
    '/v1/job/web?stale=true&index=5&wait=60s',
    '/v1/job/web?stale=true&index=9&wait=60s',
  ])
  expect({ exit, stderr }).toEqual({ exit: 130, stderr: '' })
})

test('--watch on a list of pages is refused', async () => {
  const { exit, stderr } = await tug('job list --watch --all --per-page 5')
  expect(exit).toBe(2)
  expect(stderr).toMatch(mentions('--watch …'))
})

test('a missing deployment is not found, whether or not the job exists', async () => {
  const { env } = await startDevServer({ clock: hiddenClock })
  const { exit, stderr, stdout } = await tug('job deployment nightly', { env })
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' })
  expect(stderr).toMatch(mentions('… nightly …'))
})

test('a 403 names the capability needed', async () => {
  const { env } = await serve((_, response) => {
    response.writeHead(403, { 'content-type': 'text/plain' }).end('Permission denied')
  })
  for (const [line, capability] of [
    ['job list', 'namespace:list-jobs'],
    ['job get web', 'namespace:read-job'],
    ['job scale-status web', 'namespace:read-job-scaling or namespace:read-job'],
    ['job stop web --yes', 'namespace:submit-job'],
    ['job dispatch web', 'namespace:dispatch-job'],
    [
      'job scale web app 1 --policy-override',
      'namespace:scale-job or namespace:submit-job, and namespace:policy-override',
    ],
  ] as const) {
    const { exit, stderr } = await tug(line, { env })
    expect(exit, line).toBe(4)
    expect(stderr, line).toContain(`hint: needed: ${capability}\n`)
  }
})

test('a failed allocation shows the cause, not what followed', async () => {
  const events = [
    { Type: 'Started', Time: 1, ExitCode: 0, DisplayMessage: 'Task started by client' },
    { Type: 'Terminated', Time: 2, ExitCode: 7, DisplayMessage: 'Exit Code: 7' },
    { Type: 'Not Restarting', Time: 3, ExitCode: 0, DisplayMessage: 'Exceeded allowed attempts' },
  ]
  const allocation = { ID: 'a-1', ClientStatus: 'failed', TaskStates: { srv: { Failed: true, Events: events } } }
  const other = {
    ID: 'a-2',
    ClientStatus: 'running',
    DesiredStatus: 'stop',
    TaskStates: { srv: { Failed: false, Events: events.slice(0, 1) }, side: { Failed: false, Events: [] } },
  }
  const again = {
    ID: 'a-3',
    ClientStatus: 'running',
    DesiredStatus: 'run',
    TaskStates: { srv: { Events: [...events, events[0]] } },
  }
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify([allocation, other, again])))
  const { stdout } = await tug('job allocs web --columns id,status,event --no-headers', { env })
  expect(stdout).toMatch(
    told(
      'a-1  failed    task srv … 7, … (Exceeded allowed attempts)\na-2  stopping  srv: Started\na-3  running   Started\n',
    ),
  )
})

test('an evaluation shows which groups were not placed, and why', async () => {
  const evaluation = {
    ID: 'e-1',
    Status: 'complete',
    FailedTGAllocs: {
      app: { CoalescedFailures: 2, ConstraintFiltered: { 'missing drivers': 1 }, DimensionExhausted: { memory: 2 } },
      side: { NodesEvaluated: 0 },
    },
  }
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify([evaluation])))
  const { stdout } = await tug('job evals web --columns unplaced --no-headers', { env })
  expect(stdout).toMatch(told('app: 3 not placed (1 node lacks the driver, 2 nodes have …); side: 1 not placed (…)\n'))
})

test('a deployment that was rolled back names the version', async () => {
  const failed = {
    ID: 'd1',
    Status: 'failed',
    StatusDescription: 'Failed due to unhealthy allocations - rolling back to job version 3',
  }
  const kept = {
    ...failed,
    StatusDescription: 'Failed due to unhealthy allocations - not rolling back to stable job version 3',
  }
  for (const [one, words] of [
    [failed, 'failed (back to 3)'],
    [kept, 'failed  '],
  ] as const) {
    const { env } = await serve((_, response) => json(response, 200, JSON.stringify([one])))
    expect((await tug('job deployments web --columns status,id', { env })).stdout).toContain(words)
    expect((await tug('job deployments web -o csv --columns status', { env })).stdout).toBe('status\nfailed\n')
  }
})

test('--source prints the file alone; a version without one is not found', async () => {
  const { env } = await serve(({ url }, response) =>
    json(response, 200, url.includes('version=1') ? '{"Source":""}' : String.raw`{"Source":"job \"x\" {}\n"}`),
  )
  expect(await tug('job submission x --version 0 --source', { env })).toMatchObject({ exit: 0, stdout: 'job "x" {}\n' })
  const none = await tug('job submission x --version 1 --source', { env })
  expect(none.exit).toBe(3)
  expect(none.stderr).toMatch(mentions('version 1 of x …'))
  expect((await tug('job submission x --version 0 --source -o json', { env })).exit).toBe(2)
})

test('the list shows what became of finished batch jobs; a service has no use for the complete ones', async () => {
  const stub = (ID: string, Type: string) => ({
    ID,
    Type,
    JobSummary: { Summary: { app: { Complete: 2, Failed: 1 } } },
  })
  const stubs = [stub('import', 'batch'), stub('sweep', 'sysbatch'), stub('web', 'service')]
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify(stubs)))
  const { stdout } = await tug('job list --columns id,allocs -o csv', { env })
  expect(stdout.trim().split('\n').slice(1)).toEqual([
    'import,"1 failed, 2 complete"',
    'sweep,"1 failed, 2 complete"',
    'web,1 failed',
  ])
})

test('allocations show how often their tasks were restarted, and when last', async () => {
  const task = { State: 'running', Restarts: 3, LastRestart: '2026-11-21T11:59:00Z', Events: [] }
  const log = { ...task, Restarts: 1, LastRestart: '2026-11-21T11:58:00Z' }
  const allocations = [
    { ID: 'a1', ClientStatus: 'running', TaskStates: { srv: task } },
    { ID: 'a2', ClientStatus: 'running', TaskStates: { log, srv: task } },
  ]
  const { env } = await serve((_, response) => json(response, 200, JSON.stringify(allocations)))
  const csv = await tug('job allocs web -o csv --columns restarts,last_restart', { env })
  expect(csv.stdout).toBe('restarts,last_restart\n3,2026-11-21T11:59:00.000Z\n4,2026-11-21T11:59:00.000Z\n')
})
