import { closeSync, constants, createReadStream, openSync, promises, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { serverOf } from '../core/address.ts'
import type { Context } from '../core/context.ts'
import { TugError } from '../core/errors.ts'
import { linesOf } from '../core/lines.ts'
import { asJson } from '../core/answer.ts'
import type { Infer } from '../core/shape.ts'
import { any, mismatch, object, string } from '../core/shape.ts'
import { fileReason } from '../core/words.ts'
import * as messages from './messages.ts'

/** How an item ended. */
export type Ending = 'done' | 'unchanged' | 'failed' | 'unknown'

/** One line of a journal, without values. */
export interface JournalLine {
  /** RFC 3339. */
  readonly time: string
  readonly who: string
  readonly item: string
  readonly action: string
  /** The server's address. */
  readonly server: string
  /** The namespace and mount of the items, and what else tells this work from other work, such as the folder to copy to. */
  readonly target: string
  /** What was there before: a version, a state; null if that is not known. */
  readonly before: string | number | null
  readonly after: string | number | null
  readonly outcome: Ending
  readonly error: string | null
  readonly request_id: string | null
}

/** What the lines of a journal are about. */
export type Subject = Pick<JournalLine, 'action' | 'server' | 'target'>

/** What the journal of a command is about; `detail` tells its work from other work on the same mount. */
export function subjectOf(context: Context, action: string, detail: string | undefined): Subject {
  const { settings } = context
  const mount = settings.service === 'secrets' ? settings.route.mount : undefined
  const parts = [settings.namespace, mount, detail]
  const target = parts.filter((part) => part !== undefined && part !== '').join(' ')
  return { action, server: serverOf(context), target }
}

/** A file to which a line is appended as each item ends. */
export interface Journal {
  /** Throws if the line cannot be written whole. */
  append(line: JournalLine): void
  /** Closes the file; another line opens it again. */
  close(): void
}

/** Opens a journal when the first line is written; `torn` is true if the file ends inside a line. */
export function createJournal(cwd: string, file: string, torn: boolean): Journal {
  let opened: number | undefined
  const write = (text: string) => {
    opened ??= openToAppend(resolve(cwd, file))
    const bytes = Buffer.from(text)
    for (let written = 0; written < bytes.length;) written += writeSync(opened, bytes, written)
  }
  let lead = torn ? '\n' : ''
  return {
    append(line) {
      try {
        write(`${lead}${JSON.stringify(line)}\n`)
        lead = ''
      } catch (error) {
        throw messages.unwritableJournal(file, fileReason(error), error)
      }
    },
    close() {
      if (opened !== undefined) closeSync(opened)
      opened = undefined
    },
  }
}

/** Opens a file, but never waits for somebody to read a pipe, which no signal could end: throws ENXIO if nobody does. */
function openToAppend(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants
  const first = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600)
  try {
    return openSync(path, 'a', 0o600)
  } finally {
    closeSync(first)
  }
}

/** Throws a usage error if the journal cannot be created or continued. False for a device or a pipe, which cannot be read first. */
export async function checkJournal(cwd: string, file: string): Promise<boolean> {
  if (file === '') throw messages.noJournalName()
  if (file === '-') throw messages.journalOnStdout()
  const path = resolve(cwd, file)
  const found = await promises.stat(path).catch(() => undefined)
  const place = found === undefined ? dirname(path) : path
  await promises.access(place, constants.W_OK).catch((error: unknown) => {
    throw messages.unwritableJournal(file, fileReason(error))
  })
  return found === undefined || found.isFile() || found.isDirectory()
}

/** What earlier runs left: the last outcome of each item, but unknown is not undone by a failure. */
export interface Past {
  readonly outcomes: ReadonlyMap<string, Ending>
  /** What the items were before, as the last of their lines that know it have it. */
  readonly before: ReadonlyMap<string, JournalLine['before']>
  /** The server of the last line; undefined in journals of earlier releases. */
  readonly server?: string | undefined
  /** The time of the first line. */
  readonly begun?: string | undefined
  /** True if the last line was cut off. */
  readonly torn: boolean
}

const endings: readonly string[] = ['done', 'unchanged', 'failed', 'unknown'] satisfies Ending[]

/**
 * Reads the journal of an earlier run; undefined if there is no such file. Lines that were cut off are ignored. Throws usage errors:
 * for a file that is not a journal, and for one about something other than `subject`, if that is given.
 */
export async function readJournal(cwd: string, file: string, subject?: Subject): Promise<Past | undefined> {
  const outcomes = new Map<string, Ending>()
  const before = new Map<string, JournalLine['before']>()
  let number = 0
  let torn = false
  let server: string | undefined
  let begun: string | undefined
  try {
    for await (const line of linesOf(createReadStream(resolve(cwd, file)))) {
      const text = line.text.toString()
      number += 1
      torn = line.isCut
      const entry = readLine(text)
      if (entry === undefined && !isCutOff(text)) throw messages.notJournal(file, number)
      if (entry === undefined) continue
      if (subject !== undefined) checkSubject(file, entry, subject)
      // A later refusal does not tell what became of the first try.
      const isStillUnknown = entry.outcome === 'failed' && outcomes.get(entry.item) === 'unknown'
      if (!isStillUnknown) outcomes.set(entry.item, entry.outcome)
      if (typeof entry.before === 'string') before.set(entry.item, entry.before)
      server = entry.server ?? undefined
      begun ??= entry.time ?? undefined
    }
  } catch (error) {
    if (error instanceof TugError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw messages.unreadableJournal(file, fileReason(error))
  }
  return { outcomes, before, server, begun, torn }
}

function checkSubject(file: string, entry: Entry, { action, target }: Subject): void {
  if (entry.action !== action) throw messages.otherCommand(file, entry.action, action)
  const its = entry.target ?? target
  if (its !== target) throw messages.otherTarget(file, its, target)
}

/** Journals of earlier releases have no server and no target. */
const entryShape = object({
  item: string,
  action: string,
  outcome: string,
  'time?': string,
  'server?': string,
  'target?': string,
  'before?': any,
})

type Entry = Omit<Infer<typeof entryShape>, 'outcome'> & { readonly outcome: Ending }

function readLine(line: string): Entry | undefined {
  const found = parsed(line)
  if (found === undefined || mismatch(asJson(found), entryShape) !== undefined) return undefined
  const entry = found as unknown as Entry
  return endings.includes(entry.outcome) ? entry : undefined
}

/** True for the beginning of a line: an earlier run was killed while it wrote. */
function isCutOff(line: string): boolean {
  return line === '' || (line.startsWith('{') && parsed(line) === undefined)
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
}
