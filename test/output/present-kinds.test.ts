import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EventsResult, RawResult, Result, StepEvent } from '../../src/core/command.ts'
import { list } from '../../src/core/command.ts'
import { usageError, TugError } from '../../src/core/errors.ts'
import type { Json } from '../../src/core/json.ts'
import type { PresentOptions } from '../../src/output/present.ts'
import { present } from '../../src/output/present.ts'
import { scratchFolder } from '../support/folder.ts'
import { says } from '../support/told.ts'
import { plainOptions } from './plain-options.ts'

const view = list<{ id: string }>([{ name: 'id', value: ({ id }) => id }], ({ id }) => id)
const data: Json = [{ id: 'a' }]
const bytes = Buffer.from('sent')

/** What is told of a result, in order: the status or the error, and `stream text` of each text. */
async function told(result: Result | object, more: Partial<PresentOptions> = {}, env: Record<string, string> = {}) {
  const lines: string[] = []
  const say = (kind: string) => (text: string) => void lines.push(`${kind} ${text}`)
  const io = {
    note: (text: string, tone?: string) => void lines.push(`note ${tone === undefined ? '' : `${tone} `}${text}`),
    hint: say('hint'),
    warn: say('warn'),
    progress: (text: string, { narrated }: { narrated: boolean }) => {
      lines.push(`live ${text}${narrated ? '' : ' twice'}`)
      return { update: say('live on'), end: () => void lines.push('live end') }
    },
    pauseProgress: () => (lines.push('pause'), () => void lines.push('resume')),
  }
  const cwd = scratchFolder()
  const host = {
    cwd,
    env,
    stdout: {},
    onExit: () => () => undefined,
    onSignal: () => () => undefined,
    now: () => new Date(0),
  }
  const options = {
    ...plainOptions,
    write: async (text: string | Uint8Array) => void lines.push(`out ${Buffer.from(text).toString()}`),
    writeRaw: async (text: string | Uint8Array) => void lines.push(`out ${Buffer.from(text).toString()}`),
    note: say('say'),
    raw: false,
    hasEndpoints: true,
    writes: false,
    io,
    host,
    signal: new AbortController().signal,
    ...more,
  } as unknown as PresentOptions
  const end = await present(result as Result, options).catch((error: unknown) => (error as Error).message)
  return { end, lines, cwd }
}

async function* batches() {
  yield data
}

test.each<[string, object, Partial<PresentOptions>, unknown, string[]]>([
  ['a value', { data, view }, {}, 0, ['out ID\na\n']],
  ['its status', { data, view, exitCode: 3 }, {}, 3, ['out ID\na\n']],
  ['its bytes', { data, view, rawBody: bytes, exitCode: 3 }, { raw: true }, 3, ['out sent']],
  ['bytes only on request', { data, view, rawBody: bytes }, {}, 0, ['out ID\na\n']],
  ['no bytes of a command of its own', { data, view }, { raw: true, hasEndpoints: false }, 0, ['out ID\na\n']],
  ['rows', { rows: batches, view }, {}, 0, ['out ID\na\n']],
  ['the status of rows', { rows: batches, view, exitCode: 3 }, {}, 3, ['out ID\na\n']],
  ['the later status of rows', { rows: batches, view, exitCode: 3, finish: () => 4 }, {}, 4, ['out ID\na\n']],
  ['the bytes of rows', { rows: batches, view, rawBody: bytes }, { raw: true }, 0, ['out sent']],
  ['what was done', { done: 'done', data: {}, hint: 'then' }, {}, 0, ['note done', 'hint then']],
  ['nothing that was done', { done: '', data: {}, exitCode: 3 }, {}, 3, []],
  [
    'facts as JSON',
    { done: 'done', data: { a: 1 }, hint: 'then' },
    { format: 'json' },
    0,
    ['out {"a":1}\n', 'hint then'],
  ],
  ['facts that are asked for', { done: 'done', data: { a: 1 } }, { query: 'a' }, 0, ['out 1\n']],
  ['facts that were not answered', { done: 'done', data: { a: 1 } }, { format: 'csv' }, 0, ['note done']],
  ['no bytes of a write', { done: 'done', data: {} }, { raw: true, format: 'json' }, 0, ['out {}\n']],
  ['a failure after its output', { data, view, failure: new Error('late') }, {}, 'late', ['out ID\na\n']],
])('a result is printed once: %s', async (_, result, more, end, lines) => {
  const given = 'rows' in result ? { ...result, rows: batches() } : result
  expect(await told(given, more)).toMatchObject({ end, lines })
})

