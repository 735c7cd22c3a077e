import { describe, expect, test } from 'vitest'
import { tug } from '../../support/run.ts'
import { serve } from '../../support/serve.ts'
import type { Visit } from './action-service.ts'
import { allocation, definition, idOf, out, serveScheduler } from './action-service.ts'
import { mentions, told } from '../../support/told.ts'

/** Where an action runs if allocation or task are omitted. */

const terminals = { stdin: true, stdout: 100, stderr: 100 }

const three = {
  actions: [definition('migrate'), definition('flush')],
  allocations: [allocation('e0a92c31', 10), allocation('9c0f11aa', 1), allocation('d41e77b0', 2)],
}

const success = (visit: Visit) => visit.exit()

/** `allocation/task` of each session. */
function places(visits: readonly Visit[]): string[] {
  return visits.map(({ query }) => `${query.get('allocID')?.slice(0, 8)}/${query.get('task')}`)
}

test('the only running allocation is chosen and named', async () => {
  const { env, visits, asked } = await serveScheduler(success, {
    actions: three.actions,
    allocations: [
      allocation('11111111', 0, { ClientStatus: 'complete' }),
      allocation('22222222', 1, { DesiredStatus: 'stop' }),
      allocation('33333333', 2, { TaskStates: { server: { State: 'dead' } } }),
      allocation('44444444', 3, { TaskGroup: 'worker' }),
      allocation('9c0f11aa', 4, { TaskStates: null }),
    ],
  })
  expect(await tug('job action web migrate --dialect neutral', { env })).toMatchObject({
    exit: 0,
    stderr: `migrate on ${idOf('9c0f11aa')}, frontend/server on node-4\n`,
  })
  expect(places(visits)).toEqual(['9c0f11aa/server'])
  expect(asked).toEqual(['/v1/job/web/actions', '/v1/job/web/allocations'])
})

test('--alloc with --task needs no lookup, --alloc alone only the actions', async () => {
  const { env, visits, asked } = await serveScheduler(success, three)
  const id = idOf('D41E77B0')
  await tug(`job action web migrate --alloc ${id} --task other --dialect neutral`, { env })
  expect(asked).toEqual([])
  await tug(`job action web migrate --alloc ${id} --dialect neutral`, { env })
  expect(asked).toEqual(['/v1/job/web/actions'])
  expect(places(visits)).toEqual(['d41e77b0/other', 'd41e77b0/server'])
})

test('an action of a product is refused in the neutral dialect: it would never end', async () => {
  const { env } = await serve((_, response) =>
    response.writeHead(200, { 'x-nomad-index': '7' }).end(JSON.stringify(three.actions)),
  )
  expect(await tug('job action web migrate --dialect neutral', { env })).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--dialect auto'),
  })
})

test('an ID prefix is enough if allocations are looked up', async () => {
  const { env, visits } = await serveScheduler(success, three)
  expect(await tug('job action web migrate --alloc d41e77b0-00', { env })).toMatchObject({ exit: 0 })
  expect(places(visits)).toEqual(['d41e77b0/server'])
  expect(await tug('job action web migrate --alloc d --task server', { env })).toMatchObject({ exit: 0 })
  expect(places(visits)).toEqual(['d41e77b0/server', 'd41e77b0/server'])
})

