import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { listen, serveAnswers } from '../../http/socket-server.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { tug } from '../../support/run.ts'
import type { Visit } from './action-service.ts'
import { allocation, definition, direct, idOf, out, serveScheduler } from './action-service.ts'
import { mentions, says, told } from '../../support/told.ts'

/** One action on one allocation: what is sent, what comes back, and how it can end (docs/servers.md, Actions). */

test('the token is in the first frame only, and the neutral dialect sends no other frame', async () => {
  const { env, visits } = await serveScheduler((visit) => visit.exit())
  expect(await tug(`${direct} -n team-a --region eu`, { env })).toMatchObject({ exit: 0, stdout: '', stderr: '' })
  const [visit] = visits
  expect(visit?.received).toEqual([{ version: 1, auth_token: 'scheduler-token' }])
  expect(JSON.stringify([visit?.message.url, visit?.message.rawHeaders])).not.toContain('scheduler-token')
  expect(visit?.message.headers).not.toHaveProperty('authorization')
  expect(Object.fromEntries(visit?.query ?? [])).toEqual({
    action: 'migrate',
    task: 'server',
    alloc_id: idOf('9c0f11aa'),
    allocID: idOf('9c0f11aa'),
    tty: 'false',
    ws_handshake: 'true',
    namespace: 'team-a',
    region: 'eu',
  })
})

test('without a token the first frame has an empty one', async () => {
  const { origin, visits } = await serveScheduler((visit) => visit.exit())
  expect(await tug(direct, { env: { TUG_SCHEDULER_ADDR: origin } })).toMatchObject({ exit: 0 })
  expect(visits[0]?.received).toEqual([{ version: 1, auth_token: '' }])
})

test.each(['all', 'tty', 'alloc 9c0f11aa', 'group app', 'task server'])(
  'a run without the name of an action is no list of actions: --%s',
  async (words) => {
    const { env, visits } = await serveScheduler((visit) => visit.exit())
    const { exit, stdout, stderr } = await tug(`job action web --${words} -n team-a`, { env })
    expect({ exit, stdout, sent: visits.length }).toEqual({ exit: 2, stdout: '', sent: 0 })
    expect(stderr).toMatch(mentions(`<action> … --${words.split(' ')[0]}`))
    expect(stderr).toMatch(mentions('hint: …: tug job actions web -n team-a'))
  },
)

describe('standard input in the hashicorp dialect', () => {
  test('travels and is closed at its end', async () => {
    const { env, visits } = await serveScheduler((visit) => void visit.frames(3).then(() => visit.exit(3)))
    const machine = { env: { ...env, TUG_DIALECT: 'hashicorp' }, stdin: 'one\n\0two' }
    expect(await tug(direct, machine)).toMatchObject({ exit: 3, stderr: '' })
    expect(visits[0]?.received.slice(1)).toEqual([
      { stdin: { data: Buffer.from(machine.stdin).toString('base64') } },
      { stdin: { close: true } },
    ])
  })

  test('large input arrives complete and in order, in several frames', async () => {
    const stdin = Array.from({ length: 40_000 }, (_, index) => `line ${index}\n`).join('')
    const { env, visits } = await serveScheduler(({ webSocket, received, exit }) => {
      webSocket.on('message', () => {
        if (JSON.stringify(received.at(-1)).includes('close')) exit()
      })
    })
    expect((await tug(direct, { env: { ...env, TUG_DIALECT: 'hashicorp' }, stdin })).exit).toBe(0)
    const frames = (visits[0]?.received ?? []).slice(1) as { stdin: { data?: string } }[]
    expect(frames.length).toBeGreaterThan(3)
    expect(Buffer.concat(frames.map((frame) => Buffer.from(frame.stdin.data ?? '', 'base64'))).toString()).toBe(stdin)
  })

  test('several allocations get none of it', async () => {
    const { env, visits } = await serveScheduler((visit) => void visit.frames(2).then(() => visit.exit()), {
      actions: [definition('migrate')],
      allocations: [allocation('9c0f11aa', 1), allocation('d41e77b0', 2)],
    })
    const machine = { env: { ...env, TUG_DIALECT: 'hashicorp' }, stdin: 'data' }
    const { exit, stderr } = await tug('job action web migrate --all', machine)
    expect(exit).toBe(0)
    expect(stderr).toMatch(mentions(' input has data, '))
    expect(visits.map(({ received }) => received[1])).toEqual([{ stdin: { close: true } }, { stdin: { close: true } }])
  })
})