test('a result of several answers has no bytes, and that is said', async () => {
  const { end, lines } = await told({ data, view }, { raw: true })
  expect([end, lines.length, lines[0]?.startsWith('warn --raw'), lines[1]]).toEqual([0, 2, true, 'out ID\na\n'])
})

test('all rows are read for what is said after them, even if the bytes are printed', async () => {
  let read = 0
  async function* counted() {
    for (const _ of [1, 2]) yield (((read += 1), data))
  }
  expect(await told({ rows: counted(), view, rawBody: bytes }, { raw: true })).toMatchObject({
    end: 0,
    lines: ['out sent'],
  })
  expect(read).toBe(2)
})

test('what follows a value is said after it', async () => {
  const lines: string[] = []
  const write = async (text: string | Uint8Array) => void lines.push(String(text))
  await told({ data, view, finish: () => lines.push('finish') }, { write })
  expect(lines).toEqual(['ID\na\n', 'finish'])
})

const misspelled: unknown = expect.stringContaining("'nope'")

test.each<[string, object, Partial<PresentOptions>, unknown, string[]]>([
  ['of a write', {}, { writes: true }, misspelled, ['out ID\na\n']],
  ['of a write that failed, too', { failure: new Error('failed') }, { writes: true }, 'failed', ['out ID\na\n']],
  ['of a read', {}, {}, misspelled, []],
])('columns that do not fit %s', async (_, result, more, end, lines) => {
  expect(await told({ data, view, ...result }, { columns: ['nope'], ...more })).toMatchObject({ end, lines })
  const value = () => {
    throw new TugError('failed', 'another')
  }
  const failing = { ...view, columns: [{ name: 'id', value }] }
  expect(await told({ data, view: failing, ...result }, more)).toMatchObject({ end: 'another', lines: [] })
})

test('columns that do not fit what has no data are an error as before', async () => {
  const write = async () => {
    throw usageError('mistake')
  }
  expect((await told({ raw: 'x' }, { writes: true, writeRaw: write })).end).toBe('mistake')
})

async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

test.each<[Partial<RawResult>, Partial<PresentOptions>, string, number]>([
  [{ raw: 'text' }, {}, 'text', 4],
  [{ raw: bytes }, {}, 'sent', 4],
  [{ raw: bytes, csv: true }, { csvSafe: true, csvBom: true }, 'sent', 4],
  [{ raw: '=1', csv: true }, { csvSafe: true }, '=1', 2],
  [{}, { csvSafe: true, csvBom: true }, '=1,2', 4],
  [{ csv: true }, {}, '=1,2', 4],
  [{ csv: true }, { csvSafe: true }, "'=1,2", 5],
  [{ csv: true }, { csvBom: true }, '\ufeff=1,2', 7],
  [{ csv: false }, { csvSafe: true }, '=1,2', 4],
])('bytes are printed unchanged, but for a CSV: %j with %j', async (result, more, printed, count) => {
  const counts: number[] = []
  const finish = (written: number) => void counts.push(written)
  for (const exitCode of [undefined, 3]) {
    const given = { raw: pieces('=1', ',2'), ...result, finish, exitCode }
    const { end, lines } = await told(given, more)
    expect([end, lines.map((line) => line.slice(4)).join('')]).toEqual([exitCode ?? 0, printed])
    if (result.raw !== undefined) expect(lines).toHaveLength(1)
    const whole = await told(
      { ...given, raw: result.raw ?? pieces('=1', ',2'), file: { path: 'out', replace: false } },
      more,
    )
    expect([whole.end, whole.lines, readFileSync(join(whole.cwd, 'out'), 'utf8')]).toEqual([exitCode ?? 0, [], printed])
  }
  expect(counts).toEqual([count, count, count, count])
})

