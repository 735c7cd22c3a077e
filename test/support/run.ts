import type { Direction } from 'node:readline'
import { clearLine, cursorTo, moveCursor } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import type { Host } from '../../src/process/host.ts'
import { invoke } from '../../src/main.ts'

/** The output and exit status of a run. */
export interface Outcome {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
  /** Stdout as bytes. */
  readonly bytes: Buffer
}

/** A test machine's differences from a bare one. */
export interface Machine {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdin?: string | Uint8Array | Readable
  readonly cwd?: string
  readonly home?: string
  readonly platform?: string
  readonly self?: readonly string[]
  readonly now?: Date
  /** True for a wall clock that is set an hour ahead whenever it is read. */
  readonly clockJumps?: boolean
  /** A monotonic clock; by default one that only waits move. */
  readonly monotonic?: () => number
  /** Which streams are terminals, with their columns; a function if those change. */
  readonly terminals?: {
    readonly stdin?: boolean
    readonly stdout?: number | (() => number)
    readonly stderr?: number
  }
  /** Waits end at once by default; their durations are recorded here. */
  readonly waits?: number[]
  /** Gets the signal handlers, to raise signals. */
  readonly signals?: Map<string, () => void>
  /** Called for each write, to see which stream's comes first; the write fails with what it throws. */
  readonly onWrite?: (stream: 'stdout' | 'stderr', text: string) => void
  /** True if nobody reads stdout: no write to it ever ends. */
  readonly unread?: boolean
}

/** An environment with all three services configured at addresses where nothing listens. */
export const configured = {
  TUG_EXPLORER_ADDR: 'http://127.0.0.1:1/api/v2',
  TUG_EXPLORER_TOKEN: 'explorer-token',
  TUG_EXPLORER_ORG: 'acme',
  TUG_SECRETS_ADDR: 'http://127.0.0.1:2',
  TUG_SECRETS_TOKEN: 'secrets-token',
  TUG_SCHEDULER_ADDR: 'http://127.0.0.1:3',
  TUG_SCHEDULER_TOKEN: 'scheduler-token',
} as const

/** Runs a command line in this process; `line` is split like in a shell (single and double quotes), or given as words. */
export async function tug(line: string | readonly string[], machine: Machine = {}): Promise<Outcome> {
  const stdout = sink(machine.terminals?.stdout, (text) => machine.onWrite?.('stdout', text), machine.unread)
  const stderr = sink(machine.terminals?.stderr, (text) => machine.onWrite?.('stderr', text))
  const typed = machine.stdin === undefined ? [] : machine.stdin
  const stdin = Object.assign(
    typed instanceof Readable ? typed : Readable.from(typed.length === 0 ? [] : [Buffer.from(typed)]),
    {
      isTTY: machine.terminals?.stdin === true,
      setRawMode: () => undefined,
    },
  )
  let clock = 0
  let jumps = 0
  const host: Host = {
    argv: typeof line === 'string' ? shellWords(line) : line,
    env: { TUG_CONFIG_DIR: '/nonexistent', ...(machine.env ?? configured) },
    cwd: machine.cwd ?? '/nonexistent',
    home: machine.home ?? '/nonexistent',
    user: 'tester',
    uid: process.geteuid?.(),
    platform: machine.platform ?? 'linux',
    nodeVersion: '20.18.1',
    self: machine.self ?? [process.execPath, 'tug'],
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    now: () => {
      jumps += machine.clockJumps === true ? 1 : 0
      return new Date((machine.now ?? new Date('2026-11-21T07:30:00Z')).getTime() + jumps * 3_600_000)
    },
    monotonic: machine.monotonic ?? (() => clock),
    random: () => 0.5,
    sleep: async (milliseconds, signal) => {
      machine.waits?.push(milliseconds)
      clock += milliseconds
      if (signal.aborted) throw new Error('aborted')
    },
    onSignal: (signal, call) => {
      machine.signals?.set(signal, call)
      return () => machine.signals?.delete(signal)
    },
    onExit: () => () => undefined,
    endGroup: (leader) => void process.kill(-leader, 'SIGTERM'),
    passesStatus: () => undefined,
  }
  const exit = await invoke(host)
  return { exit, stdout: stdout.bytes().toString(), stderr: stderr.bytes().toString(), bytes: stdout.bytes() }
}

function sink(columns: number | (() => number) | undefined, onWrite: (text: string) => void, unread = false) {
  const pieces: Buffer[] = []
  const stream = new Writable({
    write(piece: Buffer | string, _, done) {
      try {
        onWrite(piece.toString())
      } catch (error) {
        return done(error as Error)
      }
      pieces.push(Buffer.from(piece))
      if (!unread) done()
    },
  })
  // As the program's own streams: the write that failed has the error.
  stream.on('error', () => undefined)
  const terminal = {
    isTTY: true,
    get columns() {
      return typeof columns === 'function' ? columns() : columns
    },
    rows: 40,
    cursorTo: (column: number) => cursorTo(stream, column),
    moveCursor: (right: number, down: number) => moveCursor(stream, right, down),
    clearLine: (direction: Direction) => clearLine(stream, direction),
  }
  return {
    stream:
      columns === undefined ? stream : Object.defineProperties(stream, Object.getOwnPropertyDescriptors(terminal)),
    bytes: () => Buffer.concat(pieces),
  }
}

/** A failure as programs see it: what `-o json` prints on stderr. */
export interface Failure {
  readonly exit: number
  readonly code: string
  readonly reason: string | null
  readonly message: string
  /** Lines, or null. */
  readonly hint: string | null
  readonly status: number | null
  /** True after a change. */
  readonly applied?: true
  /** Nothing else may be on stdout. */
  readonly stdout: string
}

/** Runs a command line that fails, and reads its error as a program would. Throws if it succeeds. */
export async function failure(line: string | readonly string[], machine: Machine = {}): Promise<Failure> {
  const env = { ...(machine.env ?? configured), TUG_OUTPUT: 'json' }
  const { exit, stdout, stderr } = await tug(line, { ...machine, env })
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  if (exit === 0 || !last.startsWith('{"error":')) throw new Error(`no error: exit ${exit}, ${stderr}`)
  return { ...(JSON.parse(last) as { error: Failure }).error, exit, stdout }
}

/** Splits a line at blanks outside single and double quotes. */
export function shellWords(line: string): string[] {
  const words: string[] = []
  for (const match of line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)) {
    words.push(
      match[0].replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
    )
  }
  return words
}