test.each([
  [20, 20, ''],
  [21, 20, '\n  and 1 more'],
])('of %i allocations that failed %i are named', async (count, named, more) => {
  const { env } = await serveScheduler((visit) => visit.exit(3), {
    actions: [definition('migrate')],
    allocations: Array.from({ length: count }, (_, at) => allocation(String(10_000_000 + at), at)),
  })
  const { exit, stderr } = await tug('job action web migrate --all', { env })
  expect(exit).toBe(10)
  expect(stderr.match(/^ {2}\d{8} exited with status 3$/gm)).toHaveLength(named)
  expect(stderr).toMatch(new RegExp(`exited with status 3${more}\nhint: .* --alloc ${idOf('10000000')} `))
})

test('sessions count as connections to the server', async () => {
  const open: Visit[] = []
  const counts: number[] = []
  const { env, connections } = await serveScheduler(
    (visit) => {
      if (open.push(visit) < 4) return
      void (async () => {
        for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve))
        counts.push(connections())
        for (const one of open.splice(0)) one.exit(0)
      })()
    },
    {
      actions: [definition('migrate')],
      allocations: Array.from({ length: 8 }, (_, at) => allocation(String(10_000_000 + at), at)),
    },
  )
  const { exit } = await tug('job action web migrate --all', { env: { ...env, TUG_MAX_CONNECTIONS: '4' } })
  expect([exit, counts]).toEqual([0, [4, 4]])
})

test('without an action, the actions are listed with the boundaries of their arguments', async () => {
  const { env, visits } = await serveScheduler(() => {}, {
    actions: [{ Name: 'hi', TaskName: 't', TaskGroupName: 'g', Command: '/bin/sh', Args: ['-c', 'echo a b', ''] }],
  })
  const { exit, stdout } = await tug('job action web -o csv', { env })
  expect(exit).toBe(0)
  expect(stdout).toBe("action,group,task,command\nhi,g,t,/bin/sh -c 'echo a b' ''\n")
  expect(visits).toEqual([])
})

test("the hashicorp dialect closes an action's stdin at once if it is empty", async () => {
  const { env, visits } = await serveScheduler((visit) => void visit.frames(2).then(() => visit.exit(3)))
  expect(await tug(direct, { env: { ...env, TUG_DIALECT: 'hashicorp' } })).toMatchObject({ exit: 3 })
  expect(visits[0]?.received[1]).toEqual({ stdin: { close: true } })
})

test('both streams pass unchanged, even a character split over two frames', async () => {
  const { env } = await serveScheduler((visit) => {
    const euro = Buffer.from('€\0\x1b[1m')
    visit.say(out('stdout', euro.subarray(0, 1)), {}, out('stderr', 'é\r\n'), out('stdout', euro.subarray(1)))
    visit.say({ stdout: { close: true } }, { stderr: { close: true } })
    visit.exit(0)
  })
  expect(await tug(direct, { env })).toMatchObject({ exit: 0, stdout: '€\0\x1b[1m', stderr: 'é\r\n' })
})

test('ten megabytes arrive complete and in order', async () => {
  const sent = Buffer.alloc(10 * 1024 * 1024)
  for (let at = 0; at < sent.length; at += 4) sent.writeUInt32LE(at, at)
  const { env } = await serveScheduler((visit) => {
    for (let at = 0; at < sent.length; at += 4096) visit.say(out('stdout', sent.subarray(at, at + 4096)))
    visit.exit()
  })
  const { exit, bytes } = await tug(direct, { env })
  expect(exit).toBe(0)
  expect(bytes.equals(sent)).toBe(true)
})

