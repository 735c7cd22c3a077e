import { existsSync, readFileSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { credentials } from '../../support/credentials.ts'
import { startDevServer } from '../../support/dev.ts'
import { scratchFolder } from '../../support/folder.ts'
import { addMount, senderTo, timeless } from '../../support/histories.ts'
import { program, start } from '../../support/process.ts'
import { tug } from '../../support/run.ts'
import type { Seen } from '../../support/serve.ts'
import { serve } from '../../support/serve.ts'

const { token } = credentials.secrets

interface Answer {
  readonly status: number
  readonly text: string
}

/** What happens to a run from one of its requests on. */
interface Fault {
  readonly name: string
  /** Answers a request; `passed` counts those since the fault began, from 0. */
  readonly answer: (response: ServerResponse, parts: Parts) => Promise<void>
  /** True if the process is gone with it: nothing that it would still send arrives. */
  readonly kills?: boolean
}

interface Parts {
  readonly passed: number
  readonly request: Seen
  readonly forward: () => Promise<Answer>
  /** Raises a signal in the run. */
  readonly raise: (signal: string) => void
  /** Milliseconds that the run has waited. */
  readonly waited: () => number
  /** Answers of earlier reads by address. */
  readonly earlier: ReadonlyMap<string, Answer>
}

const pass = (response: ServerResponse, { status, text }: Answer, headers = {}) =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)

/** Lets the first request through, and cuts off its answer and all that follow. */
const lost = async (response: ServerResponse, { passed, forward }: Parts) => {
  if (passed === 0) await forward()
  response.destroy()
}

const minute = 60_000

const faults: readonly Fault[] = [
  { name: 'the server dies', answer: async (response) => void response.destroy() },
  { name: 'the server dies after it has done it', answer: lost },
  { name: 'kill -9 before the request arrives', answer: async (response) => void response.destroy(), kills: true },
  { name: 'kill -9 after it was carried out', answer: lost, kills: true },
  ...['SIGINT', 'SIGTERM'].map((signal) => ({
    name: signal,
    answer: async (response: ServerResponse, { passed, forward, raise }: Parts) => {
      const answer = await forward()
      if (passed === 0) raise(signal)
      pass(response, answer)
    },
  })),
  {
    name: 'a gateway that gives up on what was carried out',
    answer: async (response, { passed, forward }) => {
      const answer = await forward()
      pass(response, passed === 0 ? { status: 504, text: '' } : answer)
    },
  },
  {
    name: '429 for a minute',
    answer: async (response, { waited, forward }) => {
      if (waited() < minute) pass(response, { status: 429, text: '{"errors":["slow down"]}' }, { 'retry-after': '0' })
      else pass(response, await forward())
    },
  },
  {
    name: 'a standby that lags, and then the server dies',
    answer: async (response, { passed, request, forward, earlier }) => {
      const stale = request.method === 'GET' ? earlier.get(request.url) : undefined
      if (passed < 4) pass(response, stale ?? (await forward()))
      else response.destroy()
    },
  },
]

/** Lines that write below a mount of their own, `MOUNT`. */
const lines = [
  'kv restore all.tugkv --mount MOUNT',
  'kv copy / / --to-mount MOUNT --recursive --versions all --update',
  'kv copy / / --to-mount MOUNT --recursive',
  'kv import all.json --mount MOUNT',
]

/** A mount with a secret of each kind, its backup and its export. */
async function source() {
  const { env, origin } = await startDevServer({ empty: true })
  const cwd = scratchFolder()
  const send = senderTo({ origin, token, mount: 'secret' })
  for (const n of [1, 2, 3]) await send('POST', 'data/one', { data: { n } })
  await send('POST', 'delete/one', { versions: [2] })
  await send('PUT', 'destroy/one', { versions: [1] })
  await send('POST', 'metadata/one', { custom_metadata: { owner: 'amy' }, cas_required: true })
  await send('POST', 'data/f/two', { data: { a: 'b' } })
  const run = (line: string, more: Parameters<typeof tug>[1] = {}) =>
    tug(line, { cwd, now: new Date(), ...more, env: { ...env, ...more.env } })
  await run('kv backup -O all.tugkv')
  await run('kv export -O all.json')
  return { cwd, origin, run }
}

