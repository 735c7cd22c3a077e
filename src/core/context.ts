import type { Readable } from 'node:stream'
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
}

/** An answer, read whole. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body as text. */
  text(): string
  /** The body as JSON. Throws when it is none (a proxy's HTML, cut short); null for an empty body. */
  json(): Json
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
  /** For what is no plain request: the WebSocket of a job action. */
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
  /** The words typed on this command line that say which server is meant and how to reach it: `--profile prod`. */
  readonly serverFlags: readonly string[]
  /** `LIST` or `GET …?list=true` (secrets). */
  readonly listMethod: 'list' | 'get'
  /** How the result will be printed, for the few that must know (`generate` must not lose a key). */
  readonly format: Format
  /** Milliseconds. */
  readonly timeout: number
}

export const formats = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'tsv', 'md', 'name'] as const

export type Format = (typeof formats)[number]

/** Streams, questions and files, as a command sees them. */
export interface Io {
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