describe('an end before the exit frame', () => {
  test.for([
    [1008, 'action nope not found in task server', 3, 'tug job actions web'],
    [1008, `task nope not found in allocation ${idOf('9c0f11aa')}`, 3, 'tug job actions web'],
    [1008, `Unknown allocation "${idOf('9c0f11aa')}"`, 3, 'tug job allocs web'],
    [1008, `job web does not have allocation ${idOf('9c0f11aa')}`, 3, 'tug job allocs web'],
    [1008, 'task "server" is not running.', 3, 'tug job allocs web'],
    [1008, 'command is not present', 3, 'tug job actions web'],
    [1011, 'Permission denied: task is not running', 4, 'tug status'],
    [1011, 'rpc error: code = Unknown desc = ACL token not found', 4, 'tug status'],
    [1008, 'failed to parse signed token', 4, 'tug status'],
    [1011, 'Permission denied', 4, 'namespace:alloc-exec, and namespace:alloc-node-exec'],
    [1008, 'rpc error: Permission denied', 4, 'tug status'],
    [1008, 'handshake auth token mismatched auth header token', 125, '9c0f11aa'],
    [1000, '', 125, 'close code 1000'],
    [
      1011,
      'rpc error: code = Unknown desc = failed to start command: fork/exec /x: no such file or directory',
      125,
      ': fork/exec /x',
    ],
  ] as const)('%i %s: %i', async ([code, reason, exit, words]) => {
    const { env } = await serveScheduler((visit) => visit.webSocket.close(code, reason))
    const outcome = await tug(direct, { env })
    expect(outcome.exit).toBe(exit)
    expect(outcome.stderr).toContain(words)
    expect(outcome.stderr).not.toContain('rpc error')
  })

  test('after output even a known reason is 125', async () => {
    const { env } = await serveScheduler((visit) => {
      visit.say(out('stdout', 'half'))
      visit.webSocket.close(1011, 'Permission denied')
    })
    const outcome = await tug(direct, { env })
    expect(outcome).toMatchObject({ exit: 125, stdout: 'half' })
    expect(outcome.stderr).toMatch(mentions('…: Permission denied'))
    expect(outcome.stderr).toMatch(mentions(`migrate … ${idOf('9c0f11aa')}`))
  })
})

describe('without a session', () => {
  test('an HTML page hints at a proxy', async () => {
    const page = '<html><title>Sign in</title></html>'
    const origin = await serveAnswers((response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page))
    const outcome = await tug(direct, { env: { TUG_SCHEDULER_ADDR: origin } })
    expect(outcome.exit).toBe(1)
    expect(outcome.stderr).toMatch(mentions(`${origin}/v1/job/web/action …`))
    expect(outcome.stderr).toMatch(mentions('… proxy …'))
  })

  test('a proxy that refuses is named', async () => {
    const proxy = createServer().on('connect', (_, client) => {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    })
    const env = { TUG_SCHEDULER_ADDR: 'http://scheduler.internal:1', HTTP_PROXY: await listen(proxy) }
    const outcome = await tug(direct, { env })
    expect(outcome.exit).toBe(7)
    expect(outcome.stderr).toMatch(mentions('… scheduler.internal:1: 407'))
  })
})

test('an address with a path, and one that is a Unix socket', async () => {
  const { origin, visits } = await serveScheduler((visit) => visit.exit())
  expect(await tug(direct, { env: { TUG_SCHEDULER_ADDR: `${origin}/base/v1` } })).toMatchObject({ exit: 0 })
  expect(visits[0]?.message.url).toMatch(/^\/base\/v1\/job\/web\/action\?/)

  const path = `${scratchFolder()}/socket`
  const server = createServer((_, response) => response.writeHead(403).end('Permission denied'))
  expect(await tug(direct, { env: { TUG_SCHEDULER_ADDR: await listen(server, { path }) } })).toMatchObject({ exit: 4 })
})

