import { promises } from 'node:fs'
import { resolve } from 'node:path'
import type { Io } from '../core/context.ts'
import { isSimpleTerminal, isYes } from '../core/environment.ts'
import { interrupted, TugError, usageError } from '../core/errors.ts'
import type { Paint } from '../core/output.ts'
import { fileReason, fileText, fileWords } from '../core/words.ts'
import type { Host, OutputStream } from '../process/host.ts'
import { inGitHub, withoutCommands, escapeControl, escapePage } from './safe.ts'
import { createProgress } from './progress.ts'
import type { Masks, Redactor } from './redact.ts'
import { looksSecret } from './redact.ts'

/** Options for messages and prompts. */
export interface IoOptions {
  readonly quiet: boolean
  readonly yes: boolean
  readonly noInput: boolean
  readonly dryRun: boolean
  /** Colours for stderr. */
  readonly paint: Paint
  readonly stdoutPaint: Paint
  readonly redactor: Redactor
  readonly masks: Masks
  readonly signal: AbortSignal
}

/** Access to streams, prompts and files. Everything on stderr passes the redactor and has its control characters escaped. */
export function createIo(host: Host, options: IoOptions): Io {
  const { quiet, yes, noInput, paint, redactor, masks } = options
  let isStdinRead = false
  // Evaluated lazily: opening standard input takes time.
  const isInteractive = () => !noInput && host.stdin.isTTY === true && host.stderr.isTTY === true

  const clean = createCleaner(host, redactor)
  const say = (line: string, lead: string) => {
    host.stderr.write(`${lead}${clean(line)}\n`)
  }

  async function readStdin(): Promise<Uint8Array> {
    if (isStdinRead)
      throw usageError("two inputs are '-', but standard input can be read only once", 'name a file for one')
    isStdinRead = true
    if (host.stdin.isTTY === true)
      throw usageError("'-' reads standard input, which is a terminal", 'pipe the data in, or name a file')
    return untilAborted(allOf(host.stdin as AsyncIterable<Uint8Array | string>), options.signal)
  }

  async function readAny(path: string): Promise<Uint8Array> {
    if (path === '-') return readStdin()
    if (path === '') throw usageError("cannot read '': the file name is empty")
    const file = resolve(host.cwd, path)
    try {
      return await untilAborted(promises.readFile(file), options.signal)
    } catch (error) {
      if (error instanceof TugError) throw error
      throw usageError(`cannot read ${path}: ${fileReason(error)}`)
    }
  }

  const progress = createProgress({
    stderr: host.stderr,
    style: progressStyle(host, quiet || options.dryRun),
    monotonic: host.monotonic,
    after: (milliseconds, call) => {
      const timer = setTimeout(call, milliseconds)
      timer.unref()
      return () => clearTimeout(timer)
    },
    clean,
    onExit: host.onExit,
  })
  const warning = (line: string) => say(line, `${paint('warn', 'warning:')} `)
  const write: Io['write'] = (stream, bytes) => {
    if (stream === 'stdout') masks.announce()
    return writeAll(host[stream], bytes, stream)
  }
  /** A question needs the terminal to itself. */
  async function askLine(question: string, hidden: boolean): Promise<string> {
    const resume = progress.pause()
    try {
      const prompt = await import('./prompt.ts')
      return await prompt.askLine(host, clean(question), { hidden, signal: options.signal })
    } finally {
      resume()
    }
  }

  return {
    quiet,
    progress: progress.start,
    pauseProgress: progress.pause,
    note: (line, tone) => {
      // A dry run does nothing, so there is nothing to report.
      if (!quiet && !options.dryRun)
        host.stderr.write(`${tone === undefined ? clean(line) : paint(tone, clean(line))}\n`)
    },
    incomplete: (line) => {
      if (!options.dryRun) host.stderr.write(`${clean(line)}\n`)
    },
    hint: (line) => {
      if (!quiet) say(line, `${paint('dim', 'hint:')} `)
    },
    warn: (line) => {
      if (!quiet) warning(line)
    },
    doubt: warning,
    isDryRun: options.dryRun,
    asks: !yes && !options.dryRun,
    async confirm(question) {
      if (yes || options.dryRun) return false
      if (!isInteractive()) throw usageError(`confirmation required: ${question}`, 'pass --yes to confirm')
      const answer = await askLine(`${question} [y/N] `, false)
      if (!/^y(?:es)?$/i.test(answer.trim())) throw usageError('not confirmed; nothing was changed')
      return true
    },
    async ask(question, { hidden = false, otherwise }) {
      if (!isInteractive())
        throw usageError(`cannot ask without a terminal: ${question.trimEnd().replace(/[:?]$/, '')}`, otherwise)
      return askLine(question, hidden)
    },
    get interactive() {
      return isInteractive()
    },
    terminal: {
      get stdin() {
        return host.stdin.isTTY === true
      },
      stdout: host.stdout.isTTY === true,
      stderr: host.stderr.isTTY === true,
    },
    columns: widthOf(host.stdout, host.env),
    paint,
    readFile: readAny,
    async readText(path) {
      return fileText(await readAny(path), fileWords(path))
    },
    secret: (text, { name, mask } = {}) => {
      redactor.add(text)
      if (masks.isUsed && (mask ?? looksSecret(text, name))) masks.add(text)
    },
    withoutSecrets: (text) => redactor.redact(text),
    env: host.env,
    platform: host.platform,
    home: host.home,
    get stdin() {
      return host.stdin
    },
    async print(render) {
      // It is printed among the requests.
      if (options.dryRun) return
      const text = `${escapePage(render(options.stdoutPaint), options.stdoutPaint)}\n`
      const resume = progress.pause()
      const written = write('stdout', inGitHub(host) ? withoutCommands(text) : text)
      await untilAborted(written, options.signal).finally(resume)
    },
    write,
    get cwd() {
      return host.cwd
    },
  }
}

