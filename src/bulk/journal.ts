import { closeSync, constants, openSync, promises, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { TugError, usageError } from '../core/errors.ts'
import { fileReason } from '../output/io.ts'

/** How an item ended. */
export type Ending = 'done' | 'unchanged' | 'failed' | 'unknown'

/** One line of a journal, without values. */
export interface JournalLine {
  /** RFC 3339. */
  readonly time: string
  readonly who: string
  readonly item: string
  readonly action: string
  /** What was there before: a version, a state; null if that is not known. */
  readonly before: string | number | null
  readonly after: string | number | null
  readonly outcome: Ending
  readonly error: string | null
  readonly request_id: string | null
}

/** A file to which a line is appended as each item ends. */
export interface Journal {
  /** Throws if the line cannot be written whole. */
  append(line: JournalLine): void
  /** Closes the file; another line opens it again. */
  close(): void
}

/** Opens a journal when the first line is written; `torn` says that the file ends inside a line. */
export function createJournal(cwd: string, file: string, torn: boolean): Journal {
  let opened: number | undefined
  const write = (text: string) => {
    opened ??= openSync(resolve(cwd, file), 'a', 0o600)
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
        throw new TugError('failed', `cannot write the journal ${file}: ${fileReason(error)}`, { cause: error })
      }
    },
    close() {
      if (opened !== undefined) closeSync(opened)
      opened = undefined
    },
  }
}

/** Throws a usage error if the journal cannot be created or continued. */
export async function checkJournal(cwd: string, file: string): Promise<void> {
  if (file === '') throw usageError('the name of the journal is empty')
  const path = resolve(cwd, file)
  const exists = await promises.access(path).then(
    () => true,
    () => false,
  )
  const place = exists ? path : dirname(path)
  await promises.access(place, constants.W_OK).catch((error: unknown) => {
    throw usageError(`cannot write the journal ${file}: ${fileReason(error)}`)
  })
}

/** What an earlier run left: the last outcome of each item. */
export interface Past {
  readonly outcomes: ReadonlyMap<string, Ending>
  /** True if the last line was cut off. */
  readonly torn: boolean
}

const endings: readonly string[] = ['done', 'unchanged', 'failed', 'unknown'] satisfies Ending[]

/** Reads the journal of an earlier run of the same action. A last line that was cut off is ignored. Throws usage errors. */
export async function readJournal(cwd: string, file: string, action: string): Promise<Past> {
  const text = await promises.readFile(resolve(cwd, file), 'utf8').catch((error: unknown) => {
    throw usageError(`cannot read the journal ${file}: ${fileReason(error)}`)
  })
  const lines = text.split('\n')
  const torn = lines.pop() !== ''
  const outcomes = new Map<string, Ending>()
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const entry = readLine(line)
    // A line that was cut off by an earlier interruption is followed by a new one.
    if (entry === undefined && index < lines.length - 1 && readLine(lines[index + 1] ?? '') !== undefined) continue
    if (entry === undefined) throw usageError(`${file} is not a journal: line ${index + 1} is not one of its lines`)
    if (entry.action !== action)
      throw usageError(`${file} is the journal of another command: ${entry.action}, not ${action}`)
    outcomes.set(entry.item, entry.outcome)
  }
  return { outcomes, torn }
}

function readLine(line: string): Pick<JournalLine, 'item' | 'action' | 'outcome'> | undefined {
  try {
    const { item, action, outcome } = JSON.parse(line) as Record<string, unknown>
    if (typeof item !== 'string' || typeof action !== 'string' || !endings.includes(String(outcome))) return undefined
    return { item, action, outcome: outcome as Ending }
  } catch {
    return undefined
  }
}