test('an interrupt says that the action may keep running', async () => {
  const signals = new Map<string, () => void>()
  const { env, visits } = await serveScheduler((visit) => {
    visit.webSocket.on('close', () => visit.socket.destroy())
    visit.say(out('stdout', 'begun\n'))
    signals.get('SIGINT')?.()
  })
  const outcome = await tug(direct, { env, signals })
  expect(outcome.exit).toBe(130)
  expect(outcome.stderr).toMatch(told(`tug: interrupted; migrate… ${idOf('9c0f11aa')}\n`))
  expect(outcome.stderr).not.toContain('Ctrl-C')
  expect(visits[0]?.received).toHaveLength(1)
})

test('data on stdin is reported as unused and changes nothing else', async () => {
  const { env } = await serveScheduler((visit) => visit.exit(3))
  const outcome = await tug(`${direct} --dialect neutral`, { env, stdin: 'data' })
  expect(outcome).toMatchObject({ exit: 3, stderr: says('… input has data, …\n') })
  expect(await tug(`${direct} --dialect neutral`, { env })).toMatchObject({ exit: 3, stderr: '' })
})

test('the trace shows the upgrade', async () => {
  const { env, origin } = await serveScheduler((visit) => visit.exit())
  const { stderr } = await tug(`${direct} --trace`, { env })
  expect(stderr).toContain(`> GET ${origin}/v1/job/web/action?action=migrate`)
  expect(stderr).not.toContain('scheduler-token')
})

test.for(['neutral', 'hashicorp'] as const)('the local server runs it (%s)', async (dialect) => {
  const server = await startDevServer({ dialect })
  // In auto, what the server shows decides whether the action's input has to be closed.
  const env = { ...server.env, TUG_DIALECT: 'auto' }
  const drained = await tug('job action api drain', { env })
  expect(drained).toMatchObject({ exit: 3, stdout: '' })
  expect(drained.stderr).toMatch(/^drain on [\da-f-]{36}, worker\/queue on \w+\ncannot drain: 3 items left\n$/)

  const all = await tug('job action web flush --all', { env })
  expect(all.exit).toBe(0)
  expect(all.stdout).toMatch(/^(?:[\da-f]{8} \| flushed \d+ keys\n){3}$/)
  expect(all.stderr).toBe('3 of 3 succeeded\n')

  const checked = await tug('job action web check --all', { env })
  expect(checked.exit).toBe(10)
  expect(checked.stdout).toMatch(/^(?:[\da-f]{8} \| ok\n){2}$/)
  expect(checked.stderr).toMatch(
    /^[\da-f]{8} \| error: redis timeout\ntug: 2 of 3 succeeded\n {2}[\da-f]{8} .* 3\nhint: .*: tug job action web check --alloc [\da-f-]{36} --task srv\n$/,
  )

  const records = await tug('job action web check --all -o json', { env })
  expect(records.exit).toBe(10)
  const ends = JSON.parse(records.stdout) as { exit_status: number }[]
  expect(ends.map((one) => one.exit_status).filter((status) => status !== 0)).toEqual([3])
  expect(ends[0]).toEqual({
    allocation: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    group: 'app',
    task: 'srv',
    node: expect.any(String) as string,
    exit_status: expect.any(Number) as number,
    error: null,
  })
  expect(records.stderr.match(/^[\da-f]{8} \| (?:ok|error: redis timeout)$/gm)).toHaveLength(3)
  expect(JSON.parse(records.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'partial' } })

  const whole = await tug('job action web flush --all -o csv', { env })
  expect(whole.stdout.split('\n')[0]).toBe('allocation,group,task,node,exit_status,error')
  const names = await tug('job action web flush --all -o name', { env })
  expect(names.stdout).toBe(whole.stdout.replace(/^allocation.*\n/, '').replaceAll(/,.*/g, ''))
  const flushed = await tug('job action web flush --all -o csv --columns task,exit_status,error', { env })
  expect(flushed).toMatchObject({ exit: 0, stdout: 'task,exit_status,error\nsrv,0,\nsrv,0,\nsrv,0,\n' })
  const unasked = await tug('job action web flush --all', { env: { ...env, TUG_OUTPUT: 'json' } })
  expect(unasked.stdout).toMatch(/^[\da-f]{8} \| flushed/)
})