test('a file that exists is not replaced, and the hint is the one of the command', async () => {
  const raw = 'text'
  const file = { path: '.', replace: false }
  expect((await told({ raw, file })).end).toContain('folder')
  const path = join(scratchFolder(), 'a')
  await told({ raw, file: { path, replace: false, private: true } })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await told({ raw, file: { path: `${path}-open`, replace: false } })
  writeFileSync(`${path}-usual`, '')
  expect(statSync(`${path}-open`).mode).toBe(statSync(`${path}-usual`).mode)
  const again = (remedy?: string) =>
    present({ raw, file: { path, replace: false, ...(remedy === undefined ? {} : { remedy }) } }, {
      host: { cwd: '/', onExit: () => () => undefined },
    } as never)
  await expect(again('another name')).rejects.toMatchObject({ code: 'usage', hints: ['another name'] })
  await expect(again()).rejects.toMatchObject({ code: 'usage', hints: [says('--force …')] })
})

async function* steps(): EventsResult['events'] {
  const step = (more: Partial<StepEvent>): StepEvent => ({ event: 'step', data: { n: 1 }, ...more })
  yield step({ line: 'first', tone: 'good' })
  yield step({})
  yield step({ live: 'one of 2' })
  yield step({ line: '##[x]', live: 'two of 2' })
  return { data, view, exitCode: 3 }
}

test('steps are lines, and the result follows them', async () => {
  expect(await told({ events: steps() })).toMatchObject({
    end: 3,
    lines: [
      'note good first',
      'live one of 2',
      'note ##[x]',
      'live on two of 2',
      'live end',
      'out ID\na\n',
      'live end',
    ],
  })
})

test('steps for programs are JSON, and the result is only a status', async () => {
  const named = async function* (): EventsResult['events'] {
    yield { event: 'step', data: { text: '##[x]\u202e' }, line: 'line', live: 'live' }
    return { data, view, exitCode: 3 }
  }
  expect(await told({ events: named() }, { format: 'ndjson' })).toMatchObject({
    end: 3,
    lines: ['out {"event":"step","text":"##[x]\\u202e"}\n'],
  })
  expect(await told({ events: named() }, { format: 'ndjson' }, { GITHUB_ACTIONS: 'true' })).toMatchObject({
    lines: ['out {"event":"step","text":"#\\u0023[x]\\u202e"}\n'],
  })
})

test('the live line ends with an operation that fails', async () => {
  async function* failing(): EventsResult['events'] {
    yield { event: 'step', data: {}, live: 'live' }
    throw new Error('lost')
  }
  expect(await told({ events: failing() })).toMatchObject({ end: 'lost', lines: ['live live', 'live end'] })
})

test.each([undefined, 3])(
  'states of a watched answer follow each other where nothing is drawn over: %s',
  async (exitCode) => {
    async function* states() {
      yield data
      yield [{ id: 'b' }]
    }
    expect(await told({ snapshots: states(), view, exitCode }, { format: 'ndjson' })).toMatchObject({
      end: exitCode ?? 0,
      lines: ['out {"id":"a"}\n', 'out {"id":"b"}\n'],
    })
  },
)

test.each([undefined, 3])(
  'states of a watched answer are drawn over each other on a terminal: %s',
  async (exitCode) => {
    async function* states() {
      yield data
      yield []
    }
    const written: string[] = []
    const exits = new Set<() => void>()
    const signals = new Set<string>()
    const host = {
      env: {},
      stdout: { isTTY: true, columns: 20, rows: 5, write: (text: string) => written.push(text) },
      onExit: (call: () => void) => (exits.add(call), () => void exits.delete(call)),
      onSignal: (name: string) => (signals.add(name), () => void signals.delete(name)),
      now: () => new Date(0),
    }
    const { end, lines } = await told({ snapshots: states(), view, exitCode }, { terminal: true, host } as never)
    expect([end, lines, exits.size, signals.size]).toEqual([exitCode ?? 0, ['pause', 'resume'], 0, 0])
    expect(written.join('').split('\x1b[H').slice(1)).toEqual([
      'ID\x1b[K\na\x1b[K\x1b[J\n',
      'no rows\x1b[K\x1b[J\n\x1b[?25h',
    ])
  },
)
