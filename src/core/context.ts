import type { Readable } from 'node:stream'
import type { Http, Layer } from './http.ts'
import type { Paint, Tone } from './output.ts'
import type { RouteSettings } from './request.ts'
import type { Dialect, ServiceName } from './service.ts'
import type { LineFlag, LineWord, Marked } from './shell.ts'

/** What a command gets, bound to the service of its group. */
export interface Context {
  /** Talks to the command's own service; with `--dry-run` it prints instead. */
  readonly http: Http
  readonly io: Io
  readonly settings: CommandSettings
  /** The time by the server's clock, as far as it is known. */
  readonly now: () => Date
  /** Milliseconds of a monotonic clock, for durations. */
  readonly monotonic: () => number
  /** When the command must end, by the same clock (`--wait-timeout`); questions move it. */
  readonly deadline?: { at: number }
  /** Aborted by the first Ctrl-C; reads and waits end. */
  readonly signal: AbortSignal
  /** The words of the command, aliases replaced by its name: `kv`, `get`. */
  readonly commandPath: readonly string[]
  /** Waits; throws "interrupted" when the signal is aborted. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
  /** The user's name. */
  readonly user: string
  /** The program's version. */
  readonly version: string
  /**
   * A command line for a hint: `words` unchanged, `args` quoted for a shell (flags as `['--all']` or `['--to', value]`), then the flags
   * of this line that select the target (`--mount`, `-n`, `-p`, `--address`, …): `tug kv undelete app/db --mount team`.
   */
  commandLine<const Words extends readonly LineWord[]>(words: string, ...args: Words & Marked<Words>): string
  /** The typed line with other values of these params, by key; undefined omits one. */
  typedLine(changes?: Readonly<Record<string, string | undefined>>): string
  /** The typed line with one argument replaced, for a hint. A write's other arguments, which may be secrets, are omitted. */
  lineWith(from: string, to: string, ...flags: readonly LineFlag[]): string
  /** The param that names its mount on this line: `mount`, or `toMount` for the other side of a copy. */
  readonly mountKey: string
  /** The context for the same service with another saved profile, mount or namespace. */
  elsewhere(place: Elsewhere): Context
  /** The same for writes: asks first if that profile is protected. */
  elsewhereToWrite(place: Elsewhere): Promise<Context>
  /** The context whose requests pass this layer first, also on the servers that it opens elsewhere. */
  through(layer: Layer): Context
  /**
   * Runs a command on the streams of `tug` and returns its exit status (128 + n for a signal). Signals are forwarded once. Once it has
   * started, failures of `tug` itself are 125. Throws a usage error if it cannot be started.
   */
  runChild(words: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number>
  /** The same for a user's command line, such as `$EDITOR`, with one more argument. */
  runLine(line: string, argument: string, env: Readonly<Record<string, string | undefined>>): Promise<number>
  /** Reports that a program has started and its exit status is passed on; later failures of `tug` are 125. */
  started(): void
  /** Calls back on every way out of the process; returns a function that cancels it. */
  onExit(call: () => void): () => void
  /** Calls back when the terminal is resized; returns a function that cancels it. */
  onResize(call: () => void): () => void
  /** The size of the terminal that shows the output; 24 × 80 without one. */
  terminalSize(): { readonly rows: number; readonly columns: number }
}

/** Another profile, mount or namespace; undefined members are those of the command's own context. */
export interface Elsewhere {
  readonly profile: string | undefined
  readonly mount: string | undefined
  readonly mountKey: string
  readonly namespace?: string | undefined
}

/** Settings for commands, without the output format, the token and retries. */
export interface CommandSettings {
  readonly service: ServiceName | undefined
  readonly dialect: Dialect
  /** The values of `{org}` and `{mount}`; reading one that is not configured is a usage error. */
  readonly route: RouteSettings
  readonly namespace: string | undefined
  readonly region: string | undefined
  /** Target flags of this command line: `-p prod --mount team`. */
  readonly targetFlags: readonly string[]
  /** `LIST` or `GET …?list=true` (secrets); undefined: whichever the server supports. */
  readonly listMethod: 'list' | 'get' | undefined
  /** The output format, for the few commands that depend on it (`generate` must not lose a key). */
  readonly format: Format
  /** The output flags that were typed on this line: `{ output: 'csv' }`. */
  readonly outputFlags: Readonly<Partial<Record<'output' | 'query' | 'columns', string>>>
  /** Milliseconds. */
  readonly timeout: number
  /** Limits of bulk work. */
  readonly limits: Limits
  /** The limits set by flags on this command line. */
  readonly typedLimits: Limits
}

/** Limits of bulk work; undefined if not set. */
export interface Limits {
  /** Targets at a time. */
  readonly parallel: number | undefined
  /** Requests per second. */
  readonly rate: number | undefined
  /** Failures after which nothing more is sent. */
  readonly maxFailures: number | undefined
}

export const formats = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'tsv', 'md', 'box', 'name'] as const

export type Format = (typeof formats)[number]

/** Work in progress, shown on a terminal. */
export interface Activity {
  /** Replaces the label, such as a count or a state. */
  update(label: string): void
  /** Call it when the activity is over, also after a failure. May be called more than once. */
  end(): void
}

/** Streams, questions and files, for commands. */
export interface Io {
  /**
   * Shows progress on a terminal after 300 ms, with the elapsed time. `background` activities are shown only while there is no
   * other; `narrated` ones also print their own lines.
   */
  progress(label: string, options?: { readonly background?: boolean; readonly narrated?: boolean }): Activity
  /** Hides progress while something else uses the terminal; returns a function that shows it again. */
  pauseProgress(): () => void
  /** A confirmation or progress line on stderr, with an optional tone; silent with `-q` and `--dry-run`. */
  note(line: string, tone?: Tone): void
  /** A line on stderr about an incomplete result; silent with `--dry-run` only. */
  incomplete(line: string): void
  /** A `hint:` line on stderr; silent with `-q`. */
  hint(line: string): void
  /** A `warning:` line on stderr; silent with `-q`. */
  warn(line: string): void
  /** A `warning:` line even with `-q`: the result is incomplete, or something is unknown or lost. */
  warnAlways(line: string): void
  /** True with `--dry-run`: nothing is carried out, so nothing may be reported as done. */
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
   * Masks this string on stderr, in traces and in errors from now on. Short strings are ignored. In a GitHub workflow the log masks it
   * too if `mask` is true; by default, if the string or the `name` it is stored under looks secret.
   */
  secret(text: string, options?: { readonly name?: string | undefined; readonly mask?: boolean | undefined }): void
  /** Keeps a name readable where a secret is equal to it or is a part of it: a path, a job ID, a file, a variable. */
  name(text: string): void
  /** The string with registered secrets masked, for server text that becomes part of a result about `name`. */
  withoutSecrets(text: string, name?: string): string
  /** The environment, for documented variables (editor, children). */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The operating system as Node names it: `win32` is Windows. */
  readonly platform: string
  /** The home folder. */
  readonly home: string
  /** The user's ID; undefined on Windows. */
  readonly uid: number | undefined
  /** The streams themselves, for commands that pass them through (`job action`, `kv exec`). */
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown }
  /** Prints lines of the result on stdout as soon as they are available; `paint` has stdout's colours. */
  print(render: (paint: Paint) => string): Promise<void>
  /** Writes bytes to stdout or stderr and waits until they are accepted. */
  write(stream: 'stdout' | 'stderr', bytes: Uint8Array | string): Promise<void>
  /** The folder that relative paths start from. */
  readonly cwd: string
}