/** Runs a line through a network whose request `from` and later ones meet the fault; `met` is false if there were fewer. */
async function meet(
  { origin, run }: Pick<Awaited<ReturnType<typeof source>>, 'origin' | 'run'>,
  line: string,
  { fault, from }: { fault: Fault; from: number },
): Promise<{ met: boolean; exit: number }> {
  const signals = new Map<string, () => void>()
  const waits: number[] = []
  const earlier = new Map<string, Answer>()
  let met = false
  const network = await serve((request, response, count) => {
    const forward = async () => {
      const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...headers } = request.headers
      const body = ['GET', 'HEAD'].includes(request.method) ? {} : { body: request.body }
      const answer = await fetch(origin + request.url, { method: request.method, headers, ...body } as RequestInit)
      return { status: answer.status, text: await answer.text() }
    }
    const answer = async () => {
      if (count < from) {
        const known = await forward()
        if (request.method === 'GET') earlier.set(request.url, known)
        return pass(response, known)
      }
      met = true
      const raise = (signal: string) => signals.get(signal)?.()
      const waited = () => waits.reduce((sum, wait) => sum + wait, 0)
      return fault.answer(response, { passed: count - from, request, forward, raise, waited, earlier })
    }
    void answer()
  })
  const env = { TUG_SECRETS_ADDR: network.origin }
  const { exit } = await run(`${line} --parallel 1`, { env, signals, waits })
  return { met, exit }
}

test.each(lines.flatMap((line) => faults.map((fault) => [line, fault.name, fault] as const)))(
  '%s, %s at any request: typed again, it leads to the end of an uninterrupted run',
  async (line, _, fault) => {
    const place = await source()
    const { cwd, origin, run } = place
    const stateOf = async (mount: string) => {
      await run(`kv backup --mount ${mount} -O ${mount}.tugkv`)
      return timeless(cwd, `${mount}.tugkv`)
    }
    await addMount({ origin, token, mount: 'whole' })
    expect((await run(line.replace('MOUNT', 'whole'))).exit).toBe(0)
    const wanted = await stateOf('whole')
    for (let from = 1; ; from += 1) {
      const mount = `m${from}`
      await addMount({ origin, token, mount })
      const own = line.replace('MOUNT', mount)
      const { met } = await meet(place, own, { fault, from })
      const { exit, stderr } = await run(own)
      expect({ from, exit, stderr }).toMatchObject({ exit: 0 })
      expect({ from, state: await stateOf(mount) }).toEqual({ from, state: wanted })
      if (!met) break
      expect(from).toBeLessThan(100)
    }
  },
  60_000,
)

test.each(faults.map((fault) => [fault.name, fault] as const))(
  'a backup, %s at any request, leaves no file that looks whole, and the next one is whole',
  async (_, fault) => {
    const place = await source()
    const { cwd, run } = place
    const wanted = timeless(cwd, 'all.tugkv')
    for (let from = 1; ; from += 1) {
      const { met, exit } = await meet(place, 'kv backup -O cut.tugkv', { fault, from })
      expect(existsSync(join(cwd, 'cut.tugkv'))).toBe([0, 10].includes(exit))
      if (exit === 0) expect(timeless(cwd, 'cut.tugkv')).toEqual(wanted)
      if (exit === 10) expect(readFileSync(join(cwd, 'cut.tugkv'), 'utf8')).toMatch(/"missing":\[\{"path"/)
      rmSync(join(cwd, 'cut.tugkv'), { force: true })
      expect((await run('kv backup -O cut.tugkv')).exit).toBe(0)
      expect({ from, lines: timeless(cwd, 'cut.tugkv') }).toEqual({ from, lines: wanted })
      rmSync(join(cwd, 'cut.tugkv'))
      if (!met) break
    }
  },
)

test.skipIf(process.platform === 'win32')('a full disk ends a backup without a file', async () => {
  const { cwd, origin, run } = await source()
  const send = senderTo({ origin, token, mount: 'secret' })
  await Promise.all(Array.from({ length: 40 }, (_, n) => send('POST', `data/many/s${n}`, { data: { n } })))
  await run('kv backup -O all.tugkv --force')
  // Files may have 4 KiB, as on a disk that has no more.
  const full = (line: string) =>
    start(['-c', `ulimit -f 4; exec "$0" "$1" ${line}`, process.execPath, program], {
      command: 'bash',
      cwd,
      env: { TUG_SECRETS_ADDR: origin, TUG_SECRETS_TOKEN: token },
    }).ended
  const cut = await full('kv backup -O cut.tugkv')
  expect([cut.status, existsSync(join(cwd, 'cut.tugkv'))]).toEqual([1, false])
})
