import type { Readable } from 'node:stream'
import type { TugError } from './errors.ts'
import type { Json } from './json.ts'
import type { Paint, Tone } from './output.ts'
import type { HttpRequest, RouteSettings, ServiceName } from './request.ts'

/** The world as a command sees it, bound to the service of its group. */
export interface Context {
  /** Talks to the command's own service; with `--dry-run` it prints instead. */
  readonly http: Http
  readonly io: Io
  readonly settings: CommandSettings
  readonly now: () => Date
  /** Aborted by the first Ctrl-C: reads and waits end. */
  readonly signal: AbortSignal
  /** The words that were typed to name the command: `kv get`. */
  readonly commandPath: readonly string[]
  /** Waits so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
  /** The name of the person who runs `tug` here. */
  readonly user: string
  /**
   * A command line for a hint: `words` as they are, each of `args` quoted for a shell, then the flags typed on this line that
   * say where (`--mount`, `-n`, `-p`, `--address`, …): `tug kv undelete app/db --mount team`.
   */
  commandLine(words: string, ...args: readonly string[]): string
  /**
   * Runs a command on our own streams; gives its exit status (128 + n for a signal). Signals are forwarded once. From its start
   * on, failures of `tug` itself are 125. Throws a usage error when it cannot be started.
   */
  runChild(words: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number>
  /** To be called once something runs whose exit status is passed on: failures of `tug` are 125 from then on. */
  started(): void
  /** Calls back on every way out of the process; returns what takes it back. */
  onExit(call: () => void): () => void
  /** Calls back when the terminal gets another size; returns what takes it back. */
  onResize(call: () => void): () => void
  /** The size of the terminal that shows the output; 24 × 80 without one. */
  terminalSize(): { readonly rows: number; readonly columns: number }
}

/** An open WebSocket. */
export interface Socket {
  /** Does nothing once the connection has ended. */
  send(text: string): void
  /** Resolves when all that was sent has been handed to the system, or the connection has ended. */
  flushed(): Promise<void>
  /** Frames in order, for one reader; a slow reader makes the server wait. Ends, without an error, with the connection. */
  readonly messages: AsyncIterable<string>
  /** Hangs up at once. */
  close(): void
  /** How it ended; comes at once with a close frame, and only after the messages that came before were read. */
  readonly ended: Promise<SocketEnd>
}

export type SocketEnd =
  | { readonly kind: 'close-frame'; readonly code: number; readonly reason: string }
  /** No close frame: the other side hung up, the network failed (`cause`), or {@link Socket.close}. */
  | { readonly kind: 'dropped'; readonly cause?: Error }

/** An answer, read whole. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body as text. */
  text(): string
  /** The body as JSON, parsed once. Throws when it is not JSON (a proxy's HTML, cut short); null for an empty body. */
  json(): Json
  /** The error that this answer means, for a status that the request allowed. */
  failure(): TugError
}

/** An answer whose body comes in pieces. */
export interface HttpStream {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array>
}

export interface Http {
  /**
   * Sends a request and reads the answer whole. Throws a TugError for an answer that is no success (unless `allow` names its
   * status), and when the service cannot be reached.
   */
  send(request: HttpRequest): Promise<HttpResponse>
  /** The same, with a body that comes as it arrives. */
  stream(request: HttpRequest): Promise<HttpStream>
  /** True with `--dry-run`: nothing is sent, answers are stand-ins, and what waits for an outcome ends at once. */
  readonly dryRun: boolean
  /**
   * Opens a WebSocket, without the token, which goes in the first frame. Throws what the network or the server answered; ends
   * a dry run once it is printed.
   */
  openSocket(request: HttpRequest, signal: AbortSignal): Promise<Socket>
  /** Where the service is, and the token. */
  readonly connection: Connection
}

/** Where and how to reach the service, for what is no plain request. */
export interface Connection {
  readonly service: ServiceName
  /** `https://host:port`, `http://localhost` for a Unix socket; throws a usage error when none is configured. */
  origin(): string
  /** What stands before the version prefix of each path, where the address has a path of its own; else ''. */
  basePath(): string
  /** The token, once it is known; undefined when there is none. */
  token(): Promise<string | undefined>
  readonly tls: TlsOptions
  /** The proxy that applies to the origin, as the environment says. */
  proxy(): string | undefined
}