/**
 * Makes text safe for stderr: masks known secrets, escapes control characters and, in a GitHub workflow, runner commands.
 */
export function createCleaner(host: Pick<Host, 'env'>, redactor: Pick<Redactor, 'redact'>): (text: string) => string {
  const inLog = inGitHub(host)
  return (text) => {
    const shown = escapeControl(redactor.redact(text), { newlines: true })
    return inLog ? withoutCommands(shown) : shown
  }
}

/** How progress is shown: not in CI, as lines for screen readers and simple terminals. */
function progressStyle({ env }: Host, silent: boolean): 'spinner' | 'lines' | 'none' {
  if (silent || isYes(env['CI'])) return 'none'
  return isSimpleTerminal(env) ? 'lines' : 'spinner'
}

/** Columns of a stream that is a terminal; `COLUMNS` overrides them. */
export function widthOf(stream: OutputStream, env: Host['env']): number | undefined {
  if (stream.isTTY !== true) return undefined
  const asked = Number(env['COLUMNS'])
  if (Number.isInteger(asked) && asked > 0) return asked
  return stream.columns !== undefined && stream.columns > 0 ? stream.columns : 80
}

/** Writes, and waits until the stream has accepted it. A closed pipe ends the program silently (141). */
export function writeAll(stream: OutputStream, bytes: Uint8Array | string, name: string): Promise<void> {
  return new Promise((done, fail) => {
    stream.write(bytes, (error) => {
      if (error == null) done()
      else fail(writeFailure(error, name))
    })
  })
}

async function allOf(stream: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of stream) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/**
 * Waits for `work`, unless a signal arrives meanwhile: a stopped reader such as a pager, or a pipe without a writer, must not keep the
 * program running. Work begun after the signal is waited for.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((done, fail) => {
    const leave = () => fail(interrupted())
    signal.addEventListener('abort', leave)
    void work.then(done, fail).then(() => signal.removeEventListener('abort', leave))
  })
}

function writeFailure(error: Error, name: string): TugError {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return new TugError('closed_pipe', `${name} is closed`)
  return new TugError('failed', `cannot write to ${name}: ${fileReason(error)}`)
}