describe('a choice', () => {
  const question = `3 …:
  1  9c0f11aa  frontend/server on node-1
  2  d41e77b0  frontend/server on node-2
  3  e0a92c31  frontend/server on node-10
`

  test('is offered on a terminal', async () => {
    const { env, visits } = await serveScheduler(success, three)
    const { exit, stderr } = await tug('job action web migrate', { env, terminals, stdin: '2\n' })
    expect(stderr).toMatch(mentions(question))
    expect(stderr).toMatch(mentions('Which? [1-3, …]'))
    expect(exit).toBe(0)
    expect(places(visits)).toEqual(['d41e77b0/server'])
  })

  test('of all runs it on each', async () => {
    const { env, visits } = await serveScheduler(success, three)
    const { exit, stderr } = await tug('job action web migrate', { env, terminals, stdin: 'a\n' })
    expect(stderr).toContain('3 of 3 succeeded')
    expect(exit).toBe(0)
    expect(places(visits).toSorted()).toEqual(['9c0f11aa/server', 'd41e77b0/server', 'e0a92c31/server'])
  })

  test('of all is not offered with --tty: one terminal cannot show several sessions', async () => {
    const { env, visits } = await serveScheduler(success, three)
    const { exit, stderr } = await tug('job action web migrate -t --color never', { env, terminals, stdin: 'a\n' })
    expect(stderr).toContain('Which? [1-3] ')
    expect(stderr).toMatch(mentions("tug: 'a' … 1 to 3; …\n"))
    expect(exit).toBe(2)
    expect(visits).toEqual([])
    const piped = await tug('job action web migrate -t', { env })
    expect(piped.stderr).toMatch(mentions('… --alloc\n'))
  })

  test.for(['0', '4', '1.0', '0x1', 'x', '-1', ''])("of '%s' is invalid and nothing runs", async (answer) => {
    const { env, visits } = await serveScheduler(success, three)
    const { exit, stderr } = await tug('job action web migrate --color never', { env, terminals, stdin: `${answer}\n` })
    expect(stderr).toMatch(mentions(answer === '' ? 'tug: no choice …; …\n' : `tug: '${answer}' … 1 to 3 or a; …\n`))
    expect(exit).toBe(2)
    expect(visits).toEqual([])
  })

  test('without a terminal is a list', async () => {
    const { env, visits } = await serveScheduler(success, three)
    const { exit, stderr } = await tug('job action web migrate', { env })
    expect(stderr).toMatch(
      told(`tug: 3 … --alloc, … --all
hint: tug job action web migrate --alloc ${idOf('9c0f11aa')} --task server   (frontend/server on node-1)
hint: tug job action web migrate --alloc ${idOf('d41e77b0')} --task server   (frontend/server on node-2)
hint: tug job action web migrate --alloc ${idOf('e0a92c31')} --task server   (frontend/server on node-10)
`),
    )
    expect(exit).toBe(2)
    expect(visits).toEqual([])
  })

  test.for([
    [20, ''],
    [21, 'hint: and 1 more: tug job allocs web\n'],
  ] as const)('of %i is a list of 20', async ([length, more]) => {
    const allocations = Array.from({ length }, (_, index) => allocation(String(10_000_000 + index), index))
    const { env } = await serveScheduler(success, { ...three, allocations })
    const { stderr } = await tug('job action web migrate', { env })
    expect(stderr.match(/--alloc 1/g)).toHaveLength(20)
    expect(stderr.replace(/^(?:tug: .*\n)?(?:hint: tug .*\n)*/, '')).toBe(more)
  })

  test('of ten has aligned numbers; allocations of one name are ordered by ID', async () => {
    const allocations = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((digit) => allocation(`${digit}0000000`, 1))
    const { env, visits } = await serveScheduler(success, { ...three, allocations })
    const { stderr } = await tug('job action web migrate', { env, terminals, stdin: ' 10 \n' })
    expect(stderr).toContain('\n   1  00000000  ')
    expect(stderr).toContain('\n  10  90000000  ')
    expect(places(visits)).toEqual(['90000000/server'])
  })
})

describe('several tasks', () => {
  const tasks = [
    definition('migrate'),
    definition('migrate', 'frontend', 'proxy'),
    definition('migrate', 'worker', 'q'),
  ]
  const both = { server: { State: 'running' }, proxy: { State: 'running' } }
  const answers = { actions: tasks, allocations: [allocation('9c0f11aa', 1, { TaskStates: both })] }

  test('are all candidates', async () => {
    const { env, visits } = await serveScheduler(success, answers)
    expect((await tug('job action web migrate --all', { env })).exit).toBe(0)
    expect(places(visits).toSorted()).toEqual(['9c0f11aa/proxy', '9c0f11aa/server'])
  })

  test('are selected by --task and --group', async () => {
    const { env, visits } = await serveScheduler(success, answers)
    await tug('job action web migrate --task proxy', { env })
    await tug('job action web migrate --group frontend --task server', { env })
    expect(places(visits)).toEqual(['9c0f11aa/proxy', '9c0f11aa/server'])
  })

  test('of one allocation are a usage error', async () => {
    const { env, visits } = await serveScheduler(success, answers)
    const { exit, stderr } = await tug(`job action web migrate --alloc ${idOf('9c0f11aa')}`, { env })
    expect(stderr).toMatch(mentions("… web … 'migrate': frontend/server, frontend/proxy, worker/q"))
    expect(exit).toBe(2)
    expect(visits).toEqual([])
  })
})