export interface TlsOptions {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly serverName?: string
  readonly insecure?: boolean
}

/** Settings that commands may know. The output format, the token and the retries are none of these. */
export interface CommandSettings {
  readonly service: ServiceName | undefined
  readonly dialect: 'neutral' | 'hashicorp'
  /** The values of `{org}` and `{mount}`; reading one that is not configured is a usage error. */
  readonly route: RouteSettings
  readonly namespace: string | undefined
  readonly region: string | undefined
  /** The flags typed on this line that say which server and which part of it is meant: `-p prod --mount team`. */
  readonly placeFlags: readonly string[]
  /** `LIST` or `GET …?list=true` (secrets). */
  readonly listMethod: 'list' | 'get'
  /** How the result will be printed, for the few that must know (`generate` must not lose a key). */
  readonly format: Format
  /** The output flags that were typed on this line: `{ output: 'csv' }`. */
  readonly outputFlags: Readonly<Partial<Record<'output' | 'query' | 'columns', string>>>
  /** Milliseconds. */
  readonly timeout: number
}

export const formats = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'tsv', 'md', 'name'] as const

export type Format = (typeof formats)[number]

/** Something that takes time, as a person sees it. */
export interface Activity {
  /** Replaces the label: a count, the state of what is waited for. */
  update(label: string): void
  /** Must be called when it is over, also after a failure; nothing is left behind. May be called more than once. */
  end(): void
}

/** Streams, questions and files, as a command sees them. */
export interface Io {
  /**
   * Shows on a terminal that something takes time, once it has taken 300 ms, with the elapsed time. `background` activities
   * show only while there is no other; `narrated` ones print lines of their own as well.
   */
  progress(label: string, options?: { readonly background?: boolean; readonly narrated?: boolean }): Activity
  /** Removes what shows progress while something else uses the terminal; returns what ends that. */
  pauseProgress(): () => void
  /** A confirmation or progress line on stderr, in a tone where it has one; silent with `-q` and `--dry-run`. */
  note(line: string, tone?: Tone): void
  /** A `hint:` line on stderr; silent with `-q`. */
  hint(line: string): void
  /** A `warning:` line on stderr; never silent. */
  warn(line: string): void
  /** Asks yes or no. A no is a usage error (exit 2), as is a terminal that is missing, unless `--yes`. */
  confirm(question: string): Promise<void>
  /** Asks for a line; `hidden` does not echo it. Without a terminal: a usage error with `otherwise` as its hint. */
  ask(question: string, options: { hidden?: boolean; otherwise: string }): Promise<string>
  /** A choice of several, on a terminal; else undefined. */
  choose(question: string, choices: readonly string[]): Promise<number | undefined>
  /** True when questions can be asked: stdin and stderr are terminals, and neither `--no-input` nor CI. */
  readonly interactive: boolean
  readonly terminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
  /** Columns of stdout where it is a terminal. */
  readonly columns: number | undefined
  /** Colours for stderr. */
  readonly paint: Paint
  /** A file's bytes; `-` is stdin, which only one may read and which must be no terminal. Names the file in its errors. */
  readFile(path: string): Promise<Uint8Array>
  /** The same as text; bytes that are no UTF-8 are a usage error. A leading byte order mark is dropped. */
  readText(path: string): Promise<string>
  /**
   * From now on this text appears nowhere on stderr, in traces or errors. Short texts are ignored. In a GitHub workflow its log
   * masks the text too if `mask` is true; by default if the text, or the `name` it is stored under, looks like a secret's.
   */
  secret(text: string, options?: { readonly name?: string; readonly mask?: boolean }): void
  /** The environment, for what a command documents that it reads (editor, children). */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The streams themselves, for what passes them through (`job action`, `kv exec`). */
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown }
  /** Writes bytes to stdout or stderr and waits until they are taken. */
  write(stream: 'stdout' | 'stderr', bytes: Uint8Array | string): Promise<void>
  /** The folder where relative paths start. */
  readonly cwd: string
}
