import { promises } from 'node:fs'
import { resolve } from 'node:path'
import type { Io } from '../core/context.ts'
import { isSimpleTerminal, isYes } from '../core/environment.ts'
import { TugError, untilAborted, usageError } from '../core/errors.ts'
import type { Paint } from '../core/output.ts'
import { fileReason, fileText, fileWords } from '../core/words.ts'
import type { Json } from '../core/json.ts'
import { stringifyJson } from '../core/json.ts'
import type { Host } from '../process/host.ts'
import {
  errorAnnotation,
  escapeControl,
  escapeJson,
  escapePage,
  inGitHub,
  withoutCommands,
  withoutCommandsInJson,
} from './safe.ts'
import { writable, widthOf, writeAll } from './streams.ts'
import { createProgress } from './progress.ts'
import type { Masks } from './masks.ts'
import type { Redactor } from './redact.ts'
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
  readonly masks: Masks | undefined
  readonly signal: AbortSignal
}

/** Access to streams, prompts and files. Everything on stderr passes the redactor and has its control characters escaped. */
export function createIo(host: Host, options: IoOptions): Io {
  const { quiet, yes, noInput, paint, redactor, masks } = options
  let isStdinRead = false
  // Evaluated lazily: opening standard input takes time.
  const isInteractive = () => !noInput && host.stdin.isTTY === true && host.stderr.isTTY === true

  const clean = createCleaner(host, redactor)
  const messages = createMessages(host, redactor)

  async function readStdin(): Promise<Uint8Array> {
    if (isStdinRead)
      throw usageError("two inputs are '-', but standard input can be read only once", 'name a file for one')
    isStdinRead = true
    if (host.stdin.isTTY === true)
      throw usageError("'-' reads standard input, which is a terminal", 'pipe the data in, or name a file')
    const readAll = async () => {
      const pieces: Uint8Array[] = []
      for await (const piece of host.stdin as AsyncIterable<Uint8Array | string>) pieces.push(Buffer.from(piece))
      return Buffer.concat(pieces)
    }
    return untilAborted(readAll(), options.signal)
  }

  /** Reads a file, or standard input for `-`. */
  async function readInput(path: string): Promise<Uint8Array> {
    if (path === '-') return readStdin()
    if (path === '') throw usageError("cannot read '': the file name is empty")
    redactor.keep(path)
    // Node finds no file of this name.
    if (host.platform === 'win32' && /^nul:?$/i.test(path)) return new Uint8Array()
    const file = resolve(host.cwd, path)
    try {
      // Never at once: a pipe without a writer, or a mount that hangs, would make the program deaf to signals.
      return await untilAborted(promises.readFile(file), options.signal)
    } catch (error) {
      if (error instanceof TugError) throw error
      throw usageError(`cannot read ${path}: ${fileReason(error)}`)
    }
  }

  const isSilent = quiet || options.dryRun || isYes(host.env['CI'])
  const progress = createProgress({
    stderr: host.stderr,
    style: isSilent ? 'none' : isSimpleTerminal(host.env) ? 'lines' : 'spinner',
    monotonic: host.monotonic,
    after: (milliseconds, call) => {
      const timer = setTimeout(call, milliseconds)
      timer.unref()
      return () => clearTimeout(timer)
    },
    clean,
    onExit: host.onExit,
  })
  const warning = (text: string) => messages.write({ lead: `${paint('warn', 'warning:')} `, text })
  const write: Io['write'] = (stream, bytes) => {
    if (stream === 'stdout') {
      masks?.seeText(bytes)
      masks?.announce()
    }
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
        messages.write({ text: line, ...(tone === undefined ? {} : { tone: (text) => paint(tone, text) }) })
    },
    incomplete: (line) => {
      if (!options.dryRun) messages.write({ text: line })
    },
    hint: (line) => {
      if (!quiet) messages.write({ lead: `${paint('dim', 'hint:')} `, text: line })
    },
    warn: (line) => {
      if (!quiet) warning(line)
    },
    warnAlways: warning,
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
    readFile: readInput,
    async readText(path) {
      return fileText(await readInput(path), fileWords(path))
    },
    secret: (text, { name, mask } = {}) => {
      redactor.add(text)
      if (masks !== undefined && (mask ?? looksSecret(text, name))) masks.add(text)
    },
    name: redactor.keep,
    withoutSecrets: redactor.redact,
    env: host.env,
    platform: host.platform,
    home: host.home,
    uid: host.uid,
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

/** A line on stderr. */
interface Message {
  /** Precedes the text, for example `hint: `. */
  readonly lead?: string
  /** Several lines are given one by one: line feeds inside a line are escaped. */
  readonly text: string | readonly string[]
  readonly tone?: (clean: string) => string
  /** Longer text is truncated, after secrets in it were masked: half a secret is not recognised. */
  readonly maxLength?: number
}

/** Messages on stderr. */
export interface Messages {
  /** Writes lines at once. */
  readonly write: (...lines: readonly Message[]) => void
  /** Writes one line of JSON. */
  readonly writeJson: (value: Json) => void
  /** Writes the annotation of a failed command, in a GitHub workflow. */
  readonly annotate: (command: string, message: readonly string[]) => void
}

/** The only way to stderr: known secrets are masked, control characters and a GitHub runner's commands escaped. */
export function createMessages(host: Pick<Host, 'env' | 'stderr'>, redactor: Pick<Redactor, 'redact'>): Messages {
  const clean = createCleaner(host, redactor)
  const stderr = writable(host.stderr)
  const lineOf = ({ lead = '', text, tone = (plain) => plain, maxLength = Infinity }: Message) => {
    const whole = [text].flat().map(clean).join('\n')
    return `${lead}${tone(whole.length > maxLength ? `${whole.slice(0, maxLength)}…` : whole)}\n`
  }
  return {
    write: (...lines) => {
      stderr.write(lines.map(lineOf).join(''))
    },
    writeJson: (value) => {
      stderr.write(`${withoutCommandsInJson(escapeJson(redactor.redact(stringifyJson(value))))}\n`)
    },
    annotate: (command, message) => {
      if (!inGitHub(host)) return
      stderr.write(errorAnnotation(command, message.map((line) => escapeControl(redactor.redact(line))).join('\n')))
    },
  }
}

/** A function that masks known secrets and escapes control characters and, in a GitHub workflow, runner commands. */
function createCleaner(host: Pick<Host, 'env'>, redactor: Pick<Redactor, 'redact'>): (text: string) => string {
  const inLog = inGitHub(host)
  return (text) => {
    const shown = escapeControl(redactor.redact(text))
    return inLog ? withoutCommands(shown) : shown
  }
}
