import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Bulk } from '../../src/bulk/engine.ts'
import type { Task } from '../../src/bulk/task.ts'
import { openBulk } from '../../src/bulk/engine.ts'
import { bulkResult, failureLine } from '../../src/bulk/account.ts'
import { interrupted, TugError } from '../../src/core/errors.ts'
import { bench, post } from './bench.ts'
import type { HttpRequest } from '../../src/core/request.ts'
import { mentions, says } from '../support/told.ts'

const items = ['a', 'b', 'c', 'd', 'e', 'f']

function run(bulk: Bulk, act: Task<string>['act'], more: Partial<Task<string>> = {}) {
  return bulk.run({ what: 'copying', items, nameOf: (item) => item, act, ...more })
}

function linesOf(file: string) {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('every item is in the account, and a line of the journal, which only its owner may read', async () => {
  const { open, file } = bench()
  const bulk = await open({ journal: 'j' })
  const account = await run(bulk, async (item, { context }) => {
    if (item === 'a') return { outcome: 'unchanged', before: 1 }
    if (item === 'b') return { outcome: 'left_out' }
    if (item === 'c') throw new TugError('not_allowed', 'denied s3cret', { requestId: 'r9' })
    if (item === 'd') throw new TugError('unreachable', 'cut', { reason: 'in_doubt' })
    await context.http.send(post(item))
    return { before: 3, after: 4 }
  })
  expect(account.names).toEqual({
    done: ['e', 'f'],
    unchanged: ['a'],
    left_out: ['b'],
    failed: ['c'],
    unknown: ['d'],
    not_sent: [],
  })
  const common = {
    time: '1970-01-01T00:00:00.000Z',
    who: 'ann',
    action: 'copy',
    server: 'https://vault',
    target: 'secret',
    before: null,
    after: null,
  }
  expect(linesOf(file('j'))).toEqual(
    expect.arrayContaining([
      { ...common, item: 'a', before: 1, outcome: 'unchanged', error: null, request_id: null },
      { ...common, item: 'c', outcome: 'failed', error: 'denied …', request_id: 'r9' },
      { ...common, item: 'd', outcome: 'unknown', error: 'cut', request_id: null },
      { ...common, item: 'e', before: 3, after: 4, outcome: 'done', error: null, request_id: 'r1' },
    ]),
  )
  expect(statSync(file('j')).mode & 0o777).toBe(0o600)
  const { data, failure } = bulkResult(bulk, account, { noun: 'secret', action: 'copy', what: {}, done: 'copied' })
  expect(data).toMatchObject({ failed: [{ item: 'c', error: 'denied …' }], unknown: ['d'], left_out: ['b'] })
  expect(failure).toMatchObject({ code: 'partial', hints: ['resume with: tug kv copy a b --yes --resume j'] })
})

test('a journal is not resumed for another target, and never appended to a file that is something else', async () => {
  const { open, file, warnings } = bench()
  const line = { item: 'a', action: 'copy', outcome: 'done' }
  writeFileSync(file('j'), `${JSON.stringify({ ...line, target: 'other' })}\n`)
  await expect(open({ resume: 'j' })).rejects.toThrow(mentions('target: other, … secret'))
  expect((await open({ journal: 'j' })).past).toBeUndefined()
  writeFileSync(file('j'), `${JSON.stringify({ ...line, server: 'https://other', target: 'secret' })}\n`)
  await open({ resume: 'j' })
  expect(warnings).toEqual([says('… https://other; …')])
  for (const text of ['notes\n', '{"format":"tug-kv-backup"}\n']) {
    writeFileSync(file('other'), text)
    await expect(open({ journal: 'other' })).rejects.toThrow('other is not a journal')
  }
})

test('a journal that ends inside a line is continued on a new one', async () => {
  const { open, file } = bench()
  writeFileSync(file('j'), '{"item":')
  await run(await open({ journal: 'j' }), async () => ({}))
  expect(readFileSync(file('j'), 'utf8')).toMatch(/^\{"item":\n\{"time":/)
})

test('after so many failures the rest is not sent', async () => {
  const bulk = await bench(undefined, { maxFailures: 2 }).open({}, 1)
  const tried: string[] = []
  const account = await run(bulk, async (item) => {
    tried.push(item)
    if (item !== 'b') throw new TugError('not_allowed', 'denied')
    return {}
  })
  expect(tried).toEqual(['a', 'b', 'c'])
  expect(account.names).toMatchObject({ done: ['b'], failed: ['a', 'c'], not_sent: ['d', 'e', 'f'] })
  expect(bulkResult(bulk, account, { noun: 'secret', action: 'copy', what: {}, done: '' }).failure?.exit).toBe(10)
})

test('a signal: what was being written is unknown, what was being read or waited is not sent', async () => {
  const cut = () =>
    new Promise((_, fail) => {
      if (context.signal.aborted) fail(interrupted())
      context.signal.addEventListener('abort', () => fail(interrupted()))
    })
  const { open, interrupt, context, file } = bench(cut)
  const bulk = await open({ journal: 'j' }, 2)
  const account = await run(bulk, async (item, { context: here }) => {
    if (item === 'a') return {}
    const sent = here.http.send(item === 'b' ? { method: 'GET', path: '/v1/b' } : post(item))
    if (item === 'c') interrupt()
    await sent
    return {}
  })
  expect(account.names).toMatchObject({ done: ['a'], unknown: ['c'], not_sent: ['b', 'd', 'e', 'f'] })
  expect(linesOf(file('j')).map(({ item, outcome }) => `${String(item)} ${String(outcome)}`)).toEqual([
    'a done',
    'c unknown',
  ])
  expect(bulkResult(bulk, account, { noun: 'secret', action: 'copy', what: {}, done: '' }).failure?.code).toBe(
    'interrupted',
  )
})

test('a signal during a pause still gives an account', async () => {
  const { context, interrupt } = bench(undefined, { rate: 1 })
  const sleep = async () => {
    interrupt()
    throw interrupted()
  }
  const bulk = await openBulk({ ...context, sleep }, {}, { action: 'copy', parallel: 1 })
  const account = await run(bulk, async (item, { context: here }) => {
    await here.http.send(post(item))
    return {}
  })
  expect(account.names).toMatchObject({ done: ['a'], unknown: [], not_sent: ['b', 'c', 'd', 'e', 'f'] })
})

test('what an earlier run has done is skipped, what it left unknown is looked at, a torn line is ignored', async () => {
  const { open, file } = bench()
  const line = (item: string, outcome: string) => JSON.stringify({ item, action: 'copy', outcome })
  const lines = [
    line('a', 'failed'),
    line('b', 'unchanged'),
    line('c', 'unknown'),
    line('d', 'unknown'),
    line('a', 'done'),
  ]
  writeFileSync(file('j'), `${lines.join('\n')}\n{"item":"e","acti`)
  for (const again of [1, 2]) {
    const acted: string[] = []
    const bulk = await open({ resume: 'j' }, 1)
    const account = await run(
      bulk,
      async (item, { resuming }) => {
        if (resuming) acted.push(item)
        return {}
      },
      { wasDone: async (item) => item === 'c' },
    )
    expect(acted).toEqual(again === 1 ? ['d', 'e', 'f'] : [])
    expect(account.names).toMatchObject({ done: ['a', 'c', 'd', 'e', 'f'], unchanged: ['b'] })
  }
})

test('a journal that does not exist is begun, but for work that must not be done twice', async () => {
  const { open, context, notes, file } = bench()
  const looks: boolean[] = []
  const first = await run(await open({ resume: 'j' }, 1), async (item, { resuming }) => {
    looks.push(resuming)
    if (item === 'c') throw new TugError('not_allowed', 'denied')
    return {}
  })
  expect([first.counts.done, first.counts.failed, notes.length, new Set(looks)]).toEqual([5, 1, 1, new Set([true])])
  const again: string[] = []
  await run(await open({ resume: 'j' }, 1), async (item) => {
    again.push(item)
    return {}
  })
  expect([again, notes.length]).toEqual([['c'], 1])
  const input = { resume: 'other' }
  const dispatch = openBulk(context, input, { action: 'dispatch', parallel: 1, unguarded: true })
  await expect(dispatch).rejects.toMatchObject({ code: 'usage' })
  expect(existsSync(file('other'))).toBe(false)
})

test('lines that were cut off are ignored, wherever they are', async () => {
  const { open, file } = bench()
  const line = (item: string) => JSON.stringify({ time: '', item, action: 'copy', outcome: 'done' })
  writeFileSync(file('j'), `{"time\n${line('a')}\n{\n\n{"item":"b","acti\n${line('c')}\n{"ti`)
  const acted: string[] = []
  await run(await open({ resume: 'j' }, 1), async (item) => {
    acted.push(item)
    return {}
  })
  expect(acted).toEqual(['b', 'd', 'e', 'f'])
  const later: string[] = []
  await run(await open({ resume: 'j' }, 1), async (item) => {
    later.push(item)
    return {}
  })
  expect(later).toEqual([])
})

test.each([
  ['no journal', 'hello\n', 'is not a journal'],
  ['no journal, of one line', '{"a":1}', 'is not a journal'],
  ['that of another command', '{"item":"a","action":"move","outcome":"done"}\n', 'of another command: move'],
])('a file that is %s is refused', async (_, text, words) => {
  const { open, file } = bench()
  writeFileSync(file('j'), text)
  await expect(open({ resume: 'j' })).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(words) })
})

test('a journal that cannot be written is refused before, and ends the run later', async () => {
  const { open, file } = bench()
  for (const input of [{ journal: 'no/j' }, { journal: '' }, { resume: 'no/j' }])
    await expect(open(input)).rejects.toMatchObject({ code: 'usage' })
  const bulk = await open({ journal: '/dev/full' }, 1)
  const account = await run(bulk, async () => ({}))
  expect(account.names).toMatchObject({ done: ['a'], not_sent: ['b', 'c', 'd', 'e', 'f'] })
  expect(bulkResult(bulk, account, { noun: 'secret', action: 'copy', what: {}, done: '' }).failure?.message).toContain(
    'cannot write the journal',
  )
  expect(file('x')).toContain('x')
})

test('no more requests a second than asked, whoever sends them', async () => {
  const { open, clock } = bench(undefined, { rate: 10 })
  const bulk = await open({}, 1)
  await run(bulk, async (item, { context, within }) => {
    await context.http.send(post(item))
    await within(context).http.send(post(item))
    return {}
  })
  expect(clock()).toBe(1100)
})

test('a source that fails, and services that do not answer, end the run with an account', async () => {
  const bulk = await bench().open({}, 1)
  async function* source() {
    yield 'a'
    throw new TugError('not_allowed', 'no list')
  }
  const cut = await run(bulk, async () => ({}), { items: source() })
  expect([cut.names.done, cut.stop?.message]).toEqual([['a'], 'no list'])
  const deaf = await run(await bench().open({}, 1), async () => {
    throw new TugError('unreachable', 'no answer')
  })
  expect(deaf.names).toMatchObject({ failed: ['a', 'b', 'c', 'd'], not_sent: ['e', 'f'] })
})

test('large values that wait for a slow one hold back the reads after them', async () => {
  const { open } = bench()
  const bulk = await open({})
  let begun = 0
  let release: () => void = () => undefined
  const read = async (item: number) => {
    begun += 1
    if (item === 0) await new Promise<void>((go) => (release = go))
    return item
  }
  const values = bulk.read(
    'reading',
    Array.from({ length: 100 }, (_, index) => index),
    read,
    {
      sizeOf: () => 1024 * 1024,
    },
  )
  const first = values.next()
  for (let turn = 0; turn < 1000; turn += 1) await Promise.resolve()
  expect(begun).toBeGreaterThan(1)
  expect(begun).toBeLessThan(50)
  release()
  expect(await first).toMatchObject({ value: { item: 0 } })
  await values.return(undefined)
})

test('--rate holds for the other side of a copy too', async () => {
  const sent: { readonly at: number; readonly bulk: boolean | undefined }[] = []
  const record = async ({ policy }: HttpRequest) => void sent.push({ at: clock(), bulk: policy?.bulk })
  const { open, clock } = bench(record, { rate: 2 })
  const { context } = await open()
  const elsewhere = context.elsewhere({ profile: undefined, mount: undefined })
  for (const one of [context, elsewhere, elsewhere, context]) await one.http.send(post('a'))
  expect(sent).toEqual([0, 500, 1000, 1500].map((at) => ({ at, bulk: true })))
})

test('a failure names its item once', () => {
  const lineOf = (message: string) => failureLine({ item: 'web', error: new TugError('failed', message) })
  expect(['web: a', 'web a', 'webs: a', 'a'].map(lineOf)).toEqual(['web: a', 'web a', 'web: webs: a', 'web: a'])
})
