import type { Readable } from 'node:stream'
import type { Address } from './address.ts'
import type { TugError } from './errors.ts'
import type { Json } from './json.ts'
import type { Paint, Tone } from './output.ts'
import type { HttpRequest, RouteSettings, ServiceName } from './request.ts'
import type { Dialect } from './service.ts'
import type { LineWord, Marked } from './shell.ts'

/** What a command gets, bound to the service of its group. */
export interface Context {
  /** Talks to the command's own service; with `--dry-run` it prints instead. */
  readonly http: Http
  readonly io: Io
  readonly settings: CommandSettings
  readonly now: () => Date
  /** Milliseconds of a clock that only goes forward: for durations, which a change of the time must not change. */
  readonly monotonic: () => number
  /** Aborted by the first Ctrl-C; reads and waits end. */
  readonly signal: AbortSignal
  /** The words of the command, aliases replaced by its name: `kv`, `get`. */
  readonly commandPath: readonly string[]
  /** What was typed after these words, aliases and all: arguments and flags. */
  readonly typed: readonly string[]
  /** Waits; throws "interrupted" when the signal is aborted. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
  /** The user's name. */
  readonly user: string
  /** The program's version. */
  readonly version: string
  /**
   * A command line for a hint: `words` as they are, each of `args` quoted for a shell (flags as `['--all']` or `['--to', value]`),
   * then the flags typed on this line that
   * say where (`--mount`, `-n`, `-p`, `--address`, …): `tug kv undelete app/db --mount team`.
   */
  commandLine<const Words extends readonly LineWord[]>(words: string, ...args: Words & Marked<Words>): string
  /** The typed line with one argument replaced, for a hint. A write's other arguments, which may be secrets, are omitted. */
  lineAgain(from: string, to: string): string
  /** The context for the same service with another saved profile, mount or namespace. */
  elsewhere(place: Place): Context
  /** The same to write there: asks first if that profile is protected. */
  elsewhereToWrite(place: Place): Promise<Context>
  /**
   * Runs a command on our own streams; returns its exit status (128 + n for a signal). Signals are forwarded once. From its start
   * on, failures of `tug` itself are 125. Throws a usage error if it cannot be started.
   */
  runChild(words: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number>
  /** The same for a command line of the user's, such as `$EDITOR`, with one more argument. */
  runLine(line: string, argument: string, env: Readonly<Record<string, string | undefined>>): Promise<number>
  /** Call it once something runs whose exit status is passed on: failures of `tug` are 125 from then on. */
  started(): void
  /** Calls back on every way out of the process; returns a function that cancels it. */
  onExit(call: () => void): () => void
  /** Calls back when the terminal is resized; returns a function that cancels it. */
  onResize(call: () => void): () => void
  /** The size of the terminal that shows the output; 24 × 80 without one. */
  terminalSize(): { readonly rows: number; readonly columns: number }
}

/** Where else a command works: what is undefined is that of its own context. */
export interface Place {
  readonly profile: string | undefined
  readonly mount: string | undefined
  readonly namespace?: string | undefined
}

/** An open WebSocket. */
export interface Socket {
  /** Does nothing after the end of the connection. */
  send(text: string): void
  /** Resolves when everything has been handed to the system, or the connection has ended. */
  flushed(): Promise<void>
  /** Frames in order, for one reader; a slow reader makes the server wait. Ends, without an error, with the connection. */
  readonly messages: AsyncIterable<string>
  /** Hangs up at once. */
  close(): void
  /** How it ended; resolves at once with a close frame, after the messages before it were read. */
  readonly ended: Promise<SocketEnd>
}

export type SocketEnd =
  | { readonly kind: 'close-frame'; readonly code: number; readonly reason: string }
  /** No close frame: the other side hung up, the network failed (`cause`), or {@link Socket.close}. */
  | { readonly kind: 'dropped'; readonly cause?: Error }

/** A complete answer; `T` is the type that the endpoint declares for it. */
export interface HttpResponse<T = unknown> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body as text. */
  text(): string
  /** The body of a success, checked against the endpoint's shape: the same value as {@link json}, typed. Throws for a failure. */
  readonly value: T
  /**
   * The body as lossless JSON, parsed once: every digit, unknown keys and their order; null for an empty body. Throws if it isn't
   * JSON (a proxy's HTML, truncated).
   */
  json(): Json
  /** The error for this answer, if its status was allowed by the request. */
  failure(): TugError
}

/** An answer whose body arrives in pieces. */
export interface HttpStream {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array>
}

export interface Http {
  /**
   * Sends a request and reads the whole answer. Throws a TugError if the answer isn't a success (unless `allow` has its
   * status), or if the service cannot be reached.
   */
  send<T>(request: HttpRequest<T>): Promise<HttpResponse<T>>
  /** The same, with the body as a stream. */
  stream(request: HttpRequest): Promise<HttpStream>
  /**
   * Opens a WebSocket, without the token, which goes in the first frame. Throws what the network or the server answered; ends
   * a dry run once it is printed.
   */
  openSocket(request: HttpRequest, signal: AbortSignal): Promise<Socket>
  /**
   * Whether its sockets take input, which only products do: as far as answers have shown, else by asking once `timeout`
   * milliseconds have passed.
   */
  takesInput(signal: AbortSignal, timeout: number): Promise<boolean>
  /** When the service's certificate ends (RFC 3339); null without TLS and in a dry run. */
  certificateEnd(): Promise<string | null>
  /** The service's address and token. */
  readonly connection: Connection
}