test.for([
  ['job action web migrat', 3, "web … 'migrat'. … 'migrate'?\nhint: …: migrate, flush"],
  ['job action web migrate --group x --task y', 3, "'x', … 'y' … web … 'migrate'\nhint: …: frontend/server"],
  ['job action web migrate --alloc 12345678', 3, 'web … 12345678'],
  ['job action web migrate --alloc 99999999', 3, ' 99999999 … frontend/server'],
  ['job action web flush', 3, "web … frontend/server …, … 'flush'"],
  ['job action web migrate --alloc 9c0g', 2, "--alloc: '9c0g' …"],
  ['job action web migrate --alloc 9c0f11aax', 2, "--alloc: '9c0f11aax' …"],
  [`job action web migrate --alloc ${idOf('9c0f11aa')}0`, 2, '--alloc: …'],
  [`job action web migrate --alloc x${idOf('9c0f11aa')}`, 2, '--alloc: …'],
  ["job action web migrate --alloc ''", 2, '--alloc: …'],
  ['job action web migrate --group x', 3, "no group 'x' of web … 'migrate'\nhint: …: frontend/server"],
  ['job action web migrate --task y', 3, "no task 'y' of web … 'migrate'\nhint: …: frontend/server"],
  ['job action web migrate -o json', 2, ' -o '],
] as const)('%s: %i', async ([line, exit, words]) => {
  const { env, visits } = await serveScheduler(success, {
    actions: three.actions,
    allocations: [allocation('99999999', 0, { ClientStatus: 'failed' })],
  })
  const outcome = await tug(line, { env })
  expect(outcome.stderr).toMatch(mentions(words))
  expect(outcome.exit).toBe(exit)
  expect(visits).toEqual([])
})

test('a job without actions says so', async () => {
  const { env } = await serveScheduler(success)
  expect((await tug('job action web migrate', { env })).stderr).toMatch(mentions('hint: it … none'))
})

