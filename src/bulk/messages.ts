import { TugError, usageError } from '../core/errors.ts'
import { plural } from '../core/words.ts'

// Journals
export const noJournalName = () => usageError('the name of the journal is empty')
export const journalOnStdout = () => usageError('a journal needs a file; standard output is for the result')
export const missingJournal = (file: string) =>
  usageError(`journal ${file} doesn't exist`, 'start one with --journal instead of --resume')
export const newJournal = (file: string) => `journal ${file} doesn't exist yet; starting from the beginning`
export const unreadableJournal = (file: string, reason: string) =>
  usageError(`cannot read the journal ${file}: ${reason}`)
export const unwritableJournal = (file: string, reason: string, cause?: unknown) =>
  new TugError(cause === undefined ? 'usage' : 'failed', `cannot write the journal ${file}: ${reason}`, { cause })
export const notJournal = (file: string, line: number) =>
  usageError(`${file} is not a journal: line ${line} is not one of its lines`)
export const otherCommand = (file: string, its: string, ours: string) =>
  usageError(`${file} is the journal of another command: ${its}, not ${ours}`)
export const otherTarget = (file: string, its: string, ours: string) =>
  usageError(`${file} is the journal of another target: ${its}, not ${ours}`, 'start another journal with --journal')
export const otherServer = (server: string) =>
  `the journal is of work on ${server}; what was done there is skipped here`
export const resumeWith = (line: string) => `resume with: ${line}`

// Failures
export const stoppedAfter = (failures: number, first: TugError | undefined) =>
  new TugError(first?.code ?? 'failed', `stopped after ${plural(failures, 'failure')}`)
export const someFailed = (failed: number, total: number) => `${failed} of ${total} failed`