/** How to reach the service, for anything but plain requests. */
export interface Connection {
  readonly service: ServiceName
  /** Throws a usage error if none is configured. */
  address(): Address
  /** The token; undefined if there is none. */
  token(): Promise<string | undefined>
  /** The variable that a token for this address is read from: `VAULT_TOKEN` with `VAULT_ADDR`. */
  readonly tokenVariable: string
  readonly tls: TlsOptions
  /** Headers that the user adds to each request, and Basic authentication; never shown. */
  readonly headers: Readonly<Record<string, string>>
  /** The environment's proxy for the origin. */
  proxy(): string | undefined
}

export interface TlsOptions {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly serverName?: string
  readonly insecure?: boolean
}

/** Settings for commands, without the output format, the token and retries. */
export interface CommandSettings {
  readonly service: ServiceName | undefined
  readonly dialect: Dialect
  /** The values of `{org}` and `{mount}`; reading one that is not configured is a usage error. */
  readonly route: RouteSettings
  readonly namespace: string | undefined
  readonly region: string | undefined
  /** The flags typed on this line that say which server and which part of it is meant: `-p prod --mount team`. */
  readonly targetFlags: readonly string[]
  /** The method LIST or `GET …?list=true` (secrets); undefined: what the server answers. */
  readonly listMethod: 'list' | 'get' | undefined
  /** How the result will be printed, for the few commands that must know (`generate` must not lose a key). */
  readonly format: Format
  /** The output flags that were typed on this line: `{ output: 'csv' }`. */
  readonly outputFlags: Readonly<Partial<Record<'output' | 'query' | 'columns', string>>>
  /** Milliseconds. */
  readonly timeout: number
  /** Limits of work on several things. */
  readonly limits: Limits
  /** Those that were set by flags on this command line. */
  readonly typedLimits: Limits
}

/** Limits of work on several things; undefined if not set. */
export interface Limits {
  /** How many things are worked on at once. */
  readonly parallel: number | undefined
  /** Requests per second. */
  readonly rate: number | undefined
  /** After how many failures nothing more is sent. */
  readonly maxFailures: number | undefined
}

export const formats = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'tsv', 'md', 'box', 'name'] as const

export type Format = (typeof formats)[number]

/** Something that takes time, as a person sees it. */
export interface Activity {
  /** Replaces the label: a count, the state of what is waited for. */
  update(label: string): void
  /** Must be called when it is over, also after a failure; nothing is left behind. May be called more than once. */
  end(): void
}

/** Streams, questions and files, for commands. */
export interface Io {
  /**
   * Shows on a terminal that something takes time, once it has taken 300 ms, with the elapsed time. `background` activities
   * show only while there is no other; `narrated` ones print lines of their own as well.
   */
  progress(label: string, options?: { readonly background?: boolean; readonly narrated?: boolean }): Activity
  /** Removes what shows progress while something else uses the terminal; returns what ends that. */
  pauseProgress(): () => void
  /** A confirmation or progress line on stderr, with an optional tone; silent with `-q` and `--dry-run`. */
  note(line: string, tone?: Tone): void
  /** A line on stderr about an incomplete result; silent with `--dry-run` only. */
  incomplete(line: string): void
  /** A `hint:` line on stderr; silent with `-q`. With `daily`, a name, it is printed once a day as long as the cache folder can be written. */
  hint(line: string, options?: { daily?: string }): void
  /** A `warning:` line on stderr; silent with `-q`. */
  warn(line: string): void
  /** A `warning:` line that `-q` doesn't hide: the result is incomplete, or something is unknown or lost. */
  doubt(line: string): void
  /** True with `--dry-run`: nothing is carried out, so nothing may be recorded as done. */
  readonly isDryRun: boolean
  /** True if {@link confirm} will ask, or refuse to go on without a terminal: neither `--yes` nor `--dry-run` was given. */
  readonly asks: boolean
  /**
   * Asks yes or no. A no, or a missing terminal, is a usage error (exit 2). With `--yes` and `--dry-run` nothing is asked; returns
   * whether it was.
   */
  confirm(question: string): Promise<boolean>
  /** Asks for a line; `hidden` does not echo it. Without a terminal: a usage error with `otherwise` as its hint. */
  ask(question: string, options: { hidden?: boolean; otherwise: string }): Promise<string>
  /** True with `-q`. */
  readonly quiet: boolean
  /** True when questions can be asked: stdin and stderr are terminals, and neither `--no-input` nor CI. */
  readonly interactive: boolean
  readonly terminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
  /** Columns of stdout if it is a terminal. */
  readonly columns: number | undefined
  /** Colours for stderr. */
  readonly paint: Paint
  /** A file's bytes; `-` is stdin, which can be read once and must not be a terminal. Errors name the file. */
  readFile(path: string): Promise<Uint8Array>
  /** The same as text; anything but UTF-8 is a usage error. A leading byte order mark is dropped. */
  readText(path: string): Promise<string>
  /**
   * From now on this text appears nowhere on stderr, in traces or errors. Short strings are ignored. In a GitHub workflow its log
   * masks the text too if `mask` is true; by default if the text, or the `name` it is stored under, looks like a secret's.
   */
  secret(text: string, options?: { readonly name?: string; readonly mask?: boolean }): void
  /** The text without what {@link secret} was told: for a server's words that become a part of the result. */
  withoutSecrets(text: string): string
  /** The environment, for documented variables (editor, children). */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The operating system as Node names it: `win32` is Windows. */
  readonly platform: string
  /** The streams themselves, for commands that pass them through (`job action`, `kv exec`). */
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown }
  /** Lines of the result that people get on stdout as soon as they are known; `paint` has the colours of stdout. */
  print(render: (paint: Paint) => string): Promise<void>
  /** Writes bytes to stdout or stderr and waits until they are accepted. */
  write(stream: 'stdout' | 'stderr', bytes: Uint8Array | string): Promise<void>
  /** The folder where relative paths start. */
  readonly cwd: string
}