describe('--all', () => {
  test('prefixes whole lines of both streams and counts successes', async () => {
    const { env } = await serveScheduler((visit) => {
      const id = visit.query.get('allocID') ?? ''
      visit.say(out('stdout', 'flushed 1204'), out('stdout', ' keys\nlast'), out('stderr', 'warned\r\n\n'))
      visit.exit(id.startsWith('e0a92c31') ? 4 : 0)
    }, three)
    const { exit, stdout, stderr } = await tug('job action web flush --all', { env })
    expect(stdout.split('\n').toSorted()).toEqual([
      '',
      '9c0f11aa | flushed 1204 keys',
      '9c0f11aa | last',
      'd41e77b0 | flushed 1204 keys',
      'd41e77b0 | last',
      'e0a92c31 | flushed 1204 keys',
      'e0a92c31 | last',
    ])
    expect(stderr.match(/^\w{8} \| warned\r$/gm)).toHaveLength(3)
    expect(stderr).toMatch(
      /\ntug: 2 of 3 succeeded\n {2}e0a92c31 .* 4\nhint: .*: tug job action web flush --alloc e0a92c31-\S+ --task server\n$/,
    )
    expect(exit).toBe(10)
  })

  test('continues after a failed session', async () => {
    const { env } = await serveScheduler((visit) => {
      if (visit.query.get('allocID')?.startsWith('9c0f11aa') === true) visit.webSocket.close(1011, 'Permission denied')
      else visit.exit()
    }, three)
    const { exit, stderr } = await tug('job action web flush --all', { env })
    expect(stderr).toMatch(mentions('2 of 3 …\n  9c0f11aa …: Permission denied\nhint: …'))
    expect(exit).toBe(10)
  })

  test('runs more sessions than are allowed at once and limits endless lines', async () => {
    const allocations = Array.from({ length: 40 }, (_, index) => allocation(String(10_000_000 + index), index))
    const { env, visits } = await serveScheduler(
      (visit) => {
        visit.say(out('stdout', 'x'.repeat(70_000)))
        visit.exit()
      },
      { ...three, allocations },
    )
    const { exit, stdout } = await tug('job action web flush --all', { env })
    expect(exit).toBe(0)
    expect(new Set(places(visits)).size).toBe(40)
    expect(stdout.split('\n').filter((line) => /^\d{8} \| x{70000}$/.test(line))).toHaveLength(40)
  })

  test('runs 16 at once', async () => {
    const allocations = Array.from({ length: 20 }, (_, index) => allocation(String(10_000_000 + index), index))
    const open: Visit[] = []
    let most = 0
    const { env } = await serveScheduler(
      (visit) => {
        open.push(visit)
        most = Math.max(most, open.length)
        if (open.length < 16 && most < 16) return
        // A 17th would have begun by then.
        void (async () => {
          for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve))
          for (const one of open.splice(0)) one.exit()
        })()
      },
      { ...three, allocations },
    )
    expect((await tug('job action web flush --all', { env })).exit).toBe(0)
    expect(most).toBe(16)
  })

  test.for([
    [65_536, 1],
    [65_537, 2],
  ] as const)('a line that begins with %i bytes becomes %i', async ([bytes, lines]) => {
    const { env } = await serveScheduler(
      (visit) => {
        visit.say(out('stdout', 'x'.repeat(bytes)), out('stdout', 'y\n'))
        visit.exit()
      },
      { ...three, allocations: [allocation('9c0f11aa', 1), allocation('d41e77b0', 2)] },
    )
    const { stdout } = await tug('job action web flush --all', { env })
    expect(stdout.split('\n').filter((line) => line.startsWith('9c0f11aa | '))).toHaveLength(lines)
    expect(stdout.replaceAll(/\n.{8} \| /g, '').match(/y/g)).toHaveLength(2)
  })

  test('uses longer names if short ones are equal', async () => {
    const allocations = [1, 2].map((last) =>
      allocation('9c0f11aa', last, { ID: `9c0f11aa-0000-4000-8000-00000000000${last}` }),
    )
    const { env } = await serveScheduler(
      (visit) => {
        visit.say(out('stdout', 'x\n'))
        visit.exit()
      },
      { ...three, allocations },
    )
    const { stdout } = await tug('job action web flush --all', { env })
    expect(stdout.split('\n').toSorted()).toEqual([
      '',
      '9c0f11aa-0000-4000-8000-000000000001/server | x',
      '9c0f11aa-0000-4000-8000-000000000002/server | x',
    ])
  })

  test('names what keeps running when interrupted', async () => {
    const signals = new Map<string, () => void>()
    let begun = 0
    const { env } = await serveScheduler((visit) => {
      visit.webSocket.on('close', () => visit.socket.destroy())
      if (visit.query.get('allocID')?.startsWith('9c0f11aa') === true) return visit.exit()
      begun += 1
      if (begun === 2) signals.get('SIGINT')?.()
      return undefined
    }, three)
    const { exit, stderr } = await tug('job action web flush --all', { env, signals })
    expect(exit).toBe(130)
    expect(stderr).toMatch(/interrupted; flush.* .*d41e77b0-.*, e0a92c31-/)
    expect(stderr).not.toContain('Ctrl-C')
  })
})

test('--all starts no more after --max-failures, one at a time with --parallel 1, and lists all', async () => {
  const { env, visits } = await serveScheduler((visit) => visit.exit(visits.length === 2 ? 4 : 0), three)
  const line = 'job action web flush --all --parallel 1 --max-failures 1'
  const { exit, stdout } = await tug(`${line} -o json`, { env })
  const rows = JSON.parse(stdout) as { exit_status: number | null; error: string | null }[]
  expect({ exit, visits: visits.length }).toEqual({ exit: 10, visits: 2 })
  expect(rows.map(({ exit_status: status }) => status)).toEqual([0, 4, null])
  expect(rows.map(({ error }) => error !== null)).toEqual([false, false, true])
  visits.length = 0
  const { stderr } = await tug(line, { env })
  expect(stderr).toMatch(/\n {2}d41e77b0 exited with status 4\n {2}e0a92c31 was not started\nhint: /)
})

test('--all that is denied everywhere names the missing capability once', async () => {
  const { env } = await serveScheduler((visit) => visit.webSocket.close(1011, 'Permission denied'), three)
  const { exit, stderr } = await tug('job action web migrate --all', { env })
  expect(exit).toBe(10)
  expect(stderr).toContain('0 of 3 succeeded')
  expect(stderr.match(/needed: namespace:alloc-exec/g)).toHaveLength(1)
})
