import { spawn as spawnProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import { serverVariables } from '../../src/dev/credentials.ts'
import type { DevServer } from '../../src/dev/server.ts'
import { Random } from '../support/random.ts'
import { shellWords } from '../support/run.ts'
import type { Scenario } from './scenarios.ts'
import { scenarios } from './scenarios.ts'

/** The end of a run by a signal. */
export interface End {
  readonly seed: number
  readonly line: string
  /** Whether the signal came in time. */
  readonly wasEnded: boolean
  /** What is wrong; undefined if nothing is. */
  readonly fault: string | undefined
  /** What happened, line by line. */
  readonly story: readonly string[]
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Milliseconds within which most commands have done all that they do. */
const lifetime = 700

/** Starts a command as a process, sends it one or two signals at a moment of the seed's choice, and looks at what is left. */
export async function endBySignal(
  seed: number,
  { server, program, allocation }: { server: DevServer; program: string; allocation: string },
): Promise<End> {
  const random = new Random(seed)
  const scenario = scenarios[seed % scenarios.length] as Scenario
  const folder = mkdtempSync(join(tmpdir(), 'tug-end-'))
  const mark = `${seed}-${folder.slice(-6)}`
  const { token } = server.credentials.secrets
  const fill = (text: string) =>
    text.replaceAll('{token}', token).replaceAll('{alloc}', allocation).replaceAll('{}', mark)
  const files = Object.fromEntries(
    // An empty object looks like the text that is filled in.
    Object.entries(scenario.files ?? {}).map(([name, text]) => [name, text === '{}' ? text : fill(text)]),
  )
  for (const name of ['config', 'tmp', 'run']) mkdirSync(join(folder, name), { mode: 0o700 })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 })
  for (const path of scenario.secrets ?? []) await writeSecret(server, fill(path))
  const door = await openDoor(Number(new URL(server.origin).port))
  const places = Object.entries(serverVariables(server)).map(([name, value]) => [
    name,
    value.replace(server.origin, door.origin),
  ])
  const env = {
    ...Object.fromEntries(places.filter(([name]) => name?.startsWith('TUG_') && name !== 'TUG_PROFILE')),
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TUG_CONFIG_DIR: join(folder, 'config'),
    TMPDIR: join(folder, 'tmp'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    TUG_END_MARK: mark,
    ...scenario.env,
    // The token is what is asked for.
    ...(scenario.line.includes(' -p slow') || scenario.line === 'login secrets -p old'
      ? { TUG_SECRETS_TOKEN: '' }
      : {}),
  }
  const words = shellWords(fill(scenario.line))
  const kinds = random.chance(0.3) ? [random.pick(signals), random.pick(signals)] : [random.pick(signals)]
  const moment = random.chance(0.5)
    ? { request: 1 + random.below(4), delay: random.below(20) }
    : { request: 0, delay: random.below(lifetime) }
  try {
    const start = scenario.terminal === true ? startOnTerminal : startPlain
    const running = start([process.execPath, program, ...words], { cwd: folder, env })
    let isOver = false
    void running.ended.then(() => (isOver = true))
    const raise = () => {
      for (const kind of kinds) running.kill(kind)
    }
    const timers = [setTimeout(raise, moment.request === 0 ? moment.delay : 30 * lifetime)]
    let requests = 0
    door.onRequest(() => {
      requests += 1
      if (requests === moment.request) timers.push(setTimeout(raise, moment.delay))
    })
    // What waits for something that a signal does not bring about must end all the same.
    const late = setTimeout(() => isOver || running.kill('SIGKILL'), 40 * lifetime)
    const ended = await running.ended
    for (const timer of [...timers, late]) clearTimeout(timer)
    await door.close()
    const wasEnded = ended.signal !== null && (kinds as readonly string[]).includes(ended.signal)
    const faults = [
      ...faultsOfStatus(scenario, ended, wasEnded),
      ...faultsOfFiles(folder, scenario, files, ended.output),
      ...(await faultsOfChildren(mark)),
      ...ended.faults,
    ]
    const story = [
      `tug ${words.join(' ')}`,
      `${kinds.join(' and ')} ${moment.request === 0 ? '' : `${moment.delay} ms after request ${moment.request}, `}after ${moment.delay} ms`,
      `ended by ${ended.signal ?? `status ${ended.status}`}`,
      ended.output.slice(0, 2000),
      ...faults,
    ]
    return { seed, line: scenario.line, wasEnded, fault: faults[0], story }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes what the scenarios need, and finds the allocation that they name. */
export async function prepare(server: DevServer): Promise<{ server: DevServer; allocation: string }> {
  const { secrets, scheduler } = server.credentials
  for (const name of ['', '/role/db'])
    await fetch(`${server.origin}/v1/kmip/scope/storage${name}`, {
      method: 'POST',
      headers: { 'x-secrets-token': secrets.token },
      body: '{}',
    })
  const answer = await fetch(`${server.origin}/v1/job/web/allocations`, {
    headers: { 'x-scheduler-token': scheduler.token },
  })
  const allocations = (await answer.json()) as { ID: string; ClientStatus: string }[]
  return { server, allocation: allocations.find(({ ClientStatus }) => ClientStatus === 'running')?.ID ?? '' }
}

async function writeSecret({ origin, credentials }: DevServer, path: string): Promise<void> {
  const answer = await fetch(`${origin}/v1/secret/data/${path}`, {
    method: 'POST',
    headers: { 'x-secrets-token': credentials.secrets.token },
    body: '{"data":{"a":"b"}}',
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
}

/** How a process ended. */
interface Ended {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
  /** What is wrong with its terminal. */
  readonly faults: readonly string[]
}

interface Running {
  readonly ended: Promise<Ended>
  kill(signal: NodeJS.Signals): void
}

interface Place {
  readonly cwd: string
  readonly env: Record<string, string>
}

function startPlain([command = '', ...words]: readonly string[], place: Place): Running {
  const child = spawnProcess(command, words, { ...place, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
  return {
    ended: new Promise((done) => child.on('close', (status, signal) => done({ status, signal, output, faults: [] }))),
    kill: (signal) => void child.kill(signal),
  }
}

/** Runs it below a shell that notes its process ID and the terminal's mode before and after. */
function startOnTerminal(words: readonly string[], { cwd, env }: Place): Running {
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const note = join(cwd, 'tmp', 'note')
  const script = `trap : INT; stty -a > ${note}.before; (sh -c 'echo $$ > ${note}.pid; exec "$@"' sh ${quoted}); echo $? > ${note}.status; stty -a > ${note}.after`
  const terminal = spawnTerminal('bash', ['-c', script], { cwd, env: { ...env, TERM: 'xterm' }, cols: 100, rows: 30 })
  let output = ''
  let isOver = false
  terminal.onData((text) => (output += text))
  const read = (name: string) => readFileSync(`${note}.${name}`, 'utf8')
  const status = () => Number(read('status'))
  return {
    ended: new Promise((done) => {
      terminal.onExit(() => {
        isOver = true
        const ended = status()
        const signal = ended > 128 ? signals.find((name) => codes[name] === ended - 128) : undefined
        const hidden = output.lastIndexOf('\u001b[?25l') > output.lastIndexOf('\u001b[?25h')
        const faults = [
          ...(read('before') === read('after') ? [] : [`the terminal was left as ${read('after')}`]),
          ...(hidden ? ['the cursor was left hidden'] : []),
        ]
        for (const name of ['before', 'after', 'pid', 'status']) rmSync(`${note}.${name}`)
        done({ status: ended, signal: signal ?? null, output, faults })
      })
    }),
    kill,
  }

  /** Ctrl-C is typed; other signals go to the program alone. Both wait until it has been started. */
  function kill(signal: NodeJS.Signals): void {
    if (isOver || existsSync(`${note}.status`)) return
    const pid = existsSync(`${note}.pid`) ? Number(read('pid')) : 0
    // Zero would be our own process group.
    if (pid === 0) setTimeout(() => kill(signal), 5)
    else if (signal === 'SIGINT') terminal.write('\u0003')
    else
      try {
        process.kill(pid, signal)
      } catch {
        // It has ended.
      }
  }
}

const codes = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

function faultsOfStatus({ waits = false }: Scenario, { status, signal, output }: Ended, wasEnded: boolean): string[] {
  if (signal === 'SIGKILL') return ['it did not end']
  if (/internal error|^ +at /m.test(output)) return ['a bug']
  if (wasEnded) return []
  if (waits) return [`it ended with status ${status}, not by the signal`]
  return [0, 1, 2, 3, 5, 8, 10].includes(status ?? -1) ? [] : [`it ended with status ${status}`]
}

/** Files that were not there before, or are not whole. A text that could not be written is kept on purpose. */
function faultsOfFiles(
  folder: string,
  { leaves = {} }: Scenario,
  before: Readonly<Record<string, string>>,
  output: string,
): string[] {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('cache') && statSync(join(folder, name)).isFile(),
  )
  const kept = /your text is in (\S+)/.exec(output)?.[1]
  const faults = found.flatMap((name) => {
    const content = readFileSync(join(folder, name), 'utf8')
    if (content === before[name] || join(folder, name) === kept) return []
    const expected = leaves[name]
    if (expected === undefined) return [`${name} is left: ${content.slice(0, 200)}`]
    return expected.test(content) ? [] : [`${name} is not whole: ${content.slice(0, 200)}`]
  })
  const lost = Object.keys(before).filter((name) => !found.includes(name))
  const folders = readdirSync(join(folder, 'tmp')).concat(readdirSync(join(folder, 'run')))
  const emptied = folders.filter((name) => kept === undefined || basenameOfParent(kept) !== name)
  return [...faults, ...lost.map((name) => `${name} is gone`), ...emptied.map((name) => `${name} is left`)]
}

function basenameOfParent(file: string): string {
  return dirname(file).split('/').at(-1) ?? ''
}

/** Processes that still run with the mark in their environment. Those that were told to end get a moment to do so. */
async function faultsOfChildren(mark: string): Promise<string[]> {
  // Only Linux shows the environment of processes.
  if (!existsSync('/proc/self/environ')) return []
  for (let looks = 0; ; looks += 1) {
    const running = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && hasMark(name, mark))
    if (running.length === 0) return []
    if (looks === 40) {
      const lines = running.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '))
      for (const pid of running) process.kill(Number(pid), 'SIGKILL')
      return lines.map((line) => `still running: ${line}`)
    }
    await new Promise((done) => setTimeout(done, 50))
  }
}

function hasMark(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TUG_END_MARK=${mark}\0`)
  } catch {
    return false
  }
}

/** A port that leads to the server and reports each piece that is sent there. */
async function openDoor(port: number) {
  const sockets = new Set<Socket>()
  let report = () => {}
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }
  const door = createServer((socket) => {
    const inner = connect(port, '127.0.0.1')
    keep(socket)
    keep(inner)
    socket.on('data', (piece: Buffer) => {
      report()
      // The server answers to its own address only.
      inner.write(piece.toString('latin1').replace(/^(host: 127\.0\.0\.1:)\d+/im, `$1${port}`), 'latin1')
    })
    socket.on('end', () => inner.end())
    inner.pipe(socket)
  })
  await new Promise<void>((done) => door.listen(0, '127.0.0.1', done))
  return {
    origin: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    onRequest: (call: () => void) => (report = call),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => door.close(done))
    },
  }
}
